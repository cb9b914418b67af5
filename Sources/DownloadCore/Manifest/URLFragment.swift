/// What stands behind the `#` of a URL: it never goes to a server, and may state digests of the file.
///
///     fragment = HEX / claim *( "&" claim )
///     claim    = algorithm ( "=" / ":" ) HEX
///
/// Such as `#sha256=HEX`, pip's `#egg=NAME&sha256=HEX` and the bare MD5 of conda's lock files. A fragment of nothing but
/// hexadecimal digits is a digest where a checksum list would take it for one. What is no claim is dropped.
package enum URLFragment {
  /// - Returns: the URL in front of the first `#`, and at most one digest of each algorithm.
  /// - Throws: where a claim cannot be a digest of its algorithm, or two contradict each other.
  package static func split(
    _ url: ArraySlice<UInt8>
  ) throws(ManifestFault) -> (url: ArraySlice<UInt8>, digests: [ContentDigest]) {
    guard let hash = url.firstIndex(of: UInt8(ascii: "#")) else { return (url, []) }
    return (url[..<hash], try digests(in: url[hash...].dropFirst()))
  }

  private static func digests(in fragment: ArraySlice<UInt8>) throws(ManifestFault) -> [ContentDigest] {
    if let algorithm = ChecksumLine.algorithm(digits: fragment.count),
      let digest = ContentDigest(algorithm, hex: fragment)
    {
      return [digest]
    }
    var digests: [ContentDigest] = []
    for claim in fragment.parts(separatedBy: UInt8(ascii: "&")) {
      guard let separator = claim.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }),
        let algorithm = DigestAlgorithm(name: claim[..<separator].loweredPrintable)
      else { continue }
      guard let digest = ContentDigest(algorithm, hex: claim[(separator + 1)...]) else {
        throw ManifestFault("the \(algorithm.rawValue) after '#' is not \(algorithm.byteCount * 2) hexadecimal digits")
      }
      try digests.add(digest)
    }
    return digests
  }
}

extension [ContentDigest] {
  /// Adds what another place says of the same file.
  ///
  /// - Throws: where a different digest of that algorithm is there already.
  package mutating func add(_ digest: ContentDigest) throws(ManifestFault) {
    guard let known = first(where: { $0.algorithm == digest.algorithm }) else { return append(digest) }
    guard known == digest else {
      throw ManifestFault("two different \(digest.algorithm.rawValue) digests are given for one file")
    }
  }
}
