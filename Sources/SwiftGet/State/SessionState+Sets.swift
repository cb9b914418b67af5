internal import DownloadCore

/// Sets of tasks.
extension SessionState {
  /// Begins to follow a set of tasks. Those that have settled are there at once; unknown ones count as such.
  mutating func follow(
    _ ids: [TaskID], isAwaited: Bool, _ effects: inout StateEffects, _ prepare: (inout TaskSet) -> Void = { _ in }
  ) -> (id: Int, watcher: Watcher) {
    // Handlers of the same tasks are called in one order.
    if !isAwaited, let known = sets.first(where: { !$0.value.isAwaited && $0.value.ids == ids })?.key,
      var set = sets[known]
    {
      let heardCount = set.audience.progress.count
      prepare(&set)
      sets[known] = set
      for handler in set.audience.progress[heardCount...] {
        effects.post(set.totals(lastEnd: history.storedEnd), to: handler.handler, isReplaceable: true)
      }
      return (known, set.watcher)
    }
    var set = TaskSet(ids, isAwaited: isAwaited)
    prepare(&set)
    lastSet += 1
    let id = lastSet
    for (index, task) in ids.enumerated() {
      guard let record = records[task] else {
        set.results[index] = .failure(Self.unknown(task))
        set.missingCount -= 1
        continue
      }
      set.tally.count(record.share(groups.flags(of: record.group)), by: 1)
      if let result = record.result {
        set.results[index] = result
        set.missingCount -= 1
      } else {
        let hadHandlers = audiences[task]?.hasHandlers ?? false
        audiences[task, default: Audience()].sets.append((id, index))
        assert(hadHandlers == audiences[task]?.hasHandlers)
      }
    }
    sets[id] = set
    for handler in set.audience.progress {
      effects.post(set.totals(lastEnd: history.storedEnd), to: handler.handler, isReplaceable: true)
    }
    if set.missingCount == 0 { complete(id, &effects) }
    return (id, set.watcher)
  }

  static func unknown(_ id: TaskID) -> DownloadError {
    DownloadError(.unknownTask, "no such task in the session", task: DownloadTaskID(id))
  }

  /// A task of a set has ended.
  mutating func arrive(
    _ result: Result<DownloadedFile, DownloadError>?, _ set: Int, _ index: Int, _ effects: inout StateEffects
  ) {
    guard let result, sets[set]?.results[index] == nil else { return }
    sets[set]?.results[index] = result
    sets[set]?.missingCount -= 1
    if sets[set]?.missingCount == 0 { complete(set, &effects) }
  }

  private mutating func complete(_ id: Int, _ effects: inout StateEffects) {
    guard var set = sets[id] else { return }
    effects.signals.append(set.watcher)
    set.audience.tellEnd(set.totals(lastEnd: history.storedEnd), &effects)
    if !set.isAwaited { sets[id] = nil }
  }

  /// The results of a set that is complete; nil while it is not.
  mutating func takeResults(of id: Int) -> [Result<DownloadedFile, DownloadError>]? {
    guard let set = sets[id], set.missingCount == 0 else { return nil }
    sets[id] = nil
    return set.results.compactMap(\.self)
  }

  /// Nobody waits for the set any more.
  mutating func unfollow(_ id: Int, _ ids: [TaskID]) {
    sets[id] = nil
    for task in ids {
      audiences[task]?.sets.removeAll { $0.set == id }
      if audiences[task]?.isEmpty == true { audiences[task] = nil }
    }
  }
}
