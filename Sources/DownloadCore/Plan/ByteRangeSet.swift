/// A set of byte offsets, stored as sorted, disjoint, non-adjacent half-open ranges.
///
/// A download has a few dozen ranges at most, so a sorted array is enough. The name avoids Swift's own `RangeSet`.
package struct ByteRangeSet: Hashable, Sendable {
  /// Sorted by lower bound; no two touch; none is empty.
  package private(set) var ranges: [Range<Int64>] = []
  /// The number of bytes in all ranges.
  package private(set) var byteCount: Int64 = 0

  package init() {}

  package init(_ ranges: some Sequence<Range<Int64>>) {
    for range in ranges { insert(range) }
  }

  package var isEmpty: Bool { ranges.isEmpty }

  /// The index of the first range whose upper bound is at or beyond `offset`.
  private func index(reaching offset: Int64) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds a range.
  /// - Returns: the number of bytes that were not in the set before.
  @discardableResult
  package mutating func insert(_ range: Range<Int64>) -> Int64 {
    guard !range.isEmpty else { return 0 }
    let first = index(reaching: range.lowerBound)
    var merged = range
    var last = first
    var replaced: Int64 = 0
    while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
      merged = min(merged.lowerBound, ranges[last].lowerBound)..<max(merged.upperBound, ranges[last].upperBound)
      replaced += ranges[last].upperBound - ranges[last].lowerBound
      last += 1
    }
    ranges.replaceSubrange(first..<last, with: CollectionOfOne(merged))
    let added = (merged.upperBound - merged.lowerBound) - replaced
    byteCount += added
    return added
  }

  /// Removes a range, which need not be in the set as a whole.
  package mutating func remove(_ range: Range<Int64>) {
    guard !range.isEmpty else { return }
    var kept: [Range<Int64>] = []
    for existing in ranges {
      if existing.lowerBound < range.lowerBound {
        kept.append(existing.lowerBound..<min(existing.upperBound, range.lowerBound))
      }
      if existing.upperBound > range.upperBound {
        kept.append(max(existing.lowerBound, range.upperBound)..<existing.upperBound)
      }
    }
    ranges = kept.filter { !$0.isEmpty }
    byteCount = ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
  }

  package func contains(_ range: Range<Int64>) -> Bool {
    if range.isEmpty { return true }
    let found = index(reaching: range.upperBound)
    return found < ranges.count && ranges[found].lowerBound <= range.lowerBound
      && ranges[found].upperBound >= range.upperBound
  }

  /// Whether it has bytes of a range.
  package func overlaps(_ range: Range<Int64>) -> Bool {
    guard !range.isEmpty else { return false }
    let found = index(reaching: range.lowerBound + 1)
    return found < ranges.count && ranges[found].lowerBound < range.upperBound
  }

  /// The end of the contiguous bytes from 0 on, which can be hashed.
  package var contiguousEnd: Int64 {
    guard let first = ranges.first, first.lowerBound == 0 else { return 0 }
    return first.upperBound
  }

  /// The ranges of `whole` that are missing, in order.
  package func gaps(in whole: Range<Int64>) -> [Range<Int64>] {
    var gaps: [Range<Int64>] = []
    var position = whole.lowerBound
    for range in ranges where range.upperBound > whole.lowerBound {
      if range.lowerBound >= whole.upperBound { break }
      if range.lowerBound > position { gaps.append(position..<range.lowerBound) }
      position = max(position, range.upperBound)
    }
    if position < whole.upperBound { gaps.append(position..<whole.upperBound) }
    return gaps
  }
}
