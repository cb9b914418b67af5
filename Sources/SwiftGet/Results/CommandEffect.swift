internal import DownloadCore

/// What a command came to. A command without effect says so, and succeeds.
public struct CommandEffect: Hashable, Sendable {
  /// Tasks, or flags of group and session, that are now otherwise.
  public internal(set) var changed = 0
  /// Those that were as wanted, or cannot be so.
  public internal(set) var unchanged = 0
  /// Tasks that are not called back, because their files are getting their names.
  public internal(set) var finishing = 0
  /// Of a pause: tasks among the changed ones whose bytes are lost, because they cannot be resumed.
  public internal(set) var notResumable = 0
  /// Of a resume: tasks that stay paused by themselves, by their group or by the session.
  public internal(set) var stillPaused = 0
  /// By what these are paused.
  public internal(set) var pausedBy: DownloadTaskPausedBy = []
  /// Tasks that are not known, and what else was refused for one task of several.
  public internal(set) var failures: [DownloadError] = []
  /// Those of the changed ones that are tasks.
  var changedTasks: [TaskID] = []

  mutating func add(_ other: CommandEffect) {
    changed += other.changed
    unchanged += other.unchanged
    finishing += other.finishing
    notResumable += other.notResumable
    stillPaused += other.stillPaused
    pausedBy.formUnion(other.pausedBy)
    failures += other.failures
    changedTasks += other.changedTasks
  }

  mutating func add(_ answer: QueueAnswer) {
    changed += answer.changedCount
    unchanged += answer.unchangedCount
    finishing += answer.finishingCount
    stillPaused += answer.stillPausedCount
  }
}
