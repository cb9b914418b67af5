/// What becomes of recorded bytes when an answer brings another version.
extension FileMachine {
  /// Counts a restart.
  /// - Returns: an error after too many.
  mutating func noteRestart(_ reason: VersionChange, _ actions: inout [RunAction]) -> Failure? {
    segments.progressCountsAnew()
    guard version.changed() else { return Failure(.keepsChanging(reason)) }
    actions.append(.notice(item: item, .note, .startingOver(.changed(reason))))
    return nil
  }

  /// Discards the recorded bytes, their version and its claimed digests.
  mutating func discardContent(_ actions: inout [RunAction]) {
    version.contentDiscarded()
    segments.contentDiscarded()
    mirrors.contentDiscarded()
    actions.append(.discardContent(item: item))
  }

  /// As `discardContent`, but without recorded bytes mirrors keep their standing.
  mutating func discardRecorded(_ actions: inout [RunAction]) {
    guard done.isEmpty else { return discardContent(&actions) }
    version.contentDiscarded()
    mirrors.versionDiscarded()
  }

  /// Starts over: stops transfers and discards content and version.
  mutating func restart(_ actions: inout [RunAction]) {
    segments.stopAll(&actions)
    discardContent(&actions)
  }
}
