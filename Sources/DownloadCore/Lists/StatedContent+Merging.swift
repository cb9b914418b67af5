extension StatedContent {
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

extension [ContentDigest] {
  /// Adds a digest of the same file.
  ///
  /// - Throws: where there already is a different digest of that algorithm.
  package mutating func add(_ digest: ContentDigest) throws(ListProblem) {
    guard let known = first(where: { $0.algorithm == digest.algorithm }) else { return append(digest) }
    guard known == digest else { throw .contradictoryDigests(digest.algorithm) }
  }
}
