/// The version of the content, and which bytes may be combined with it.
///
/// The first answer with content is adopted. Every later one must be of the same version, or a digest must verify the
/// content. This type decides whether recorded bytes may stay. `ResponseJudge` compares a single answer with it. The
/// validators that a mirror sent with the version are the mirror's: two mirrors may have different ones for it.
struct VersionState: Sendable {
  /// How the end of the content was determined.
  private enum End: Hashable, Sendable {
    /// By a length or a framing.
    case told
    /// Only by the end of its connection or stream, so the content may be truncated.
    case unproven
    /// By that and an equal second fetch.
    case confirmed
  }

  /// Nil before the first answer with content.
  private(set) var representation: Representation?
  /// The digests that the content must have.
  private(set) var expectedDigests: ExpectedDigests
  private var end = End.told
  /// Whether bytes of several mirrors may be combined because a digest verifies them. False after a mismatch, so that
  /// the next mismatch identifies the bad mirror.
  private(set) var mixesMirrors = true
  /// Whether the version is that of an earlier run, and no answer of this run has shown that it still exists.
  private(set) var isRecalled = false
  /// Whether it is recalled from another URL, whose bytes stay only if this one's answers agree with it in all respects.
  private(set) var isOfOtherURL = false
  /// Digests that the bytes of the other URL must have, from the moment when an answer shows that they are this one's.
  private var digestsOfOtherURL: [ExpectedDigest] = []
  /// False if an earlier run found different entity tags for one version.
  private(set) var trustsETags = true
  /// How often another version has taken its place.
  private var changeCount = 0

  private let hasPieces: Bool
  private let trustsLength: Bool
  private let allowsUnconfirmed: Bool

  /// The maximum number of version changes during a download.
  static let changeLimit = 5

  init(digests: [ContentDigest], hasPieces: Bool, settings: FileSettings) {
    expectedDigests = ExpectedDigests(given: digests)
    self.hasPieces = hasPieces
    trustsLength = settings.trustsLength
    allowsUnconfirmed = settings.allowsUnconfirmed
  }

  /// Resumes the version of an earlier run.
  ///
  /// - Parameters:
  ///   - inherited: the record's expected digests.
  ///   - trustsETags: whether the earlier run found the host's entity tags reliable.
  ///   - isOfOtherURL: whether the version is one of another URL, in whose place the mirror is asked.
  /// - Returns: false, without a change, if later answers cannot be compared with this version.
  mutating func resume(
    _ known: Representation, digests: [ContentDigest], inherited: [ExpectedDigest], trustsETags: Bool,
    isOfOtherURL: Bool = false
  ) -> Bool {
    let isTellable =
      hasGivenDigests || !inherited.isEmpty || trustsLength
      || known.validators.canIdentify(on: HostConditions(isETagReliable: trustsETags))
    guard isTellable, known.contentCoding == nil else { return false }
    representation = known
    isRecalled = true
    self.isOfOtherURL = isOfOtherURL
    expectedDigests = ExpectedDigests(given: digests, inherited: isOfOtherURL ? [] : inherited)
    digestsOfOtherURL = isOfOtherURL ? inherited : []
    self.trustsETags = trustsETags
    return true
  }

  // MARK: Queries

  /// Bytes; nil while unknown.
  var completeLength: Int64? { representation?.completeLength }

  /// Whether digests of the whole or of all pieces were given before the start.
  var hasGivenDigests: Bool { hasPieces || expectedDigests.areGiven }

  /// Whether digests of the whole or of all pieces verify the content.
  var isVerifiable: Bool { hasPieces || expectedDigests.areKnown }

  /// Whether mirrors that only the network names may supply ranges of the content: a strong digest of the whole judges
  /// it. Pieces have mirrors of their own, in the list.
  var admitsLinkedMirrors: Bool {
    guard let representation, representation.completeLength != nil, representation.contentCoding == nil else {
      return false
    }
    return mixesMirrors && !hasPieces && expectedDigests.areStrong
  }

  /// Whether a later answer can be compared with this version.
  func isResumable(on host: HostConditions) -> Bool {
    guard let representation, representation.contentCoding == nil else { return false }
    return isVerifiable || trustsLength || representation.validators.canIdentify(on: host)
  }

  /// Whether nothing but a proof of its end could tell that the body of this answer, which has no length, is complete.
  func needsProof(ofEndOf answer: Answer) -> Bool { !isVerifiable && answer.claims.isEmpty && !allowsUnconfirmed }

  /// Whether the complete content must be fetched a second time to confirm its end.
  var needsConfirmation: Bool { end == .unproven && !isVerifiable && !allowsUnconfirmed }

  /// Whether bytes of several mirrors may be combined at all: a digest judges them, or mirrors can show by a strong
  /// entity tag that they have this version. Otherwise one mirror supplies everything.
  var admitsSeveralMirrors: Bool {
    mixesMirrors && (isVerifiable || trustsLength || representation?.validators.entityTag != nil)
  }

  /// Whether another version may take its place once more.
  var mayChange: Bool { changeCount < Self.changeLimit }

  /// The version for the sidecar, with the validators of all mirrors.
  func knowledge(_ validators: [Validators?]) -> VersionKnowledge {
    // A later run must not rely on a length that only the end of a connection or stream determined.
    let isLengthCertain = end != .unproven
    return VersionKnowledge(
      completeLength: isLengthCertain ? completeLength : nil, contentCoding: representation?.contentCoding,
      validators: validators, expectedDigests: expectedDigests.all.filter(\.source.isOutside),
      isETagReliable: trustsETags)
  }

  // MARK: Comparing an answer

  /// - Parameter judge: knows of the request; here it is told of the version.
  /// - Returns: the verdict, and whether the answer was compared with another mirror's validators.
  func verdict(
    on answer: Answer, by judge: ResponseJudge, of mirror: MirrorState
  ) -> (verdict: ResponseJudge.Verdict, isOtherMirror: Bool) {
    var judge = judge
    judge.known = representation
    judge.isOtherMirror = representation != nil && (!mirror.isOnly || isOfOtherURL)
    // A mirror without validators is compared with those of the others.
    if let own = mirror.validators, !own.isEmpty || representation?.validators.isEmpty ?? true {
      judge.known?.validators = own
      judge.isOtherMirror = false
    }
    judge.expectedDigests = expectedDigests
    judge.isVerifiable = isVerifiable && (mixesMirrors || !judge.isOtherMirror)
    judge.trustsLength = trustsLength && !isOfOtherURL
    judge.isRecalled = isRecalled
    return (judge.verdict(on: answer), judge.isOtherMirror)
  }

  /// Whether recorded bytes may be kept before those of a whole answer: only if it is provably of the same version, or
  /// if a digest verifies both. Another mirror proves that by its tag.
  func mayKeepContent(before answer: Representation, of mirror: MirrorState, host: HostConditions) -> Bool {
    guard let representation, answer.contentCoding == nil, representation.contentCoding == nil,
      representation.hasLength(of: answer)
    else { return false }
    let isOwn = mirror.validators != nil || mirror.isOnly && !isOfOtherURL
    if isVerifiable && (mixesMirrors || isOwn) { return true }
    let comparison =
      isOwn
      ? (mirror.validators ?? representation.validators).compared(to: answer.validators, on: host)
      : representation.comparedAcrossMirrors(to: answer)
    if isRecalled, !isOwn, comparison == .same { return representation.agreesAcrossURLs(with: answer, on: host) }
    // Tags of two mirrors that differ tell more than equal lengths.
    return comparison == .same || (trustsLength && !isOfOtherURL && (isOwn || comparison == .undecided))
  }

  // MARK: Accepted answers

  /// Adopts the version of a whole answer.
  ///
  /// - Parameter keepsContent: whether recorded bytes stay; otherwise `contentDiscarded` was called before.
  mutating func adopt(_ version: Representation, _ answer: Answer, keepsContent: Bool, of mirror: inout MirrorState) {
    // If recorded bytes stay because of a digest alone, their validators stay as well.
    let isPoorer = keepsContent && version.validators.isEmpty
    if !isPoorer {
      representation = version
      mirror.validators = version.validators
    }
    recordedContentStays(keepsContent)
    // A known length confirms the end like a Content-Length.
    let isProven = version.completeLength != nil || !(answer.endsWithConnection || answer.endsWithStream)
    end = isProven ? .told : .unproven
    expectedDigests.contentCame(from: answer)
  }

  /// A range of the version was accepted.
  ///
  /// - Parameter tellsLength: whether the answer itself says the complete length.
  /// - Returns: whether the answer added to the known version.
  mutating func learn(from answer: Representation, of mirror: inout MirrorState, tellsLength: Bool) -> Bool {
    recordedContentStays(true)
    guard mirror.validators == nil || completeLength == nil else { return false }
    // A range of another mirror that does not tell the complete length (`*`) says nothing about this version.
    if !tellsLength, completeLength != nil, !mirror.isOnly { return false }
    // The length in a Content-Range confirms the end like a Content-Length.
    if completeLength == nil { end = .told }
    mirror.validators = answer.validators
    representation?.completeLength = answer.completeLength
    return representation != nil
  }

  /// An answer has shown whether what an earlier run recorded is part of the content.
  private mutating func recordedContentStays(_ stays: Bool) {
    if stays { expectedDigests.inherit(digestsOfOtherURL) }
    digestsOfOtherURL = []
    isOfOtherURL = false
    isRecalled = false
  }

  /// The content of a range is added. Its claimed digests count if no other digest is known.
  mutating func contentCame(from answer: Answer) { expectedDigests.contentCame(from: answer) }

  /// A body of unknown length ended here.
  mutating func ended(at length: Int64) { if completeLength == nil { representation?.completeLength = length } }

  /// A second fetch of the whole had this digest.
  mutating func confirmed(by digest: ContentDigest) {
    if end == .unproven { end = .confirmed }
    expectedDigests.confirmed(by: digest)
  }

  /// Another version takes its place.
  ///
  /// - Returns: false if that happens too often.
  @discardableResult
  mutating func changed() -> Bool {
    changeCount += 1
    return changeCount <= Self.changeLimit
  }

  /// The changes so far do not count any more.
  mutating func changesCountAnew() { changeCount = 0 }

  /// The content does not match a digest.
  mutating func mismatched() { mixesMirrors = false }

  /// The content was discarded. The next whole answer may be of any version.
  mutating func contentDiscarded() {
    representation = nil
    recordedContentStays(false)
    end = .told
    expectedDigests.contentDiscarded()
  }
}
