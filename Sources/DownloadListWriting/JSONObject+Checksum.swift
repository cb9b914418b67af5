package import DownloadCore

extension JSONObject {
  /// The value of `checksum` in swiftget's own schema: digits by algorithm.
  package init(_ digests: [ContentDigest]) {
    self.init(hasBlanks: true)
    for digest in digests { add(digest.algorithm.rawValue, digest.hex) }
  }

  /// The value of `pieces`.
  package init(_ pieces: PieceHashes) {
    self.init(hasBlanks: true)
    add("algorithm", pieces.algorithm.rawValue)
    add("length", pieces.length)
    add("hashes", pieces.digests.map(\.hex))
  }
}
