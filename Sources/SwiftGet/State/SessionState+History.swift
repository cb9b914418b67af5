internal import DownloadCore

/// Settled tasks, and how long they are known.
extension SessionState {
  /// Begins to hold the tasks that are made from now on.
  mutating func hold(from first: TaskID) -> Int {
    lastHold += 1
    holds[lastHold] = TaskHold(made: first...TaskID(.max))
    return lastHold
  }

  mutating func release(_ hold: Int, _ effects: inout StateEffects) {
    holds[hold] = nil
    history.reconsider()
    prune(&effects)
  }

  /// Forgets tasks that settled longer ago.
  mutating func forget(olderThan age: Duration, _ moment: Moment, _ effects: inout StateEffects) {
    for record in records.all {
      guard record.isSettled, let ended = record.endedSince1970, moment.wall - ended > age else { continue }
      history.forget(record.id)
      _ = forget(record.id)
      if storage != nil { effects.rows.append(.forget(record.id)) }
    }
  }

  /// Forgets settled tasks beyond the history's limit.
  mutating func prune(_ effects: inout StateEffects) {
    while let id = history.popExcess({ [holds] task in holds.values.contains { $0.holds(task) } }) {
      _ = forget(id)
      if storage != nil { effects.rows.append(.forget(id)) }
      audiences[id] = nil
    }
  }
}
