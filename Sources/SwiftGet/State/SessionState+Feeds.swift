internal import DownloadCore

/// Loops over changes.
extension SessionState {
  /// - Parameter isOfBegun: whether those are left out that only wait for their turn.
  private func unsettled(isOfBegun: Bool) -> [TaskID] {
    records.all.filter { !$0.isSettled && !(isOfBegun && $0.phase == .waiting(.slot)) }.map(\.id)
  }

  /// - Parameters:
  ///   - since: the number of an end, after which all ends are told; nil for those to come.
  ///   - isOfBegun: whether tasks that only wait for their turn are left out at the beginning.
  mutating func openFeed(every interval: Duration, since: Int64?, isOfBegun: Bool = false) -> Int {
    var before: [DownloadChange] = []
    if let since {
      for end in history.ends(after: since) {
        if let record = records[end.task] { before.append(.ended(snapshot(record), number: end.number)) }
      }
    }
    let feed = ChangeFeed(
      unsettled(isOfBegun: isOfBegun), before, isIncomplete: since.map { $0 < history.lastForgotten } ?? false,
      every: interval, isOfBegun: isOfBegun)
    return feeds.open(feed)
  }

  /// Tells which conditions have begun or ended.
  mutating func tellConditions(_ effects: inout StateEffects) {
    for condition in DownloadCondition.allCases {
      feeds.tell(condition, applies: groups.applies(condition), &effects)
    }
  }

  /// - Parameter worker: the process that works on the session; nil for none.
  mutating func isWorkedOn(by worker: DownloadWorker?, _ effects: inout StateEffects) {
    guard worker != self.worker else { return }
    self.worker = worker
    feeds.forEach { $0.append(.worker(worker), &effects) }
  }

  /// - Returns: nil if there is nothing new.
  mutating func nextChange(_ feed: Int) -> DownloadChange? {
    if let behind = feeds[feed], behind.hasGap {
      let all = unsettled(isOfBegun: behind.isOfBegun)
      feeds[feed]?.restart(all)
      return .gap
    }
    while let item = feeds[feed]?.pop(through: history.storedEnd) {
      switch item {
      case .task(let id, _): if let record = records[id] { return .task(snapshot(record)) }
      case .totals: return .totals(totals)
      case .change(let change): return change
      }
    }
    return nil
  }
}
