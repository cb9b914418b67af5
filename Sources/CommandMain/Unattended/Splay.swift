internal import CommandDisplay
internal import CommandOptions
internal import DownloadCore
internal import DownloadEngine
internal import DownloadWords

/// The random wait before the first request (`--splay`).
///
/// `-v` and the log say how long it is; a terminal shows what is left of it.
struct Splay {
  private let time: Duration
  /// Ends the wait, too.
  private let deadline: RunDeadline?
  private let messages: Messages
  private let isTold: Bool
  /// Where what is left is shown; nil shows it nowhere.
  private let terminal: Terminal?

  /// The time between two looks at the clock, and two frames of the display.
  private static let step = Duration.seconds(1)

  /// - Parameter terminal: nil where standard error is not a terminal with cursor movement.
  init(_ invocation: Invocation, _ context: RunContext, terminal: Terminal?) {
    var generator = SystemRandomNumberGenerator()
    time = Self.time(upTo: invocation.unattended.splay, using: &generator)
    deadline = context.deadline
    messages = context.messages
    isTold = invocation.display.verbosity > 0
    self.terminal = invocation.display.wantsBar ? terminal : nil
  }

  /// From zero to the longest time, with the same probability.
  static func time(upTo longest: Duration, using generator: inout some RandomNumberGenerator) -> Duration {
    .nanoseconds(Int64.random(in: 0...max(0, longest.wholeNanoseconds), using: &generator))
  }

  /// Waits, and leaves the signals as they were.
  ///
  /// - Returns: the signal that ended the wait.
  func wait() -> Int32? {
    if time == .zero { return nil }
    // Before anything is said: from then on somebody may ask for the status.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    defer { signals.release() }
    let text = "waiting \(Humanized.duration(time)) before the first request (--splay)"
    messages.write(Diagnostic(message: text), isShown: isTold)
    signals.willStop = clear
    defer { clear() }
    let end = ContinuousClock.now + time
    while true {
      let now = ContinuousClock.now
      if now >= end || deadline?.hasPassed ?? false { return nil }
      show(end - now)
      let goesOn = signals.wait(min(end - now, Self.step)) {
        clear()
        messages.write(Diagnostic(message: "\(Humanized.timeLeft(end - .now)) left of --splay"))
      }
      if !goesOn { return signals.ending }
    }
  }

  private func show(_ left: Duration) {
    guard let terminal, terminal.isForeground() else { return }
    let text = "swiftget: \(Humanized.timeLeft(left)) until the first request"
    messages.standardError.write("\r" + text.prefix(terminal.size().columns - 1) + "\u{1b}[K")
  }

  private func clear() {
    guard let terminal, terminal.isForeground() else { return }
    messages.standardError.write("\r\u{1b}[K")
  }
}
