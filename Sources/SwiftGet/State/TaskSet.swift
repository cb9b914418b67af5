internal import DownloadCore

/// Tasks that somebody waits for together. Which ones they are is fixed.
struct TaskSet: Sendable {
  let watcher = Watcher()
  /// In the order in which they were wanted.
  let ids: [TaskID]
  var tally = Tally()
  /// By their places in `ids`.
  private(set) var results: [Result<DownloadedFile, DownloadError>?]
  /// Those without a result.
  private(set) var missingCount: Int
  var audience = ScopeAudience()
  /// Whether a call waits for it, which takes it away; else it goes when all have ended.
  let isAwaited: Bool

  init(_ ids: [TaskID], isAwaited: Bool) {
    self.ids = ids
    results = Array(repeating: nil, count: ids.count)
    missingCount = ids.count
    self.isAwaited = isAwaited
  }

  func totals(lastEnd: Int64) -> DownloadTotals {
    var totals = tally.totals(isPaused: false)
    totals.lastEnd = lastEnd
    return totals
  }

  /// A task has a result.
  ///
  /// - Returns: whether it is the last that was missing.
  @discardableResult mutating func take(_ result: Result<DownloadedFile, DownloadError>, at index: Int) -> Bool {
    guard results[index] == nil else { return false }
    results[index] = result
    missingCount -= 1
    return missingCount == 0
  }

  /// Handlers of progress from this place on are called with the totals that there are.
  func tellTotals(from place: Int, lastEnd: Int64, _ effects: inout StateEffects) {
    for handler in audience.progress[place...] {
      effects.post(totals(lastEnd: lastEnd), to: handler.handler, isReplaceable: true)
    }
  }

  mutating func tellProgress(_ moment: Moment, lastEnd: Int64, _ effects: inout StateEffects) {
    effects.signals.append(watcher)
    if audience.hasHandlers { audience.tell(totals(lastEnd: lastEnd), moment, &effects) }
  }
}
