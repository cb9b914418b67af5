/// Settled tasks that are kept for a retry, in the order of their ends. Beyond a limit the oldest are forgotten.
struct SettledTasks {
  /// Those that are kept at most; with 0 none is.
  let limit: Int
  private(set) var count = 0
  private var ends = FIFO<TaskID>()
  /// How many of a task's entries in `ends` are of ends after which it was retried.
  private var retriedEnds: [TaskID: Int] = [:]

  init(limit: Int) { self.limit = limit }

  mutating func append(_ task: TaskID) {
    ends.append(task)
    count += 1
  }

  /// One of them is to be done again.
  mutating func retried(_ task: TaskID) {
    count -= 1
    retriedEnds[task, default: 0] += 1
  }

  /// One of them is forgotten.
  mutating func forgotten() { count -= 1 }

  /// Takes the task of the oldest end if there are too many.
  ///
  /// - Returns: nil if there are not. What it returns may be forgotten already.
  mutating func takeExcess() -> TaskID? {
    while count > limit, let oldest = ends.popFirst() {
      guard let retries = retriedEnds[oldest] else { return oldest }
      retriedEnds[oldest] = retries > 1 ? retries - 1 : nil
    }
    return nil
  }
}
