internal import DownloadCore

/// The settled tasks of a session in the order of their ends, which are numbered. Beyond a limit the oldest are forgotten,
/// those that have failed after all others. What is pinned stays.
struct SettledHistory: Sendable {
  private typealias End = (task: TaskID, number: Int64, hasFailed: Bool)

  let limit: Int
  /// The number of ends so far.
  var lastEnd: Int64 = 0
  /// The number of the last end that is told: with a store the last one that outlasts a power cut.
  var storedEnd: Int64 = 0
  /// The greatest number of an end that is not here any more because there were too many.
  private(set) var lastForgotten: Int64 = 0
  private var failures = FIFO<End>()
  private var others = FIFO<End>()
  private var numbers: [TaskID: Int64] = [:]
  /// Those beyond the limit that are pinned.
  private var aside: [End] = []
  /// Tasks of these, which the engine does not know any more.
  private var asideTasks: Set<TaskID> = []
  private var pins: [Int: PinnedTasks] = [:]
  private var lastPin = 0

  init(limit: Int) { self.limit = limit }

  // MARK: Ends

  /// A task has ended.
  ///
  /// - Parameter isStored: whether the end is told at once.
  /// - Returns: the number of the end.
  mutating func end(_ task: TaskID, hasFailed: Bool, isStored: Bool) -> Int64 {
    lastEnd += 1
    if isStored { storedEnd = lastEnd }
    append(task, number: lastEnd, hasFailed: hasFailed)
    return lastEnd
  }

  /// There are ends up to this one, and they are told.
  mutating func reach(_ end: Int64) { (lastEnd, storedEnd) = (max(end, lastEnd), max(end, storedEnd)) }

  /// Takes over what an earlier process has left.
  ///
  /// - Parameters:
  ///   - ends: of the tasks that have settled, by their numbers.
  ///   - last: the number of the last end.
  mutating func restore(_ ends: [Int64: TaskID], last: Int64, _ hasFailed: (TaskID) -> Bool) {
    (lastEnd, storedEnd) = (last, last)
    let failures = Set(ends.filter { hasFailed($0.value) }.keys)
    // Failures are forgotten last: which ends before them are missing is not known.
    let oldest = ends.keys.filter { !failures.contains($0) }.min()
    let firstKnown = oldest ?? (ends.isEmpty ? nil : last.firstOfRun(in: failures))
    begin(after: firstKnown.map { $0 - 1 } ?? last)
    for (number, id) in ends.sorted(by: { $0.key < $1.key }) {
      append(id, number: number, hasFailed: failures.contains(number))
    }
  }

  mutating func append(_ task: TaskID, number: Int64, hasFailed: Bool) {
    if hasFailed { failures.append((task, number, true)) } else { others.append((task, number, false)) }
    numbers[task] = number
  }

  /// It has been begun again, or is not known any more.
  mutating func remove(_ task: TaskID) {
    numbers[task] = nil
    asideTasks.remove(task)
  }

  /// The task that is to be forgotten first, if there are too many.
  mutating func popExcess() -> TaskID? {
    while numbers.count - aside.count > limit, let oldest = others.popFirst() ?? failures.popFirst() {
      guard numbers[oldest.task] == oldest.number else { continue }
      if pins.values.contains(where: { $0.contains(oldest.task) }) {
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
  private mutating func begin(after number: Int64) { lastForgotten = max(lastForgotten, number) }

  /// It settled too long ago.
  mutating func forget(_ task: TaskID) {
    begin(after: numbers[task] ?? 0)
    remove(task)
  }

  // MARK: Pins

  /// Begins to pin the tasks that are made from now on.
  mutating func pin(from first: TaskID) -> Int {
    lastPin += 1
    pins[lastPin] = PinnedTasks(made: first...TaskID(.max))
    return lastPin
  }

  /// A task that was there is pinned, too.
  mutating func pin(_ task: TaskID, by pin: Int) { pins[pin]?.existing.insert(task) }

  /// Tasks with greater ids than this one are not pinned.
  mutating func close(_ pin: Int, at last: TaskID) {
    if let first = pins[pin]?.made.lowerBound { pins[pin]?.made = first...last }
  }

  mutating func release(_ pin: Int) {
    pins[pin] = nil
    for end in aside.reversed() { if end.hasFailed { failures.putBack(end) } else { others.putBack(end) } }
    aside = []
    asideTasks = []
  }

  /// Whether the task is known only because it is pinned, so that it cannot be done again.
  func isOnlyPinned(_ task: TaskID) -> Bool { asideTasks.contains(task) }
}

extension Int64 {
  /// The least number from which on all up to this one are in the set; one more than this one if it is not there itself.
  fileprivate func firstOfRun(in numbers: Set<Int64>) -> Int64 {
    var first = self + 1
    while numbers.contains(first - 1) { first -= 1 }
    return first
  }
}

/// The tasks of one list of requests that were added. They are not forgotten as long as the list refers to them.
struct PinnedTasks: Sendable {
  /// Tasks that were made for it, and perhaps others of that time.
  var made: ClosedRange<TaskID>
  /// Tasks that were there.
  var existing: Set<TaskID> = []

  func contains(_ task: TaskID) -> Bool { made.contains(task) || existing.contains(task) }
}
