/// The digests that will judge a file's content.
///
/// A digest allows bytes to be kept or put together although no validator shows that they are of one version. Such a
/// digest stays with the bytes until they are verified or discarded, in this run and, through the sidecar, in later
/// ones. No answer takes it away.
package struct Judges: Hashable, Sendable {
  /// What the request says of the content.
  private let given: [ContentDigest]
  /// What the sidecar says: the recorded bytes were kept because these digests would judge them.
  private var inherited: [ExpectedDigest]
  /// What header fields of this run's answers say of the content.
  private var claimed: [ContentDigest] = []
  private var confirmation: ContentDigest?

  package init(given: [ContentDigest], inherited: [ExpectedDigest] = []) {
    self.given = given
    self.inherited = inherited.filter { old in !given.contains { $0.algorithm == old.digest.algorithm } }
  }

  /// Everything that the content must agree with before it is published.
  package var expected: [ExpectedDigest] {
    var expected = given.map { ExpectedDigest($0, .given) } + inherited
    expected += claimed.map { ExpectedDigest($0, .server) }
    if expected.isEmpty, let confirmation { expected.append(ExpectedDigest(confirmation, .confirmation)) }
    return expected
  }

  /// Whether somebody outside has said what the content must be.
  package var areKnown: Bool { !given.isEmpty || !inherited.isEmpty || !claimed.isEmpty }

  /// Whether the request says what the content must be.
  package var areGiven: Bool { !given.isEmpty }

  /// Whether an answer has said which content is meant, now or in an earlier run.
  package var nameVersion: Bool { !inherited.isEmpty || !claimed.isEmpty }

  /// Whether the answer's claim differs from what judges the content: then it is about another version.
  ///
  /// What the user says is not compared with what the server says: the content itself is.
  package func contradict(_ head: ResponseHead) -> Bool {
    let judging = inherited.map(\.digest) + claimed
    return !judging.isEmpty
      && Self.claims(of: head).contains { claim in
        judging.contains { $0.algorithm == claim.algorithm && $0 != claim }
      }
  }

  /// Whether the answer itself says what the content must be.
  package static func areClaimed(by head: ResponseHead) -> Bool { !claims(of: head).isEmpty }

  /// Nothing of the content is left: whatever judged it has nothing to judge any more.
  package mutating func contentDiscarded() {
    inherited = []
    claimed = []
    confirmation = nil
  }

  /// The answer adds to the content. Its claims judge where nobody else does.
  package mutating func contentCame(from head: ResponseHead) {
    if !areKnown { claimed = Self.claims(of: head) }
  }

  /// A second fetch of the whole had this digest.
  package mutating func confirmed(by digest: ContentDigest) { confirmation = digest }

  /// At most one of each algorithm; a head that contradicts itself claims nothing with that algorithm.
  private static func claims(of head: ResponseHead) -> [ContentDigest] {
    var claims = head.representationDigests
    // In a 206 it is the digest of the part (RFC 1864 speaks of the body).
    if head.status == 200, let md5 = head.contentMD5, !claims.contains(md5) { claims.append(md5) }
    guard claims.count > 1 else { return claims }
    return claims.filter { claim in !claims.contains { $0.algorithm == claim.algorithm && $0 != claim } }
  }
}
