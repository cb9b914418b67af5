/// Something new in a session.
public enum DownloadChange: Sendable {
  /// A task as it is. It has not settled, or something of it has changed since its end, such as its settings.
  case task(DownloadTaskSnapshot)
  /// A task has settled. The ends of a session are numbered from 1.
  case ended(DownloadTaskSnapshot, number: Int64)
  /// A task was removed.
  case removed(DownloadTaskID)
  /// The totals of the session.
  case totals(DownloadTotals)
  /// Tasks begin to wait for this, or none waits for it any more.
  case condition(DownloadCondition, isOver: Bool)
  /// Another process works on the session now; nil for none. Told if that changes while this one follows the session.
  case worker(DownloadWorker?)
  /// What came before is how everything was; what follows is new.
  case upToDate
  /// The loop was too far behind, and ends are missing. All tasks that have not settled follow, and `upToDate`.
  case gap
}
