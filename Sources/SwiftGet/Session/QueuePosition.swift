/// A place in a queue.
public enum QueuePosition: Hashable, Sendable {
  /// Before all others of the task's priority.
  case first
  /// Behind all others of the task's priority.
  case last
  /// Before another task, with its priority.
  case before(DownloadTask)
  /// Behind another task, with its priority.
  case after(DownloadTask)
  /// Behind all others of the task's priority in this group.
  case group(String)
}
