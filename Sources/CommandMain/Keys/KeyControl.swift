internal import CommandDisplay
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists
internal import DownloadWords
internal import Glibc
internal import SwiftGet

/// Lets the user steer a run by keys. `CommandLoop` calls it.
final class KeyControl {
  private let keyboard: Keyboard
  private let display: any Display
  private var keys: RunKeys
  private var settings: RunSettings
  private var active: [FileProgress] = []

  /// - Returns: nil where nobody sees what keys do, or standard input is no keyboard.
  init?(_ invocation: Invocation, _ display: any Display) {
    guard invocation.display.wantsBar, Terminal(descriptor: STDERR_FILENO) != nil, !invocation.lists.readsStandardInput,
      let keyboard = Keyboard()
    else { return nil }
    self.keyboard = keyboard
    self.display = display
    settings = invocation.settings
    keys = RunKeys(connections: settings.file.maxConnections) { text in
      Result { () throws(Failure) in try RateTimetable.typed(text) }
    }
  }

  /// What is readable when a key was typed; -1 while nobody listens.
  var descriptor: Int32 { keyboard.descriptor ?? -1 }

  /// Listens as long as the process is in the foreground.
  func listen() { keyboard.take() }

  /// Listens no more.
  func end() { keyboard.giveBack() }

  func progressed(_ progress: RunProgress) { active = progress.active }

  /// Does what was typed.
  ///
  /// - Parameter events: what poll(2) says of the descriptor.
  func obey(_ events: Int16, _ work: DownloadRun) {
    if events & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { return keyboard.lose() }
    guard events & Int16(POLLIN) != 0 else { return }
    for byte in keyboard.read() {
      for action in keys.typed(byte, active: active) { perform(action, work) }
    }
    display.show(prompt: keys.prompt)
  }

  private func perform(_ action: RunKeys.Action, _ work: DownloadRun) {
    switch action {
    case .pause: work.pause()
    case .resume: work.resume()
    case .connections(let count):
      settings.file.maxConnections = count
      settings.limits.maxConnectionsPerHost = max(settings.limits.maxConnectionsPerHost, count)
      work.use(settings)
    case .rate(let rate):
      settings.limits.limitRate = rate
      work.use(settings)
    case .skip(let task): work.cancel(task)
    // Its end is that of a signal in everything.
    case .stop: kill(getpid(), SIGINT)
    case .tell(let text): display.tell(Diagnostic(message: text).text)
    }
  }
}
