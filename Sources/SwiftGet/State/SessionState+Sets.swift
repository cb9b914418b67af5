internal import DownloadCore

/// Sets of tasks.
extension SessionState {
  /// Begins to follow a set of tasks. Those that have settled are there at once; unknown ones count as such.
  mutating func follow(
    _ ids: [TaskID], isAwaited: Bool, _ effects: inout StateEffects, _ prepare: (inout TaskSet) -> Void = { _ in }
  ) -> (id: Int, watcher: Watcher) {
    if !isAwaited, let known = sets.join(ids, lastEnd: history.storedEnd, &effects, prepare) { return known }
    var set = TaskSet(ids, isAwaited: isAwaited)
    prepare(&set)
    for (index, task) in ids.enumerated() {
      guard let record = records[task] else {
        set.take(.failure(Self.unknown(task)), at: index)
        continue
      }
      set.tally.count(record.share(groups.flags(of: record.group)), by: 1)
      if let result = record.result { set.take(result, at: index) }
    }
    let id = sets.insert(set, lastEnd: history.storedEnd, &effects)
    for (index, task) in ids.enumerated() where set.results[index] == nil {
      audiences.tasks[task, default: Audience()].sets.append((id, index))
    }
    return (id, set.watcher)
  }

  static func unknown(_ id: TaskID) -> DownloadError {
    DownloadError(.unknownTask, "no such task in the session", task: DownloadTaskID(id))
  }

  /// Nobody waits for the set any more.
  mutating func unfollow(_ id: Int, _ ids: [TaskID]) {
    sets.remove(id)
    audiences.leave(id, ids)
  }
}
