extension ScopeAudience {
  /// A report has come.
  mutating func tell(_ totals: DownloadTotals, _ moment: Moment, _ effects: inout StateEffects) {
    for wait in waits { effects.signals.append(wait.watcher) }
    for index in progress.indices where progress[index].isDue(moment.now) {
      effects.post(totals, to: progress[index].handler, isReplaceable: true)
    }
  }

  /// All has settled.
  mutating func tellEnd(_ totals: DownloadTotals, _ effects: inout StateEffects) {
    for wait in waits {
      wait.end = totals
      effects.signals.append(wait.watcher)
    }
    waits = []
    effects.post(last: totals, to: progress, then: settled.map { $0.poster(of: totals) })
  }
}
