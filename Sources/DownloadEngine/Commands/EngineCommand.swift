package import DownloadCore
package import DownloadFiles

/// What may be asked of an engine while it runs.
package enum EngineCommand: Sendable, Equatable {
  /// A further request. Its task must be new.
  case add(FileRequest)
  /// A task of an earlier process, for which the keeper has the request. It must be new, and what there is of its file
  /// goes when it is cancelled.
  case restore(TaskID, host: Origin, GroupID, priority: Int, end: TaskEnd?)
  case change(TaskChange, TaskSelection)
  /// Another request for a known task that is not active, with the same target: what is stored of it is looked at again when
  /// it begins. Group and priority stay as they are.
  case replace(FileRequest)
  /// Another target for a task that is not active, on the same file system. Its files get the names of that: what is stored
  /// of an unfinished one, or `placed`, the finished one. Nothing is replaced.
  ///
  /// - Parameter old: the components of the target so far.
  case rename(FileRequest, from: [[UInt8]], placed: PlacedFile?)
  /// The settings from now on. `target`, `asksOnly` and the cookies stay as they were.
  ///
  /// Rates hold at once. Connections and files beyond their number end at their next block; those that could not be gone on
  /// with run on. Timeouts and tries hold for the next attempt, everything else for the next request.
  case use(RunSettings)
  /// As `use`, for a group.
  case limit(GroupID, GroupLimits)
  /// As `use`, for a task that has not ended: what counts more than the settings, and `FileRequest.headers`.
  case set(TaskSettings?, headers: [String], TaskID)
  /// The network has changed: what hosts did before tells nothing any more.
  case networkChanged
  /// What the tasks are doing, and why.
  case describe(TaskSelection)
  /// In which order the known tasks begin.
  case order
  /// `EngineEvent.status` follows.
  case tellStatus
}

/// What a command came to.
package enum EngineAnswer: Sendable, Equatable {
  case done
  /// Of `add` and `restore`: a task with this id is known.
  case known
  /// Of `set` and `replace`: no task with this id is known.
  case unknown
  /// Of `replace` and `rename`: the task is active.
  case active
  /// Of `rename`: a job of an earlier beginning still has the files, which ends by itself.
  case closing
  /// Of `rename`: nothing has changed.
  case refused(Failure)
  case counts(QueueAnswer)
  /// Of `describe`.
  case descriptions([TaskDescription])
  /// Of `order`: all known tasks, the one that begins first at the beginning.
  case order([TaskID])
}
