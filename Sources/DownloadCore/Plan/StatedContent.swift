/// What a list says about the content of one file.
package struct StatedContent: Hashable, Sendable {
  /// At most one for each algorithm. All must match.
  package private(set) var digests: [ContentDigest]
  /// Bytes; nil where it is not stated.
  package private(set) var length: Int64?

  package init(digests: [ContentDigest] = [], length: Int64? = nil) {
    self.digests = digests
    self.length = length
  }

  /// Adds what another line says about the same file.
  ///
  /// - Throws: where the two contradict each other.
  package mutating func merge(_ other: StatedContent) throws(ListProblem) {
    for digest in other.digests { try digests.add(digest) }
    guard let stated = other.length else { return }
    if let length, length != stated { throw .contradictorySizes(length, stated) }
    length = stated
  }
}
