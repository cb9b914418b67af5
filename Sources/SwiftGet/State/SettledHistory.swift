internal import DownloadCore

/// The settled tasks of a session in the order of their ends. Beyond a limit the oldest are forgotten, those that have failed
/// after all others.
struct SettledHistory: Sendable {
  private typealias End = (task: TaskID, number: Int64, hasFailed: Bool)

  let limit: Int
  /// The greatest number of an end that is not here any more because there were too many.
  private(set) var lastForgotten: Int64 = 0
  private var failures = FIFO<End>()
  private var others = FIFO<End>()
  private var numbers: [TaskID: Int64] = [:]
  /// Those beyond the limit that are pinned.
  private var aside: [End] = []
  /// Tasks of these, which the engine does not know any more.
  private var asideTasks: Set<TaskID> = []

  init(limit: Int) { self.limit = limit }

  mutating func append(_ task: TaskID, number: Int64, hasFailed: Bool) {
    if hasFailed { failures.append((task, number, true)) } else { others.append((task, number, false)) }
    numbers[task] = number
  }

  /// It has been begun again, or is not known any more.
  mutating func remove(_ task: TaskID) {
    numbers[task] = nil
    asideTasks.remove(task)
  }

  /// Whether the task is known only because it is pinned, so that it cannot be done again.
  func isOnlyPinned(_ task: TaskID) -> Bool { asideTasks.contains(task) }

  /// The task that is to be forgotten first, if there are too many.
  ///
  /// - Parameter isPinned: whether a task stays for the time being.
  mutating func popExcess(_ isPinned: (TaskID) -> Bool) -> TaskID? {
    while numbers.count - aside.count > limit, let oldest = others.popFirst() ?? failures.popFirst() {
      guard numbers[oldest.task] == oldest.number else { continue }
      if isPinned(oldest.task) {
        aside.append(oldest)
        asideTasks.insert(oldest.task)
        continue
      }
      numbers[oldest.task] = nil
      lastForgotten = max(lastForgotten, oldest.number)
      return oldest.task
    }
    return nil
  }

  /// The number of the end of a task that has settled and is not forgotten.
  func number(of task: TaskID) -> Int64? { numbers[task] }

  /// The tasks that have settled after the end with this number, and not been begun again, in that order.
  func ends(after number: Int64) -> [(task: TaskID, number: Int64)] {
    numbers.filter { $0.value > number }.map { ($0.key, $0.value) }.sorted { $0.number < $1.number }
  }

  /// Ends up to this one are not here.
  mutating func begin(after number: Int64) { lastForgotten = max(lastForgotten, number) }

  /// It settled too long ago.
  mutating func forget(_ task: TaskID) {
    begin(after: numbers[task] ?? 0)
    remove(task)
  }

  /// Less is pinned than before.
  mutating func reconsider() {
    for end in aside.reversed() { if end.hasFailed { failures.putBack(end) } else { others.putBack(end) } }
    aside = []
    asideTasks = []
  }
}

/// The tasks of one list of requests that were added.
struct PinnedTasks: Sendable {
  /// Tasks that were made for it, and perhaps others of that time.
  var made: ClosedRange<TaskID>
  /// Tasks that were there.
  var existing: Set<TaskID> = []

  func contains(_ task: TaskID) -> Bool { made.contains(task) || existing.contains(task) }
}
