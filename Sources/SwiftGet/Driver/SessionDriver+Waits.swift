internal import DownloadCore

/// Calls that wait.
extension SessionDriver {
  func latest(_ id: TaskID) -> DownloadTaskSnapshot {
    core.withLock { core in
      core.state.snapshot(id) ?? DownloadTaskSnapshot(removed: id)
    }
  }

  /// Follows an unsettled task to its end; nil for one that is settled, or not known.
  func wait(for id: TaskID) -> EndWait<DownloadTaskSnapshot>? {
    core.withLock { core in
      guard let record = core.state.records[id], !record.isSettled else { return nil }
      let wait = EndWait<DownloadTaskSnapshot>()
      core.state.audiences.tasks[id, default: Audience()].waits.append(wait)
      return wait
    }
  }

  func giveUp(_ wait: EndWait<DownloadTaskSnapshot>, for id: TaskID) {
    core.withLock { $0.state.audiences.giveUp(wait, for: id) }
  }

  /// Waits for the end of a task.
  nonisolated(nonsending) func end(
    of id: TaskID, onProgress: (DownloadTaskSnapshot) -> Void
  ) async throws -> DownloadTaskSnapshot {
    guard let wait = wait(for: id) else {
      guard let snapshot = core.withLock({ $0.state.snapshot(id) }) else { throw SessionState.unknown(id) }
      return snapshot
    }
    while true {
      if let end = wait.end { return end }
      if Task.isCancelled || isClosed {
        giveUp(wait, for: id)
        if Task.isCancelled { throw CancellationError() }
        throw Self.closed
      }
      onProgress(latest(id))
      await wait.watcher.next()
    }
  }

  /// Waits for the ends of tasks. Their results stand in their order.
  nonisolated(nonsending) func results(
    of ids: [TaskID], onProgress: (DownloadTotals) -> Void
  ) async throws -> [Result<DownloadedFile, DownloadError>] {
    let (set, watcher, effects) = core.withLock { core -> (Int, Watcher, StateEffects) in
      var effects = StateEffects()
      let (set, watcher) = core.state.follow(ids, isAwaited: true, &effects)
      return (set, watcher, effects)
    }
    effects.perform()
    while true {
      let (results, totals) = core.withLock { core in
        let totals = core.state.sets.totals(of: set, lastEnd: core.state.history.storedEnd)
        return (core.state.sets.takeResults(of: set), totals)
      }
      if let totals { onProgress(totals) }
      if let results { return results }
      if Task.isCancelled || isClosed {
        core.withLock { $0.state.unfollow(set, ids) }
        if Task.isCancelled { throw CancellationError() }
        throw Self.closed
      }
      await watcher.next()
    }
  }

  /// Waits until nothing is unsettled in the session, or in the group of this name.
  nonisolated(nonsending) func settled(
    _ name: String?, onProgress: (DownloadTotals) -> Void
  ) async throws -> DownloadTotals {
    let wait = EndWait<DownloadTotals>()
    let group = core.withLock { core in
      let group = name.flatMap { core.state.groups.known($0) }
      core.state.await(wait, name, group)
      return group
    }
    while true {
      if let end = wait.end {
        onProgress(end)
        return end
      }
      if Task.isCancelled || isClosed {
        core.withLock { $0.state.audiences.giveUp(wait, group) }
        if Task.isCancelled { throw CancellationError() }
        throw Self.closed
      }
      onProgress(core.withLock { core in group.map { core.state.totals(of: $0) } ?? core.state.totals })
      await wait.watcher.next()
    }
  }
}

extension SessionState {
  /// - Parameter group: the number of the group with this name, if it is known.
  fileprivate mutating func await(_ wait: EndWait<DownloadTotals>, _ name: String?, _ group: GroupID?) {
    guard let name else {
      if groups.unsettledCount == 0 { wait.end = totals } else { audiences.session.waits.append(wait) }
      return
    }
    guard let group, groups[group].tally.unsettledCount > 0 else {
      wait.end = groups.known(name).map { totals(of: $0) } ?? DownloadTotals()
      return
    }
    audiences.groups[group, default: ScopeAudience()].waits.append(wait)
  }
}

extension DownloadTaskSnapshot {
  /// Of a task that the session does not know any more.
  init(removed id: TaskID) {
    self.init(
      Fields(
        id: DownloadTaskID(id), number: 0, state: .removed, progress: DownloadProgress(), packed: .none,
        pathBytes: [], group: GroupTable.main, priority: 0, settings: DownloadSettings(), failedAttempts: 0,
        isResumable: false))
  }
}
