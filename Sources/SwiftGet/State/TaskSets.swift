internal import DownloadCore

/// The sets of tasks that somebody follows.
struct TaskSets: Sendable {
  private var sets: [Int: TaskSet] = [:]
  private var lastID = 0

  var handlers: [any DueHandler] { sets.values.flatMap(\.audience.handlers) }
  var watchers: [Watcher] { sets.values.map(\.watcher) }

  /// Adds handlers to tasks that handlers follow already, so that all are called in one order.
  ///
  /// - Returns: nil if none follow these tasks.
  mutating func join(
    _ ids: [TaskID], lastEnd: Int64, _ effects: inout StateEffects, _ add: (inout TaskSet) -> Void
  ) -> (id: Int, watcher: Watcher)? {
    guard let known = sets.first(where: { !$0.value.isAwaited && $0.value.ids == ids })?.key, var set = sets[known]
    else { return nil }
    let heardCount = set.audience.progress.count
    add(&set)
    sets[known] = set
    set.tellTotals(from: heardCount, lastEnd: lastEnd, &effects)
    return (known, set.watcher)
  }

  /// - Parameter set: with the results that are there.
  /// - Returns: the id of the set.
  mutating func insert(_ set: TaskSet, lastEnd: Int64, _ effects: inout StateEffects) -> Int {
    lastID += 1
    sets[lastID] = set
    set.tellTotals(from: 0, lastEnd: lastEnd, &effects)
    if set.missingCount == 0 { complete(lastID, lastEnd: lastEnd, &effects) }
    return lastID
  }

  mutating func remove(_ id: Int) { sets[id] = nil }

  /// Adds what a task comes to to the sums of the sets that it is in, or takes it away with -1.
  mutating func count(_ share: Tally.Share, in places: [(set: Int, index: Int)], by sign: Int) {
    for (set, _) in places { sets[set]?.tally.count(share, by: sign) }
  }

  /// A task of these sets has ended.
  mutating func arrive(
    _ result: Result<DownloadedFile, DownloadError>, in places: [(set: Int, index: Int)], lastEnd: Int64,
    _ effects: inout StateEffects
  ) {
    for (set, index) in places {
      let isComplete = sets[set]?.take(result, at: index) ?? false
      if isComplete { complete(set, lastEnd: lastEnd, &effects) }
    }
  }

  private mutating func complete(_ id: Int, lastEnd: Int64, _ effects: inout StateEffects) {
    guard var set = sets[id] else { return }
    effects.signals.append(set.watcher)
    set.audience.tellEnd(set.totals(lastEnd: lastEnd), &effects)
    if !set.isAwaited { sets[id] = nil }
  }

  /// A report has come.
  mutating func tellProgress(_ moment: Moment, lastEnd: Int64, _ effects: inout StateEffects) {
    for set in Array(sets.keys) { sets[set]?.tellProgress(moment, lastEnd: lastEnd, &effects) }
  }

  func totals(of id: Int, lastEnd: Int64) -> DownloadTotals? { sets[id]?.totals(lastEnd: lastEnd) }

  /// The results of a set that is complete; nil while it is not.
  mutating func takeResults(of id: Int) -> [Result<DownloadedFile, DownloadError>]? {
    guard let set = sets[id], set.missingCount == 0 else { return nil }
    sets[id] = nil
    return set.results.compactMap(\.self)
  }
}
