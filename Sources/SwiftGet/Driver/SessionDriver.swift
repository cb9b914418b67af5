internal import DownloadCore
internal import DownloadEngine
internal import DownloadJSON
internal import DownloadLists
internal import DownloadTransport
internal import Glibc

/// Owns the engine of a session, the thread that hears its events, and the calls that wait.
///
/// The engine starts with the first add or command. Whatever changes the state does so under one lock: adds on the caller's
/// thread, obeyed commands and events on the session's. Posts to the engine are made under it too, so that the engine's
/// order is the state's. What follows from a change (`StateEffects`) is performed when the lock is given back.
final class SessionDriver: RequestKeeper {
  enum Phase: Sendable {
    case new
    case running(Engine)
    /// It has been told to stop.
    case closing(Engine)
    /// Another process works on the session.
    case following(RemoteSession)
    /// It does not follow the session any longer.
    case leaving
    case closed

    var isClosed: Bool { if case .closed = self { true } else { false } }

    /// Whether it has been told to stop.
    var isEnding: Bool {
      switch self {
      case .new, .running, .following: false
      case .closing, .leaving, .closed: true
      }
    }
  }

  struct SessionCore: ~Copyable {
    var state: SessionState
    var phase = Phase.new
    /// Without those of the state.
    let settings: RunSettings
    /// What is wrong with the configuration.
    let misconfiguration: DownloadError?
    var orders = PendingOrders()
    var kept = KeptSession()
    var ending = SessionEnding()
    var events: EventSubscription?
    /// Nil for a session in memory, or one that another process works on.
    var keeping: SessionKeeping?
    /// Called when this process has taken the session over.
    var atTakeOver: (@Sendable () -> Void)?
  }

  let core: Lock<SessionCore>
  let notes = Mailbox<SessionNote>()
  /// The directory for requests that name none.
  let directory: Result<RequestDirectory, DownloadError>
  let policy: PolicyBridge?
  /// As the caller gave it.
  let configuration: DownloadConfiguration
  private let descriptorLimit: Int

  /// How long a named session waits for hosts that cannot be reached or have trouble, after the last progress of a file.
  private static let longestOutage = Duration.seconds(86_400)
  private static let longestBackoff = Duration.seconds(600)

  /// An answer that takes longer is given up: a disk may hold the engine's storage thread up. Tests wait longer.
  static let longestAnswer = Lock(Duration.seconds(10))

  /// - Parameters:
  ///   - state: what the session knows.
  ///   - isNamed: whether it outlasts this process, and an outage of a night.
  init(_ configuration: DownloadConfiguration, _ state: SessionState, isNamed: Bool = false) {
    self.configuration = configuration
    directory = Result { () throws(DownloadError) in
      RequestDirectory(try RequestChecker.components(ofDirectory: configuration.directory))
    }
    policy = PolicyBridge(configuration.policy)
    var settings = configuration.run
    settings.target.ifExists = configuration.ifExists.engineValue
    settings.transport.caFile = configuration.caFile ?? settings.transport.caFile
    if let time = configuration.giveUpAfter { settings.file.patience = time }
    if isNamed {
      settings.file.patience = configuration.giveUpAfter ?? Self.longestOutage
      if settings.file.retryWait == FileSettings().retryWait { settings.file.retryWait = Self.longestBackoff }
      settings.transport.waitsForNetwork = true
    }
    var failure: DownloadError?
    do throws(DownloadError) {
      try RequestChecker.check(state.groups.session.limits)
      try RequestChecker.check(state.groups.session.settings)
      try configuration.settings.requireNothingOfOneTask()
      if let time = configuration.giveUpAfter, time <= .zero {
        throw DownloadError(.invalidValue, "giveUpAfter is above 0")
      }
      if let path = configuration.netrcFile { try settings.secrets.read(netrc: path) }
    } catch { failure = error }
    core = Lock(SessionCore(state: state, settings: settings, misconfiguration: failure))
    var limit = rlimit()
    let hasLimit = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    descriptorLimit = hasLimit ? Int(clamping: limit.rlim_cur) : 256
    policy?.snapshot.withLock {
      $0 = { [weak self] task in self.flatMap { driver in driver.core.withLock { $0.state.snapshot(task) } } }
    }
  }

  /// The state of a session without tasks.
  static func state(_ configuration: DownloadConfiguration, isNamed: Bool) -> SessionState {
    let usualHistory = isNamed ? 100_000 : 10_000
    var state = SessionState(historyLimit: max(0, configuration.history ?? usualHistory))
    state.groups.session.limits.apply(configuration.limits)
    state.groups.session.settings.apply(configuration.settings)
    return state
  }

  /// The engine's settings now.
  static func settings(_ core: borrowing SessionCore) throws(DownloadError) -> RunSettings {
    let rules = core.state.groups.session
    return try rules.settings.over(rules.limits.over(core.settings))
  }

  static let silent = DownloadError(.unacknowledged, "the session does not answer")
  static let closed = DownloadError(.sessionClosed, "the session is closed")

  // MARK: The engine

  /// The engine, which is started if it is not yet.
  func engine(_ core: inout SessionCore) throws(DownloadError) -> Engine {
    switch core.phase {
    case .running(let engine): return engine
    case .closing, .following, .leaving, .closed: throw Self.closed
    case .new: break
    }
    if let failure = core.misconfiguration { throw failure }
    do throws(Failure) {
      let engine = Engine(
        settings: try Self.checkedSettings(core), place: try DownloadPlace(directory: [UInt8(ascii: "/")]),
        trustedOrigins: [], source: ArraySource([]), keeper: self, endsWhenIdle: false,
        settledLimit: core.state.history.limit,
        policy: policy, descriptorLimit: descriptorLimit)
      let events = engine.events.subscribe(.complete, progressEvery: core.state.audiences.progressInterval)
      try engine.start()
      core.phase = .running(engine)
      core.events = events
      guard WorkerThread({ [self] in run(engine, events) }) != nil else {
        engine.stop(.now)
        core.phase = .closed
        throw Failure(.threadsUnavailable)
      }
      return engine
    } catch {
      throw DownloadError(error, of: nil, url: nil, path: nil, status: nil)
    }
  }

  func request(of task: TaskID) -> FileRequest? {
    core.withLock { core in core.state.records[task].flatMap { try? core.state.file(of: $0) } }
  }

  private static func checkedSettings(_ core: borrowing SessionCore) throws(Failure) -> RunSettings {
    do { return try settings(core) } catch {
      throw Failure(.usage, error.message)
    }
  }

  // MARK: Orders

  /// Has the engine obey what `prepare` wants, and returns when the effects have begun.
  ///
  /// - Parameter patience: how long it waits; nil is as long as for any command.
  func order(
    patience: Duration? = nil, _ prepare: @Sendable (inout SessionCore) throws(DownloadError) -> SessionOrder
  ) async throws(DownloadError) -> SessionOrder.Reply {
    let limit = patience ?? Self.longestAnswer.withLock { $0 }
    let keeping = keeping
    if let keeping, !(await keeping.turns.take(atMost: limit)) { throw Self.silent }
    let result: OrderResult = await withCheckedContinuation { continuation in
      let (early, isCommitting, effects) = core.withLock {
        core -> (OrderResult?, Bool, StateEffects) in
        var effects = StateEffects()
        do throws(DownloadError) {
          let engine = try engine(&core)
          let number = core.orders.nextNumber()
          var pending = PendingOrder(
            order: try prepare(&core), continuation: continuation,
            deadline: Clock.now() + limit)
          guard let keeping, !pending.order.stored.rows.isEmpty else {
            let early = begin(&pending, number, engine, &core, &effects)
            keep(&effects, &core)
            return (early, false, effects)
          }
          let isOnly = core.orders.insert(pending, number)
          keeping.store.post(pending.order.stored.rows) { [self] error in committed(number, error) }
          if isOnly { notes.wake() }
          return (nil, true, effects)
        } catch { return (.failure(error), false, effects) }
      }
      if !isCommitting { keeping?.turns.give() }
      effects.perform()
      if let early { continuation.resume(returning: early) }
    }
    return try result.get()
  }

  /// - Returns: what its call gets at once; nil if it waits for the engine.
  func begin(
    _ pending: inout PendingOrder, _ number: Int, _ engine: Engine, _ core: inout SessionCore,
    _ effects: inout StateEffects
  ) -> OrderResult? {
    pending.order.begin(in: &core.state, Moment.current, &effects)
    if pending.order.commands.isEmpty { return .success(pending.order.reply) }
    if pending.order.isEarly, !pending.order.hasMeaning {
      engine.post(pending.order.commands)
      return .success(pending.order.reply)
    }
    post(&pending, number, to: engine, &core)
    return nil
  }

  /// Asks in which order the tasks begin.
  func places() async throws(DownloadError) -> QueuePlaces {
    var all: [TaskID] = []
    var from: Int64? = 0
    while let place = from {
      var parameters = JSONObject()
      parameters.add("from", place)
      let answer = try await obey(.order, parameters, { OrderAnswer(json: $0) }) { () async throws(DownloadError) in
        .here(try await placesHere())
      }
      switch answer {
      case .here(let places): return places
      case .page(let tasks, let next):
        all += tasks
        from = next
      }
    }
    return QueuePlaces(all)
  }

  private func placesHere() async throws(DownloadError) -> QueuePlaces {
    guard core.withLock({ if case .running = $0.phase { true } else { false } }) else { return QueuePlaces() }
    return try await order { _ in
      var order = SessionOrder()
      order.append(.order)
      return order
    }.places
  }

  /// Asks the engine what it does with tasks. Those that it does not know are left out.
  func describe(_ tasks: [TaskID]) async throws(DownloadError) -> [TaskDescription] {
    let isWorking = core.withLock { core in
      if case .running = core.phase { core.state.storage?.isIdle != true } else { false }
    }
    guard isWorking, !tasks.isEmpty else { return [] }
    return try await order { _ in
      var order = SessionOrder()
      for task in tasks { order.append(.describe(.task(task))) }
      return order
    }.descriptions
  }

  func post(_ pending: inout PendingOrder, _ number: Int, to engine: Engine, _ core: inout SessionCore) {
    let isOnly = core.orders.insert(pending, number)
    engine.post(
      pending.order.commands,
      obeyed: { [notes] answers, batch in notes.post(.obeyed(order: number, answers, batch: batch)) },
      answer: { [notes] _ in notes.post(.answered(order: number)) })
    // The thread's time limit is an earlier one, perhaps.
    if isOnly { notes.wake() }
  }

  // MARK: The end

  /// Stops the engine, if it runs. A session of another process is left.
  func stop(_ choice: StopChoice) {
    let (engine, remote) = core.withLock { core -> (Engine?, RemoteSession?) in
      switch core.phase {
      case .new:
        core.phase = .closed
        return (nil, nil)
      case .running(let engine), .closing(let engine):
        core.phase = .closing(engine)
        return (engine, nil)
      case .following(let remote):
        core.phase = .leaving
        return (nil, remote)
      case .leaving, .closed: return (nil, nil)
      }
    }
    engine?.stop(choice)
    remote?.orders.post(.leave)
  }

  /// Stops the engine and returns when it has ended. Handlers are called no more.
  ///
  /// - Returns: paths of files that are still open, because a system call takes long.
  func close(_ choice: StopChoice) async -> [String] {
    core.withLock { $0.ending.closesHandlers = true }
    closeHandlers()
    stop(choice)
    await ended()
    wakeAll()
    return core.withLock { $0.ending.unreleased }
  }

  /// Returns when the engine has ended, and all is stored.
  func ended() async {
    await withCheckedContinuation { continuation in
      let isClosed = core.withLock { core in
        if core.phase.isClosed { return true }
        core.ending.closers.append(continuation)
        return false
      }
      if isClosed { continuation.resume() }
    }
  }

  var isClosed: Bool { core.withLock { $0.phase.isClosed } }

  /// Whether it has been told to stop.
  var isEnding: Bool { core.withLock { $0.phase.isEnding } }

  func closeHandlers() {
    let handlers = core.withLock { $0.state.audiences.handlers + $0.state.sets.handlers }
    for handler in handlers { handler.close() }
  }

  /// Has all calls and loops see that the session is closed.
  func wakeAll() {
    let watchers = core.withLock {
      $0.state.audiences.watchers + $0.state.sets.watchers + $0.state.feeds.watchers
    }
    for watcher in watchers { watcher.signal() }
  }
}

extension Secrets {
  /// - Throws: `invalidValue` for a file that cannot be read or is none; the error shows nothing of its content.
  fileprivate mutating func read(netrc path: String) throws(DownloadError) {
    let bytes: [UInt8]
    do throws(SmallFiles.Fault) {
      bytes = try SmallFiles.read(Array(path.utf8), notedIn: nil, mostBytes: 1 << 20)
    } catch { throw DownloadError(.invalidValue, "the netrc file cannot be read", path: path) }
    do throws(NetrcFile.Problem) { netrcFiles[.named(path)] = try NetrcFile(bytes) } catch {
      throw DownloadError(.invalidValue, "line \(error.line) of the netrc file is wrong", path: path)
    }
    netrcFile = path
  }
}
