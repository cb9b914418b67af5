import DownloadCore
import TestSupport

/// A host with its limits and its random faults.
struct Host {
  var roundTrip: Duration = .milliseconds(20)
  var connectionRate: Double = 1e6
  var totalRate: Double = 4e6
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

  enum Trouble: CaseIterable {
    case internalError, busy, busyForSeconds, tooMany, timeout, badGateway, emptyReply, reset, stall, refused
    case connectTimeout, bodyStall, bodyCut, nameLookup, handshake
  }

  // State.
  var openCount = 0
  var linkFree = Instant.zero
  var heldUntil = Instant.zero
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
    if let fault = hostFault(host, order.item, isKept: isKept) {
      return ServerAnswer(result: .fault(fault, after: latency))
    }
    if world.hosts[host].openCount > world.hosts[host].connectionLimit {
      if world.hosts[host].refusesBeyondLimit {
        return ServerAnswer(result: .fault(.connectRefused(), after: roundTrip))
      }
      return status(503, after: latency, order)
    }
    if let refusal = world.hosts[host].rateLimit?.refuses(now: now), refusal {
      return status(world.hosts[host].rateLimit!.status, after: latency, order)
    }
    let source = world.sources[order.item][order.mirror]
    if world.hosts[host].isDead { return ServerAnswer(result: .fault(.connectRefused(), after: roundTrip)) }
    if !world.hosts[host].trouble.isEmpty, chance(world.hosts[host].troubleProbability) {
      if let answer = trouble(world.hosts[host].trouble.removeLast(), order, latency, host) { return answer }
    }
    if let status = source.status { return self.status(status, after: latency, order) }
    if let status = source.rangeStatus, order.asked != .whole { return self.status(status, after: latency, order) }
    if let answer = redirect(source, order, latency) { return answer }
    return content(source, order, latency)
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

  private func status(
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
      let seconds = Int.random(in: 1...5, using: &random)
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
      guard world.sources[order.item][order.mirror].status == nil else { return nil }
      let answer = content(world.sources[order.item][order.mirror], order, latency)
      guard case .head(let head, let target, var body, let after) = answer.result else { return answer }
      body.length = min(body.length, Int64.random(in: 0...200_000, using: &random))
      body.ending = kind == .bodyStall ? .stall : .reset
      return ServerAnswer(result: .head(head, redirectTarget: target, body, after: after), isLie: answer.isLie)
    }
  }

  // MARK: Redirects

  private func redirect(_ source: Behaviour, _ order: TransferOrder, _ latency: Duration) -> ServerAnswer? {
    let parts = order.location.path.split(separator: "/")
    // /ITEM/MIRROR is the original; /ITEM/MIRROR/hop/N and /ITEM/MIRROR/at/NANOSECONDS are redirect targets.
    let mark = parts.count > 3 ? Int64(parts[3]) ?? 0 : 0
    switch source.redirect {
    case .none: return nil
    case .chain(let length):
      return mark < Int64(length) ? hop(order, "hop/\(mark + 1)", latency) : nil
    case .loop: return hop(order, "hop/\((mark + 1) % 3)", latency)
    case .expiring(let span), .dying(let span):
      if parts.count <= 3 { return hop(order, "at/\(now.nanoseconds)", latency) }
      if now < Instant(nanoseconds: mark) + span { return nil }
      if case .dying = source.redirect {
        return ServerAnswer(result: .fault(.connectFailed("no route to host"), after: latency))
      }
      return status(403, after: latency, order)
    }
  }

  private func hop(_ order: TransferOrder, _ suffix: String, _ latency: Duration) -> ServerAnswer {
    var head = ResponseHead(status: 302)
    head.contentLength = 0
    head.location = Array("there".utf8)
    let origin = world.locations[order.item][order.mirror]
    // Targets have another host, as signed URLs usually do.
    let target = Location(
      scheme: .https, host: origin.host, port: origin.port &+ (world.redirectsAcrossHosts ? 100 : 0),
      path: "/\(order.item)/\(order.mirror)/\(suffix)", query: nil)
    return ServerAnswer(result: .head(head, redirectTarget: target, ServerAnswer.Body(), after: latency))
  }

  // MARK: Content

  private func content(_ source: Behaviour, _ order: TransferOrder, _ latency: Duration) -> ServerAnswer {
    let file = world.files[order.item]
    let current = file.version(now: now, unixTime: unixTime(now), &random)
    let version = source.otherVersion ?? current
    if source.drawsHeads { return drawnAnswer(order, version, latency) }
    var isLie = false
    var head = ResponseHead(status: 200)
    head.date = unixTime(now)
    var body = ServerAnswer.Body(version: version.number, start: 0, length: version.length)
    setValidators(&head, source, version, order)
    if case .whole = order.asked {
    } else if source.servesRanges, !source.isCoded {
      if order.asked.start >= version.length {
        var refusal = ResponseHead(status: 416)
        refusal.contentLength = 0
        refusal.contentRange = .unsatisfied(completeLength: version.length)
        return ServerAnswer(
          result: .head(refusal, redirectTarget: nil, ServerAnswer.Body(), after: latency))
      }
      var end = version.length
      if case .range(let range) = order.asked { end = min(end, range.upperBound) }
      if source.reshapesRanges {
        let change = Int64.random(in: -200_000...200_000, using: &random)
        end = max(min(order.asked.start + 16384, end), min(version.length, end + change))
      }
      head.status = 206
      let range = order.asked.start..<end
      head.contentRange = .satisfied(range, completeLength: source.hidesCompleteLength ? nil : version.length)
      body.start = range.lowerBound
      body.length = range.upperBound - range.lowerBound
    }
    switch source.framing {
    case .length: head.contentLength = body.length
    case .chunked: head.isChunked = true
    case .closeDelimited: head.connectionCloses = true
    case .stream where order.avoidsHTTP2 && source.speaksHTTP1: head.isChunked = true
    case .stream: head.version = .http2
    }
    if source.isCoded {
      head.contentEncoding = "gzip"
      body.version += 500
    }
    let whole = StoredContent(version: body.version, length: version.length)
    head.representationDigests = source.claims.map { whole.digest($0) }
    if head.status == 206 || order.asked != .whole, let lie = source.lies.randomElement(using: &random),
      world.sources[order.item][order.mirror].lieCount > 0, chance(source.lieProbability)
    {
      world.sources[order.item][order.mirror].lieCount -= 1
      isLie = true
      tell(lie, &head, &body, order, version)
    }
    if let cut = source.cut {
      let length = Int64.random(in: cut, using: &random)
      if length < body.length {
        body.length = length
        body.ending =
          source.hidesCuts && (head.isCloseDelimited || head.isStreamDelimited)
          ? .complete : [.short, .reset, .stall].randomElement(using: &random)!
      }
    }
    if let cut = source.rangeCut, head.status == 206, cut < body.length {
      body.length = cut
      body.ending = .short
    }
    if source.endsUnauthenticated, head.isCloseDelimited, body.ending == .complete { body.ending = .unauthenticated }
    return ServerAnswer(result: .head(head, redirectTarget: nil, body, after: latency), isLie: isLie)
  }

  private func setValidators(
    _ head: inout ResponseHead, _ source: Behaviour, _ version: SimulatedFile.Version, _ order: TransferOrder
  ) {
    switch source.tags {
    case .strong: head.entityTag = EntityTag(parsing: "\"v\(version.number)\"".utf8)
    case .rotating: head.entityTag = EntityTag(parsing: "\"r\(random.next())\"".utf8)
    case .weak: head.entityTag = EntityTag(parsing: "W/\"w\"".utf8)
    case .none: break
    }
    if source.tellsDate { head.lastModified = version.modified }
  }

  private func tell(
    _ lie: Behaviour.Lie, _ head: inout ResponseHead, _ body: inout ServerAnswer.Body, _ order: TransferOrder,
    _ version: SimulatedFile.Version
  ) {
    guard case .satisfied(let range, let complete)? = head.contentRange else { return }
    switch lie {
    case .mislabelledStart, .otherStart:
      let start = max(0, range.lowerBound - Int64.random(in: 1...50_000, using: &random))
      head.contentRange = .satisfied(start..<start + body.length, completeLength: complete)
      if lie == .otherStart { body.start = start }
    case .otherCompleteLength:
      head.contentRange = .satisfied(range, completeLength: version.length + 1000)
      body.version += 700
    case .unvalidatedVersion:
      head.entityTag = nil
      head.lastModified = nil
      body.version += 700
    case .undetectableVersion: body.version += 700
    case .htmlPage:
      head = ResponseHead(status: 200)
      head.contentType = "text/html"
      body = ServerAnswer.Body(version: -1, length: Int64.random(in: 100...3000, using: &random))
      head.contentLength = body.length
    case .codedRange:
      head.contentEncoding = "gzip"
      body.version += 500
    case .rangeNotSatisfiable:
      head = ResponseHead(status: 416)
      head.contentLength = 0
      body = ServerAnswer.Body()
    case .wholeInsteadOfRange:
      head.status = 200
      head.contentRange = nil
      body.start = 0
      body.length = version.length
      if head.contentLength != nil { head.contentLength = body.length }
    case .oneByteRange:
      head.contentRange = .satisfied(range.lowerBound..<range.lowerBound + 1, completeLength: complete)
      body.length = 1
      if head.contentLength != nil { head.contentLength = 1 }
    case .emptyRange:
      head.contentLength = nil
      head.isChunked = true
      body.length = 0
    case .noContentRange:
      head.contentRange = nil
      body.start = 0
    case .statusOutOfPlace: head.status = [201, 204, 226, 300, 304].randomElement(using: &random)!
    }
  }
}
