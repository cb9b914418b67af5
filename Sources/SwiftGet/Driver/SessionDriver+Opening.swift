internal import CSwiftGetShims
internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadStore
internal import DownloadWords

/// A session of the store, from opening it to its tasks' going on.
extension SessionDriver {
  /// Takes the session and begins its tasks. Cancellations and removals that the last process has stored are finished, so
  /// that what comes next does not meet them.
  ///
  /// - Parameters:
  ///   - path: of the session's directory, absolute.
  ///   - name: for messages.
  ///   - isIdle: whether it is for commands only, so that nothing begins.
  ///   - isMade: whether a session that is missing is made.
  @concurrent
  static func open(
    _ path: [UInt8], name: String, _ configuration: DownloadConfiguration, paused: Bool, isIdle: Bool = false,
    isMade: Bool = true
  ) async throws(DownloadError) -> SessionDriver {
    var restored: RestoredSession
    let (store, content): (SessionStore, SessionStore.Content)
    do throws(StoreError) {
      (store, content, restored) = try restore(path, configuration, isMade: isMade, isIdle: isIdle)
    } catch { throw DownloadError(error, session: name) }
    let driver = SessionDriver(configuration, restored.end(content.numbers), isNamed: true)
    do throws(DownloadError) {
      var effects = StateEffects()
      try driver.core.withLock { (core) throws(DownloadError) in
        core.keeping = SessionKeeping(
          store: store, endBefore: core.state.history.lastEnd, losses: restored.losses(path, content))
        try driver.goOn(restored.tasks, from: content.session, paused: paused, &core, &effects)
      }
      effects.perform()
      try await driver.catchUp()
    } catch {
      driver.abandon()
      throw error
    }
    // Reading rows leaves much more free memory than the tasks take.
    if restored.tasks.count >= Self.restoredAtOnce { memory_give_back() }
    return driver
  }

  /// Takes a session that exists, or makes it.
  private static func restore(
    _ path: [UInt8], _ configuration: DownloadConfiguration, isMade: Bool, isIdle: Bool = false
  ) throws(StoreError) -> (SessionStore, SessionStore.Content, RestoredSession) {
    var state = state(configuration, isNamed: true)
    state.storage = SessionState.Storage(
      directory: path + [UInt8(ascii: "/")], policies: configuration.policy.kinds.map { .policy($0) },
      isIdle: isIdle)
    var restored = RestoredSession(state)
    let (store, content) = try SessionStore.open(path, isMade: isMade, begin: { restored.begin($0, $1) }) { row in
      restored.take(row, lacks: configuration.lacks)
    }
    TaskNumbers.follow(content.numbers.task)
    return (store, content, restored)
  }

  /// Works on a session that was followed so far, after the end of the process that worked on it.
  ///
  /// - Returns: false if another process has taken it.
  /// - Throws: as `open`; `sessionClosed` if the session was left meanwhile.
  func takeOver(_ remote: RemoteSession) throws(DownloadError) -> Bool {
    var restored: RestoredSession
    let (store, content): (SessionStore, SessionStore.Content)
    do throws(StoreError) {
      (store, content, restored) = try Self.restore(remote.path, configuration, isMade: false)
    } catch {
      if case .held = error { return false }
      throw DownloadError(error, session: remote.name)
    }
    let left = restored.end(content.numbers)
    var effects = StateEffects()
    let hasTakenOver: (@Sendable () -> Void)?
    do throws(DownloadError) {
      hasTakenOver = try core.withLock { (core) throws(DownloadError) in
        guard case .following = core.phase else { throw Self.closed }
        core.state.takeOver(left, Moment.current, &effects)
        core.state.isWorkedOn(by: .current, &effects)
        core.keeping = SessionKeeping(
          store: store, endBefore: core.state.history.lastEnd, losses: restored.losses(remote.path, content))
        core.phase = .new
        try goOn(restored.tasks, from: content.session, paused: false, &core, &effects)
        return core.atTakeOver.take()
      }
    } catch {
      store.close()
      throw error
    }
    effects.perform()
    hasTakenOver?()
    return true
  }

  /// Follows a session that another process works on.
  ///
  /// - Throws: `busy` if that process cannot be reached, or does not listen yet; `conflict` if the configuration is another
  ///   one than that of the session.
  static func following(
    _ remote: RemoteSession, _ configuration: DownloadConfiguration
  ) async throws(DownloadError) -> SessionDriver {
    let driver = SessionDriver(configuration, state(configuration, isNamed: true), isNamed: true)
    if let error = driver.core.withLock({ $0.misconfiguration }) { throw error }
    driver.core.withLock { $0.phase = .following(remote) }
    let result: Result<Void, DownloadError> = await withCheckedContinuation { continuation in
      let thread = WorkerThread {
        RemoteThread(driver, remote, configuration) { continuation.resume(returning: $0) }.run()
      }
      if thread == nil {
        continuation.resume(returning: .failure(DownloadError(StoreError.noThread, session: remote.name)))
      }
    }
    try result.get()
    return driver
  }

  /// - Parameter stored: what the store has of the session.
  private func goOn(
    _ tasks: [RestoredSession.Task], from stored: StoredSession, paused: Bool, _ core: inout SessionCore,
    _ effects: inout StateEffects
  ) throws(DownloadError) {
    if paused { core.state.groups.session.isPaused = true }
    let session = core.state.groups.session.storedSession
    if session != stored { effects.rows.append(.putSession(session)) }
    if configuration.history == nil { core.state.forget(olderThan: Self.longestHistory, Moment.current, &effects) }
    core.state.prune(&effects)
    let engine = try engine(&core)
    begin(tasks, engine, &core, &effects)
    keep(&effects, &core)
  }

  /// Settled tasks of a named session stay so long.
  private static let longestHistory = Duration.seconds(30 * 86_400)
  private static let restoredAtOnce = 1000

  /// The tasks in the order of work: the engine puts each behind those that it has.
  private func begin(
    _ tasks: [RestoredSession.Task], _ engine: Engine, _ core: inout SessionCore, _ effects: inout StateEffects
  ) {
    var order = SessionOrder()
    if core.state.groups.session.isPaused || core.state.storage?.isIdle == true { order.append(.change(.pause, .all)) }
    for group in core.state.groups.ids {
      let rules = core.state.groups[group].rules
      if rules.isPaused { order.append(.change(.pause, .group(group))) }
      if rules.limits != DownloadLimits() { order.append(.limit(group, rules.limits.groupLimits)) }
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
  private func post(_ order: SessionOrder, to engine: Engine, _ core: inout SessionCore) {
    let number = core.orders.nextNumber()
    var pending = PendingOrder(order: order, continuation: nil, deadline: .distantFuture)
    post(&pending, number, to: engine, &core)
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
    case .user: policy.credential == nil && policy.source == nil && netrcFile == nil && run.secrets.netrc == nil
    case .header: policy.source == nil
    case .proxy: true
    case .policy(let kind): !policy.kinds.contains(kind)
    }
  }
}

extension DownloadPolicy {
  /// The closures that it has.
  var kinds: [StoredNeed.PolicyKind] {
    StoredNeed.PolicyKind.allCases.filter { kind in
      switch kind {
      case .source: source != nil
      case .credential: credential != nil
      case .accepts: accepts != nil
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

extension RestoredSession {
  /// What the session had and has no more.
  ///
  /// - Parameter path: of the session's directory.
  fileprivate func losses(_ path: [UInt8], _ content: SessionStore.Content) -> [String] {
    let shown = String(decoding: path, as: UTF8.self)
    var losses: [String] = []
    if content.damagedTaskCount > 0 {
      losses.append(
        "\(Humanized.count(content.damagedTaskCount, "task")) could not be read; "
          + "the table damaged_tasks of the database in \(shown) has what is left")
    }
    if unusableCount > 0 {
      losses.append(
        "\(Humanized.count(unusableCount, "task")) of the database in \(shown) cannot be understood"
      )
    }
    for name in content.damagedDatabases {
      losses.append(
        "an earlier database was damaged, and its tasks are missing: "
          + "it is \(shown)/\(String(decoding: name, as: UTF8.self))")
    }
    return losses
  }
}
