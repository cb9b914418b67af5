/// The digests that a file's content must have.
///
/// A digest allows bytes to be kept or combined although no validator shows that they are of one version. Such a digest
/// stays with the bytes until they are verified or discarded, in this run and, through the sidecar, in later ones. No
/// answer removes it.
package struct ExpectedDigests: Hashable, Sendable {
  /// Digests in the request.
  private let given: [ContentDigest]
  /// Digests in the sidecar. The recorded bytes were kept because of them.
  private var inherited: [ExpectedDigest]
  /// Digests in header fields of this run's answers.
  private var claimed: [ContentDigest] = []
  /// The digest of a second fetch.
  private var confirmation: ContentDigest?

  package init(given: [ContentDigest], inherited: [ExpectedDigest] = []) {
    self.given = given
    self.inherited = []
    inherit(inherited)
  }

  /// Adds digests of the sidecar, except those of an algorithm in which the request gives one.
  package mutating func inherit(_ digests: [ExpectedDigest]) {
    inherited += digests.filter { old in !given.contains { $0.algorithm == old.digest.algorithm } }
  }

  /// All digests that the content must have before it is published.
  package var all: [ExpectedDigest] {
    var all = given.map { ExpectedDigest($0, .given) } + inherited
    all += claimed.map { ExpectedDigest($0, .server) }
    if all.isEmpty, let confirmation { all.append(ExpectedDigest(confirmation, .confirmation)) }
    return all
  }

  /// Whether the request, an earlier run or an answer gives a digest.
  package var areKnown: Bool { !given.isEmpty || !inherited.isEmpty || !claimed.isEmpty }

  /// Whether a digest that cannot be forged judges the content, from the request, an earlier run or an answer.
  package var areStrong: Bool { all.contains { $0.source.isOutside && $0.digest.algorithm.resistsCollisions } }

  /// Whether the request gives a digest.
  package var areGiven: Bool { !given.isEmpty }

  /// Whether an answer claimed a digest, in this run or an earlier one.
  package var nameVersion: Bool { !inherited.isEmpty || !claimed.isEmpty }

  /// Whether the answer claims another digest than earlier answers, so that it is of another version.
  ///
  /// Digests that the request gives are compared with the content, not with the server's claims.
  package func contradict(_ answer: Answer) -> Bool {
    !versionNames.isEmpty
      && answer.claims.contains { claim in
        versionNames.contains { $0.algorithm == claim.algorithm && $0 != claim }
      }
  }

  /// Whether the answer claims a digest that an earlier answer claimed, so that it is of the same version.
  package func agree(with answer: Answer) -> Bool {
    !versionNames.isEmpty && answer.claims.contains { versionNames.contains($0) }
  }

  /// Digests that answers claimed, in this run or an earlier one.
  private var versionNames: [ContentDigest] { inherited.map(\.digest) + claimed }

  /// The content was discarded. Only digests of the request apply to the next one.
  package mutating func contentDiscarded() {
    inherited = []
    claimed = []
    confirmation = nil
  }

  /// The answer adds to the content. Its claims count if no other digest is known.
  package mutating func contentCame(from answer: Answer) {
    if !areKnown { claimed = answer.claims }
  }

  /// A second fetch of the whole had this digest.
  package mutating func confirmed(by digest: ContentDigest) { confirmation = digest }
}
