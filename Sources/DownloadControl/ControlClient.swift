package import DownloadCore
package import DownloadFiles
package import DownloadJSON
internal import CSwiftGetShims
internal import DownloadTransport
internal import Glibc

/// A connection to the process that works on a session, for one thread at a time.
package final class ControlClient {
  /// What the server said to `hello`.
  package struct Greeting: Hashable, Sendable {
    package let program: String
    package let process: Int64
    package let generation: Int64
  }

  package enum Problem: Error, Hashable, Sendable {
    /// Nobody listens there.
    case notConnected(SystemCallError)
    /// The other end has closed the connection, or died.
    case closed
    /// No answer in time. The call may have had its effect.
    case timedOut
    /// The other end is no such server.
    case notUnderstood
    case refused(ControlError)
  }

  private let socket: FileDescriptor
  private var reader = LineReader(limit: 64 << 20)
  /// A refusal before the first call has no id.
  private var answers: [(id: Int64?, result: Result<JSONValue, ControlError>)] = []
  /// There may be many. Those from `firstNews` on are not told yet.
  private var news: [(method: String, parameters: JSONValue)] = []
  private var firstNews = 0
  private var lastID: Int64 = 0
  package private(set) var greeting = Greeting(program: "", process: 0, generation: 0)

  /// Connects and says hello.
  ///
  /// - Parameter session: the directory of the session that is wanted; nil takes any.
  /// - Throws: `closed` if the process works on another session.
  package init(
    to place: ControlSocket, ofSession session: [UInt8]? = nil, patience: Duration = .seconds(10)
  ) throws(Problem) {
    do throws(SystemCallError) { socket = try place.connect() } catch { throw .notConnected(error) }
    var parameters = JSONObject()
    parameters.add("protocol", ControlProtocol.version)
    let answer = try call("hello", parameters, patience: patience)
    guard let program = answer["program"]?.text, let process = answer["pid"]?.integer else { throw .notUnderstood }
    greeting = Greeting(
      program: String(decoding: program, as: UTF8.self), process: process,
      generation: answer["generation"]?.integer ?? 0)
    // An earlier version does not tell its session.
    if let session, let other = answer["session"]?.text, Self.differ(Array(other), session) { throw .closed }
  }

  /// Whether two paths lead to two directories. One that this process does not see may be the same by another name.
  private static func differ(_ served: [UInt8], _ wanted: [UInt8]) -> Bool {
    func status(_ path: [UInt8]) -> FileStatus? {
      try? SystemCalls.fstatat(SystemCalls.workingDirectory, path + Array("/.".utf8))
    }
    guard served != wanted, let served = status(served) else { return false }
    let wanted = status(wanted)
    return wanted.map { $0.device != served.device || $0.inode != served.inode } ?? true
  }

  /// Calls a method, and waits for its answer. News that come meanwhile are kept for `nextNews`.
  package func call(
    _ method: String, _ parameters: JSONObject? = nil, patience: Duration = .seconds(10)
  ) throws(Problem) -> JSONValue {
    try answer(to: begin(method, parameters), patience: patience)
  }

  /// Calls a method without waiting.
  ///
  /// - Returns: the number of the call, for `answer`.
  package func begin(_ method: String, _ parameters: JSONObject? = nil) throws(Problem) -> Int64 {
    lastID += 1
    try send(ControlRequest.line(id: lastID, method: method, parameters: parameters))
    return lastID
  }

  /// Waits for the answer to a call.
  package func answer(to id: Int64, patience: Duration) throws(Problem) -> JSONValue {
    let deadline = Clock.now() + patience
    while true {
      if let answer = try takeAnswer(to: id) { return answer }
      try receive(until: deadline)
    }
  }

  /// The answer to a call, if it has been read; nothing is read for it.
  package func takeAnswer(to id: Int64) throws(Problem) -> JSONValue? {
    guard let index = answers.firstIndex(where: { $0.id == id || $0.id == nil }) else { return nil }
    let result = answers.remove(at: index).result
    do throws(ControlError) { return try result.get() } catch { throw .refused(error) }
  }

  /// Readable when something comes.
  package var descriptor: Int32 { socket.raw }

  /// Waits for what the server tells without being asked.
  package func nextNews(patience: Duration) throws(Problem) -> (method: String, parameters: JSONValue) {
    let deadline = Clock.now() + patience
    while true {
      if firstNews < news.count {
        firstNews += 1
        return news[firstNews - 1]
      }
      (news, firstNews) = ([], 0)
      try receive(until: deadline)
    }
  }

  private func send(_ line: [UInt8]) throws(Problem) {
    var rest = line[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { socket_send(socket.raw, $0.baseAddress, $0.count) }
      // It may have said why before it closed.
      if count < 0 { return }
      rest = rest.dropFirst(Int(count))
    }
  }

  private func receive(until deadline: Instant) throws(Problem) {
    let left = max(0, (deadline - Clock.now()).wholeNanoseconds)
    var entry = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
    let ready = poll(&entry, 1, Int32(clamping: (left + 999_999) / 1_000_000))
    if ready == 0 { throw .timedOut }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = socket_receive(socket.raw, &buffer, buffer.count)
    guard count > 0 else { throw .closed }
    for line in reader.take(buffer[..<Int(count)]) {
      guard case .whole(let text) = line, let reply = ControlReply(line: text) else { throw .notUnderstood }
      switch reply {
      case .answer(let id, let result): answers.append((id, result))
      case .news(let method, let parameters): news.append((method, parameters))
      }
    }
  }
}
