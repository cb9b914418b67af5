internal import CSwiftGetShims
internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadStore

/// A session of the store, from opening it to its tasks' going on.
extension SessionDriver {
  /// Takes the session and begins its tasks. Cancellations and removals that the last process has stored are finished, so
  /// that what comes next does not meet them.
  ///
  /// - Parameters:
  ///   - path: of the session's directory, absolute.
  ///   - name: for messages.
  ///   - isIdle: whether it is for commands only: nothing begins, and a session that is missing is not made.
  @concurrent
  static func open(
    _ path: [UInt8], name: String, _ configuration: DownloadConfiguration, paused: Bool, isIdle: Bool = false
  ) async throws(DownloadError) -> SessionDriver {
    var state = state(configuration, isNamed: true)
    state.storage = SessionState.Storage(
      directory: path + [UInt8(ascii: "/")], policies: configuration.policy.kinds.map { .policy($0) },
      isIdle: isIdle)
    var restored = RestoredSession(state)
    let (store, content): (SessionStore, SessionStore.Content)
    do throws(StoreError) {
      (store, content) = try SessionStore.open(path, isMade: !isIdle, begin: { restored.begin($0, $1) }) { row in
        restored.take(row, lacks: configuration.lacks)
      }
    } catch { throw DownloadError(error, session: name) }
    let driver = SessionDriver(configuration, restored.end(content.numbers), SessionKeeping(store: store))
    TaskNumbers.follow(content.numbers.task)
    do throws(DownloadError) {
      try driver.goOn(restored.tasks, from: content.session, configuration, paused: paused)
      try await driver.catchUp()
    } catch {
      driver.abandon()
      throw error
    }
    // Reading rows leaves much more free memory than the tasks take.
    if restored.tasks.count >= Self.restoredAtOnce { memory_give_back() }
    return driver
  }

  /// - Parameter stored: what the store has of the session.
  private func goOn(
    _ tasks: [RestoredSession.Task], from stored: StoredSession, _ configuration: DownloadConfiguration, paused: Bool
  ) throws(DownloadError) {
    let effects = try core.withLock { (core) throws(DownloadError) -> StateEffects in
      var effects = StateEffects()
      if paused { core.state.isPaused = true }
      if core.state.storedSession != stored { effects.rows.append(.putSession(core.state.storedSession)) }
      if configuration.history == nil { core.state.forget(olderThan: Self.longestHistory, Self.moment, &effects) }
      core.state.prune(&effects)
      let engine = try engine(&core)
      begin(tasks, engine, &core, &effects)
      keep(&effects, &core)
      return effects
    }
    effects.perform()
  }

  /// Settled tasks of a named session stay so long.
  private static let longestHistory = Duration.seconds(30 * 86_400)
  private static let restoredAtOnce = 1000

  /// The tasks in the order of work: the engine puts each behind those that it has.
  private func begin(
    _ tasks: [RestoredSession.Task], _ engine: Engine, _ core: inout Core, _ effects: inout StateEffects
  ) {
    var order = SessionOrder()
    if core.state.isPaused || core.state.storage?.isIdle == true { order.append(.change(.pause, .all)) }
    for group in core.state.groups.ids {
      let known = core.state.groups[group]
      if known.isPaused { order.append(.change(.pause, .group(group))) }
      if known.limits != DownloadLimits() { order.append(.limit(group, known.limits.groupLimits)) }
    }
    for task in tasks {
      guard let record = core.state.records[task.id], let host = record.url.flatMap(RequestChecker.origin(of:)) else {
        continue
      }
      order.append(.restore(task.id, host: host, record.group, priority: record.priority, end: record.end))
      if !record.isSettled, record.isPaused || !record.needs.isEmpty { order.append(.change(.pause, .task(task.id))) }
      switch task.want {
      case .run, .paused: break
      case .cancelled: order.append(.change(.cancel, .task(task.id)), .change(.cancel, task.id))
      case .removed, .removedWithFile:
        if task.want == .removedWithFile, let placed = record.placed { effects.deletions.append((record.path, placed)) }
        order.append(.change(.remove, .task(task.id)), .change(.remove, task.id))
      }
      if order.commands.count >= Self.restoredAtOnce {
        post(order, to: engine, &core)
        order = SessionOrder()
      }
    }
    post(order, to: engine, &core)
  }

  /// Returns when the state has what the engine has answered to all that it was told.
  private func catchUp() async throws(DownloadError) {
    _ = try await order(patience: .seconds(600)) { _ in
      var order = SessionOrder()
      order.append(.describe(.task(TaskID(0))))
      return order
    }
  }

  /// Nobody waits for the answers.
  private func post(_ order: SessionOrder, to engine: Engine, _ core: inout Core) {
    core.lastOrder += 1
    var pending = Pending(order: order, continuation: nil, deadline: .distantFuture)
    post(&pending, core.lastOrder, to: engine, &core)
  }

  /// The session could not begin.
  private func abandon() {
    core.withLock { core in
      if case .new = core.phase { core.phase = .closed }
    }
    stop(.now)
    keeping?.store.close()
  }
}

extension DownloadConfiguration {
  /// Whether nothing here meets a need.
  fileprivate func lacks(_ need: StoredNeed) -> Bool {
    switch need {
    case .user: policy.credential == nil && policy.source == nil && netrcFile == nil
    case .header: policy.source == nil
    case .proxy: true
    case .policy(let kind): !policy.kinds.contains(kind)
    }
  }
}

extension DownloadPolicy {
  /// The closures that it has.
  fileprivate var kinds: [StoredNeed.PolicyKind] {
    StoredNeed.PolicyKind.allCases.filter { kind in
      switch kind {
      case .source: source != nil
      case .credential: credential != nil
      case .validate: validate != nil
      case .name: name != nil
      }
    }
  }
}

extension TaskRecord {
  /// Nil while it is unsettled.
  fileprivate var end: TaskEnd? {
    switch phase {
    case .waiting, .running, .verifying: nil
    case .succeeded: .succeeded
    case .failed: .failed
    case .cancelled: .withdrawn
    }
  }
}
