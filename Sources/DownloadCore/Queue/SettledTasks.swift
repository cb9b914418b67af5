/// Settled tasks that are kept for a retry, in the order of their ends. Beyond a limit the oldest are forgotten, those that
/// have failed after all others.
struct SettledTasks {
  private struct OldestFirst {
    private var tasks = FIFO<TaskID>()
    /// How many of a task's entries in `tasks` are of ends after which it was retried.
    private var retriedCounts: [TaskID: Int] = [:]

    mutating func append(_ task: TaskID) { tasks.append(task) }

    mutating func retried(_ task: TaskID) { retriedCounts[task, default: 0] += 1 }

    mutating func takeOldest() -> TaskID? {
      while let oldest = tasks.popFirst() {
        guard let count = retriedCounts[oldest] else { return oldest }
        retriedCounts[oldest] = count > 1 ? count - 1 : nil
      }
      return nil
    }
  }

  /// Those that are kept at most; with 0 none is.
  let limit: Int
  private(set) var count = 0
  private var failures = OldestFirst()
  private var others = OldestFirst()
  private var forgotten: [TaskID] = []

  init(limit: Int) { self.limit = limit }

  mutating func append(_ task: TaskID, hasFailed: Bool) {
    if hasFailed { failures.append(task) } else { others.append(task) }
    count += 1
  }

  /// One of them is to be done again.
  mutating func retried(_ task: TaskID, hadFailed: Bool) {
    count -= 1
    if hadFailed { failures.retried(task) } else { others.retried(task) }
  }

  /// Takes the task that is to be forgotten first if there are too many.
  ///
  /// - Returns: nil if there are not. What it returns may be forgotten already.
  mutating func takeExcess() -> TaskID? { count > limit ? others.takeOldest() ?? failures.takeOldest() : nil }

  /// A task is not known any more, be it one of them or not.
  mutating func forget(_ task: QueuedTask) {
    if limit > 0 { forgotten.append(task.id) }
    if task.isSettled { count -= 1 }
  }

  /// Tasks that are not known any more since the last call, if settled ones are kept.
  mutating func takeForgotten() -> [TaskID] {
    if forgotten.isEmpty { return [] }
    defer { forgotten.removeAll(keepingCapacity: true) }
    return forgotten
  }
}
