internal import DownloadCore
internal import DownloadLists

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
}
