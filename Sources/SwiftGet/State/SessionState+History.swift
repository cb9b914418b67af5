internal import DownloadCore

/// Settled tasks, and how long they are known.
extension SessionState {
  /// A list of added tasks is not there any more.
  mutating func release(_ pin: Int, _ effects: inout StateEffects) {
    history.release(pin)
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
    while let id = history.popExcess() {
      _ = forget(id)
      if storage != nil { effects.rows.append(.forget(id)) }
      audiences.tasks[id] = nil
    }
  }
}
