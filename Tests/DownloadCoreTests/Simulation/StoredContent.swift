import DownloadCore

/// The content of a part file, represented by the source of each byte instead of its value.
///
/// Each byte of each version of a file is unique. A run of stored bytes is a version and a shift (source offset minus
/// stored offset). The content is right if it is a single run with shift 0.
struct StoredContent: Equatable {
  struct Run: Equatable {
    var range: Range<Int64>
    var version: Int
    var shift: Int64
  }

  /// Sorted and disjoint; adjacent runs of one version and shift are merged.
  private(set) var runs: [Run] = []

  init() {}

  /// The whole content of a version.
  init(version: Int, length: Int64) {
    if length > 0 { runs = [Run(range: 0..<length, version: version, shift: 0)] }
  }

  mutating func write(_ range: Range<Int64>, version: Int, shift: Int64) {
    guard !range.isEmpty else { return }
    let first = runs.firstIndex { $0.range.upperBound >= range.lowerBound } ?? runs.count
    // The most frequent case: the run grows into a gap.
    if first < runs.count, runs[first].range.upperBound == range.lowerBound, runs[first].version == version,
      runs[first].shift == shift, first + 1 == runs.count || runs[first + 1].range.lowerBound > range.upperBound
    {
      runs[first].range = runs[first].range.lowerBound..<range.upperBound
      return
    }
    let last = runs[first...].firstIndex { $0.range.lowerBound > range.upperBound } ?? runs.count
    var pieces = [Run(range: range, version: version, shift: shift)]
    for run in runs[first..<last] {
      if run.range.lowerBound < range.lowerBound {
        let end = min(run.range.upperBound, range.lowerBound)
        pieces.append(Run(range: run.range.lowerBound..<end, version: run.version, shift: run.shift))
      }
      if run.range.upperBound > range.upperBound {
        let start = max(run.range.lowerBound, range.upperBound)
        pieces.append(Run(range: start..<run.range.upperBound, version: run.version, shift: run.shift))
      }
    }
    pieces.sort { $0.range.lowerBound < $1.range.lowerBound }
    runs.replaceSubrange(first..<last, with: Self.merged(pieces))
  }

  private static func merged(_ pieces: [Run]) -> [Run] {
    var merged: [Run] = []
    for piece in pieces {
      if let last = merged.last, last.range.upperBound == piece.range.lowerBound, last.version == piece.version,
        last.shift == piece.shift
      {
        merged[merged.count - 1].range = last.range.lowerBound..<piece.range.upperBound
      } else {
        merged.append(piece)
      }
    }
    return merged
  }

  /// The runs within `range`.
  func clipped(to range: Range<Int64>) -> StoredContent {
    var clipped = StoredContent()
    for run in runs where run.range.overlaps(range) {
      clipped.runs.append(Run(range: run.range.clamped(to: range), version: run.version, shift: run.shift))
    }
    return clipped
  }

  mutating func truncate(to length: Int64) {
    runs = runs.compactMap { run in
      guard run.range.lowerBound < length else { return nil }
      var run = run
      run.range = run.range.lowerBound..<min(run.range.upperBound, length)
      return run
    }
  }

  func covers(_ set: ByteRangeSet) -> Bool {
    let stored = ByteRangeSet(runs.map(\.range))
    return set.ranges.allSatisfy { stored.contains($0) }
  }

  /// Stands for SHA-256: a hash of the runs, repeated to 32 bytes.
  var digest: ContentDigest { digest(.sha256) }

  /// Stands for SHA-512; differs in its first byte.
  func digest(_ algorithm: DigestAlgorithm) -> ContentDigest {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for run in runs {
      for value in [run.range.lowerBound, run.range.upperBound, Int64(run.version), run.shift] {
        hash = (hash ^ UInt64(bitPattern: value)) &* 0x100_0000_01b3
        hash ^= hash >> 29
      }
    }
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) }
    let all = (0..<8).flatMap { _ in bytes }
    return ContentDigest(algorithm, [all[0] ^ UInt8(algorithm.byteCount)] + all[1..<algorithm.byteCount])!
  }
}
