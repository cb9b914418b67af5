internal import DownloadCore

/// Tasks that somebody waits for together. Which ones they are is fixed.
struct TaskSet: Sendable {
  let watcher = Watcher()
  /// In the order in which they were wanted.
  let ids: [TaskID]
  var tally = Tally()
  /// By their places in `ids`.
  var results: [Result<DownloadedFile, DownloadError>?]
  /// Those without a result.
  var missingCount: Int
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

  mutating func tellProgress(_ moment: Moment, lastEnd: Int64, _ effects: inout StateEffects) {
    effects.signals.append(watcher)
    if audience.hasHandlers { audience.tell(totals(lastEnd: lastEnd), moment, &effects) }
  }
}
