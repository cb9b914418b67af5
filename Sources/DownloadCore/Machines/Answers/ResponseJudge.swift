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
  package var expectedDigests = ExpectedDigests(given: [])
  /// Whether these or hashes of pieces verify the content, so that bytes of an unconfirmed version may be tried.
  package var isVerifiable = false
  package var trustsLength = false
  package var host: HostConditions
  /// Whether the request went to a redirect target that no longer serves, because it expires.
  package var mayHaveExpired: Bool
  /// Whether the URL has served such a request in this run, of the whole or of a range.
  package var hasServed = false
  package var isConditional = false
  /// Whether `known` is from another mirror, so that the lengths and strong entity tags must be equal, unless a digest
  /// judges the content.
  package var isOtherMirror = false
  /// Whether bytes of the known version are recorded.
  package var isRecorded = true
  /// Whether only an earlier run has seen the known version.
  package var isRecalled = false
  /// Whether given digests show that the content is not of the known version, and it may be of the answer's.
  package var isRefuted = false

  package enum Verdict: Hashable, Sendable {
    /// The body is the whole representation, from its first byte.
    case whole(Representation)
    /// The whole of the known version in answer to a range: the server does not serve ranges.
    case wholeInsteadOfRange(Representation)
    /// The body is this range of the known version.
    case range(Range<Int64>, Representation)
    /// A plain GET brings another version from its first byte.
    case changed(VersionChange, Representation)
    /// The answer to a range is of another version, or (nil) its version is not confirmed. A plain GET decides.
    case versionInDoubt(VersionChange?)
    /// The server refuses ranges with this status, or (200) answers with what may be the whole or a part. A plain GET
    /// decides.
    case rangesRefused(status: Int)
    case notModified
    case redirect
    /// The redirect target stopped serving. The original URL is requested again.
    case resolveAgain(status: Int)
    case refused(TransferFault)
  }

  package func verdict(on answer: Answer) -> Verdict {
    switch answer.meaning {
    case .whole: judgeWhole(answer)
    case .range(let range): judgeRange(range, answer)
    case .redirect: .redirect
    case .notModified: isConditional ? .notModified : .refused(.protocolViolation(.unconditionalNotModified))
    case .unavailable(let status):
      if mayHaveExpired {
        .resolveAgain(status: status)
      } else if status == 403, hasServed {
        // What a server just gave it does not forbid: it wants fewer requests.
        .refused(.rateLimited(status: status))
      } else if mayRefuseRange(status) {
        .rangesRefused(status: status)
      } else {
        .refused(answer.refusesCredentials ? .credentialsRefused(status: status) : .status(status))
      }
    case .unacceptable(let status):
      asked == .whole ? .refused(.status(status)) : .rangesRefused(status: status)
    case .refused(let fault): .refused(fault)
    }
  }

  /// Whether it may be the range that the server refuses: with 403, or with the status of a missing file although this run
  /// has seen the file.
  private func mayRefuseRange(_ status: Int) -> Bool {
    asked != .whole && (status == 403 || (status != 401 && known != nil && !isRecalled))
  }

  // MARK: The whole

  private func judgeWhole(_ answer: Answer) -> Verdict {
    let version = answer.representation
    guard let known else { return .whole(version) }
    let relation = relation(of: version, to: known, answer)
    return asked == .whole
      ? judgeWhole(version, relation, known, answer) : judgeWholeInsteadOfRange(version, relation, known, answer)
  }

  private func judgeWhole(
    _ version: Representation, _ relation: Relation, _ known: Representation, _ answer: Answer
  ) -> Verdict {
    switch relation {
    case .same: return .whole(version.knowing(known.completeLength))
    case .contradiction(let change): return .refused(.protocolViolation(.sameValidator(change)))
    case .different(let reason):
      return mayDisplace(known, version, answer) ? .changed(reason, version) : .refused(Self.unidentified)
    case .unknown:
      if isKept(known, version) || !isIdentified(known) { return .whole(version) }
      // The validators cannot distinguish versions, so this answer is as good as the one before.
      if !known.validators.canIdentify(on: host), !version.validators.isEmpty {
        return .whole(version)
      }
      // From zero it is this mirror's version, unless the answer has no validator at all.
      if isOtherMirror, isIdentified(version, answer) || known.hasLength(of: version) { return .whole(version) }
      return version.validators.canIdentify(on: host) || hasLostValidators(known, version)
        ? .changed(.validators, version) : .refused(Self.unidentified)
    }
  }

  private func judgeWholeInsteadOfRange(
    _ version: Representation, _ relation: Relation, _ known: Representation, _ answer: Answer
  ) -> Verdict {
    switch relation {
    // The length shows that the body is not a fragment.
    case .same where known.hasLength(of: version): return .wholeInsteadOfRange(version)
    case .same: return .rangesRefused(status: 200)
    case .contradiction(let change): return .refused(.protocolViolation(.sameValidator(change)))
    case .unknown where isKept(known, version): return .wholeInsteadOfRange(version)
    case .different(let reason):
      return mayDisplace(known, version, answer) ? .versionInDoubt(reason) : .refused(Self.unidentified)
    case .unknown:
      let isPage = isIdentified(known) && !isIdentified(version, answer) && !hasLostValidators(known, version)
      return isPage ? .refused(Self.unidentified) : .versionInDoubt(nil)
    }
  }

  // MARK: Ranges

  private func judgeRange(_ range: Range<Int64>, _ answer: Answer) -> Verdict {
    let version = answer.representation.knowing(known?.completeLength)
    guard let known else { return .refused(.protocolViolation(.unknownRepresentation)) }
    switch relation(of: version, to: known, answer) {
    case .same: break
    case .contradiction(let change): return .refused(.protocolViolation(.sameValidator(change)))
    case .different(let reason): return .versionInDoubt(reason)
    case .unknown:
      guard isVerifiable || trustsLength(of: version, and: known) else { return .versionInDoubt(nil) }
    }
    // With `*` and no known length, only a plain GET can bring the content.
    guard let length = version.completeLength else { return .versionInDoubt(nil) }
    guard range.upperBound <= length else {
      return .refused(.protocolViolation(.rangeBeyondEnd))
    }
    return .range(range, version)
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

  private func relation(of version: Representation, to known: Representation, _ answer: Answer) -> Relation {
    let difference = difference(between: known, and: version, answer)
    if isOtherMirror {
      if let difference { return .different(difference) }
      let agrees =
        isRecalled
        ? known.agreesAcrossURLs(with: version, on: host) : known.comparedAcrossMirrors(to: version) == .same
      return agrees ? .same : .unknown
    }
    switch known.validators.compared(to: version.validators, on: host) {
    case .same:
      return difference.map { .contradiction($0) } ?? .same
    case .different(let validator):
      if case .length? = difference { return .different(difference!) }
      return .different(validator == .entityTag ? .entityTag : .lastModified)
    case .undecided:
      if let difference { return .different(difference) }
      return expectedDigests.agree(with: answer) ? .same : .unknown
    }
  }

  /// A difference other than validators that shows that two answers are of different contents.
  private func difference(
    between known: Representation, and version: Representation, _ answer: Answer
  ) -> VersionChange? {
    if let was = known.completeLength, let now = version.completeLength, was != now { return .length(now, was: was) }
    if known.contentCoding != version.contentCoding { return .contentCoding }
    return expectedDigests.contradict(answer) ? .digest : nil
  }

  /// Whether the answer may be combined with recorded bytes without a common validator.
  private func isKept(_ known: Representation, _ version: Representation) -> Bool {
    isVerifiable ? known.hasLength(of: version) : trustsLength(of: version, and: known)
  }

  /// Whether equal lengths are enough, as the user says. Tags of two mirrors that differ tell more than lengths.
  private func trustsLength(of version: Representation, and known: Representation) -> Bool {
    guard trustsLength, known.hasLength(of: version) else { return false }
    return !isOtherMirror || known.comparedAcrossMirrors(to: version) != .different(.entityTag)
  }

  /// Whether the known version is identified by a validator, by a digest that came with it, or by its length if a digest
  /// verifies what is recorded of it. Bytes of a coded one are never continued, so none of its bytes is worth keeping.
  private func isIdentified(_ known: Representation) -> Bool {
    !known.validators.isEmpty || expectedDigests.nameVersion
      || (isVerifiable && isRecorded && known.completeLength != nil && known.contentCoding == nil)
  }

  private func isIdentified(_ version: Representation, _ answer: Answer) -> Bool {
    !version.validators.isEmpty || !answer.claims.isEmpty
  }

  /// Whether the server no longer sends the validators that an earlier run recorded: the length is the same, as that of an
  /// error page is not.
  private func hasLostValidators(_ known: Representation, _ version: Representation) -> Bool {
    isRecalled && known.hasLength(of: version)
  }

  /// An unidentified answer never replaces an identified version that may be the wanted one: it may be an error page.
  private func mayDisplace(_ known: Representation, _ version: Representation, _ answer: Answer) -> Bool {
    isRefuted || isIdentified(version, answer) || !isIdentified(known)
  }

  private static let unidentified = TransferFault.protocolViolation(.unidentified)
}
