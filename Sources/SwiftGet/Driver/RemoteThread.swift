internal import DownloadControl
internal import DownloadCore
internal import DownloadEngine
internal import DownloadJSON
internal import DownloadTransport
internal import Glibc

/// The thread of a session that another process works on. What that process reports changes the driver's state, and calls go
/// to it one after the other. When that process has ended, its successor is followed, or this process takes the session over.
final class RemoteThread {
  private enum Parting {
    /// This process does not want the session any more.
    case left
    /// The connection is closed.
    case lost
  }

  private let driver: SessionDriver
  private let remote: RemoteSession
  private let configuration: DownloadConfiguration
  private var hasBegun: ((Result<Void, DownloadError>) -> Void)?
  /// Calls without an answer. The first one may be on its way.
  private var waiting: [RemoteSession.Call] = []
  /// The number of the call that is on its way; nil if none is.
  private var sent: Int64?
  private var reader = NewsReader()

  private static let mostAsked = 500
  private static let mostNews = 1000
  /// How long a session that is not taken over waits for another process.
  private static let longestAbsence = Duration.seconds(10)
  /// Between two looks for another process.
  private static let pauseMilliseconds: Int32 = 20

  /// - Parameters:
  ///   - configuration: what the caller wants; it must be what the session has.
  ///   - hasBegun: called once: when the state has all that is reported, or with the reason why the session cannot be
  ///     followed.
  init(
    _ driver: SessionDriver, _ remote: RemoteSession, _ configuration: DownloadConfiguration,
    hasBegun: @escaping (Result<Void, DownloadError>) -> Void
  ) {
    self.driver = driver
    self.remote = remote
    self.configuration = configuration
    self.hasBegun = hasBegun
  }

  func run() {
    var client: ControlClient
    do throws(DownloadError) { client = try connect() } catch { return end(with: error) }
    driver.isWorkedOn(by: remote.worker)
    while case .lost = hear(client) {
      driver.isWorkedOn(by: nil)
      guard let next = succeed() else { return }
      driver.isWorkedOn(by: remote.worker)
      client = next
    }
  }

  /// Connects for the first time.
  private func connect() throws(DownloadError) -> ControlClient {
    guard let client = try remote.connect() else { throw remote.busy }
    let session: JSONValue
    do throws(ControlClient.Problem) { session = try client.call(ControlMethod.session.rawValue) } catch {
      throw remote.busy
    }
    try configuration.requireSame(as: session)
    guard subscribe(client) else { throw remote.busy }
    return client
  }

  /// - Returns: false if the connection is lost.
  private func subscribe(_ client: ControlClient) -> Bool {
    var parameters = JSONObject()
    // All ends, so that tasks that are not there any more are noticed.
    parameters.add("since", Int64(0))
    reader.begin()
    return (try? client.call(ControlMethod.subscribe.rawValue, parameters)) != nil
  }

  // MARK: One connection

  private func hear(_ client: ControlClient) -> Parting {
    sent = nil
    while true {
      guard takeOrders() else {
        end(with: SessionDriver.closed)
        return .left
      }
      do throws(ControlClient.Problem) {
        try askForDoubtful(client)
        // It reads all that has come, answers too. What follows it reads nothing more.
        try takeNews(client)
        while try passCall(client) {}
      } catch { return .lost }
      if !reader.doubtful.isEmpty { continue }
      var entries = [client.descriptor, remote.orders.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      // A process that does not answer must not keep this one from leaving.
      let patience =
        sent == nil ? nil : waiting.first.map { max(.zero, $0.deadline - Clock.now()).wholeMilliseconds + 1 }
      _ = poll(&entries, 2, Int32(clamping: patience ?? -1))
    }
  }

  /// - Returns: false if the session is left.
  private func takeOrders() -> Bool {
    var stays = true
    for order in remote.orders.takeAll() {
      switch order {
      case .call(let call): waiting.append(call)
      case .leave: stays = false
      }
    }
    return stays
  }

  /// Sends the first call that waits, or takes its answer if that has been read. A call whose connection is lost is repeated
  /// with the next process.
  ///
  /// - Returns: whether there was an answer.
  private func passCall(_ client: ControlClient) throws(ControlClient.Problem) -> Bool {
    guard let call = waiting.first else { return false }
    guard let sent else {
      self.sent = try client.begin(call.method.rawValue, call.parameters)
      return false
    }
    let answer: RemoteSession.Answer
    do throws(ControlClient.Problem) {
      if let result = try client.takeAnswer(to: sent) {
        answer = .result(result)
      } else if Clock.now() < call.deadline {
        return false
      } else {
        answer = .refused(SessionDriver.silent)
      }
    } catch {
      guard case .refused(let refusal) = error else { throw error }
      let reason = DownloadError(refusal: refusal)
      if reason.code == .sessionClosed { throw .closed }
      answer = .refused(reason)
    }
    waiting.removeFirst()
    self.sent = nil
    // What the command has changed was reported before its answer.
    defer { call.continuation.resume(returning: answer) }
    try takeNews(client)
    return true
  }

  // MARK: News

  private func takeNews(_ client: ControlClient) throws(ControlClient.Problem) {
    while true {
      var news: [(method: String, parameters: JSONValue)] = []
      var problem: ControlClient.Problem?
      while news.count < Self.mostNews, problem == nil {
        do throws(ControlClient.Problem) { news.append(try client.nextNews(patience: .zero)) } catch { problem = error }
      }
      if !news.isEmpty { take(news) }
      if let problem {
        if problem == .timedOut { return }
        throw problem
      }
    }
  }

  private func take(_ news: [(method: String, parameters: JSONValue)]) {
    let moment = Moment.current
    driver.change { state, effects in
      for (method, parameters) in news { reader.take(method, parameters, &state, moment, &effects) }
      state.tellConditions(&effects)
    }
    if reader.isComplete { begin(.success(())) }
  }

  /// Tasks that were not reported have just ended, or were removed. Nothing is reported of the latter if it was long ago.
  private func askForDoubtful(_ client: ControlClient) throws(ControlClient.Problem) {
    while !reader.doubtful.isEmpty {
      let some = reader.doubtful.prefix(Self.mostAsked)
      var parameters = JSONObject()
      parameters.add("select", some.map { "id:\(DownloadTaskID($0))" })
      parameters.add("fields", ["id"])
      let known = Set(
        try client.call(ControlMethod.list.rawValue, parameters)["tasks"]?.elements?.compactMap {
          $0["id"]?.string.flatMap { DownloadTaskID($0)?.number }
        } ?? [])
      let gone = reader.doubtful.prefix(some.count).filter { !known.contains($0) }
      reader.doubtful.removeFirst(some.count)
      driver.change { state, effects in
        for id in gone { state.followRemoval(of: id, Moment.current, &effects) }
      }
    }
  }

  // MARK: The next process

  /// The process has ended: another one works on the session, or this one takes it over.
  ///
  /// - Returns: a connection to the other one; nil if this thread has nothing more to do.
  private func succeed() -> ControlClient? {
    let deadline = Clock.now() + Self.longestAbsence
    while true {
      let stays = takeOrders()
      if stays {
        do throws(DownloadError) {
          if let client = try remote.connect(), subscribe(client) { return client }
          if remote.takesOver, try driver.takeOver(remote) {
            remote.end(waiting, with: .takenOver)
            begin(.success(()))
            return nil
          }
        } catch {
          // A process that has just begun may be slow.
          if error.code != .unacknowledged {
            end(with: error)
            return nil
          }
        }
        expireCalls(due: Clock.now())
      }
      if !stays || !remote.takesOver && Clock.now() > deadline {
        // Nobody knows whether the process that is gone has obeyed them.
        if stays { expireCalls(due: .distantFuture) }
        end(with: SessionDriver.closed)
        return nil
      }
      var entry = pollfd(fd: remote.orders.descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, Self.pauseMilliseconds)
    }
  }

  private func expireCalls(due time: Instant) {
    for call in waiting where call.deadline <= time {
      call.continuation.resume(returning: .refused(SessionDriver.silent))
    }
    waiting.removeAll { $0.deadline <= time }
  }

  private func end(with error: DownloadError) {
    remote.end(waiting, with: .refused(error))
    driver.end()
    begin(.failure(error))
  }

  /// Says how the opening of the session has ended; the first time counts.
  private func begin(_ result: Result<Void, DownloadError>) {
    hasBegun?(result)
    hasBegun = nil
  }
}
