internal import DownloadCore
internal import DownloadEngine
internal import DownloadTransport
internal import Glibc

/// Owns the engine of a session, the thread that hears its events, and the calls that wait.
///
/// The engine starts with the first add or command. Whatever changes the state does so under one lock: adds on the caller's
/// thread, obeyed commands and events on the session's. Posts to the engine are made under it too, so that the engine's
/// order is the state's. What follows from a change (`StateEffects`) is performed when the lock is given back.
final class SessionDriver: Sendable {
  enum Phase: Sendable {
    case new
    case running(Engine)
    /// It has been told to stop.
    case closing(Engine)
    case closed
  }

  struct Pending: Sendable {
    var order: SessionOrder
    /// Nil if nobody waits for the answer any more; what it changes in the state counts all the same.
    var continuation: CheckedContinuation<Result<CommandEffect, DownloadError>, Never>?
    var deadline: Instant
  }

  struct Core: ~Copyable {
    var state: SessionState
    var phase = Phase.new
    var settings: RunSettings
    var pending: [Int: Pending] = [:]
    var lastOrder = 0
    weak var session: DownloadSession?
    /// Keeps the session while handlers are still to be called.
    var keeper: DownloadSession?
    var closesHandlers = false
    var closers: [CheckedContinuation<Void, Never>] = []
    var hasFailed: DownloadError?
    var events: EventSubscription?
  }

  let core: Lock<Core>
  let notes = SessionNotes()
  /// Components of the directory for requests that name none.
  let directory: Result<[[UInt8]], DownloadError>
  let policy: PolicyBridge?
  private let descriptorLimit: Int

  /// An answer that takes longer is given up: a disk may hold the engine's storage thread up. Tests wait longer.
  static let longestAnswer = Lock(Duration.seconds(10))

  init(_ configuration: DownloadSession.Configuration) {
    directory = Result { () throws(DownloadError) in
      try RequestChecker.components(ofDirectory: configuration.directory)
    }
    policy = PolicyBridge(configuration.policy)
    var settings = RunSettings()
    settings.target.ifExists = configuration.ifExists.engineValue
    settings.transport.caFile = configuration.caFile
    var state = SessionState(historyLimit: max(0, configuration.history))
    state.limits.apply(configuration.limits)
    state.settings.apply(configuration.settings)
    var failure: DownloadError?
    do throws(DownloadError) {
      try RequestChecker.check(state.limits)
      try RequestChecker.check(state.settings)
    } catch { failure = error }
    core = Lock(Core(state: state, settings: settings))
    var limit = rlimit()
    let hasLimit = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    descriptorLimit = hasLimit ? Int(clamping: limit.rlim_cur) : 256
    if let failure { core.withLock { $0.hasFailed = failure } }
  }

  /// The engine's settings now.
  static func settings(_ core: borrowing Core) throws(DownloadError) -> RunSettings {
    try core.state.settings.over(core.state.limits.over(core.settings))
  }

  static var moment: Moment {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Moment(wall: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec), now: Clock.now())
  }

  static let closed = DownloadError(.sessionClosed, "the session is closed")

  // MARK: The engine

  /// The engine, which is started if it is not yet.
  func engine(_ core: inout Core) throws(DownloadError) -> Engine {
    switch core.phase {
    case .running(let engine): return engine
    case .closing, .closed: throw Self.closed
    case .new: break
    }
    if let failure = core.hasFailed { throw failure }
    do throws(Failure) {
      let engine = Engine(
        settings: try Self.checkedSettings(core), place: try DownloadPlace(directory: [UInt8(ascii: "/")]),
        trustedOrigins: [], source: ArraySource([]), endsWhenIdle: false, settledLimit: core.state.history.limit,
        policy: policy, descriptorLimit: descriptorLimit)
      let events = engine.events.subscribe(.complete, progressEvery: core.state.progressInterval)
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

  private static func checkedSettings(_ core: borrowing Core) throws(Failure) -> RunSettings {
    do { return try settings(core) } catch {
      throw Failure(.worded(.usage, message: error.message, hint: nil))
    }
  }

  // MARK: Orders

  /// Has the engine obey what `prepare` wants, and returns when the effects have begun.
  func order(
    _ prepare: @Sendable (inout Core) throws(DownloadError) -> SessionOrder
  ) async throws(DownloadError) -> CommandEffect {
    let result = await withCheckedContinuation { continuation in
      let early = core.withLock { core -> Result<CommandEffect, DownloadError>? in
        do throws(DownloadError) {
          let engine = try engine(&core)
          let order = try prepare(&core)
          if order.commands.isEmpty { return .success(order.effect) }
          post(order, continuation, to: engine, &core)
          return nil
        } catch { return .failure(error) }
      }
      if let early { continuation.resume(returning: early) }
    }
    return try result.get()
  }

  func post(
    _ order: SessionOrder, _ continuation: CheckedContinuation<Result<CommandEffect, DownloadError>, Never>,
    to engine: Engine, _ core: inout Core
  ) {
    core.lastOrder += 1
    let number = core.lastOrder
    core.pending[number] = Pending(
      order: order, continuation: continuation, deadline: Clock.now() + Self.longestAnswer.withLock { $0 })
    engine.post(
      order.commands,
      obeyed: { [notes] answers, batch in notes.add(.obeyed(order: number, answers, batch: batch)) },
      answer: { [notes] _ in notes.add(.answered(order: number)) })
    // The thread's time limit is an earlier one, perhaps.
    if core.pending.count == 1 { notes.wake() }
  }

  // MARK: The end

  /// Stops the engine, if it runs.
  func stop(_ choice: StopChoice) {
    let engine = core.withLock { core -> Engine? in
      switch core.phase {
      case .new:
        core.phase = .closed
        return nil
      case .running(let engine), .closing(let engine):
        core.phase = .closing(engine)
        return engine
      case .closed: return nil
      }
    }
    engine?.stop(choice)
  }

  /// Stops the engine and returns when it has ended. Handlers are called no more.
  func close(_ choice: StopChoice) async {
    core.withLock { $0.closesHandlers = true }
    closeHandlers()
    stop(choice)
    await withCheckedContinuation { continuation in
      let isClosed = core.withLock { core in
        if case .closed = core.phase { return true }
        core.closers.append(continuation)
        return false
      }
      if isClosed { continuation.resume() }
    }
    wakeAll()
  }

  var isClosed: Bool {
    core.withLock { core in
      switch core.phase {
      case .new, .running, .closing: false
      case .closed: true
      }
    }
  }

  func closeHandlers() {
    let handlers = core.withLock { core -> [any DueHandler] in
      let state = core.state
      return state.audiences.values.flatMap(\.handlers) + state.sessionAudience.handlers
        + state.groupAudiences.values.flatMap(\.handlers)
        + state.sets.values.flatMap { $0.progress.map(\.handler) + $0.settled }
    }
    for handler in handlers { handler.close() }
  }

  /// Has all calls and loops see that the session is closed.
  func wakeAll() {
    let watchers = core.withLock { core -> [Watcher] in
      let state = core.state
      return state.audiences.values.flatMap { $0.waits.map(\.watcher) } + state.sessionAudience.waits.map(\.watcher)
        + state.groupAudiences.values.flatMap { $0.waits.map(\.watcher) } + state.sets.values.map(\.watcher)
        + state.feeds.values.map(\.watcher)
    }
    for watcher in watchers { watcher.signal() }
  }
}
