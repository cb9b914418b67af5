/// What is known of a file's pieces: which are right, which are being verified, and whose fault a wrong one was.
///
/// missing ──all bytes recorded──► asked ──right──► verified
///     ▲────────────wrong─────────────┘
struct PieceLedger: Sendable {
  /// A piece that was wrong and is not right yet.
  struct Trouble: Sendable {
    /// How often what was fetched was wrong.
    var failureCount = 0
    /// Mirrors whose fault it probably was: others go first.
    var culprits: Set<Int> = []
  }

  /// What one mirror brought of pieces that were all its own.
  private struct Record: Sendable {
    var brought = ByteRangeSet()
    var rightCount = 0
    var wrongCount = 0
  }

  let hashes: PieceHashes
  /// The bytes of pieces that are right.
  private(set) var verified = ByteRangeSet()
  /// The number of the check that is under way, by piece.
  private var asked: [Int: Int] = [:]
  private var troubles: [Int: Trouble] = [:]
  private var records: [Record]
  private var nextNumber = 0

  init(_ hashes: PieceHashes, mirrorCount: Int) {
    self.hashes = hashes
    records = Array(repeating: Record(), count: mirrorCount)
  }

  func isWhole(_ completeLength: Int64) -> Bool { verified.contains(0..<completeLength) }

  /// Bytes that were missing have come from a mirror.
  mutating func recorded(_ ranges: [Range<Int64>], by mirror: Int) {
    for range in ranges { records[mirror].brought.insert(range) }
  }

  /// The pieces touching `range` that are complete now and that nobody has been asked to verify.
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

  /// - Returns: false where the bytes it speaks of have been thrown away meanwhile.
  mutating func wasRight(_ check: PieceCheck) -> Bool {
    guard asked[check.index] == check.number else { return false }
    asked[check.index] = nil
    troubles[check.index] = nil
    verified.insert(check.range)
    for mirror in records.indices where records[mirror].brought.contains(check.range) {
      records[mirror].rightCount += 1
    }
    return true
  }

  /// The piece's bytes count no longer.
  /// - Returns: how often it was wrong, bytes of an earlier run aside; nil as for `wasRight`.
  mutating func wasWrong(_ check: PieceCheck) -> Int? {
    guard asked[check.index] == check.number else { return nil }
    asked[check.index] = nil
    var trouble = troubles[check.index] ?? Trouble()
    let sources = records.indices.filter { hasBegun($0, check.range) }
    if !sources.isEmpty { trouble.failureCount += 1 }
    let isOneMirrors = sources.count == 1 && records[sources[0]].brought.contains(check.range)
    if isOneMirrors { records[sources[0]].wrongCount += 1 }
    // Of several it was whoever has brought wrong pieces before.
    let suspects = isOneMirrors ? sources : sources.filter { records[$0].wrongCount > 0 }
    if isOneMirrors || suspects.count < sources.count {
      // Where all have had their turn, all but the last get another.
      if trouble.culprits.union(suspects).count == records.count { trouble.culprits = [] }
      trouble.culprits.formUnion(suspects)
    }
    troubles[check.index] = trouble
    for mirror in sources { records[mirror].brought.remove(check.range) }
    return trouble.failureCount
  }

  /// Mirrors that brought several pieces and not one that was right.
  var badMirrors: [Int] { records.indices.filter { records[$0].wrongCount >= 2 && records[$0].rightCount == 0 } }

  // MARK: Fetching again

  /// The trouble with the piece at this offset.
  func trouble(at offset: Int64) -> Trouble? { troubles.isEmpty ? nil : troubles[Int(offset / hashes.length)] }

  /// The first of `gaps` that the mirror may fill, cut so that a piece that was wrong is fetched alone.
  ///
  /// - Parameter others: mirrors that could be asked instead.
  func firstGap(of gaps: [Range<Int64>], for mirror: Int, others: [Int]) -> Range<Int64>? {
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
        // Whoever has begun with it goes on, so that it is of one mirror.
        let isBegun = !hasBegun(mirror, piece) && others.contains { hasBegun($0, piece) }
        let isDoubtful = trouble.culprits.contains(mirror) && !others.allSatisfy(trouble.culprits.contains)
        if !isBegun, !isDoubtful { return start..<end }
        start = end
      }
    }
    return nil
  }

  /// Whether the mirror brought some of it.
  private func hasBegun(_ mirror: Int, _ piece: Range<Int64>) -> Bool {
    records[mirror].brought.gaps(in: piece) != [piece]
  }

  // MARK: Bytes that are gone

  /// Only `done` is stored any more.
  mutating func restrict(to done: ByteRangeSet, completeLength: Int64) {
    guard hashes.cover(completeLength) else { return startOver() }
    for index in hashes.digests.indices {
      let piece = hashes.range(of: index, completeLength: completeLength)
      guard !done.contains(piece) else { continue }
      verified.remove(piece)
      asked[index] = nil
    }
  }

  /// Nothing is stored any more. Who brought wrong pieces is not forgotten.
  mutating func startOver() {
    verified = ByteRangeSet()
    asked = [:]
    for mirror in records.indices { records[mirror].brought = ByteRangeSet() }
  }
}
