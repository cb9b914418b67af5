/// Strings of bytes in a `ByteStore`, numbered from 0 in the order in which they came. Several may share a store.
///
/// They are written and read in blocks of 16. In memory are the block that is being filled, the one that was read last,
/// and 16 bytes for the place of each other one.
package final class StoredStrings {
  private let store: any ByteStore
  package private(set) var count = 0
  /// Where whole blocks are in the store.
  private var blocks: [Range<Int>] = []
  /// The strings of the block that is not whole, each behind its length.
  private var newest: [UInt8] = []
  /// The block that was read last.
  private var latest: (index: Int, bytes: [UInt8]) = (-1, [])

  static let blockStringCount = 16

  package init(_ store: any ByteStore) { self.store = store }

  /// Adds a string of fewer than 2^32 bytes.
  package func append(_ string: [UInt8]) {
    newest += UInt32(string.count).bytes
    newest += string
    count += 1
    guard count % Self.blockStringCount == 0 else { return }
    let start = store.byteCount
    store.append(newest)
    blocks.append(start..<store.byteCount)
    newest.removeAll(keepingCapacity: true)
  }

  package subscript(number: Int) -> ArraySlice<UInt8> {
    let block = block(number / Self.blockStringCount)
    var start = 0
    for _ in 0..<(number % Self.blockStringCount) { start = Self.range(in: block, at: start).upperBound }
    return block[Self.range(in: block, at: start)]
  }

  /// Hands out the strings in the order of their numbers, until `take` returns false or the store has lost one.
  package func visit(_ take: (_ number: Int, ArraySlice<UInt8>) -> Bool) {
    for first in stride(from: 0, to: count, by: Self.blockStringCount) {
      let index = first / Self.blockStringCount
      let block = block(index)
      if index < blocks.count, store.hasFailed { return }
      var start = 0
      for number in first..<min(first + Self.blockStringCount, count) {
        let range = Self.range(in: block, at: start)
        guard take(number, block[range]) else { return }
        start = range.upperBound
      }
    }
  }

  private func block(_ index: Int) -> [UInt8] {
    if index == blocks.count { return newest }
    if index != latest.index { latest = (index, store.read(blocks[index])) }
    return latest.bytes
  }

  /// The string whose length is at `start`.
  private static func range(in block: [UInt8], at start: Int) -> Range<Int> {
    let first = start + UInt32.byteCount
    return first..<(first + Int(UInt32(in: block[...], at: start)))
  }
}
