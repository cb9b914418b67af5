internal import DownloadCore

/// Tasks that are about to begin and wait for the policy to say from where, and those that a server has refused.
struct SourceQuestions {
  private var waiting: [ItemHandle: FileRequest] = [:]
  private var refusals: [TaskID: (failure: Failure, doneByteCount: Int64)] = [:]

  /// More open questions tell a policy nothing.
  private static let mostWaiting = 64

  var hasRoom: Bool { waiting.count < Self.mostWaiting }

  mutating func await(_ handle: ItemHandle, _ request: FileRequest) { waiting[handle] = request }

  /// The request that waits under this handle; nil for none.
  subscript(_ handle: ItemHandle) -> FileRequest? { waiting[handle] }

  /// - Returns: nil if nothing waits under this handle.
  mutating func take(_ handle: ItemHandle) -> FileRequest? { waiting.removeValue(forKey: handle) }

  /// Servers have refused a task. It may begin again if the policy was not asked for that since there was progress, so
  /// that nobody is asked in a loop.
  mutating func mayRenew(_ task: TaskID, after failure: Failure, doneByteCount: Int64) -> Bool {
    if let last = refusals[task], doneByteCount <= last.doneByteCount { return false }
    refusals[task] = (failure, doneByteCount)
    return true
  }

  /// Why the last beginning of the task was refused.
  func refusal(of task: TaskID) -> Failure? { refusals.isEmpty ? nil : refusals[task]?.failure }

  /// The task has ended.
  mutating func ended(_ task: TaskID) { if !refusals.isEmpty { refusals[task] = nil } }
}
