import Glibc

/// Serves contents by path like a correct server, with ranges and validators. A test can switch faults on.
package final class FileService: Sendable {
  /// How the server behaves. By default correctly.
  package struct Behaviour: Sendable {
    package enum EntityTag: Sendable {
      case strong, weak, none
      /// Another one for every answer.
      case rotating
    }
    package enum Framing: Sendable { case contentLength, chunked, connectionEnd }
    package enum Refusal: Sendable { case status(Int, headers: [(name: String, value: String)]), reset }
    package enum Turn: Sendable { case requests(Int), bodyBytes(Int64) }

    package var entityTag = EntityTag.strong
    /// Nil sends none. The second version is a day newer.
    package var lastModified: (first: String, second: String)? =
      ("Wed, 01 Jan 2025 10:00:00 GMT", "Thu, 02 Jan 2025 10:00:00 GMT")
    /// Ignores `Range` and answers 200 with the whole content.
    package var ignoresRanges = false
    package var announcesRanges = true
    package var framing = Framing.contentLength
    /// When answers start to come from `replacements`, where a path has one.
    package var changesAfter: Turn?
    package var replacements: [String: Content] = [:]
    /// Cuts each connection after this many body bytes.
    package var cutAfter: Int64?
    /// Stalls each answer for good after this many body bytes.
    package var stallsAfter: Int64?
    package var bytesPerSecondOfConnection: Double?
    package var bytesPerSecondOfServer: Double?
    /// One connection in this many, the last of each group, has this rate instead.
    package var slowConnections: (oneIn: Int, bytesPerSecond: Double)?
    /// The delay before every answer: a round trip.
    package var latency = Duration.zero
    /// The status of answers beyond `limit` concurrent ones.
    package var concurrency: (limit: Int, refusal: Refusal)?
    package var failFirst: (count: Int, status: Int, headers: [(name: String, value: String)])?
    /// Added to the first offset in `Content-Range`; the body is the requested one.
    package var contentRangeShift: Int64 = 0
    /// Added to the announced length, the body's and the complete one.
    package var lengthExcess: Int64 = 0
    /// A label only; the bytes stay as they are.
    package var contentEncoding: String?
    /// From a path to an absolute or relative URL.
    package var redirects: [String: String] = [:]
    package var redirectStatus = 302
    package var extraHeaders: [(name: String, value: String)] = []

    package init() {}
  }

  fileprivate struct State {
    var behaviour: Behaviour
    var requestCount = 0
    var failures = 0
    var bodyBytes: Int64 = 0
    var bodyBytesOfConnection: [Int: Int64] = [:]
    var paces: [Int: Pace] = [:]
    var serverPace: Pace?
  }

  private let files: [String: Content]
  private let state: Locked<State>

  /// - Parameter files: contents by path, with a leading slash and without a query.
  package init(_ files: [String: Content], _ configure: (inout Behaviour) -> Void = { _ in }) {
    self.files = files
    var behaviour = Behaviour()
    configure(&behaviour)
    state = Locked(State(behaviour: behaviour))
  }

  /// Changes how later requests are answered; counters and rates go on.
  package func change(_ configure: (inout Behaviour) -> Void) { state.withLock { configure(&$0.behaviour) } }

  /// The steps that answer a request, for use in a test's own handler, too.
  package func steps(for request: WireRequest) -> [Step] {
    let (behaviour, isSecond, tagNumber) = state.withLock { state in
      let behaviour = state.behaviour
      let isSecond =
        switch behaviour.changesAfter {
        case nil: false
        case .requests(let count)?: state.requestCount >= count
        case .bodyBytes(let count)?: state.bodyBytes >= count
        }
      state.requestCount += 1
      return (behaviour, isSecond, state.requestCount)
    }
    let answer = answer(to: request, behaviour, isSecond: isSecond, tagNumber: tagNumber)
    return behaviour.latency == .zero ? answer : [.stall(behaviour.latency)] + answer
  }

  private func answer(
    to request: WireRequest, _ behaviour: Behaviour, isSecond: Bool, tagNumber: Int
  ) -> [Step] {
    if let (limit, refusal) = behaviour.concurrency, request.exchangesInProgress > limit {
      switch refusal {
      case .status(let status, let headers): return [.respond(status, headers: headers)]
      case .reset: return [.reset]
      }
    }
    if let (count, status, headers) = behaviour.failFirst {
      let fails = state.withLock { state in
        state.failures += 1
        return state.failures <= count
      }
      if fails { return [.respond(status, headers: headers)] }
    }
    if let target = behaviour.redirects[request.path] {
      return [.respond(behaviour.redirectStatus, headers: [("Location", target)])]
    }
    guard let first = files[request.path] else {
      return [.respond(404, headers: [("Content-Type", "text/html")], body: Array("<h1>Not Found</h1>".utf8))]
    }
    let content = isSecond ? behaviour.replacements[request.path] ?? first : first
    let lastModified = behaviour.lastModified.map { content == first ? $0.first : $0.second }
    let tag: String? =
      switch behaviour.entityTag {
      case .strong: "\"\(content.tag)\""
      case .weak: "W/\"\(content.tag)\""
      case .rotating: "\"\(content.tag)-\(tagNumber)\""
      case .none: nil
      }

    var headers: [(name: String, value: String)] = [("Date", httpDate())]
    if let tag { headers.append(("ETag", tag)) }
    if let lastModified { headers.append(("Last-Modified", lastModified)) }
    if behaviour.announcesRanges && !behaviour.ignoresRanges { headers.append(("Accept-Ranges", "bytes")) }
    if let coding = behaviour.contentEncoding { headers.append(("Content-Encoding", coding)) }
    headers += behaviour.extraHeaders

    if isUnmodified(request, tag: tag, lastModified: lastModified) { return [.send(responseHead(304, headers))] }
    let isConditionMet = request.header("If-Range").map { $0 == tag || $0 == lastModified } ?? true
    let length = content.byteCount
    var range = 0..<length
    var status = 200
    if !behaviour.ignoresRanges, isConditionMet, let asked = request.askedRange(of: length) {
      guard !asked.isEmpty else { return [.respond(416, headers: headers + [("Content-Range", "bytes */\(length)")])] }
      range = asked
      status = 206
      let start = range.lowerBound + behaviour.contentRangeShift
      let last = range.upperBound - 1 + behaviour.contentRangeShift
      headers.append(("Content-Range", "bytes \(start)-\(last)/\(length + behaviour.lengthExcess)"))
    }
    return exchange(request, behaviour, status, headers, content, range)
  }

  /// Head and body up to the configured cut or stall.
  private func exchange(
    _ request: WireRequest, _ behaviour: Behaviour, _ status: Int, _ headers: [(name: String, value: String)],
    _ content: Content, _ range: Range<Int64>
  ) -> [Step] {
    var headers = headers
    let announced = range.upperBound - range.lowerBound + behaviour.lengthExcess
    switch behaviour.framing {
    case .contentLength: headers.append(("Content-Length", "\(announced)"))
    case .chunked: headers.append(("Transfer-Encoding", "chunked"))
    case .connectionEnd: headers.append(("Connection", "close"))
    }
    let head = Step.send(responseHead(status, headers))
    if request.isBodyless { return [head] }

    let connection = request.connectionIndex
    var left = range.upperBound - range.lowerBound
    var ending: [Step] = behaviour.framing == .connectionEnd || behaviour.lengthExcess > 0 ? [.close] : []
    if let stop = behaviour.stallsAfter, stop < left {
      left = stop
      ending = [.stall(nil), .close]
    }
    let paces = state.withLock { state -> [Pace] in
      if let limit = behaviour.cutAfter {
        let room = max(0, limit - state.bodyBytesOfConnection[connection, default: 0])
        if room < left {
          left = room
          ending = [.close]
        }
        state.bodyBytesOfConnection[connection, default: 0] += left
      }
      return state.paces(of: connection)
    }
    let isWhole = left == range.upperBound - range.lowerBound
    let body = Body(
      content, range.lowerBound..<range.lowerBound + left, paces: paces,
      isChunked: behaviour.framing == .chunked && isWhole
    ) { [self] count in state.withLock { $0.bodyBytes += Int64(count) } }
    if behaviour.framing == .chunked && !isWhole {
      // One chunk that announces more than is sent.
      let size = String(range.upperBound - range.lowerBound, radix: 16)
      return [head, .send("\(size)\r\n"), .sendBody(body)] + ending
    }
    return [head, .sendBody(body)] + ending
  }

  private func isUnmodified(_ request: WireRequest, tag: String?, lastModified: String?) -> Bool {
    if let asked = request.header("If-None-Match") {
      guard let tag else { return false }
      let opaque = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
      return asked == "*" || asked.contains(opaque)
    }
    guard let lastModified else { return false }
    return request.header("If-Modified-Since") == lastModified
  }
}

extension FileService.State {
  /// The rates that hold for a connection, kept from one of its answers to the next.
  fileprivate mutating func paces(of connection: Int) -> [Pace] {
    var rate = behaviour.bytesPerSecondOfConnection
    if let (oneIn, slow) = behaviour.slowConnections, connection % oneIn == oneIn - 1 { rate = slow }
    var found: [Pace] = []
    if let rate {
      if paces[connection]?.bytesPerSecond != max(1, rate) { paces[connection] = Pace(bytesPerSecond: rate) }
      found.append(paces[connection]!)
    }
    if let rate = behaviour.bytesPerSecondOfServer {
      if serverPace?.bytesPerSecond != max(1, rate) { serverPace = Pace(bytesPerSecond: rate) }
      found.append(serverPace!)
    }
    return found
  }
}

/// Now, as RFC 9110 §5.6.7 writes it.
private func httpDate() -> String {
  var now = time(nil)
  var parts = tm()
  gmtime_r(&now, &parts)
  var buffer = [CChar](repeating: 0, count: 40)
  let count = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
  return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
