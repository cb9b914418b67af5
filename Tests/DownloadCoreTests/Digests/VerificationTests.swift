import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Comparisons of digests` {
  private func digest(_ algorithm: DigestAlgorithm, _ byte: UInt8) -> ContentDigest {
    ContentDigest(algorithm, repeating: byte)
  }

  @Test func `an expected digest that was not computed is never a match`() {
    for source in [ExpectedDigest.Source.given, .server, .confirmation] {
      let expected = ExpectedDigest(digest(.md5, 0), source)
      #expect(DigestComparison(expected: [expected], computed: []) == .notComputed(expected))
      #expect(DigestComparison(expected: [expected], computed: [digest(.sha256, 0)]) == .notComputed(expected))
      let other = ExpectedDigest(digest(.sha256, 1), .given)
      #expect(DigestComparison(expected: [other, expected], computed: [digest(.sha256, 1)]) == .notComputed(expected))
    }
  }

  @Test func `a different digest is a mismatch whatever its source`() {
    for source in [ExpectedDigest.Source.given, .server, .confirmation] {
      let right = ExpectedDigest(digest(.sha512, 1), .given)
      let wrong = ExpectedDigest(digest(.sha256, 2), source)
      let computed = [digest(.sha256, 3), digest(.sha512, 1)]
      #expect(DigestComparison(expected: [right, wrong], computed: computed) == .mismatch(wrong, actual: computed[0]))
    }
  }

  @Test func `without a digest from outside nothing is verified`() {
    #expect(DigestComparison(expected: [], computed: [digest(.sha256, 1)]) == .unverified)
    let confirmation = ExpectedDigest(digest(.sha256, 1), .confirmation)
    #expect(DigestComparison(expected: [confirmation], computed: [digest(.sha256, 1)]) == .unverified)
  }

  @Test func `the strongest of several is reported with its source`() {
    let computed = [digest(.md5, 1), digest(.sha512, 2), digest(.sha256, 3)]
    let expected = [
      ExpectedDigest(computed[0], .given), ExpectedDigest(computed[1], .server), ExpectedDigest(computed[2], .given),
    ]
    #expect(DigestComparison(expected: expected, computed: computed) == .verified(.found(computed[1], .server)))
  }

  @Test func `a mark vouches for its own digest only`() {
    let mark = digest(.sha256, 1)
    #expect(VerifiedDigest([digest(.md5, 1), digest(.sha256, 1)], vouchedFor: mark)?.digest == mark)
    #expect(VerifiedDigest([digest(.sha256, 2)], vouchedFor: mark) == nil)
    #expect(VerifiedDigest([], vouchedFor: mark) == nil)
  }
}
