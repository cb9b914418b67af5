internal import DownloadCore

extension JSONObject {
  /// The value of `checksum` in swiftget's own schema: digits by algorithm.
  init(_ digests: [ContentDigest]) {
    self.init(hasBlanks: true)
    for digest in digests { add(digest.algorithm.rawValue, digest.hex) }
  }
}
