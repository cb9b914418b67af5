internal import DownloadControl
internal import DownloadCore
internal import DownloadFiles
internal import DownloadLists
internal import DownloadStore
internal import Glibc

/// Serves a session to other processes of its user. A client that follows it keeps it going, as a loop over changes does;
/// another one does not.
///
/// The calls of one client are obeyed one after the other, in their order.
final class ControlService: ControlHandler {
  private struct Client {
    var calls = CallQueue()
    /// Calls that have no answer yet.
    var waitingCount = 0
    var subscription: Task<Void, Never>?
    var pump: NewsPump?
    /// Of the subscription.
    var since: Int64?
    var isOfBegun = false
  }

  private struct State {
    weak var session: DownloadSession?
    var clients: [ControlClientID: Client] = [:]
    var server: ControlServer?
    /// Whether a client has stopped the work.
    var isStopped = false
  }

  private let state: Lock<State>

  private init(_ session: DownloadSession) { state = Lock(State(session: session)) }

  /// Listens for other processes as long as the session works. A session whose socket cannot be made works without it.
  ///
  /// - Parameters:
  ///   - path: of the session's directory.
  ///   - name: nil if the name alone does not say where the session is.
  static func serve(_ session: DownloadSession, _ path: [UInt8], name: String?) {
    guard let store = session.driver.keeping?.store else { return }
    let inherited = session.driver.configuration.inheritedSocket
    var place = SessionPlace.socket(of: path, name: name)
    if inherited == nil, name != nil, place.isTaken { place = SessionPlace.socket(of: path, name: nil) }
    let service = ControlService(session)
    guard let server = try? server(inherited?.descriptor, place, path, service) else { return }
    service.state.withLock { $0.server = server }
    session.driver.core.withLock { core in core.ending.atEnd = { service.end() } }
    try? store.listens(at: inherited?.path ?? place.path)
  }

  private static func server(
    _ inherited: Int32?, _ place: ControlSocket, _ path: [UInt8], _ service: ControlService
  ) throws(SystemCallError) -> ControlServer {
    let generation = Moment.current.wall.wholeMilliseconds
    guard let inherited else {
      return try ControlServer(
        at: place, or: SessionPlace.otherSocket(of: path), program: "swiftget", generation: generation, session: path,
        handler: service)
    }
    return try ControlServer(
      inherited: SystemCalls.duplicate(inherited), program: "swiftget", generation: generation, session: path,
      handler: service)
  }

  func moved(to socket: ControlSocket) {
    let store = state.withLock { $0.session }?.driver.keeping?.store
    try? store?.listens(at: socket.path)
  }

  private func end() {
    let (server, clients, isStopped) = state.withLock { ($0.server.take(), $0.clients, $0.isStopped) }
    for client in clients.values { client.subscription?.cancel() }
    if isStopped {
      server?.tell(clients.filter { $0.value.subscription != nil }.map(\.key), "stopped", JSONObject())
    }
    server?.stop()
  }

  // MARK: Calls

  func called(
    _ request: ControlRequest, by client: ControlClientID,
    answer: @escaping @Sendable (Result<[UInt8], ControlError>) -> Void
  ) {
    guard let method = ControlMethod(rawValue: request.method) else {
      return answer(.failure(.unknownMethod(request.method)))
    }
    let parameters = ControlParameters(request.parameters)
    let isTaken = state.withLock { state in
      var entry = state.clients[client] ?? Client()
      guard entry.waitingCount < Self.mostWaiting else { return false }
      entry.waitingCount += 1
      entry.calls.append { [weak self] in
        self?.prepared(method, parameters, client)
      } obey: { [weak self] call in
        if let self, let call { await self.answer(method, parameters, call, client, answer) }
      }
      state.clients[client] = entry
      return true
    }
    if !isTaken { answer(.failure(.tooManyCalls(Self.mostWaiting))) }
  }

  private static let mostWaiting = 256

  private func prepared(
    _ method: ControlMethod, _ parameters: ControlParameters, _ client: ControlClientID
  ) -> ControlAnswers.PreparedCall {
    guard let session = state.withLock({ $0.session }) else {
      return { () async throws(DownloadError) in throw SessionDriver.closed }
    }
    switch method {
    case .subscribe:
      return { [self] () async throws(DownloadError) in
        follow(client, since: try parameters.number("since"), isOfBegun: try parameters.flag("begun"))
        return session.latestTotals.json
      }
    case .unsubscribe:
      return { [self] () async throws(DownloadError) in
        follow(client, isWanted: false)
        return JSONObject()
      }
    default: return ControlAnswers(session: session).prepared(method, parameters)
    }
  }

  private func answer(
    _ method: ControlMethod, _ parameters: ControlParameters, _ call: ControlAnswers.PreparedCall,
    _ client: ControlClientID,
    _ answer: @escaping @Sendable (Result<[UInt8], ControlError>) -> Void
  ) async {
    let result: Result<[UInt8], ControlError>
    do throws(DownloadError) {
      result = .success(try await call().text)
    } catch { result = .failure(ControlError(error)) }
    // Who follows the session hears of the change before the answer.
    if case .success = result { await state.withLock { $0.clients[client]?.pump }?.catchUp() }
    state.withLock { $0.clients[client]?.waitingCount -= 1 }
    answer(result)
    // The answer is on its way before the server ends.
    guard method == .stop, case .success = result, let session = state.withLock({ $0.session }) else { return }
    state.withLock { $0.isStopped = true }
    await session.close((try? parameters.closing()) ?? .save)
  }

  func missedNews(_ client: ControlClientID) {
    let (since, isOfBegun) = state.withLock { ($0.clients[client]?.since, $0.clients[client]?.isOfBegun ?? false) }
    follow(client, since: since, isOfBegun: isOfBegun)
  }

  func left(_ client: ControlClientID) {
    state.withLock { $0.clients.removeValue(forKey: client) }?.subscription?.cancel()
  }

  // MARK: News

  /// Begins to tell a client of changes, or to tell it everything again.
  private func follow(
    _ client: ControlClientID, isWanted: Bool = true, since: Int64? = nil, isOfBegun: Bool = false
  ) {
    state.withLock { state in
      guard let session = state.session, var entry = state.clients[client] else { return }
      defer { state.clients[client] = entry }
      entry.subscription?.cancel()
      (entry.subscription, entry.pump, entry.since, entry.isOfBegun) = (nil, nil, since, isOfBegun)
      guard isWanted else { return }
      let pump = NewsPump(session, since: since, isOfBegun: isOfBegun) { [weak self] method, parameters in
        self?.state.withLock { $0.server }?.tell([client], method, parameters)
      }
      entry.pump = pump
      entry.subscription = Task { await pump.run() }
    }
  }
}
