internal import DownloadStore

/// A session's place in the store, and what goes there.
struct SessionKeeping: Sendable {
  let store: SessionStore
  /// The number of the last end before this process began to work.
  let endBefore: Int64
  /// What of the session was lost, in sentences.
  let losses: [String]
  /// A command is prepared, committed and posted to the engine before the next one is prepared.
  let turns = CommandTurns()

  /// Ends that are not stored before no more are taken, so that nothing new begins.
  static let mostUnstored: Int64 = 10_000
}
