/// A digest that the content must have, and its source.
package struct ExpectedDigest: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    /// The user or a list.
    case given
    /// A header field of the server.
    case server
    /// A second fetch of a body whose end is not confirmed. It shows that both fetches agree, but verifies nothing.
    case confirmation

    /// Whether the digest comes from outside this program.
    package var isOutside: Bool { self != .confirmation }
  }

  package let digest: ContentDigest
  package let source: Source

  package init(_ digest: ContentDigest, _ source: Source) {
    self.digest = digest
    self.source = source
  }
}

extension [ExpectedDigest] {
  /// What must be computed: the algorithms of these digests, and others that are wanted besides.
  package func algorithms(and others: [DigestAlgorithm]) -> [DigestAlgorithm] {
    let algorithms = map(\.digest.algorithm)
    return others.isEmpty ? algorithms : algorithms + others.filter { !algorithms.contains($0) }
  }
}

/// A computed digest that is not the expected one of the same algorithm.
package struct DigestMismatch: Hashable, Sendable {
  package let expected: ContentDigest
  package let actual: ContentDigest
  /// The bytes of the piece; nil for the whole content.
  package let range: Range<Int64>?

  package init(expected: ContentDigest, actual: ContentDigest, range: Range<Int64>? = nil) {
    self.expected = expected
    self.actual = actual
    self.range = range
  }
}

/// A digest from outside that equals the one computed over the content.
///
/// Only `DigestComparison` makes one from computed digests, so that nothing counts as verified without a comparison.
package struct VerifiedDigest: Hashable, Sendable {
  package let digest: ContentDigest
  package let source: ExpectedDigest.Source

  fileprivate init(_ expected: ExpectedDigest) {
    digest = expected.digest
    source = expected.source
  }

  /// For a file on disk that an earlier run verified against one of these digests, according to its mark.
  ///
  /// Nil also where another expected digest is stronger, because the file may not match that.
  ///
  /// - Parameter marked: the digest in the mark of a file that has not changed since.
  package init?(_ expected: [ContentDigest], vouchedFor marked: ContentDigest?) {
    guard let digest = expected.first(where: { $0 == marked }),
      expected.allSatisfy({ $0.algorithm.strength <= digest.algorithm.strength })
    else { return nil }
    self.init(ExpectedDigest(digest, .given))
  }
}

/// The result of comparing all expected digests with the computed ones.
package enum DigestComparison: Hashable, Sendable {
  /// All match, but none comes from outside.
  case unverified
  /// All match; the strongest digest from outside.
  case verified(VerifiedDigest)
  case mismatch(ExpectedDigest, actual: ContentDigest)
  /// An expected digest was not computed. A failure, never a match.
  case notComputed(ExpectedDigest)

  /// - Parameter computed: digests over exactly the bytes to be published.
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
