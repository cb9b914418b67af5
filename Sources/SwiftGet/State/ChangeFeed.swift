internal import DownloadCore

/// What one loop over the changes of a session has not had yet. A task's state stands in it once, as it is when the loop
/// takes it; ends are all there, up to a limit.
struct ChangeFeed: Sendable {
  enum Item: Sendable {
    /// The task as it is when it is taken.
    case task(TaskID)
    case totals
    case change(DownloadChange)
  }

  let watcher = Watcher()
  private let interval: Duration
  private var items = WaitingLine<Item>()
  /// Tasks that stand in `items`.
  private var tasks: Set<TaskID> = []
  private var hasTotals = false
  private var changeCount = 0
  private var nextProgress: Instant?
  /// Whether the loop was too far behind.
  private(set) var hasGap = false

  /// Ends that a loop may be behind.
  static let mostChanges = 10_000

  /// - Parameters:
  ///   - all: tasks that have not settled.
  ///   - before: what is told before `upToDate`.
  init(_ all: [TaskID], _ before: [DownloadChange], every interval: Duration) {
    self.interval = interval
    for id in all { append(id) }
    for change in before { items.append(.change(change)) }
    items.append(.change(.upToDate))
  }

  private mutating func append(_ id: TaskID) { if tasks.insert(id).inserted { items.append(.task(id)) } }

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
    tasks.remove(id)
    changeCount += 1
    guard changeCount <= Self.mostChanges else { return hasGap = true }
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
      case .task(let id):
        // An end has come since.
        if tasks.remove(id) == nil { continue }
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
    (items, tasks, hasTotals, changeCount, hasGap) = (WaitingLine(), [], false, 0, false)
    for id in all { append(id) }
    items.append(.change(.upToDate))
  }
}

/// Loops over changes.
extension SessionState {
  private var unsettled: [TaskID] { records.all.filter { !$0.isSettled }.map(\.id) }

  /// - Parameter since: the number of an end, after which all ends are told; nil for those to come.
  mutating func openFeed(every interval: Duration, since: Int64?) -> Int {
    lastFeed += 1
    var before: [DownloadChange] = []
    if let since {
      if since < history.lastForgotten { before.append(.gap) }
      for end in history.ends(after: since) {
        if let record = records[end.task] { before.append(.ended(snapshot(record), number: end.number)) }
      }
    }
    feeds[lastFeed] = ChangeFeed(unsettled, before, every: interval)
    return lastFeed
  }

  /// - Returns: nil if there is nothing new.
  mutating func nextChange(_ feed: Int) -> DownloadChange? {
    if feeds[feed]?.hasGap == true {
      let all = unsettled
      feeds[feed]?.restart(all)
      return .gap
    }
    while let item = feeds[feed]?.pop(through: storedEnd) {
      switch item {
      case .task(let id): if let record = records[id], !record.isSettled { return .task(snapshot(record)) }
      case .totals: return .totals(totals)
      case .change(let change): return change
      }
    }
    return nil
  }
}
