internal import DownloadCore
internal import Glibc
internal import DownloadTransport

/// The signals that end a run, stop the process or ask for the run's status. Every wait of the command listens to it.
///
/// Belongs to the first thread of the command.
package final class SignalWatch {
  /// Asks a run for its status.
  package static let statusSignal = SIGUSR1
  /// Stops the process until SIGCONT (Ctrl-Z).
  package static let stopSignal = SIGTSTP

  private let source: SignalSource
  /// The first signal that ends the run. Later ones change nothing.
  package private(set) var ending: Int32?
  /// How many signals that end the run have come.
  package private(set) var endingCount = 0
  /// Called before `stopSignal` stops the process; must not wait for a signal.
  package var willStop: () -> Void = {}
  private var isStatusAsked = false
  private var isStopAsked = false

  /// Blocks `signals` in this thread and in all that are started later; before the first of those.
  package init(_ signals: [Int32]) { source = SignalSource(signals) }

  /// Has the signals, pending ones included, do again what they did before. In the thread that blocked them.
  package func release() { source.release() }

  /// Readable while a signal waits to be taken.
  package var descriptor: Int32 { source.descriptor }

  /// Takes the signals that have come.
  package func take() {
    while let signal = source.next() {
      switch signal {
      case Self.statusSignal: isStatusAsked = true
      case Self.stopSignal: isStopAsked = true
      default:
        ending = ending ?? signal
        endingCount += 1
      }
    }
  }

  /// Stops the process where that was asked for, and returns when it goes on. Not inside a callback.
  package func stopIfAsked() {
    guard isStopAsked else { return }
    isStopAsked = false
    willStop()
    source.stop(by: Self.stopSignal)
  }

  /// Whether the status was requested since the last call.
  package func takeStatusQuestion() -> Bool {
    defer { isStatusAsked = false }
    return isStatusAsked
  }

  /// Waits for a time.
  ///
  /// - Parameter statusAsked: answers a request for the status.
  /// - Returns: false where a signal that ends the run has come before that.
  package func wait(_ span: Duration, statusAsked: () -> Void) -> Bool {
    let end = ContinuousClock.now + span
    while true {
      take()
      stopIfAsked()
      if takeStatusQuestion() { statusAsked() }
      if ending != nil { return false }
      let left = (end - .now).wholeNanoseconds
      if left <= 0 { return true }
      var entry = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
      // Rounded up, or the last millisecond would be spent without sleep.
      _ = poll(&entry, 1, Int32(clamping: (left + 999_999) / 1_000_000))
    }
  }

  /// What a wait is for.
  package enum Readiness { case readable, writable }

  /// Waits until the descriptor is ready, or has failed, or the time is over.
  ///
  /// - Parameters:
  ///   - count: signals that end the run, but not this wait.
  ///   - time: nil waits without limit.
  /// - Returns: false where a further signal has come before that.
  package func wait(
    for descriptor: Int32, _ readiness: Readiness, but count: Int = 0, within time: Duration? = nil
  ) -> Bool {
    while true {
      take()
      stopIfAsked()
      if endingCount > count { return false }
      let events = readiness == .readable ? POLLIN : POLLOUT
      var entries = [
        pollfd(fd: descriptor, events: Int16(events), revents: 0),
        pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&entries, 2, time.map { Int32(clamping: $0.wholeNanoseconds / 1_000_000) } ?? -1)
      if count == 0 { return true }
      if count < 0, errno != EINTR { return true }
      if count > 0, entries[0].revents != 0, entries[1].revents == 0 { return true }
    }
  }
}
