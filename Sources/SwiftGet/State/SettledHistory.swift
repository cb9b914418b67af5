internal import DownloadCore

/// The settled tasks of a session in the order of their ends.
struct SettledHistory: Sendable {
  let limit: Int
  private var ends = WaitingLine<(task: TaskID, number: Int64)>()
  private var numbers: [TaskID: Int64] = [:]
  /// Those beyond the limit that are held.
  private var aside: [(task: TaskID, number: Int64)] = []

  init(limit: Int) { self.limit = limit }

  mutating func append(_ task: TaskID, number: Int64) {
    ends.append((task, number))
    numbers[task] = number
  }

  /// It has been begun again, or is not known any more.
  mutating func remove(_ task: TaskID) { numbers[task] = nil }

  /// The task that settled first, if there are too many.
  ///
  /// - Parameter isHeld: whether a task stays for the time being.
  mutating func popExcess(_ isHeld: (TaskID) -> Bool) -> TaskID? {
    while numbers.count - aside.count > limit, let oldest = ends.popFirst() {
      guard numbers[oldest.task] == oldest.number else { continue }
      if isHeld(oldest.task) {
        aside.append(oldest)
        continue
      }
      numbers[oldest.task] = nil
      return oldest.task
    }
    return nil
  }

  /// Less is held than before.
  mutating func reconsider() {
    for end in aside.reversed() { ends.putBack(end) }
    aside = []
  }
}

/// The tasks of one list of requests that were added.
struct TaskHold: Sendable {
  /// Tasks that were made for it, and perhaps others of that time.
  var made: ClosedRange<TaskID>
  /// Tasks that were there.
  var existing: Set<TaskID> = []

  func holds(_ task: TaskID) -> Bool { made.contains(task) || existing.contains(task) }
}

extension SessionState {
  /// Begins to hold the tasks that are made from now on.
  mutating func hold(from first: TaskID) -> Int {
    lastHold += 1
    holds[lastHold] = TaskHold(made: first...TaskID(.max))
    return lastHold
  }

  mutating func release(_ hold: Int) {
    holds[hold] = nil
    history.reconsider()
    prune()
  }

  /// Forgets settled tasks beyond the history's limit.
  mutating func prune() {
    while let id = history.popExcess({ [holds] task in holds.values.contains { $0.holds(task) } }) {
      _ = forget(id)
      audiences[id] = nil
    }
  }
}
