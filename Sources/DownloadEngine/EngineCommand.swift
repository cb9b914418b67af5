package import DownloadCore

/// What may be asked of an engine while it runs.
package enum EngineCommand: Sendable, Equatable {
  /// A further request. Its task must be new.
  case add(DownloadRequest)
  case change(TaskChange, TaskSelection)
  /// Bytes per second, above 0; nil is unlimited.
  case limitRate(run: Int64?, perFile: Int64?)
  /// Files at a time, at least 1; of a group nil is as many as the session has.
  case limitJobs(Int)
  case limitGroup(GroupID, jobs: Int?)
  /// What the tasks are doing, and why.
  case describe(TaskSelection)
  /// `EngineEvent.status` follows.
  case tellStatus
}

/// What a command came to.
package enum EngineAnswer: Sendable, Equatable {
  case done
  /// Of `add`: a task with this id is known.
  case known
  case counts(QueueAnswer)
  /// Of `describe`.
  case descriptions([TaskDescription])
}

/// Answers that are given when these tasks have nothing open any more.
struct HeldAnswer {
  var tasks: Set<TaskID>
  let answers: [EngineAnswer]
  let answer: @Sendable ([EngineAnswer]) -> Void
}
