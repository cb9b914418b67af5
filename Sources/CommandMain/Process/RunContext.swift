internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists
internal import DownloadWords
internal import Glibc

/// What a run has beside its options: what it reads, where its words go, and when it ends.
struct RunContext {
  let inputs: DecidingInputs
  let standardOutput: Output
  let messages: Messages
  /// When the run ends, whatever is left of it; nil is unlimited.
  var deadline: RunDeadline?

  var patience: ListPatience {
    ListPatience(until: deadline, signals: ProcessSetup.handledSignals + ProcessSetup.stopSignals)
  }

  /// Does work that signals end, and of which nothing has to be saved then.
  func untilSignal(
    _ body: (SignalWatch, inout RunStatus) throws(Failure) -> Void
  ) throws(Failure) -> RunResult {
    _ = ProcessSetup.raiseDescriptorLimit()
    // They must be blocked before the first thread starts.
    let signals = SignalWatch(ProcessSetup.handledSignals + ProcessSetup.stopSignals)
    standardOutput.signals = signals
    var status = RunStatus()
    try body(signals, &status)
    if !hasWrittenOutput() { status.add(.localIO, of: .output) }
    signals.take()
    status.signal = signals.ending
    return RunResult(status.status, mustNotWait: status.signal != nil)
  }

  /// Looks whether standard output has everything, and tells why not.
  ///
  /// - Returns: whether it has it.
  func hasWrittenOutput() -> Bool {
    guard let error = standardOutput.failed else { return true }
    messages.write(Diagnostic(message: Self.reason(error)))
    return false
  }

  /// - Parameter error: of standard output.
  static func reason(_ error: Int32) -> String {
    if error == EBADF { return "standard output is closed, or not open for writing" }
    return "cannot write to standard output: \(SystemMessages.reason(error))"
  }
}
