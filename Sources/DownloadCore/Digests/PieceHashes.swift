/// The digests of a file's pieces: consecutive spans of equal length; the last one may be shorter.
package struct PieceHashes: Hashable, Sendable {
  package let algorithm: DigestAlgorithm
  /// Bytes of each piece except the last one; at least 1.
  package let length: Int64
  /// One digest for each piece, in file order.
  package let digests: [ContentDigest]

  /// Nil unless there is at least one piece and all digests have the same algorithm.
  package init?(length: Int64, digests: [ContentDigest]) {
    guard length > 0, let algorithm = digests.first?.algorithm, digests.allSatisfy({ $0.algorithm == algorithm })
    else { return nil }
    self.algorithm = algorithm
    self.length = length
    self.digests = digests
  }

  /// Whether a file of this length has exactly these pieces.
  package func cover(_ completeLength: Int64) -> Bool {
    completeLength > 0 && (completeLength - 1) / length == Int64(digests.count - 1)
  }

  /// The bytes of a piece of a file of this length, which must be covered.
  package func range(of index: Int, completeLength: Int64) -> Range<Int64> {
    let start = Int64(index) * length
    return start..<start + min(length, completeLength - start)
  }

  /// The pieces that overlap `range`.
  package func indices(touching range: Range<Int64>) -> Range<Int> {
    guard !range.isEmpty else { return 0..<0 }
    return Int(range.lowerBound / length)..<min(Int((range.upperBound - 1) / length) + 1, digests.count)
  }
}

/// A stored piece to be verified.
package struct PieceCheck: Hashable, Sendable {
  package let index: Int
  package let range: Range<Int64>
  package let expected: ContentDigest
  /// Distinguishes this check from an earlier one of the same piece.
  package let number: Int
}
