/// A digest that the content must have, and whose word that is.
package struct ExpectedDigest: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    /// The user or a manifest.
    case given
    /// A header field of the server's.
    case server
    /// A second fetch of a body whose end nothing proves. It shows that both fetches agree and verifies nothing.
    case confirmation

    /// Whether somebody outside this program vouches for the content.
    package var isOutside: Bool { self != .confirmation }
  }

  package let digest: ContentDigest
  package let source: Source

  package init(_ digest: ContentDigest, _ source: Source) {
    self.digest = digest
    self.source = source
  }
}

/// A digest that was expected by somebody outside, computed over the content, and equal.
///
/// Only `Verdict` makes one from computed digests, so that nothing can be called verified that was not compared.
package struct VerifiedDigest: Hashable, Sendable {
  package let digest: ContentDigest
  package let source: ExpectedDigest.Source

  fileprivate init(_ expected: ExpectedDigest) {
    digest = expected.digest
    source = expected.source
  }

  /// Of a file on disk whose mark says that an earlier run verified it against one of these digests.
  ///
  /// - Parameter mark: believed, that is, of a file that has not changed since.
  package init?(_ expected: [ContentDigest], vouchedForBy mark: VerifiedMark) {
    guard let digest = expected.first(where: { $0 == mark.digest }) else { return nil }
    self.init(ExpectedDigest(digest, .given))
  }
}

/// What the comparison of all expected digests with the computed ones comes to.
package enum Verdict: Hashable, Sendable {
  /// All agree, but nobody outside has said what the content must be.
  case unverified
  /// All agree; the strongest digest that somebody outside expected.
  case verified(VerifiedDigest)
  case mismatch(ExpectedDigest, actual: ContentDigest)
  /// A digest was expected and not computed: a failure, never a match.
  case notComputed(ExpectedDigest)

  /// - Parameter computed: over exactly the bytes that are to be published.
  package init(expected: [ExpectedDigest], computed: [ContentDigest]) {
    var strongest: ExpectedDigest?
    for one in expected {
      guard let actual = computed.first(where: { $0.algorithm == one.digest.algorithm }) else {
        self = .notComputed(one)
        return
      }
      guard actual == one.digest else {
        self = .mismatch(one, actual: actual)
        return
      }
      guard one.source.isOutside else { continue }
      if strongest.map({ $0.digest.algorithm.strength < one.digest.algorithm.strength }) ?? true { strongest = one }
    }
    self = strongest.map { .verified(VerifiedDigest($0)) } ?? .unverified
  }
}
