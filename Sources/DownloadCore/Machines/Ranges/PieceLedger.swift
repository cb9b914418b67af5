/// Records which pieces of a file are verified, which are being verified, and which mirrors supplied wrong ones.
///
/// missing ──all bytes recorded──► asked ──right──► verified
///     ▲────────────wrong─────────────┘
struct PieceLedger: Sendable {
  /// A piece that failed verification and has not passed it since.
  struct Trouble: Sendable {
    /// The number of failed verifications that count: those of bytes that one mirror supplied alone, and those of bytes
    /// of several mirrors beyond the first few.
    var failureCount = 0
    /// The number of failed verifications of bytes of several mirrors, which prove nothing against any of them.
    var mixedCount = 0
    /// The number of failed verifications of bytes that one mirror supplied alone, by mirror.
    var loneCounts: [Int: Int] = [:]
    /// Mirrors that probably supplied the wrong bytes. Others are asked first.
    var culprits: Set<Int> = []
  }

  /// What one mirror supplied. The counters cover pieces that it supplied alone.
  private struct Record: Sendable {
    var brought = ByteRangeSet()
    var rightCount = 0
    var wrongCount = 0
  }

  let hashes: PieceHashes
  /// The bytes of verified pieces.
  private(set) var verified = ByteRangeSet()
  private var verifiedCount = 0
  /// The number of the running check, by piece.
  private var asked: [Int: Int] = [:]
  private var troubles: [Int: Trouble] = [:]
  private var records: [Record]
  private var nextNumber = 0

  /// The maximum of failed verifications of one piece that do not count because it has bytes of several mirrors.
  private static let mostMixed = 3

  init(_ hashes: PieceHashes, mirrorCount: Int) {
    self.hashes = hashes
    records = Array(repeating: Record(), count: mirrorCount)
  }

  func isWhole(_ completeLength: Int64) -> Bool { verified.contains(0..<completeLength) }

  /// Whether each piece is verified or being verified.
  var areAllAsked: Bool { verifiedCount + asked.count == hashes.digests.count }

  /// A mirror supplied missing bytes.
  mutating func recorded(_ ranges: [Range<Int64>], by mirror: Int) {
    for range in ranges { records[mirror].brought.insert(range) }
  }

  /// The pieces that overlap `range`, are complete, and are neither verified nor being verified.
  mutating func checks(in range: Range<Int64>, done: ByteRangeSet, completeLength: Int64) -> [PieceCheck] {
    guard hashes.cover(completeLength) else { return [] }
    return hashes.indices(touching: range).compactMap { index in
      let piece = hashes.range(of: index, completeLength: completeLength)
      guard asked[index] == nil, !verified.contains(piece), done.contains(piece) else { return nil }
      nextNumber += 1
      asked[index] = nextNumber
      return PieceCheck(index: index, range: piece, expected: hashes.digests[index], number: nextNumber)
    }
  }

  /// - Returns: false if the piece's bytes were discarded while it was hashed.
  mutating func wasRight(_ check: PieceCheck) -> Bool {
    guard asked[check.index] == check.number else { return false }
    asked[check.index] = nil
    troubles[check.index] = nil
    verified.insert(check.range)
    verifiedCount += 1
    for mirror in records.indices where records[mirror].brought.contains(check.range) {
      records[mirror].rightCount += 1
    }
    return true
  }

  /// The piece's bytes are missing again.
  /// - Returns: `Trouble.failureCount`; nil if the bytes were discarded while they were hashed.
  mutating func wasWrong(_ check: PieceCheck) -> Int? {
    guard asked[check.index] == check.number else { return nil }
    asked[check.index] = nil
    var trouble = troubles[check.index] ?? Trouble()
    let sources = records.indices.filter { hasBegun($0, check.range) }
    let isOneMirrors = sources.count == 1 && records[sources[0]].brought.contains(check.range)
    if !isOneMirrors, !sources.isEmpty { trouble.mixedCount += 1 }
    if isOneMirrors || trouble.mixedCount > Self.mostMixed { trouble.failureCount += 1 }
    if isOneMirrors {
      records[sources[0]].wrongCount += 1
      trouble.loneCounts[sources[0], default: 0] += 1
    }
    // Of several mirrors, suspect those that supplied a wrong piece before.
    let suspects = isOneMirrors ? sources : sources.filter { records[$0].wrongCount > 0 }
    if isOneMirrors || suspects.count < sources.count {
      // Once every mirror is a suspect, only the latest ones remain suspects.
      if trouble.culprits.union(suspects).count == records.count { trouble.culprits = [] }
      trouble.culprits.formUnion(suspects)
    }
    troubles[check.index] = trouble
    for mirror in sources { records[mirror].brought.remove(check.range) }
    return trouble.failureCount
  }

  /// Mirrors that supplied at least two wrong pieces and no right one, or the same piece wrong as often as a file without
  /// other mirrors may fail.
  var badMirrors: [Int] {
    records.indices.filter { mirror in
      (records[mirror].wrongCount >= 2 && records[mirror].rightCount == 0)
        || troubles.values.contains { $0.loneCounts[mirror, default: 0] >= IntegrityFailures.limit }
    }
  }

  // MARK: Fetching again

  /// Whether a piece has failed and was not right since.
  var hasTrouble: Bool { !troubles.isEmpty }

  /// The failures of the piece at this offset.
  func trouble(at offset: Int64) -> Trouble? { troubles.isEmpty ? nil : troubles[Int(offset / hashes.length)] }

  /// The first part of `gaps` that the mirror may fill. A piece that failed verification is fetched separately.
  ///
  /// One of the mirror and the others may always fill it.
  ///
  /// - Parameters:
  ///   - others: mirrors that can be asked instead, now or after a wait.
  ///   - active: the content transfers.
  func firstGap(
    of gaps: [Range<Int64>], for mirror: Int, others: [Int], active: [ActiveTransfer]
  ) -> Range<Int64>? {
    guard !troubles.isEmpty else { return gaps.first }
    for gap in gaps {
      var start = gap.lowerBound
      while start < gap.upperBound {
        let index = Int(start / hashes.length)
        guard let trouble = troubles[index] else {
          let next = troubles.keys.filter { $0 > index }.min().map { Int64($0) * hashes.length } ?? .max
          return start..<min(next, gap.upperBound)
        }
        let piece = Int64(index) * hashes.length..<(Int64(index) + 1) * hashes.length
        let end = min(piece.upperBound, gap.upperBound)
        // Mirrors that are not suspected come first, and among them the one that started the piece, so that the piece
        // has a single source.
        let beginners = Set(active.filter { $0.position < piece.upperBound && $0.end > piece.lowerBound }.map(\.mirror))
        let ranks = ([mirror] + others).map { other in
          let hasBegun = beginners.contains(other) || hasBegun(other, piece)
          return (trouble.culprits.contains(other) ? 2 : 0) + (hasBegun ? 0 : 1)
        }
        if ranks[0] == ranks.min() { return start..<end }
        start = end
      }
    }
    return nil
  }

  /// Whether the mirror supplied some of the piece.
  private func hasBegun(_ mirror: Int, _ piece: Range<Int64>) -> Bool {
    records[mirror].brought.overlaps(piece)
  }

  // MARK: Discarded bytes

  /// Nothing is stored any more. The mirrors' counters stay.
  mutating func startOver() {
    verified = ByteRangeSet()
    verifiedCount = 0
    asked = [:]
    for mirror in records.indices { records[mirror].brought = ByteRangeSet() }
  }

  /// Another version of the content is tried, of which no piece has failed yet.
  mutating func versionChanged() { troubles = [:] }
}
