/// What a transfer asked for.
package enum AskedContent: Hashable, Sendable {
  /// A plain GET without `Range`.
  case whole
  /// `bytes=START-`: the rest, where the length is not known or does not matter.
  case from(Int64)
  case range(Range<Int64>)

  package var start: Int64 {
    switch self {
    case .whole: 0
    case .from(let offset): offset
    case .range(let range): range.lowerBound
    }
  }

  /// The `Range` header's value without `bytes=`; nil for a plain GET.
  package var rangeText: String? {
    switch self {
    case .whole: nil
    case .from(let offset): "\(offset)-"
    case .range(let range): "\(range.lowerBound)-\(range.upperBound - 1)"
    }
  }
}

/// Decides what an answer is worth: the acceptance rule in one place.
///
/// Nothing reaches a part file that did not pass here. Pure: everything it needs is an argument.
package struct ResponseJudge {
  package var asked: AskedContent
  /// What is known of the wanted version; nil before the first answer.
  package var known: Representation?
  /// A digest of the whole will judge the end, so bytes whose version nobody confirms may be tried.
  package var digestWillJudge: Bool
  package var trustsLength: Bool
  package var isETagReliable: Bool
  /// The request went to where a redirect pointed, not to the original URL.
  package var isRedirectTarget: Bool
  package var isConditional: Bool
  /// `known` was told by another mirror: its entity tags need not fit here, its length and one validator must.
  package var isOtherMirror: Bool

  package init(
    asked: AskedContent, known: Representation?, digestWillJudge: Bool, trustsLength: Bool, isETagReliable: Bool,
    isRedirectTarget: Bool, isConditional: Bool = false, isOtherMirror: Bool = false
  ) {
    self.asked = asked
    self.known = known
    self.digestWillJudge = digestWillJudge
    self.trustsLength = trustsLength
    self.isETagReliable = isETagReliable
    self.isRedirectTarget = isRedirectTarget
    self.isConditional = isConditional
    self.isOtherMirror = isOtherMirror
  }

  package enum Verdict: Hashable, Sendable {
    /// 200: the body is the whole representation, from its first byte.
    case whole(Representation)
    /// 200 to a ranged request, and the version is the known one: this server does not serve ranges.
    case wholeInsteadOfRange(Representation)
    /// 206: the body is this range of the known version.
    case range(Range<Int64>, Representation)
    /// Another version is there now. With `body` this answer brings it from its first byte.
    case changed(ChangeReason, body: Representation?)
    /// The answer may be right, but nothing says that it is the known version.
    case unconfirmedRange
    case notModified
    case redirect
    /// A redirect's target does not serve any more: ask the original URL again.
    case resolveAgain(status: Int)
    case refused(TransferFault)
  }

  package enum ChangeReason: Hashable, Sendable {
    case entityTag
    case lastModified
    case length(Int64, was: Int64)
    case rangeNotSatisfiable

    package var text: String {
      switch self {
      case .entityTag: "its entity tag changed"
      case .lastModified: "its modification time changed"
      case .length(let now, let was): "its length changed from \(was) to \(now) bytes"
      case .rangeNotSatisfiable: "the server no longer has the range it had"
      }
    }
  }

  package func verdict(on head: ResponseHead) -> Verdict {
    switch head.status {
    case 200: judgeWhole(head)
    case 206: judgeRange(head)
    case 301, 302, 303, 307, 308:
      head.location == nil ? .refused(.protocolViolation("a redirect without Location")) : .redirect
    case 304: isConditional ? .notModified : .refused(.protocolViolation("304 to an unconditional request"))
    case 416:
      if case .whole = asked { .refused(.status(416)) } else { .changed(.rangeNotSatisfiable, body: nil) }
    case 401, 403, 404, 410:
      isRedirectTarget ? .resolveAgain(status: head.status) : .refused(.status(head.status))
    case 200..<300: .refused(.protocolViolation("status \(head.status) to a request for a file"))
    default: .refused(.status(head.status))
    }
  }

  private func judgeWhole(_ head: ResponseHead) -> Verdict {
    if head.hasInvalidContentLength { return .refused(.protocolViolation("an invalid Content-Length")) }
    let answer = Representation(
      completeLength: head.isChunked ? nil : head.contentLength, validators: Validators(of: head),
      contentCoding: head.contentEncoding)
    guard let known else { return .whole(answer) }
    let change = difference(between: known, and: answer)
    if case .whole = asked { return change.map { .changed($0, body: answer) } ?? .whole(answer) }
    // What identifies nothing does not take a known version's place in answer to a range: error pages look like that.
    if answer.validators == Validators(), change != nil || known.validators != Validators() {
      if head.contentType == "text/html" { return .refused(.protocolViolation("a page instead of a range")) }
      if let change { return .changed(change, body: nil) }
    }
    if let change { return .changed(change, body: answer) }
    guard isConfirmed(known, answer) else { return .unconfirmedRange }
    return .wholeInsteadOfRange(answer)
  }

  private func judgeRange(_ head: ResponseHead) -> Verdict {
    guard asked != .whole else { return .refused(.protocolViolation("206 to a request without a range")) }
    guard head.contentEncoding == nil else {
      return .refused(.protocolViolation("a coded answer to a range request"))
    }
    guard !head.hasInvalidContentLength else { return .refused(.protocolViolation("an invalid Content-Length")) }
    guard !head.hasMalformedContentRange, case .satisfied(let range, let completeLength)? = head.contentRange else {
      return .refused(.protocolViolation("206 without a usable Content-Range"))
    }
    guard range.lowerBound == asked.start else {
      return .refused(
        .protocolViolation("a Content-Range from \(range.lowerBound) where \(asked.start) was asked for"))
    }
    if let length = head.contentLength, length != range.upperBound - range.lowerBound {
      return .refused(.protocolViolation("a Content-Length that differs from its Content-Range"))
    }
    let answer = Representation(
      completeLength: completeLength ?? known?.completeLength, validators: Validators(of: head))
    guard let known else { return .refused(.protocolViolation("a range of an unknown representation")) }
    if let change = difference(between: known, and: answer) { return .changed(change, body: nil) }
    guard isConfirmed(known, answer) else { return .unconfirmedRange }
    // `*` where nothing else tells the length: only a plain GET can bring such a content.
    guard let length = answer.completeLength else { return .unconfirmedRange }
    guard range.upperBound <= length else {
      return .refused(.protocolViolation("a range beyond the complete length"))
    }
    return .range(range, answer)
  }

  /// What proves that the answer shows another version than the known one; nil where nothing does.
  private func difference(between known: Representation, and answer: Representation) -> ChangeReason? {
    if let was = known.completeLength, let now = answer.completeLength, was != now { return .length(now, was: was) }
    if isOtherMirror { return nil }
    return switch known.validators.compared(to: answer.validators, isETagReliable: isETagReliable) {
    case .different(.entityTag): .entityTag
    case .different(.lastModified): .lastModified
    case .same, .undecided: nil
    }
  }

  /// Whether the answer's bytes may stand beside those already there.
  private func isConfirmed(_ known: Representation, _ answer: Representation) -> Bool {
    if digestWillJudge { return true }
    if isOtherMirror { return known.agreesAcrossMirrors(with: answer) }
    if known.validators.compared(to: answer.validators, isETagReliable: isETagReliable) == .same { return true }
    return trustsLength && known.completeLength != nil && known.completeLength == answer.completeLength
  }
}
