/// What a task waits for.
package enum WaitReason: Hashable, Sendable {
  /// Another run holds its target.
  case otherRun
  /// Its file system is full.
  case fullDisk
  /// A job of its earlier beginning still has its files.
  case ownFiles
  /// Only the time.
  case time
}

/// The tasks of a queue that wait for something or until a time.
struct TaskWaits {
  private struct Due: Comparable {
    let at: Instant
    let task: TaskID

    static func < (left: Self, right: Self) -> Bool { left.at < right.at }
  }

  private var waits: [TaskID: (reason: WaitReason, until: Instant)] = [:]
  /// Those of waits that have ended meanwhile are passed over.
  private var dues = Heap<Due>()

  subscript(task: TaskID) -> (reason: WaitReason, until: Instant)? { waits[task] }

  /// The earliest time at which a task waits no longer.
  var nextDue: Instant? { dues.first?.at }

  /// The tasks that wait for this, in the order of their ids. Costs time in proportion to the number of tasks that wait.
  func tasks(for reason: WaitReason) -> [TaskID] { waits.filter { $0.value.reason == reason }.keys.sorted() }

  /// - Parameter until: `distantFuture` for no time.
  mutating func begin(_ task: TaskID, for reason: WaitReason, until: Instant) {
    waits[task] = (reason, until)
    if until < .distantFuture { dues.insert(Due(at: until, task: task)) }
  }

  /// - Parameter reason: the only one for which the wait is ended; nil for any.
  /// - Returns: whether the task has waited for that.
  mutating func end(_ task: TaskID, for reason: WaitReason? = nil) -> Bool {
    guard let wait = waits[task], reason == nil || wait.reason == reason else { return false }
    waits[task] = nil
    return true
  }

  /// A task whose time has come, and which still waits; nil if there is none.
  mutating func nextDue(now: Instant) -> TaskID? {
    while let due = dues.first, due.at <= now {
      dues.removeFirst()
      if waits[due.task]?.until == due.at { return due.task }
    }
    return nil
  }
}
