/// The fragment of a URL, which is never sent to a server and may state digests of the file.
///
///     fragment = HEX / claim *( "&" claim )
///
/// A claim is a `StatedDigest`: `#sha256=HEX`, pip's `#egg=NAME&sha256=HEX`, `#sha256-BASE64`; it may be percent-encoded. A
/// fragment of hexadecimal digits only, as the MD5 in conda's lock files, is a digest if its length tells the algorithm.
/// Anything else is ignored.
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
    if case .digest(let digest) = StatedDigest(word: fragment) { return [digest] }
    var digests: [ContentDigest] = []
    for claim in fragment.parts(separatedBy: UInt8(ascii: "&")) {
      switch StatedDigest(PercentEncoding.decodeKeepingInvalid(claim)[...]) {
      case .digest(let digest): try digests.add(digest)
      case .malformed(let algorithm): throw .malformedFragment(algorithm)
      case .unknown(let name): throw .unknownAlgorithm(Array(name.utf8))
      case nil: break
      }
    }
    return digests
  }
}
