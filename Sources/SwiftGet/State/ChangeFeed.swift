internal import DownloadCore

/// What one loop over the changes of a session has not had yet. A task's state stands in it once, as it is when the loop
/// takes it; ends are all there, up to a limit.
struct ChangeFeed: Sendable {
  enum Item: Sendable {
    /// The task as it is when it is taken. It counts only if `tasks` has this place.
    case task(TaskID, place: Int)
    case totals
    case change(DownloadChange)
  }

  let watcher = Watcher()
  private let interval: Duration
  /// Whether tasks that have not begun are left out at the beginning.
  let isOfBegun: Bool
  private var items = FIFO<Item>()
  /// The places of tasks in `items`.
  private var tasks: [TaskID: Int] = [:]
  private var lastPlace = 0
  private var hasTotals = false
  private var changeCount = 0
  private var nextProgress: Instant?
  /// Whether the loop was too far behind.
  private(set) var hasGap = false

  /// Ends that a loop may be behind.
  static let mostChanges = 10_000

  /// - Parameters:
  ///   - all: tasks that have not settled.
  ///   - before: what is told after them and before `upToDate`.
  ///   - isIncomplete: whether some ends are missing there.
  init(
    _ all: [TaskID], _ before: [DownloadChange], isIncomplete: Bool, every interval: Duration, isOfBegun: Bool = false
  ) {
    self.interval = interval
    self.isOfBegun = isOfBegun
    if isIncomplete { items.append(.change(.gap)) }
    for id in all { append(id) }
    for change in before { items.append(.change(change)) }
    items.append(.change(.upToDate))
  }

  private mutating func append(_ id: TaskID) {
    if tasks[id] != nil { return }
    lastPlace += 1
    tasks[id] = lastPlace
    items.append(.task(id, place: lastPlace))
  }

  /// - Parameter moment: of a report of progress; nil for a change that is told at once.
  mutating func append(task id: TaskID, at moment: Instant?, _ effects: inout StateEffects) {
    if let moment {
      if let nextProgress, nextProgress - moment > interval / 8 { return }
    }
    append(id)
    effects.signals.append(watcher)
  }

  /// - Parameter isForced: whether it is more than progress.
  mutating func append(totals isForced: Bool, at moment: Instant? = nil, _ effects: inout StateEffects) {
    if let moment {
      if let nextProgress, nextProgress - moment > interval / 8, !isForced { return }
      nextProgress = moment + interval
    }
    if !hasTotals { items.append(.totals) }
    hasTotals = true
    effects.signals.append(watcher)
  }

  mutating func append(_ change: DownloadChange, of id: TaskID, _ effects: inout StateEffects) {
    effects.signals.append(watcher)
    if hasGap { return }
    // The end says more than the state before it.
    tasks[id] = nil
    changeCount += 1
    guard changeCount <= Self.mostChanges else { return hasGap = true }
    items.append(.change(change))
  }

  /// What concerns no single task.
  mutating func append(_ change: DownloadChange, _ effects: inout StateEffects) {
    effects.signals.append(watcher)
    if hasGap { return }
    changeCount += 1
    items.append(.change(change))
  }

  /// The next item; nil if there is none.
  ///
  /// - Parameter lastEnd: later ends are not told yet, nor what came after them.
  mutating func pop(through lastEnd: Int64) -> Item? {
    while let item = items.first {
      if case .change(.ended(_, let number)) = item, number > lastEnd { return nil }
      _ = items.popFirst()
      switch item {
      case .task(let id, let place):
        // An end has come since.
        if tasks[id] != place { continue }
        tasks[id] = nil
      case .totals: hasTotals = false
      case .change(.upToDate), .change(.gap): break
      case .change: changeCount -= 1
      }
      return item
    }
    return nil
  }

  /// Begins again with all tasks, after a gap.
  mutating func restart(_ all: [TaskID]) {
    (items, tasks, hasTotals, changeCount, hasGap) = (FIFO(), [:], false, 0, false)
    for id in all { append(id) }
    items.append(.change(.upToDate))
  }
}
