package import DownloadCore

/// Why a manifest cannot hold digests of some algorithms.
package enum AlgorithmRefusal: Hashable, Sendable {
  /// Digests of both have the same length, and lines do not name their algorithms.
  case ambiguous(DigestAlgorithm, DigestAlgorithm)
  /// The format has no name for the algorithm.
  case unnamed(DigestAlgorithm)
}

/// Why a manifest cannot hold a name.
package enum NameRefusal: Hashable, Sendable, CaseIterable {
  case notUTF8
  case controlCharacter
  /// U+FFFE or U+FFFF.
  case notXML
}
