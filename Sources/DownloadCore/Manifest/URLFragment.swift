/// The fragment of a URL, which is never sent to a server and may state digests of the file.
///
///     fragment = HEX / claim *( "&" claim )
///     claim    = algorithm ( "=" / ":" ) HEX
///
/// Examples are `#sha256=HEX`, pip's `#egg=NAME&sha256=HEX` and the bare MD5 of conda's lock files. A fragment of
/// hexadecimal digits only is a digest if its length is that of an algorithm. Anything else is ignored.
package enum URLFragment {
  /// - Returns: the URL before the first `#`, and at most one digest per algorithm.
  /// - Throws: where a claim is not a digest of its algorithm, or two contradict each other.
  package static func split(
    _ url: ArraySlice<UInt8>
  ) throws(ListProblem) -> (url: ArraySlice<UInt8>, digests: [ContentDigest]) {
    guard let hash = url.firstIndex(of: UInt8(ascii: "#")) else { return (url, []) }
    return (url[..<hash], try digests(in: url[hash...].dropFirst()))
  }

  private static func digests(in fragment: ArraySlice<UInt8>) throws(ListProblem) -> [ContentDigest] {
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
        throw .malformedFragment(algorithm)
      }
      try digests.add(digest)
    }
    return digests
  }
}

extension [ContentDigest] {
  /// Adds a digest of the same file.
  ///
  /// - Throws: where there already is a different digest of that algorithm.
  package mutating func add(_ digest: ContentDigest) throws(ListProblem) {
    guard let known = first(where: { $0.algorithm == digest.algorithm }) else { return append(digest) }
    guard known == digest else { throw .contradictoryDigests(digest.algorithm) }
  }
}
