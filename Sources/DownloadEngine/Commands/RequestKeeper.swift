package import DownloadCore

/// Has the requests of the tasks that commands add, so that the engine keeps few of them in memory.
///
/// What a command changes in a request is in the keeper before the command is posted.
package protocol RequestKeeper: AnyObject, Sendable {
  /// The request of a task as it is now; nil if the task is not known any more. Called on the engine's thread, which holds
  /// no lock then.
  func request(of task: TaskID) -> FileRequest?
}
