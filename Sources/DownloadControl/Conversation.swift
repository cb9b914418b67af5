internal import DownloadCore

/// What a server has to do with one client: its lines become requests, answers and news become bytes to send.
///
/// A value without sockets and clock. A client that floods, or does not read, costs a bounded amount of memory.
struct Conversation {
  private var reader = LineReader(limit: ControlProtocol.longestLine)
  private let greeting: Greeting
  private var hasSaidHello = false
  private var output: [UInt8] = []
  private var sentCount = 0
  /// Since when nothing of the output was taken.
  private var stuckSince: Instant?
  /// Whether it missed news.
  private(set) var hasGap = false
  /// Whether it is closed once the output is sent.
  private(set) var ends = false

  /// What `hello` answers.
  struct Greeting: Sendable {
    var program: String
    var process: Int32
    /// No other process that has worked on the session has the same one.
    var generation: Int64
    /// The directory of the session; nil if it is not told.
    var session: [UInt8]?
  }

  init(_ greeting: Greeting) { self.greeting = greeting }

  // MARK: From the client

  /// - Returns: the calls that are for the session. Others are answered.
  mutating func received(_ bytes: some Collection<UInt8>, now: Instant) -> [ControlRequest] {
    guard !ends else { return [] }
    var requests: [ControlRequest] = []
    for line in reader.take(bytes) where !ends {
      guard case .whole(let text) = line else {
        refuse(.lineTooLong, now: now)
        break
      }
      do throws(ControlError) {
        let request = try ControlRequest(line: text)
        if request.method == "hello" {
          try hello(request, now: now)
        } else if hasSaidHello {
          requests.append(request)
        } else {
          throw .needsHello
        }
      } catch {
        let id = ControlRequest.id(ofFailed: text)
        append(ControlReply.line(id: id, .failure(error)), now: now)
        if error == .needsHello { ends = true }
      }
    }
    return requests
  }

  private mutating func hello(_ request: ControlRequest, now: Instant) throws(ControlError) {
    guard let version = request.parameters?["protocol"]?.integer else {
      throw .invalidParameter("hello needs \"protocol\": \(ControlProtocol.version)")
    }
    guard version == ControlProtocol.version else {
      refuse(.otherProtocol(version), id: request.id, now: now)
      return
    }
    hasSaidHello = true
    var answer = JSONObject()
    answer.add("program", greeting.program)
    answer.add("protocol", ControlProtocol.version)
    answer.add("pid", Int64(greeting.process))
    answer.add("generation", greeting.generation)
    if let session = greeting.session { answer.add(bytes: session, as: "session") }
    if let id = request.id { append(ControlReply.line(id: id, .success(answer.text)), now: now) }
  }

  /// Says why, and ends.
  mutating func refuse(_ error: ControlError, id: [UInt8]? = nil, now: Instant) {
    append(ControlReply.line(id: id ?? Array("null".utf8), .failure(error)), now: now)
    ends = true
  }

  // MARK: To the client

  mutating func answer(_ id: [UInt8], _ result: Result<[UInt8], ControlError>, now: Instant) {
    append(ControlReply.line(id: id, result), now: now)
  }

  /// - Parameter line: with its end.
  mutating func tell(_ line: [UInt8], now: Instant) {
    if unsentCount + line.count > ControlProtocol.mostUnread || hasGap { hasGap = true } else { append(line, now: now) }
  }

  /// The client has room again, and is told that it missed news. It has to be told how everything is.
  ///
  /// - Returns: whether that was so.
  mutating func closeGap(now: Instant) -> Bool {
    guard hasGap, unsentCount == 0 else { return false }
    hasGap = false
    append(ControlReply.line(news: "gap", JSONObject()), now: now)
    return true
  }

  private mutating func append(_ line: [UInt8], now: Instant) {
    if unsentCount == 0 { stuckSince = now }
    output += line
  }

  private var unsentCount: Int { output.count - sentCount }

  /// What is to be sent.
  var unsent: ArraySlice<UInt8> { output[sentCount...] }

  /// So many bytes were sent.
  mutating func sent(_ count: Int, now: Instant) {
    if count > 0 { stuckSince = now }
    sentCount += count
    if sentCount == output.count {
      output = []
      sentCount = 0
      stuckSince = nil
    } else if sentCount > 1 << 16, sentCount * 2 > output.count {
      output.removeFirst(sentCount)
      sentCount = 0
    }
  }

  /// Whether its calls are read. Each may have an answer.
  var isReading: Bool { !ends && unsentCount < ControlProtocol.mostUnread }

  /// Whether the connection is to be closed.
  func isOver(now: Instant) -> Bool {
    if ends, unsentCount == 0 { return true }
    guard let stuckSince else { return false }
    return now >= stuckSince + ControlProtocol.longestUnread
  }

  /// When `isOver` has to be asked again.
  var deadline: Instant? { stuckSince.map { $0 + ControlProtocol.longestUnread } }
}
