package import DownloadCore

extension VerifiedDigest {
  /// A digest that counts as compared and equal.
  package static func found(_ digest: ContentDigest, _ source: ExpectedDigest.Source = .given) -> VerifiedDigest {
    guard
      case .verified(let verified) = DigestComparison(expected: [ExpectedDigest(digest, source)], computed: [digest])
    else {
      preconditionFailure("a digest that is equal to itself verifies")
    }
    return verified
  }
}

extension ContentDigest {
  /// A digest whose bytes are all equal.
  package init(_ algorithm: DigestAlgorithm, repeating byte: UInt8) {
    self.init(algorithm, [UInt8](repeating: byte, count: algorithm.byteCount))!
  }
}
