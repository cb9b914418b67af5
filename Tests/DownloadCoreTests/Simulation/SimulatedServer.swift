import DownloadCore
import TestSupport

/// A host with its limits and its random faults.
struct Host {
  var roundTrip: Duration = .milliseconds(20)
  var connectionRate: Double = 1e6
  var totalRate: Double = 4e6
  /// The first seconds of each transfer, in which it brings next to nothing.
  var crawlsFor = Duration.zero
  var connectionLimit = Int.max
  var refusesBeyondLimit = false
  /// Answers 429 or 503 where requests come too fast.
  var rateLimit: SimulatedRateLimit?
  /// Faults that occur at random, each once.
  var trouble: [Trouble] = []
  var troubleProbability = 0.0
  var closesKeptProbability = 0.0
  /// Every kept connection is closed before an answer.
  var keepsClosing = false
  /// Refuses every connection.
  var isDead = false
  var http2 = HTTP2.none
  /// One of its two addresses connects and is silent. It is the one that clients prefer.
  var hasSilentAddress = false

  enum Trouble: CaseIterable {
    case internalError, busy, busyForSeconds, tooMany, timeout, badGateway, emptyReply, reset, stall, refused
    case connectTimeout, bodyStall, bodyCut, nameLookup, handshake
  }

  enum HTTP2: CaseIterable {
    /// It has HTTP/1.1 only.
    case none
    case served
    /// Each stream is refused with GOAWAY (HTTP_1_1_REQUIRED).
    case refused
    /// Streams end with an error, most of them in the middle of a body.
    case broken
    /// It has no HTTP/1.1.
    case only
  }

  /// How many attempts fail before a client knows better, in the beginning and again after each other fault.
  var spoiltAttempts: Int { (http2 == .none || http2 == .served ? 0 : 1) + (hasSilentAddress ? 1 : 0) }

  // State.
  var openCount = 0
  var linkFree = Instant.zero
  var retryAt = Instant.zero
  /// How often it has forbidden a request for a while.
  var forbiddenCount = 0
  /// The last bytes of anything but a refusal, and the last refusal.
  var servedAt = Instant.zero
  var refusedAt = Instant.zero
}

/// The answer of a server to one request.
struct ServerAnswer {
  enum Ending: Equatable { case complete, unauthenticated, short, reset, stall }
  struct Body: Equatable {
    var version = -1
    /// The offset in the version's content of the body's first byte.
    var start: Int64 = 0
    /// Number of bytes before the body ends.
    var length: Int64 = 0
    var ending: Ending = .complete
  }
  enum Result {
    case fault(TransferFault, after: Duration)
    case head(ResponseHead, redirectTarget: Location?, Body, after: Duration)
    /// The server never answers.
    case silence
  }

  var result: Result
  /// Whether the answer contains a lie.
  var isLie = false
}

extension SimulatedDownload {
  static let unixStart: Int64 = 1_790_000_000

  func unixTime(_ now: Instant) -> Int64 { Self.unixStart + now.nanoseconds / 1_000_000_000 }

  /// The answer to a request.
  func answer(_ order: TransferOrder, isKept: Bool) -> ServerAnswer {
    let host = world.hostIndex(of: order.location)
    let roundTrip = world.hosts[host].roundTrip
    let latency = isKept ? roundTrip : roundTrip * 2
    if let fault = hostFault(host, number(of: order), isKept: isKept) {
      return ServerAnswer(result: .fault(fault, after: latency))
    }
    let isBeyondLimit = world.hosts[host].openCount > world.hosts[host].connectionLimit
    if isBeyondLimit, world.hosts[host].refusesBeyondLimit {
      return ServerAnswer(result: .fault(.connectRefused(), after: roundTrip))
    }
    if let answer = linkFault(host, manner(of: order), isKept: isKept, latency) { return answer }
    if isBeyondLimit { return status(503, after: latency, order) }
    if let refusal = world.hosts[host].rateLimit?.refuses(now: now), refusal {
      return status(world.hosts[host].rateLimit!.status, after: latency, order)
    }
    let source = world.sources[number(of: order)][order.mirror]
    if world.hosts[host].isDead { return ServerAnswer(result: .fault(.connectRefused(), after: roundTrip)) }
    if !world.hosts[host].trouble.isEmpty, chance(world.hosts[host].troubleProbability) {
      if let answer = trouble(world.hosts[host].trouble.removeLast(), order, latency, host) { return answer }
    }
    if let status = source.status { return self.status(status, after: latency, order) }
    if let status = source.rangeStatus, order.asked != .whole { return self.status(status, after: latency, order) }
    if let answer = redirect(source, order, latency) { return answer }
    for index in source.refusals.indices {
      guard world.sources[number(of: order)][order.mirror].refusals[index].refuses(order.asked) else { continue }
      let refusal = source.refusals[index]
      return self.status(refusal.status, after: latency, order, retryAfter: refusal.retryAfter)
    }
    var answer = content(source, order, latency)
    breakStream(&answer, host, manner(of: order))
    return answer
  }

  private func hostFault(_ host: Int, _ item: Int, isKept: Bool) -> TransferFault? {
    if isKept, items[item].closedKeptInARow < 2 || world.hosts[host].keepsClosing,
      chance(world.hosts[host].closesKeptProbability)
    {
      items[item].closedKeptInARow += 1
      return .keptConnectionClosed
    }
    items[item].closedKeptInARow = 0
    return nil
  }

  func status(
    _ status: Int, after: Duration, _ order: TransferOrder, retryAfter: Int? = nil, isLie: Bool = false
  ) -> ServerAnswer {
    var head = ResponseHead(status: status)
    let length = Int64.random(in: 0...2000, using: &random)
    head.contentLength = length
    head.contentType = "text/html"
    head.date = unixTime(now)
    head.retryAfterValue = retryAfter.map { Array(String($0).utf8) }
    return ServerAnswer(
      result: .head(head, redirectTarget: nil, ServerAnswer.Body(version: -1, length: length), after: after),
      isLie: isLie)
  }

  private func trouble(
    _ kind: Host.Trouble, _ order: TransferOrder, _ latency: Duration, _ host: Int
  ) -> ServerAnswer? {
    switch kind {
    case .internalError: return status(500, after: latency, order)
    case .busy: return status(503, after: latency, order)
    case .busyForSeconds:
      let seconds = Int.random(in: 1...20, using: &random)
      return status(503, after: latency, order, retryAfter: seconds)
    case .tooMany: return status(429, after: latency, order)
    case .timeout: return status(408, after: latency, order)
    case .badGateway: return status(502, after: latency, order)
    case .emptyReply: return ServerAnswer(result: .fault(.emptyReply, after: latency))
    case .reset: return ServerAnswer(result: .fault(.reset("reset by peer"), after: latency))
    case .stall: return ServerAnswer(result: .silence)
    case .refused: return ServerAnswer(result: .fault(.connectRefused(), after: latency))
    case .connectTimeout: return ServerAnswer(result: .fault(.connectTimeout, after: .seconds(3)))
    case .nameLookup: return ServerAnswer(result: .fault(.nameLookup("try again"), after: .milliseconds(50)))
    case .handshake: return ServerAnswer(result: .fault(.tlsHandshake("reset"), after: latency))
    case .bodyStall, .bodyCut:
      // A server that refuses every request never serves content.
      guard world.sources[number(of: order)][order.mirror].status == nil else { return nil }
      let answer = content(world.sources[number(of: order)][order.mirror], order, latency)
      guard case .head(let head, let target, var body, let after) = answer.result else { return answer }
      body.length = min(body.length, Int64.random(in: 0...200_000, using: &random))
      body.ending = kind == .bodyStall ? .stall : .reset
      return ServerAnswer(result: .head(head, redirectTarget: target, body, after: after), isLie: answer.isLie)
    }
  }
}
