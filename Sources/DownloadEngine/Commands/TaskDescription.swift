package import DownloadCore

/// What a task is doing, and why: the answer to `EngineCommand.describe`.
package struct TaskDescription: Sendable, Equatable {
  package enum Activity: Sendable, Equatable {
    /// - Parameter limit: what keeps it from beginning; nil if it begins when its turn comes.
    case queued(QueueLimit?)
    /// - Parameter remaining: the time until it is looked at again; nil for a wait that something else ends.
    case waiting(WaitReason, remaining: Duration?)
    /// Its target is looked at, before it is known to the file machine.
    case inspecting
    case active(FileProgress)
    case settled
  }

  package var task: TaskID
  package var group: GroupID
  /// In -100...100.
  package var priority: Int
  package var activity: Activity
  /// Whether the task, its group or the session is paused, each by itself.
  package var pauses: PauseFlags
  /// The target's path relative to its place; raw bytes.
  package var name: [UInt8]
  /// The first ones are those of the request. Displays must redact them.
  package var mirrors: [Location]
  /// What is written; empty while it is not active.
  package var done: ByteRangeSet
  /// Those of the mirrors, each once, in their order.
  package var hosts: [HostDescription]
}

/// What a host allows.
package struct HostDescription: Sendable, Equatable {
  package var origin: Origin
  /// Transfers of all tasks there, and how many there may be.
  package var activeCount: Int
  package var limit: Int
  /// Requests per second that it accepts; nil if no limit was met.
  package var requestRate: Double?
  /// How long it is left alone, because it has asked for that or cannot be reached; nil if it is not.
  package var remaining: Duration?
  package var isUnreachable: Bool
}
