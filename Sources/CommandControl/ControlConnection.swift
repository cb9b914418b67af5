internal import DownloadControl
internal import DownloadCore
internal import DownloadJSON
internal import DownloadTransport
internal import DownloadWords
internal import SwiftGet

/// A way to a session: the process that works on it, or, while nobody does, this one.
protocol ControlConnection: AnyObject {
  /// The process that works on the session; nil if nobody does.
  var worker: Int64? { get }
  /// Warnings of what the session had and has lost, as far as this process has found out.
  var losses: [Diagnostic] { get }

  /// Begins a call. Calls are obeyed in the order in which they begin.
  ///
  /// - Returns: waits for the answer.
  /// - Throws: a failure that `isLost` if the answer cannot come, or does not.
  func begin(
    _ method: String, _ parameters: JSONObject
  ) throws(ControlFailure) -> () throws(ControlFailure) -> JSONValue

  /// What the session tells after `subscribe`; nil if nothing comes in time.
  func news(within time: Duration) throws(ControlFailure) -> (method: String, parameters: JSONValue)?

  func close()
}

extension ControlConnection {
  /// Has a call obeyed.
  func call(_ method: String, _ parameters: JSONObject) throws(ControlFailure) -> JSONValue {
    try begin(method, parameters)()
  }

  var losses: [Diagnostic] { [] }

  /// Of a session on which nobody works.
  func news(within time: Duration) throws(ControlFailure) -> (method: String, parameters: JSONValue)? { nil }
}

/// The process that works on the session, on its socket.
final class WorkerConnection: ControlConnection {
  private let client: ControlClient
  private let name: String

  /// A session that obeys answers within 10 s.
  private static let patience = Duration.seconds(30)

  init(to socket: ControlSocket, session name: String, at path: [UInt8]) throws(ControlClient.Problem) {
    client = try ControlClient(to: socket, ofSession: path, patience: Self.patience)
    self.name = name
  }

  var worker: Int64? { client.greeting.process }

  func begin(
    _ method: String, _ parameters: JSONObject
  ) throws(ControlFailure) -> () throws(ControlFailure) -> JSONValue {
    let id: Int64
    do throws(ControlClient.Problem) { id = try client.begin(method, parameters) } catch { throw failure(error) }
    return { [self] () throws(ControlFailure) in
      do throws(ControlClient.Problem) { return try client.answer(to: id, patience: Self.patience) } catch {
        throw failure(error)
      }
    }
  }

  func news(within time: Duration) throws(ControlFailure) -> (method: String, parameters: JSONValue)? {
    do throws(ControlClient.Problem) { return try client.nextNews(patience: time) } catch {
      if error == .timedOut { return nil }
      throw failure(error)
    }
  }

  func close() {}

  private func failure(_ problem: ControlClient.Problem) -> ControlFailure {
    switch problem {
    case .notConnected, .closed:
      return ControlFailure(
        .store, "the process that works on session \(name) has ended; it is not known whether the command was obeyed",
        isLost: true)
    case .timedOut:
      return ControlFailure(
        .store,
        "the process that works on session \(name) (pid \(client.greeting.process)) does not answer; "
          + "it is not known whether the command was obeyed")
    case .notUnderstood:
      return ControlFailure(.store, "what listens for session \(name) does not speak the protocol of swiftget")
    case .refused(let error):
      guard let code = error.name.flatMap({ DownloadError.Code(name: $0) }) else {
        return ControlFailure(.store, error.message)
      }
      return ControlFailure(ControlStatus(code), error.message, isLost: code == .sessionClosed)
    }
  }
}

/// A session on which nobody works, which this process has taken. Nothing begins.
final class IdleConnection: ControlConnection {
  private let session: IdleSession
  private let name: String
  private var isClosed = false

  init(_ session: IdleSession, session name: String) { (self.session, self.name) = (session, name) }

  var worker: Int64? { nil }
  var losses: [Diagnostic] { .losses(session.losses, of: name) }

  func begin(
    _ method: String, _ parameters: JSONObject
  ) throws(ControlFailure) -> () throws(ControlFailure) -> JSONValue {
    let answer = session.begin(method, parameters.text)
    return { () throws(ControlFailure) in
      switch Waiting.result({ await answer.value }) {
      case .failure(let error): throw ControlFailure(error)
      case .success(let text):
        guard case .success(let value) = JSONValue.parse(text[...]) else {
          throw ControlFailure(.notDone, "the answer to \(method) is no JSON")
        }
        return value
      }
    }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    let session = session
    Waiting.result { await session.close() }
  }

  deinit { close() }
}

extension [Diagnostic] {
  /// Warnings of what a session has lost.
  ///
  /// - Parameter losses: in sentences.
  static func losses(_ losses: [String], of session: String) -> Self {
    losses.map { Diagnostic(message: "warning: session \(session): \(Diagnostic.escaped($0))") }
  }
}

/// Waits on this thread for what Swift tasks do on others.
enum Waiting {
  @discardableResult
  static func result<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let awaited = Awaited<Value>()
    Task.detached { awaited.come(await body()) }
    return awaited.wait()
  }

  /// The same for what the library may refuse.
  static func outcome<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(DownloadError) -> Value
  ) -> Result<Value, DownloadError> {
    result {
      do throws(DownloadError) { return .success(try await body()) } catch { return .failure(error) }
    }
  }
}

/// A value that one thread waits for.
private final class Awaited<Value: Sendable>: Sendable {
  private let value = Lock<Value?>(nil)
  private let hasCome = Wakeup()

  func come(_ new: Value) {
    value.withLock { $0 = new }
    hasCome.signal()
  }

  func wait() -> Value {
    while true {
      hasCome.wait()
      if let value = value.withLock({ $0 }) { return value }
    }
  }
}
