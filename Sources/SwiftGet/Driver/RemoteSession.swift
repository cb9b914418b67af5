internal import DownloadControl
internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadJSON
internal import DownloadStore
internal import DownloadTransport

/// The other process that works on a session, and the calls that are on their way to it.
final class RemoteSession: Sendable {
  /// What becomes of a call.
  enum Answer: Sendable {
    case result(JSONValue)
    case refused(DownloadError)
    /// This process works on the session now, and obeys commands itself.
    case takenOver
  }

  struct Call: Sendable {
    let method: ControlMethod
    let parameters: JSONObject
    let deadline: Instant
    let continuation: CheckedContinuation<Answer, Never>
  }

  enum Order: Sendable {
    case call(Call)
    case leave
  }

  /// The session's directory, absolute.
  let path: [UInt8]
  let name: String
  /// Whether this process works on the session when the other one has ended.
  let takesOver: Bool
  let orders = Mailbox<Order>()
  /// How calls are answered from now on; nil as long as the thread takes them.
  private let lastAnswer = Lock<Answer?>(nil)

  init(_ path: [UInt8], _ name: String, takesOver: Bool) {
    self.path = path
    self.name = name
    self.takesOver = takesOver
  }

  /// Calls a method of the process that works on the session, and waits for the answer. If that process ends, its successor
  /// gets the call.
  func call(_ method: ControlMethod, _ parameters: JSONObject, patience: Duration) async -> Answer {
    let deadline = Clock.now() + patience
    return await withCheckedContinuation { continuation in
      let answer = lastAnswer.withLock { answer in
        if answer == nil {
          orders.post(
            .call(Call(method: method, parameters: parameters, deadline: deadline, continuation: continuation)))
        }
        return answer
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// The thread takes no more calls.
  ///
  /// - Parameter waiting: those that it has taken.
  func end(_ waiting: [Call], with answer: Answer) {
    let rest = lastAnswer.withLock { last in
      last = answer
      return orders.takeAll()
    }
    for call in waiting { call.continuation.resume(returning: answer) }
    for case .call(let call) in rest { call.continuation.resume(returning: answer) }
  }

  /// The process that works on the session; nil if none does.
  var worker: DownloadWorker? { SessionFiles.holder(of: path).map { DownloadWorker($0) } }

  /// That the process which works on the session cannot be followed.
  var busy: DownloadError {
    let holder = SessionFiles.holder(of: path)
    return DownloadError(StoreError.held(holder), session: name)
  }

  /// Connects to the process that works on the session.
  ///
  /// - Returns: nil if nobody does, or it does not listen yet.
  /// - Throws: `unusableStore` if what listens there does not understand.
  func connect() throws(DownloadError) -> ControlClient? {
    guard let holder = SessionFiles.holder(of: path), holder.isOfThisHost, holder.mayWork, holder.process != .current,
      let socket = holder.socket.flatMap({ ControlSocket(path: $0) })
    else { return nil }
    do throws(ControlClient.Problem) { return try ControlClient(to: socket, ofSession: path) } catch {
      switch error {
      case .notConnected, .closed: return nil
      case .timedOut:
        throw DownloadError(
          .unacknowledged, "the process that works on session \(name) (pid \(holder.process.process)) does not answer")
      case .notUnderstood:
        throw DownloadError(.unusableStore, "what listens for session \(name) does not speak the protocol of swiftget")
      case .refused(let error): throw DownloadError(refusal: error)
      }
    }
  }
}
