/// The meaning of an HTTP response head (RFC 9110, RFC 9112).
extension Answer {
  /// - Parameters:
  ///   - asked: the range of the request.
  ///   - statuses: those whose body is the whole content.
  ///   - redirectTarget: the head's `Location`, resolved against the requested URL; nil if it is not an http or https URL.
  ///   - linkedMirrors: the head's links to duplicates, resolved likewise.
  ///   - unixTime: used for `Retry-After` if the answer has no `Date`.
  package init(
    _ head: ResponseHead, to asked: AskedContent, _ statuses: WholeStatuses = WholeStatuses(),
    redirectTarget: Location? = nil, linkedMirrors: [LinkedMirror] = [], unixTime: Int64
  ) {
    let meaning = Self.meaning(of: head, to: asked, statuses)
    var representation = Representation(of: head)
    // The length of a 206 is in its Content-Range, and it has no coding: `meaning` refuses a coded range.
    if head.status == 206, case .satisfied(_, let completeLength)? = head.contentRange {
      representation = Representation(completeLength: completeLength, validators: Validators(of: head))
    }
    self.init(meaning, status: head.status, representation: representation)
    claims = Self.claims(of: head)
    bodyLength = head.contentLength
    refusesCredentials = head.refusesCredentials
    keepsConnection = !head.connectionCloses
    endsWithConnection = head.isCloseDelimited
    endsWithStream = head.isStreamDelimited
    isMultiplexed = head.version == .http2
    isPage = head.contentType == "text/html" && !(head.contentDisposition.map(ContentDisposition.isAttachment) ?? false)
    retryAfter = head.retryAfter(dateNow: unixTime)
    self.redirectTarget = redirectTarget
    self.linkedMirrors = linkedMirrors
  }

  private static func meaning(of head: ResponseHead, to asked: AskedContent, _ statuses: WholeStatuses) -> Meaning {
    switch head.status {
    case let status where statuses.contains(status): whole(head)
    case 206: range(head, of: asked)
    case _ where head.isRedirect: head.location == nil ? violation(.missingLocation) : .redirect
    case 304: .notModified
    case 403 where head.retryAfterValue != nil || head.hasUsedUpRequests: .refused(.rateLimited(status: head.status))
    case 401, 403, 404, 410: .unavailable(status: head.status)
    case 400, 412, 416, 501: .unacceptable(status: head.status)
    case 200..<300: violation(.unexpectedStatus(head.status))
    default: .refused(.status(head.status))
    }
  }

  private static func violation(_ violation: ProtocolViolation) -> Meaning { .refused(.protocolViolation(violation)) }

  private static func whole(_ head: ResponseHead) -> Meaning {
    if head.hasInvalidContentLength { return violation(.invalidContentLength) }
    if isCalledPart(head) { return violation(.contentRangeInWhole) }
    return .whole
  }

  /// Whether the Content-Range of a 200 says that the body is not all of the content. The field has no meaning there, so
  /// whatever else it says is ignored (RFC 9110 section 14.4).
  private static func isCalledPart(_ head: ResponseHead) -> Bool {
    switch head.contentRange {
    case nil: false
    case .satisfied(let range, let length)?:
      range.lowerBound > 0 || range.upperBound != length ?? range.upperBound
        || range.upperBound != head.contentLength ?? range.upperBound
    case .unsatisfied(let length)?: length != head.contentLength ?? length
    }
  }

  private static func range(_ head: ResponseHead, of asked: AskedContent) -> Meaning {
    guard asked != .whole else { return violation(.unaskedRange) }
    guard head.contentEncoding == nil else { return violation(.codedRange) }
    guard !head.hasInvalidContentLength else { return violation(.invalidContentLength) }
    guard !head.hasMalformedContentRange, case .satisfied(let range, _)? = head.contentRange else {
      return violation(.unusableContentRange)
    }
    guard range.lowerBound == asked.start else {
      return violation(.otherRange(start: range.lowerBound, asked: asked.start))
    }
    if let length = head.contentLength, length != range.upperBound - range.lowerBound {
      return violation(.contradictoryLengths)
    }
    return .range(range)
  }

  /// At most one of each algorithm; a head that contradicts itself claims nothing with that algorithm.
  private static func claims(of head: ResponseHead) -> [ContentDigest] {
    // A proxy that changes the content may leave the digests of the origin's.
    if head.status == 203 { return [] }
    var claims = head.representationDigests
    // In a 206 it is the digest of the part (RFC 1864 defines it for the body).
    if head.status != 206, let md5 = head.contentMD5, !claims.contains(md5) { claims.append(md5) }
    guard claims.count > 1 else { return claims }
    return claims.filter { claim in !claims.contains { $0.algorithm == claim.algorithm && $0 != claim } }
  }
}

extension Validators {
  /// Strong entity tags only.
  package init(of head: ResponseHead) {
    if let tag = head.entityTag, !tag.isWeak { entityTag = tag }
    lastModified = head.lastModified
    lastModifiedIsStrong = head.lastModifiedIsStrong
  }
}

extension Representation {
  /// The version of a 200.
  package init(of head: ResponseHead) {
    self.init(
      completeLength: head.isChunked ? nil : head.contentLength, validators: Validators(of: head),
      contentCoding: head.contentEncoding)
  }
}

extension RunMachine {
  /// The head of a transfer's answer has arrived.
  ///
  /// - Parameters:
  ///   - redirectTarget: the head's `Location`, resolved against the requested URL; nil if it is not an http or https URL.
  ///   - linkedMirrors: the head's links to duplicates, resolved likewise.
  ///   - roundTrip: how long the connection took to be made, or the request to be answered; nil if unknown.
  ///   - unixTime: used for `Retry-After` if the answer has no `Date`.
  package mutating func headReceived(
    _ id: TransferID, _ head: ResponseHead, redirectTarget: Location?, linkedMirrors: [LinkedMirror] = [],
    roundTrip: Duration?, unixTime: Int64, now: Instant, _ actions: inout [RunAction]
  ) -> BodyDisposition {
    guard let file = transfers[id].flatMap({ files[$0.item] }), let asked = file.machine.asked(by: id) else {
      return .stop
    }
    let answer = Answer(
      head, to: asked, file.machine.settings.wholeStatuses, redirectTarget: redirectTarget,
      linkedMirrors: linkedMirrors, unixTime: unixTime)
    return answered(id, answer, roundTrip: roundTrip, now: now, &actions)
  }
}
