/// The digests of one file in one text, such as `sha1-BASE64 sha512-BASE64`: each as `StatedDigest` reads it, with blanks,
/// commas or semicolons between them.
///
/// What is of an algorithm that swiftget does not compute counts for nothing beside a digest of a known one.
package struct StatedDigests: Hashable, Sendable {
  /// At most one for each algorithm.
  package private(set) var digests: [ContentDigest] = []
  /// The names of other algorithms.
  package private(set) var unknown: [String] = []

  /// - Throws: for a part that is no digest, and for two that contradict each other.
  package init(_ text: ArraySlice<UInt8>) throws(ListProblem) {
    if case .digest(let digest) = StatedDigest(text) {
      digests = [digest]
      return
    }
    for part in text.split(whereSeparator: Self.isSeparator) {
      // Options of Subresource Integrity.
      let part = part.prefix { $0 != UInt8(ascii: "?") }
      switch StatedDigest(part) {
      case .digest(let digest): try digests.add(digest)
      case .malformed(let algorithm): throw .malformedDigest(algorithm)
      case .unknown(let name): unknown.append(name)
      case nil:
        guard let colon = part.firstIndex(of: UInt8(ascii: ":")) else { throw .table(.unnamedDigest) }
        throw .unknownAlgorithm(Array(part[..<colon]))
      }
    }
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte.isSpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
  }
}
