/// Decides what an answer is worth: the acceptance rule in one place.
///
/// Nothing reaches a part file that did not pass here. Pure: everything it needs is an argument.
///
/// Only a plain GET can bring another version. An answer to a range is either of the known version, or it is dropped,
/// and a plain GET asks what is true: what looks like another version may be a fragment or a page under a wrong status.
package struct ResponseJudge {
  package var asked: AskedContent
  /// What is known of the wanted version; nil before the first answer.
  package var known: Representation?
  /// Digests that judge the content already.
  package var expectedDigests: ExpectedDigests
  /// These, or hashes of pieces, will judge the end, so bytes whose version nobody confirms may be tried.
  package var digestWillJudge: Bool
  package var trustsLength: Bool
  package var host: HostConditions
  /// The request went to where a redirect pointed, not to the original URL.
  package var isRedirectTarget: Bool
  package var isConditional: Bool
  /// `known` was told by another mirror: its entity tags need not fit here, its length and one validator must.
  package var isOtherMirror: Bool
  /// Bytes of the known version are recorded.
  package var isRecorded: Bool

  package init(
    asked: AskedContent, known: Representation?, expectedDigests: ExpectedDigests = ExpectedDigests(given: []),
    digestWillJudge: Bool,
    trustsLength: Bool, host: HostConditions, isRedirectTarget: Bool, isConditional: Bool = false,
    isOtherMirror: Bool = false, isRecorded: Bool = true
  ) {
    self.asked = asked
    self.known = known
    self.expectedDigests = expectedDigests
    self.digestWillJudge = digestWillJudge
    self.trustsLength = trustsLength
    self.host = host
    self.isRedirectTarget = isRedirectTarget
    self.isConditional = isConditional
    self.isOtherMirror = isOtherMirror
    self.isRecorded = isRecorded
  }

  package enum Verdict: Hashable, Sendable {
    /// 200: the body is the whole representation, from its first byte.
    case whole(Representation)
    /// 200 to a ranged request, and the version is the known one: this server does not serve ranges.
    case wholeInsteadOfRange(Representation)
    /// 206: the body is this range of the known version.
    case range(Range<Int64>, Representation)
    /// A plain GET brings another version from its first byte.
    case changed(VersionChange, Representation)
    /// The answer to a range shows another version, or (nil) nothing that tells it to be the known one. A plain GET
    /// decides.
    case versionInDoubt(VersionChange?)
    /// The server refuses ranges with this status, or (200) answers them with what may be the whole and may be a part.
    /// A plain GET tells.
    case rangesRefused(status: Int)
    case notModified
    case redirect
    /// A redirect's target does not serve any more: ask the original URL again.
    case resolveAgain(status: Int)
    case refused(TransferFault)
  }

  package func verdict(on head: ResponseHead) -> Verdict {
    switch head.status {
    case 200: judgeWhole(head)
    case 206: judgeRange(head)
    case 301, 302, 303, 307, 308:
      head.location == nil ? .refused(.protocolViolation(.missingLocation)) : .redirect
    case 304: isConditional ? .notModified : .refused(.protocolViolation(.unconditionalNotModified))
    case 401, 403, 404, 410:
      isRedirectTarget
        ? .resolveAgain(status: head.status)
        : head.status == 403 && asked != .whole ? .rangesRefused(status: 403) : .refused(.status(head.status))
    case 400, 412, 416, 501: asked == .whole ? .refused(.status(head.status)) : .rangesRefused(status: head.status)
    case 200..<300: .refused(.protocolViolation(.unexpectedStatus(head.status)))
    default: .refused(.status(head.status))
    }
  }

  // MARK: 200

  private func judgeWhole(_ head: ResponseHead) -> Verdict {
    if head.hasInvalidContentLength { return .refused(.protocolViolation(.invalidContentLength)) }
    if head.hasMalformedContentRange || head.contentRange != nil, !isRangeOfAll(head) {
      return .refused(.protocolViolation(.contentRangeInWhole))
    }
    let answer = Representation(of: head)
    guard let known else { return .whole(answer) }
    let relation = relation(of: answer, to: known, head)
    return asked == .whole
      ? judgeWhole(answer, relation, known, head) : judgeWholeInsteadOfRange(answer, relation, known, head)
  }

  /// A Content-Range has no meaning in a 200. One that says nothing but "all of it" does no harm there.
  private func isRangeOfAll(_ head: ResponseHead) -> Bool {
    guard asked == .whole, case .satisfied(let range, let length?)? = head.contentRange else { return false }
    return range == 0..<length && head.contentLength ?? length == length
  }

  private func judgeWhole(
    _ answer: Representation, _ relation: Relation, _ known: Representation, _ head: ResponseHead
  ) -> Verdict {
    switch relation {
    case .same: return .whole(answer.knowing(known.completeLength))
    case .contradiction(let change): return .refused(.protocolViolation(.sameValidator(change)))
    case .different(let reason):
      return mayDisplace(known, answer, head) ? .changed(reason, answer) : .refused(Self.unidentified)
    case .unknown:
      if isKept(known, answer) || !isIdentified(known) { return .whole(answer) }
      // What names the versions here cannot tell them apart: the answer is as good as the one before.
      if !known.validators.canIdentify(on: host), !answer.validators.isEmpty {
        return .whole(answer)
      }
      // From zero it is this mirror's version; only an answer that names none at all may be anything.
      if isOtherMirror, isIdentified(answer, head) || known.hasLength(of: answer) { return .whole(answer) }
      return answer.validators.canIdentify(on: host)
        ? .changed(.validators, answer) : .refused(Self.unidentified)
    }
  }

  private func judgeWholeInsteadOfRange(
    _ answer: Representation, _ relation: Relation, _ known: Representation, _ head: ResponseHead
  ) -> Verdict {
    switch relation {
    // What may be a fragment shows by its length that it is not.
    case .same where known.hasLength(of: answer): return .wholeInsteadOfRange(answer)
    case .same: return .rangesRefused(status: 200)
    case .contradiction(let change): return .refused(.protocolViolation(.sameValidator(change)))
    case .unknown where isKept(known, answer): return .wholeInsteadOfRange(answer)
    case .different(let reason):
      return mayDisplace(known, answer, head) ? .versionInDoubt(reason) : .refused(Self.unidentified)
    case .unknown:
      return isIdentified(known) && !isIdentified(answer, head) ? .refused(Self.unidentified) : .versionInDoubt(nil)
    }
  }

  // MARK: 206

  private func judgeRange(_ head: ResponseHead) -> Verdict {
    guard asked != .whole else { return .refused(.protocolViolation(.unaskedRange)) }
    guard head.contentEncoding == nil else {
      return .refused(.protocolViolation(.codedRange))
    }
    guard !head.hasInvalidContentLength else { return .refused(.protocolViolation(.invalidContentLength)) }
    guard !head.hasMalformedContentRange, case .satisfied(let range, let completeLength)? = head.contentRange else {
      return .refused(.protocolViolation(.unusableContentRange))
    }
    guard range.lowerBound == asked.start else {
      return .refused(
        .protocolViolation(.otherRange(start: range.lowerBound, asked: asked.start)))
    }
    if let length = head.contentLength, length != range.upperBound - range.lowerBound {
      return .refused(.protocolViolation(.contradictoryLengths))
    }
    let answer = Representation(
      completeLength: completeLength ?? known?.completeLength, validators: Validators(of: head))
    guard let known else { return .refused(.protocolViolation(.unknownRepresentation)) }
    switch relation(of: answer, to: known, head) {
    case .same: break
    case .contradiction(let change): return .refused(.protocolViolation(.sameValidator(change)))
    case .different(let reason): return .versionInDoubt(reason)
    case .unknown:
      guard digestWillJudge || (trustsLength && known.hasLength(of: answer)) else { return .versionInDoubt(nil) }
    }
    // `*` where nothing else tells the length: only a plain GET can bring such a content.
    guard let length = answer.completeLength else { return .versionInDoubt(nil) }
    guard range.upperBound <= length else {
      return .refused(.protocolViolation(.rangeBeyondEnd))
    }
    return .range(range, answer)
  }

  // MARK: Versions

  /// How an answer's version is related to the known one.
  private enum Relation {
    case same
    case different(VersionChange)
    /// One strong validator for two contents: one of the answers is wrong, and nobody can tell which.
    case contradiction(VersionChange)
    /// No validator that both have decides.
    case unknown
  }

  private func relation(of answer: Representation, to known: Representation, _ head: ResponseHead) -> Relation {
    let difference = difference(between: known, and: answer, head)
    if isOtherMirror {
      if let difference { return .different(difference) }
      return known.agreesAcrossMirrors(with: answer) ? .same : .unknown
    }
    switch known.validators.compared(to: answer.validators, on: host) {
    case .same:
      return difference.map { .contradiction($0) } ?? .same
    case .different(let validator):
      if case .length? = difference { return .different(difference!) }
      return .different(validator == .entityTag ? .entityTag : .lastModified)
    case .undecided: return difference.map { .different($0) } ?? .unknown
    }
  }

  /// What shows, validators aside, that two answers are about different contents.
  private func difference(
    between known: Representation, and answer: Representation, _ head: ResponseHead
  ) -> VersionChange? {
    if let was = known.completeLength, let now = answer.completeLength, was != now { return .length(now, was: was) }
    if known.contentCoding != answer.contentCoding { return .contentCoding }
    return expectedDigests.contradict(head) ? .digest : nil
  }

  /// Whether recorded bytes may stand beside the answer's although no validator tells its version.
  private func isKept(_ known: Representation, _ answer: Representation) -> Bool {
    (digestWillJudge || trustsLength) && known.hasLength(of: answer)
  }

  /// Whether the known version has anything by which it could be told from another one.
  private func isIdentified(_ known: Representation) -> Bool {
    !known.validators.isEmpty || expectedDigests.nameVersion || (digestWillJudge && isRecorded)
  }

  private func isIdentified(_ answer: Representation, _ head: ResponseHead) -> Bool {
    !answer.validators.isEmpty || ExpectedDigests.areClaimed(by: head)
  }

  /// What identifies nothing does not take the place of a version that is identified: error pages look like that.
  private func mayDisplace(_ known: Representation, _ answer: Representation, _ head: ResponseHead) -> Bool {
    isIdentified(answer, head) || !isIdentified(known)
  }

  private static let unidentified = TransferFault.protocolViolation(.unidentified)
}
