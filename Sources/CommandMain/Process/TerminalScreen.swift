internal import CommandControl
internal import CommandDisplay
internal import DownloadEngine
internal import Glibc

/// The terminal of `ctl watch`: standard output, the keyboard, and the signals of the process.
final class TerminalScreen: WatchScreen {
  let terminal: Terminal
  private let output: Output
  private let keyboard: Keyboard
  private let signals: SignalWatch
  private var leave: () -> Void = {}
  private var enter: () -> Void = {}

  /// How often it is looked whether the terminal has another size.
  private static let interval: Int32 = 250

  /// Blocks signals in this thread and in all that are started later.
  ///
  /// - Returns: nil if standard input is not the terminal that controls the process.
  init?(_ terminal: Terminal, _ output: Output) {
    guard let keyboard = Keyboard() else { return nil }
    (self.terminal, self.output, self.keyboard) = (terminal, output, keyboard)
    signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
  }

  func begin(leave: @escaping () -> Void, enter: @escaping () -> Void) {
    (self.leave, self.enter) = (leave, enter)
    output.signals = signals
    signals.willStop = { [keyboard] in
      leave()
      keyboard.giveBack()
    }
    takeTerminal()
  }

  /// Takes the keyboard and the screen, unless another job has the terminal. A shell that had it meanwhile may have set its
  /// mode.
  private func takeTerminal() {
    keyboard.take()
    if terminal.isForeground() { enter() }
  }

  func write(_ bytes: [UInt8]) { output.write(bytes) }

  func wait(for descriptor: Int32) -> WatchEvent {
    takeTerminal()
    var entries = [keyboard.descriptor ?? -1, descriptor, signals.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    guard poll(&entries, 3, Self.interval) > 0 else { return .somethingElse }
    signals.take()
    if let signal = signals.ending { return .ended(signal: signal) }
    signals.stopIfAsked()
    if entries[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { return .hungUp }
    if output.failed != nil { return .hungUp }
    guard entries[0].revents & Int16(POLLIN) != 0 else { return .somethingElse }
    return .typed(keyboard.read())
  }

  func end() {
    leave()
    keyboard.giveBack()
    // They hold the painter, which holds this screen.
    (leave, enter, signals.willStop) = ({}, {}, {})
  }
}
