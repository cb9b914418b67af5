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
    /// The call that came last.
    var last: Task<Void, Never>?
    /// Calls that have no answer yet.
    var waitingCount = 0
    var subscription: Task<Void, Never>?
    /// Of the subscription.
    var since: Int64?
  }

  private struct State {
    weak var session: DownloadSession?
    var clients: [ControlClientID: Client] = [:]
    var server: ControlServer?
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
    let place = ControlSocket.place(
      session: path, name: name, isLocal: isLocal(path), user: SystemCalls.user,
      environment: { Environment.process[$0] })
    let service = ControlService(session)
    guard
      let server = try? ControlServer(
        at: place, program: "swiftget", generation: SessionDriver.moment.wall.wholeMilliseconds, handler: service)
    else { return }
    service.state.withLock { $0.server = server }
    session.driver.core.withLock { core in core.atEnd = { service.end() } }
    try? store.listens(at: place.path)
  }

  private static func isLocal(_ path: [UInt8]) -> Bool {
    guard let directory = try? SystemCalls.openat(SystemCalls.workingDirectory, path, O_RDONLY | O_DIRECTORY),
      let status = try? SystemCalls.fstatfs(directory.raw)
    else { return false }
    return !status.isRemote
  }

  private func end() {
    let (server, clients) = state.withLock { state in (state.server.take(), state.clients) }
    for client in clients.values { client.subscription?.cancel() }
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
      let earlier = entry.last
      entry.last = Task { [weak self] in
        await earlier?.value
        await self?.answer(method, parameters, client, answer)
      }
      state.clients[client] = entry
      return true
    }
    if !isTaken { answer(.failure(.tooManyCalls(Self.mostWaiting))) }
  }

  private static let mostWaiting = 256

  private func answer(
    _ method: ControlMethod, _ parameters: ControlParameters, _ client: ControlClientID,
    _ answer: @escaping @Sendable (Result<[UInt8], ControlError>) -> Void
  ) async {
    let result: Result<[UInt8], ControlError>
    do throws(DownloadError) {
      result = .success(try await obey(method, parameters, client).text)
    } catch { result = .failure(ControlError(error)) }
    state.withLock { $0.clients[client]?.waitingCount -= 1 }
    answer(result)
    // The answer is on its way before the server ends.
    guard method == .stop, case .success = result, let session = state.withLock({ $0.session }) else { return }
    await session.close((try? parameters.closing()) ?? .save)
  }

  func missedNews(_ client: ControlClientID) { follow(client, since: state.withLock { $0.clients[client]?.since }) }

  func left(_ client: ControlClientID) {
    state.withLock { $0.clients.removeValue(forKey: client) }?.subscription?.cancel()
  }

  private func obey(
    _ method: ControlMethod, _ parameters: ControlParameters, _ client: ControlClientID
  ) async throws(DownloadError) -> JSONObject {
    guard let session = state.withLock({ $0.session }) else { throw SessionDriver.closed }
    switch method {
    case .subscribe:
      follow(client, since: try parameters.number("since"))
      return session.latestTotals.json
    case .unsubscribe:
      follow(client, isWanted: false)
      return JSONObject()
    default: return try await ControlAnswers(session: session).obey(method, parameters)
    }
  }

  // MARK: News

  /// Tells a client of changes: `task` with its snapshot, `ended` with a `number` too, `removed` with the id, `totals`,
  /// `up_to_date` once all is told that is there, and `gap` if ends are missing.
  private func follow(_ client: ControlClientID, isWanted: Bool = true, since: Int64? = nil) {
    state.withLock { state in
      guard let session = state.session, state.clients[client] != nil else { return }
      state.clients[client]?.subscription?.cancel()
      state.clients[client]?.subscription = nil
      state.clients[client]?.since = since
      guard isWanted else { return }
      let feed = FeedHandle(session, every: SessionState.usualInterval, since: since)
      state.clients[client]?.subscription = Task { [weak self] in
        while !Task.isCancelled {
          let isClosed = feed.session.driver.isClosed
          if let change = feed.next() {
            self?.tell(client, change)
          } else if isClosed {
            return
          } else {
            await feed.watcher.next()
          }
        }
      }
    }
  }

  private func tell(_ client: ControlClientID, _ change: DownloadChange) {
    var parameters = JSONObject()
    let method: String
    switch change {
    case .task(let snapshot): (method, parameters) = ("task", snapshot.json)
    case .ended(let snapshot, let number):
      (method, parameters) = ("ended", snapshot.json)
      parameters.add("seq", number)
    case .removed(let id):
      method = "removed"
      parameters.add("id", id.description)
    case .totals(let totals): (method, parameters) = ("totals", totals.json)
    case .upToDate: method = "up_to_date"
    case .gap: method = "gap"
    }
    state.withLock { $0.server }?.tell([client], method, parameters)
  }
}
