import DownloadCore

/// A `pieces` element: its hashes as they come.
struct MetalinkPieces: Sendable {
  /// 256 GiB in pieces of 256 KiB, which are the shortest in use. So many hashes take about 100 MB of memory.
  static let maximumCount = 1 << 20

  let algorithm: DigestAlgorithm
  /// Bytes of each piece except the last one; at least 1.
  let length: Int64
  private let maximumCount: Int
  private var hashes: [(number: Int, digest: ContentDigest)] = []
  /// Whether the numbers are 0, 1, 2 and so on.
  private var isInOrder = true

  init(algorithm: DigestAlgorithm, length: Int64, maximumCount: Int = Self.maximumCount) {
    self.algorithm = algorithm
    self.length = length
    self.maximumCount = maximumCount
  }

  /// - Parameter number: the number of the piece, from 0; nil for the next one.
  mutating func add(_ text: ArraySlice<UInt8>, number: Int?) throws(ListProblem) {
    guard hashes.count < maximumCount else { throw .metalink(.tooManyPieces) }
    guard let digest = ContentDigest(algorithm, hex: text) else { throw .malformedDigest(algorithm) }
    if let number, number != hashes.count { isInOrder = false }
    hashes.append((number ?? hashes.count, digest))
  }

  /// Nil where there are none.
  ///
  /// - Throws: where a number is missing or occurs twice.
  func pieceHashes() throws(ListProblem) -> PieceHashes? {
    if isInOrder { return PieceHashes(length: length, digests: hashes.map(\.digest)) }
    let sorted = hashes.sorted { $0.number < $1.number }
    for (index, hash) in sorted.enumerated() where hash.number != index { throw .metalink(.pieceNumbers) }
    return PieceHashes(length: length, digests: sorted.map(\.digest))
  }
}
