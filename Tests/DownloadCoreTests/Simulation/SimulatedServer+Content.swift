import DownloadCore
import TestSupport

/// Answers with content, and the lies in them.
extension SimulatedDownload {
  func content(_ source: Behaviour, _ order: TransferOrder, _ latency: Duration) -> ServerAnswer {
    let file = world.files[number(of: order)]
    let current = file.version(now: now, unixTime: unixTime(now), &random)
    let isOther = source.otherVersionShare >= 1 || chance(source.otherVersionShare)
    let version = isOther ? source.otherVersion ?? current : current
    if source.drawsHeads { return drawnAnswer(order, version, latency) }
    var isLie = false
    var head = ResponseHead(status: 200)
    if source.tellsTime { head.date = unixTime(now) }
    let isCoded = source.isCoded || (order.asked == .whole && source.codedShare > 0 && chance(source.codedShare))
    var body = ServerAnswer.Body(version: version.number, start: 0, length: version.length)
    setValidators(&head, source, version, order)
    if case .whole = order.asked {
    } else if source.servesRanges, !isCoded {
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
    useProtocol(of: order, &head)
    if let coding = source.idleCoding { take("Content-Encoding: \(coding)", &head) }
    if isCoded {
      head.contentEncoding = "gzip"
      body.version += 500
    }
    let whole = StoredContent(version: body.version, length: version.length)
    head.representationDigests = source.claims.map { whole.digest($0) }
    if head.status == 206 || order.asked != .whole, let lie = source.lies.randomElement(using: &random),
      world.sources[number(of: order)][order.mirror].lieCount > 0, chance(source.lieProbability)
    {
      world.sources[number(of: order)][order.mirror].lieCount -= 1
      isLie = true
      tell(lie, &head, &body, order, version)
    }
    if let cut = source.cut {
      var length = Int64.random(in: cut, using: &random)
      if cut.count > 1, hidesCuts(source, head) {
        // No second reading of a truncated body agrees by chance.
        while !items[number(of: order)].hiddenCuts.insert(length).inserted { length += 1 }
      }
      if length < body.length {
        body.length = length
        body.ending =
          hidesCuts(source, head)
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
    case .strong:
      let owner = source.hasOwnTags ? "m\(order.mirror)" : ""
      head.entityTag = EntityTag(parsing: "\"\(owner)v\(version.number)\"".utf8)
    case .rotating: head.entityTag = EntityTag(parsing: "\"r\(random.next())\"".utf8)
    case .weak: head.entityTag = EntityTag(parsing: "W/\"w\"".utf8)
    case .none: break
    }
    if source.tellsDate { head.lastModified = source.fixedDate ?? version.modified }
    if source.tagGaps > 0, chance(source.tagGaps) { head.entityTag = nil }
    if source.dateGaps > 0, chance(source.dateGaps) { head.lastModified = nil }
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
