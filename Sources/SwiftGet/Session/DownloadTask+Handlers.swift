internal import DownloadCore

/// Closures that are kept. They run where they were written, by the rule of `Task { }`: on the actor whose state they use,
/// else on none. Values come in order, one at a time; a slow handler delays only itself and misses values, never an end.
///
/// A handler is called with the value that there is when it is set, so that an end is told however late it is set. It goes
/// when the task is removed or leaves the history, or the session is closed.
extension DownloadTask {
  /// Progress, at most once in an interval, and the last value at the end.
  ///
  /// - Parameters:
  ///   - interval: at least 10 milliseconds.
  ///   - handler: called now, and then as often as that.
  @discardableResult
  public func onProgress(
    every interval: Duration = .milliseconds(250),
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (Snapshot) async -> Void
  ) -> Self {
    let handler = Handler(handler)
    session.driver.handle(id.number, every: interval) { audience, snapshot, _, effects in
      audience.progress.append(IntervalHandler(handler, every: interval))
      effects.post(snapshot, to: handler, isReplaceable: true)
    }
    return self
  }

  /// Each state once, the present one first.
  @discardableResult
  public func onStateChange(
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (Snapshot) async -> Void
  ) -> Self {
    let handler = Handler(handler)
    session.driver.handle(id.number) { audience, snapshot, _, effects in
      audience.states.append(handler)
      effects.post(snapshot, to: handler)
    }
    return self
  }

  /// Each end once, whichever it is: success, failure or a cancellation.
  @discardableResult
  public func onEnd(
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (Snapshot) async -> Void
  ) -> Self {
    let handler = Handler(handler)
    session.driver.handle(id.number) { audience, snapshot, _, effects in
      audience.ends.append(handler)
      if snapshot.state.isSettled { effects.post(snapshot, to: handler) }
    }
    return self
  }

  /// Each success once.
  @discardableResult
  public func onSuccess(
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (DownloadedFile) async -> Void
  ) -> Self {
    let handler = Handler(handler)
    session.driver.handle(id.number) { audience, _, phase, effects in
      audience.successes.append(handler)
      if case .succeeded(let file) = phase { effects.post(file, to: handler) }
    }
    return self
  }

  /// Each failure once. A pause, a cancellation and a removal are none.
  @discardableResult
  public func onFailure(
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (DownloadError) async -> Void
  ) -> Self {
    let handler = Handler(handler)
    session.driver.handle(id.number) { audience, _, phase, effects in
      audience.failures.append(handler)
      if case .failed(let error) = phase { effects.post(error, to: handler) }
    }
    return self
  }
}

extension DownloadScope {
  /// Totals, at most once in an interval, and the last ones when all has settled.
  ///
  /// - Parameters:
  ///   - interval: at least 10 milliseconds.
  ///   - handler: called now, and then as often as that.
  @discardableResult
  public func onProgress(
    every interval: Duration = .milliseconds(250),
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (DownloadTotals) async -> Void
  ) -> Self {
    let handler = Handler(handler)
    reach.session?.driver.handle(reach.target, every: interval, progress: handler, settled: nil)
    return self
  }

  /// Each time when nothing is unsettled any more; at once if that is so and there are tasks. Of an array or a selection once.
  @discardableResult
  public func onSettled(
    @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (DownloadTotals) async -> Void
  ) -> Self {
    let handler = Handler(handler)
    reach.session?.driver.handle(reach.target, every: SessionAudiences.usualInterval, progress: nil, settled: handler)
    return self
  }
}

extension SessionDriver {
  /// Adds a handler to a task that is known.
  fileprivate func handle(
    _ id: TaskID, every interval: Duration = SessionAudiences.usualInterval,
    _ add: (inout Audience, DownloadTaskSnapshot, TaskRecord.Phase, inout StateEffects) -> Void
  ) {
    changeCore { core, effects in
      guard let record = core.state.records[id], !core.ending.closesHandlers else { return }
      let snapshot = core.state.snapshot(record)
      core.state.audiences.handle(id, isSettled: record.isSettled) { add(&$0, snapshot, record.phase, &effects) }
      core.want(progressEvery: interval)
    }
  }

  /// Adds a handler to several tasks together.
  fileprivate func handle(
    _ target: DownloadReach.Target, every interval: Duration, progress: Handler<DownloadTotals>?,
    settled: Handler<DownloadTotals>?
  ) {
    func add(_ audience: inout ScopeAudience) {
      if let progress { audience.progress.append(IntervalHandler(progress, every: interval)) }
      if let settled { audience.settled.append(settled) }
    }
    changeCore { core, effects in
      if core.ending.closesHandlers { return }
      core.want(progressEvery: interval)
      let group: GroupID?
      switch target {
      case .session: group = nil
      case .group(let name): group = core.state.groups.id(of: name)
      case .tasks, .selection:
        _ = core.state.follow(core.state.all(target), isAwaited: false, &effects) { add(&$0.audience) }
        return
      }
      let totals = group.map { core.state.totals(of: $0) } ?? core.state.totals
      add(&core.state.audiences[scope: group])
      if let progress { effects.post(totals, to: progress, isReplaceable: true) }
      if let settled, totals.unsettled == 0, totals.files > 0 { effects.post(totals, to: settled) }
    }
  }
}

extension SessionDriver.SessionCore {
  /// Somebody wants progress this often.
  mutating func want(progressEvery interval: Duration) {
    state.audiences.want(progressEvery: interval)
    events?.progressInterval = state.audiences.progressInterval
  }
}
