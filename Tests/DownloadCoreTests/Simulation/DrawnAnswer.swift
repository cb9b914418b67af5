import DownloadCore
import TestSupport

/// Answers with random heads and valid bodies: a body is the whole of a version, a range of it, or a page. Its head may
/// be right, incomplete or wrong.
///
/// Two cases are left out because no client can detect them without a digest: a body of another range or version under
/// a head that is right in every respect, and a page in answer to a plain GET before the file is identified.
extension SimulatedDownload {
  private enum Carried {
    case whole, range(Range<Int64>), page(Int64)
  }

  func drawnAnswer(_ order: TransferOrder, _ version: SimulatedFile.Version, _ latency: Duration) -> ServerAnswer {
    let asked = askedRange(order, version)
    let carried = chance(0.4) ? asked.map { .range($0) } ?? .whole : drawnBody(order, asked, version)
    var body = ServerAnswer.Body(version: version.number, start: 0, length: version.length)
    var head = ResponseHead(status: 200)
    head.date = unixTime(now)
    var isPage = false
    switch carried {
    case .whole: break
    case .range(let range):
      body.start = range.lowerBound
      body.length = range.upperBound - range.lowerBound
      head.status = 206
      head.contentRange = .satisfied(range, completeLength: version.length)
    case .page(let length):
      isPage = true
      body = ServerAnswer.Body(version: -1, length: length)
      head.contentType = ["text/html", "application/json", "text/plain", nil].randomElement(using: &random)!
    }
    let isHonest = !isPage && chance(0.3)
    head.entityTag = isPage ? nil : EntityTag(parsing: "\"v\(version.number)\"".utf8)
    head.lastModified = isPage ? nil : version.modified
    if !isHonest {
      drawStatus(&head, body, order, asked)
      drawRange(&head, body, order, version)
      drawValidators(&head, isPage: isPage, order)
    }
    drawCoding(&head, &body, isPage: isPage)
    drawClaims(&head, body, version, isPage: isPage, order)
    drawFraming(&head, &body, order, version, isHonest: isHonest)
    return ServerAnswer(
      result: .head(head, redirectTarget: nil, body, after: latency), isLie: true)
  }

  private func askedRange(_ order: TransferOrder, _ version: SimulatedFile.Version) -> Range<Int64>? {
    guard order.asked != .whole, order.asked.start < version.length else { return nil }
    if case .range(let range) = order.asked { return range.clamped(to: 0..<version.length) }
    return order.asked.start..<version.length
  }

  private func drawnBody(
    _ order: TransferOrder, _ asked: Range<Int64>?, _ version: SimulatedFile.Version
  ) -> Carried {
    let kind = Int.random(in: 0..<100, using: &random)
    let page = Carried.page(Int64.random(in: 0...6000, using: &random))
    guard let asked else {
      return kind < 20 && (order.asked != .whole || isIdentified(number(of: order))) ? page : .whole
    }
    switch kind {
    case ..<50: return .range(asked)
    case ..<65: return .whole
    case ..<80:
      let start = Int64.random(in: 0..<version.length, using: &random)
      return .range(start..<Int64.random(in: start + 1...version.length, using: &random))
    default: return page
    }
  }

  /// Whether the client knows a validator or a claimed digest that shows that a bare page is not the file.
  private func isIdentified(_ item: Int) -> Bool {
    guard let machine = file(item), let known = machine.machine.representation else { return false }
    return !known.validators.isEmpty || machine.machine.expectedDigests.nameVersion
  }

  private func drawStatus(
    _ head: inout ResponseHead, _ body: ServerAnswer.Body, _ order: TransferOrder, _ asked: Range<Int64>?
  ) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2: break
    case 3...4: head.status = 200
    case 5...6: head.status = 206
    default:
      head.status = [200, 201, 203, 204, 226, 304, 400, 403, 404, 408, 412, 416, 429, 500, 501, 503, 302]
        .randomElement(using: &random)!
    }
  }

  private func drawRange(
    _ head: inout ResponseHead, _ body: ServerAnswer.Body, _ order: TransferOrder, _ version: SimulatedFile.Version
  ) {
    let real = body.start..<body.start + max(body.length, 1)
    switch Int.random(in: 0..<10, using: &random) {
    case 0...4: head.contentRange = body.version < 0 ? nil : .satisfied(real, completeLength: version.length)
    case 5: head.contentRange = .satisfied(real, completeLength: nil)
    case 6:
      head.contentRange = .satisfied(
        real, completeLength: max(real.upperBound, version.length + Int64.random(in: -9...9, using: &random)))
    case 7: head.hasMalformedContentRange = true
    case 8:
      let start = Int64.random(in: 0...version.length, using: &random)
      head.contentRange = .satisfied(
        start..<start + max(1, body.length), completeLength: chance(0.5) ? version.length : nil)
    default: head.contentRange = chance(0.5) ? nil : .unsatisfied(completeLength: version.length)
    }
    // Another range under the requested Content-Range cannot be detected.
    if case .satisfied(let range, _)? = head.contentRange, range.lowerBound == order.asked.start,
      body.version < 0 || body.start != order.asked.start
    {
      head.contentRange = nil
    }
  }

  private func drawValidators(_ head: inout ResponseHead, isPage: Bool, _ order: TransferOrder) {
    if isPage {
      // With a validator of its own it cannot be distinguished from another version.
      if order.asked != .whole, chance(0.3) {
        head.entityTag = EntityTag(parsing: "\"page\(Int.random(in: 0...3, using: &random))\"".utf8)
      }
      return
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0...4: break
    case 5...6: head.entityTag = EntityTag(parsing: "W/\"weak\"".utf8)
    default: head.entityTag = nil
    }
    if chance(0.4) { head.lastModified = nil }
  }

  private func drawCoding(_ head: inout ResponseHead, _ body: inout ServerAnswer.Body, isPage: Bool) {
    guard !isPage, body.start == 0, chance(0.06) else { return }
    head.contentEncoding = "gzip"
    body.version += 500
  }

  private func drawClaims(
    _ head: inout ResponseHead, _ body: ServerAnswer.Body, _ version: SimulatedFile.Version, isPage: Bool,
    _ order: TransferOrder
  ) {
    guard order.asked != .whole || !isPage else { return }
    let number = version.number + (head.contentEncoding == nil ? 0 : 500)
    let content = StoredContent(version: number, length: version.length)
    for algorithm in [DigestAlgorithm.sha256, .sha512] where chance(0.2) {
      let isRight = chance(0.7)
      let told = isRight ? content : StoredContent(version: -7, length: Int64.random(in: 1...9, using: &random))
      head.representationDigests.append(told.digest(algorithm))
    }
  }

  private func drawFraming(
    _ head: inout ResponseHead, _ body: inout ServerAnswer.Body, _ order: TransferOrder,
    _ version: SimulatedFile.Version, isHonest: Bool
  ) {
    switch isHonest ? 0 : Int.random(in: 0..<20, using: &random) {
    case 0...11: head.contentLength = body.length
    case 12...14: head.isChunked = true
    case 15...16: head.connectionCloses = true
    case 17: head.contentLength = body.length + Int64.random(in: 1...9000, using: &random)
    case 18: head.hasInvalidContentLength = true
    default:
      // In answer to a plain GET the fragment could not be detected.
      head.contentLength =
        order.asked == .whole ? body.length : max(0, body.length - Int64.random(in: 1...9000, using: &random))
    }
    if let length = head.contentLength {
      if length > body.length { body.ending = .short }
      body.length = min(length, body.length)
      // A fragment that its head declares as the whole cannot be detected.
      if [200, 203].contains(head.status), length == version.length, body.start > 0 || body.version != version.number,
        head.contentEncoding == nil
      {
        head.contentLength = nil
        head.isChunked = true
      }
    }
    if chance(0.25), body.length > 100_000 {
      body.length = Int64.random(in: 50_000..<body.length, using: &random)
      // A close-delimited body does not confirm its end; a chunked one does.
      let isSilent = head.contentLength == nil && !head.isChunked && chance(0.5)
      body.ending = isSilent ? .complete : [.short, .reset, .stall].randomElement(using: &random)!
    }
  }
}

extension SimulatedWorld {
  /// Few files, many kills, and valid bodies with random heads.
  static func drawingHeads(_ random: inout SeededGenerator) -> SimulatedWorld {
    var world = SimulatedWorld(&random)
    for host in world.hosts.indices {
      world.hosts[host].isDead = false
      world.hosts[host].keepsClosing = false
      world.hosts[host].connectionLimit = .max
      world.hosts[host].trouble = Array(world.hosts[host].trouble.prefix(3))
    }
    for item in world.files.indices {
      let file = world.files[item]
      file.expectedLength = nil
      file.forgetsDigests = !file.digests.isEmpty && Bool.random(using: &random)
      if file.changes == [.everyRequest] { file.changes = [] }
      for mirror in world.sources[item].indices {
        let other = world.sources[item][mirror].otherVersion
        world.sources[item][mirror] = Behaviour()
        world.sources[item][mirror].drawsHeads = Int.random(in: 0..<5, using: &random) > 0
        world.sources[item][mirror].otherVersion = other
      }
    }
    if Int.random(in: 0..<4, using: &random) > 0 {
      world.kills = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        Instant.zero + .milliseconds(Int64.random(in: 0...6000, using: &random))
      }.sorted()
    }
    world.settings.file.allowsUnconfirmed = false
    return world
  }
}
