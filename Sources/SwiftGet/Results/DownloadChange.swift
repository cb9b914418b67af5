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
  /// What came before is how everything was; what follows is new.
  case upToDate
  /// The loop was too far behind, and ends are missing. All tasks that have not settled follow, and `upToDate`.
  case gap
}
