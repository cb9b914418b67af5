/// Which version of the file the content is of, and what must hold for bytes to be put beside it.
///
/// The first answer that brings content is adopted; every later one must be of the same version, or at least be judged
/// by a digest in the end. Here is what is known of the version, by whom, and whether bytes may stay; `ResponseJudge`
/// compares a single answer with it.
struct VersionState: Sendable {
  /// How the end of the content is known.
  private enum End: Hashable, Sendable {
    /// By a length or a framing.
    case told
    /// Only by the end of its connection, which may have cut it anywhere.
    case connectionClosed
    /// By the end of its connection, and a second fetch brought the same.
    case confirmed
  }

  /// Nil before the first answer with content.
  private(set) var representation: Representation?
  /// What each mirror itself has told of the adopted version; nil for those that have told nothing.
  private(set) var validators: [Validators?]
  /// The digests that the content must have.
  private(set) var expectedDigests: ExpectedDigests
  private var end = End.told
  /// Bytes of several mirrors may stand side by side because a digest will judge them; after a mismatch no more, so
  /// that the next one tells whose they were.
  private(set) var mixesMirrors = true
  /// False where an earlier run found the host's entity tags to differ between answers of one version.
  private(set) var trustsETags = true

  private let hasPieces: Bool
  private let trustsLength: Bool
  private let allowsUnconfirmed: Bool

  init(digests: [ContentDigest], hasPieces: Bool, mirrorCount: Int, settings: FileSettings) {
    expectedDigests = ExpectedDigests(given: digests)
    validators = Array(repeating: nil, count: mirrorCount)
    self.hasPieces = hasPieces
    trustsLength = settings.trustsLength
    allowsUnconfirmed = settings.allowsUnconfirmed
  }

  /// Goes on with the version of an earlier run.
  ///
  /// - Parameters:
  ///   - inherited: digests on whose strength the bytes were kept.
  ///   - trustsETags: what the earlier run knew of the host.
  /// - Returns: false, with nothing changed, where nothing could tell later answers to be of this version.
  mutating func resume(
    _ known: Representation, digests: [ContentDigest], inherited: [ExpectedDigest], mirror: Int, trustsETags: Bool
  ) -> Bool {
    let isTellable =
      isJudged || !inherited.isEmpty || trustsLength
      || known.validators.canIdentify(on: HostConditions(isETagReliable: trustsETags))
    guard isTellable, known.contentCoding == nil else { return false }
    representation = known
    validators[mirror] = known.validators
    expectedDigests = ExpectedDigests(given: digests, inherited: inherited)
    self.trustsETags = trustsETags
    return true
  }

  // MARK: What is known

  /// Bytes; nil while unknown.
  var completeLength: Int64? { representation?.completeLength }

  /// Something that was known before the start judges all of the content.
  var isJudged: Bool { hasPieces || expectedDigests.areGiven }

  /// Digests of the whole or of all its pieces judge the content in the end.
  var digestWillJudge: Bool { hasPieces || expectedDigests.areKnown }

  /// Whether a later answer can be told to be of this version.
  func isResumable(on host: HostConditions) -> Bool {
    guard let representation, representation.contentCoding == nil else { return false }
    return digestWillJudge || trustsLength || representation.validators.canIdentify(on: host)
  }

  /// Whether the content, once it is there, must be fetched a second time to tell whether it is whole.
  var needsConfirmation: Bool { end == .connectionClosed && !digestWillJudge && !allowsUnconfirmed }

  /// What a sidecar is to say of the version.
  var knowledge: VersionKnowledge {
    // Where only a connection's end has told the length, a later run must not take it for granted.
    let isLengthCertain = end != .connectionClosed
    return VersionKnowledge(
      completeLength: isLengthCertain ? completeLength : nil, contentCoding: representation?.contentCoding,
      validators: validators, judges: expectedDigests.all.filter(\.source.isOutside), isETagReliable: trustsETags)
  }

  // MARK: Judging an answer

  /// What a request was and who answered it, as far as its answer's version depends on that.
  struct Question {
    var asked: AskedContent
    var mirror: Int
    var isRedirectTarget: Bool
    var isConditional: Bool
    /// Some of the content is recorded.
    var isRecorded: Bool
    var host: HostConditions
  }

  /// - Returns: the verdict, and whether the answer was compared with what another mirror has told.
  func verdict(
    on head: ResponseHead, to question: Question
  ) -> (verdict: ResponseJudge.Verdict, isOtherMirror: Bool) {
    var known = representation
    var isOtherMirror = known != nil && validators.count > 1
    // A mirror that has named no validator is compared with what others have named.
    if let own = validators[question.mirror], !own.isEmpty || representation?.validators.isEmpty ?? true {
      known?.validators = own
      isOtherMirror = false
    }
    let judge = ResponseJudge(
      asked: question.asked, known: known, expectedDigests: expectedDigests,
      digestWillJudge: digestWillJudge && (mixesMirrors || !isOtherMirror), trustsLength: trustsLength,
      host: question.host, isRedirectTarget: question.isRedirectTarget, isConditional: question.isConditional,
      isOtherMirror: isOtherMirror, isRecorded: question.isRecorded)
    return (judge.verdict(on: head), isOtherMirror)
  }

  /// Whether recorded bytes may stand before those of a whole answer: only if it is provably of the same version, or
  /// if a digest judges both.
  func mayKeepContent(before answer: Representation, of mirror: Int, host: HostConditions) -> Bool {
    guard let representation, answer.contentCoding == nil, representation.contentCoding == nil,
      representation.hasLength(of: answer)
    else { return false }
    let isOwn = validators[mirror] != nil || validators.count == 1
    if (digestWillJudge && (mixesMirrors || isOwn)) || trustsLength { return true }
    let known = validators[mirror] ?? representation.validators
    return known.compared(to: answer.validators, on: host) == .same
  }

  // MARK: What answers tell

  /// The version of a whole answer is the content's from now on.
  ///
  /// - Parameter keepsContent: recorded bytes stay; else `contentDiscarded` was called.
  mutating func adopt(_ answer: Representation, _ head: ResponseHead, keepsContent: Bool, of mirror: Int) {
    // Where a digest alone lets the recorded bytes stay, what identified them still does.
    let isPoorer = keepsContent && answer.validators.isEmpty
    if !isPoorer {
      representation = answer
      validators[mirror] = answer.validators
    }
    // A length that is known confirms the end as well as a Content-Length does.
    end = head.isCloseDelimited && answer.completeLength == nil ? .connectionClosed : .told
    expectedDigests.contentCame(from: head)
  }

  /// A range of the version was accepted.
  ///
  /// - Returns: whether more is known of the version than before.
  mutating func learn(from answer: Representation, of mirror: Int) -> Bool {
    guard validators[mirror] == nil || completeLength == nil else { return false }
    // A length that a range tells confirms the end as well as a Content-Length does.
    if completeLength == nil { end = .told }
    validators[mirror] = answer.validators
    representation?.completeLength = answer.completeLength
    return representation != nil
  }

  /// A range's content is added; the digests that its head claims judge where nobody else does.
  mutating func contentCame(from head: ResponseHead) { expectedDigests.contentCame(from: head) }

  /// A body whose length nobody had told has ended here.
  mutating func ended(at length: Int64) { if completeLength == nil { representation?.completeLength = length } }

  /// A second fetch of the whole had this digest.
  mutating func confirmed(by digest: ContentDigest) {
    if end == .connectionClosed { end = .confirmed }
    expectedDigests.confirmed(by: digest)
  }

  /// A digest denies the content.
  mutating func mismatched() { mixesMirrors = false }

  /// Nothing of the content is left: the next whole answer may bring any version.
  mutating func contentDiscarded() {
    representation = nil
    for mirror in validators.indices { validators[mirror] = nil }
    end = .told
    expectedDigests.contentDiscarded()
  }
}
