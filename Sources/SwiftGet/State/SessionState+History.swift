internal import DownloadCore

/// Settled tasks, and how long they are known.
extension SessionState {
  /// Begins to pin the tasks that are made from now on.
  mutating func pin(from first: TaskID) -> Int {
    lastPin += 1
    pins[lastPin] = PinnedTasks(made: first...TaskID(.max))
    return lastPin
  }

  mutating func release(_ pin: Int, _ effects: inout StateEffects) {
    pins[pin] = nil
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
    while let id = history.popExcess({ [pins] task in pins.values.contains { $0.contains(task) } }) {
      _ = forget(id)
      if storage != nil { effects.rows.append(.forget(id)) }
      audiences[id] = nil
    }
  }
}
