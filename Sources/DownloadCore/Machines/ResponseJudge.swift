/// Decides whether an answer may be stored. All acceptance rules are in this file.
///
/// A body that is not accepted here never reaches a part file. The decision depends on the arguments only.
///
/// Only a plain GET can bring another version. An answer to a range must be of the known version. Otherwise it is
/// dropped and followed by a plain GET, because it may be a fragment or a page with a wrong status.
package struct ResponseJudge {
  package var asked: AskedContent
  /// The known version; nil before the first answer.
  package var known: Representation?
  /// The digests that the content must have.
  package var expectedDigests: ExpectedDigests
  /// Whether these or hashes of pieces verify the content, so that bytes of an unconfirmed version may be tried.
  package var isVerifiable: Bool
  package var trustsLength: Bool
  package var host: HostConditions
  /// Whether the request went to a redirect target.
  package var isRedirectTarget: Bool
  package var isConditional: Bool
  /// Whether `known` is from another mirror, so that entity tags may differ but the length and one validator must
  /// agree.
  package var isOtherMirror: Bool
  /// Whether bytes of the known version are recorded.
  package var isRecorded: Bool

  package init(
    asked: AskedContent, known: Representation?, expectedDigests: ExpectedDigests = ExpectedDigests(given: []),
    isVerifiable: Bool,
    trustsLength: Bool, host: HostConditions, isRedirectTarget: Bool, isConditional: Bool = false,
    isOtherMirror: Bool = false, isRecorded: Bool = true
  ) {
    self.asked = asked
    self.known = known
    self.expectedDigests = expectedDigests
    self.isVerifiable = isVerifiable
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
    /// 200 of the known version in answer to a range: the server does not serve ranges.
    case wholeInsteadOfRange(Representation)
    /// 206: the body is this range of the known version.
    case range(Range<Int64>, Representation)
    /// A plain GET brings another version from its first byte.
    case changed(VersionChange, Representation)
    /// The answer to a range is of another version, or (nil) its version is not confirmed. A plain GET decides.
    case versionInDoubt(VersionChange?)
    /// The server refuses ranges with this status, or (200) answers with either the whole or a part. A plain GET
    /// decides.
    case rangesRefused(status: Int)
    case notModified
    case redirect
    /// The redirect target stopped serving. The original URL is requested again.
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

  /// A Content-Range has no meaning in a 200. It is harmless if it is the whole content.
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
      // The validators cannot distinguish versions, so this answer is as good as the one before.
      if !known.validators.canIdentify(on: host), !answer.validators.isEmpty {
        return .whole(answer)
      }
      // From zero it is this mirror's version, unless the answer has no validator at all.
      if isOtherMirror, isIdentified(answer, head) || known.hasLength(of: answer) { return .whole(answer) }
      return answer.validators.canIdentify(on: host)
        ? .changed(.validators, answer) : .refused(Self.unidentified)
    }
  }

  private func judgeWholeInsteadOfRange(
    _ answer: Representation, _ relation: Relation, _ known: Representation, _ head: ResponseHead
  ) -> Verdict {
    switch relation {
    // The length shows that the body is not a fragment.
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
      guard isVerifiable || (trustsLength && known.hasLength(of: answer)) else { return .versionInDoubt(nil) }
    }
    // With `*` and no known length, only a plain GET can bring the content.
    guard let length = answer.completeLength else { return .versionInDoubt(nil) }
    guard range.upperBound <= length else {
      return .refused(.protocolViolation(.rangeBeyondEnd))
    }
    return .range(range, answer)
  }

  // MARK: Versions

  /// How an answer's version compares with the known one.
  private enum Relation {
    case same
    case different(VersionChange)
    /// One strong validator for two contents: one of the answers is wrong, but it is unknown which.
    case contradiction(VersionChange)
    /// No common validator decides.
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

  /// A difference other than validators that shows that two answers are of different contents.
  private func difference(
    between known: Representation, and answer: Representation, _ head: ResponseHead
  ) -> VersionChange? {
    if let was = known.completeLength, let now = answer.completeLength, was != now { return .length(now, was: was) }
    if known.contentCoding != answer.contentCoding { return .contentCoding }
    return expectedDigests.contradict(head) ? .digest : nil
  }

  /// Whether the answer may be combined with recorded bytes without a common validator.
  private func isKept(_ known: Representation, _ answer: Representation) -> Bool {
    (isVerifiable || trustsLength) && known.hasLength(of: answer)
  }

  /// Whether the known version is identified by a validator or a digest.
  private func isIdentified(_ known: Representation) -> Bool {
    !known.validators.isEmpty || expectedDigests.nameVersion || (isVerifiable && isRecorded)
  }

  private func isIdentified(_ answer: Representation, _ head: ResponseHead) -> Bool {
    !answer.validators.isEmpty || ExpectedDigests.areClaimed(by: head)
  }

  /// An unidentified answer never replaces an identified version, because it may be an error page.
  private func mayDisplace(_ known: Representation, _ answer: Representation, _ head: ResponseHead) -> Bool {
    isIdentified(answer, head) || !isIdentified(known)
  }

  private static let unidentified = TransferFault.protocolViolation(.unidentified)
}
