/// The hashes of many targets, of which those are looked for that are there more than once. 8 bytes for each.
struct TargetKeys {
  /// Full blocks are sorted. An array for all would be copied where it grows, and have its memory twice for a moment.
  private var blocks: [[UInt64]] = []
  private var newest: [UInt64] = []
  private(set) var count = 0

  static let blockKeyCount = 32 << 10

  mutating func append(_ key: UInt64) {
    newest.append(key)
    count += 1
    if newest.count == Self.blockKeyCount { endBlock() }
  }

  private mutating func endBlock() {
    newest.sort()
    blocks.append(newest)
    newest = []
    newest.reserveCapacity(Self.blockKeyCount)
  }

  /// The keys that were appended more than once, ascending. Forgets all keys.
  mutating func takeRepeated() -> [UInt64] {
    endBlock()
    defer { self = TargetKeys() }
    var repeated: [UInt64] = []
    // Keys are compared with those of the same part of all values, as many at a time as fill a few blocks.
    let partCount = UInt64(blocks.count)
    var starts = blocks.map(\.startIndex)
    for part in 1...partCount {
      let last = part == partCount ? UInt64.max : UInt64.max / partCount * part
      var keys: [UInt64] = []
      for (index, block) in blocks.enumerated() {
        while starts[index] < block.endIndex, block[starts[index]] <= last {
          keys.append(block[starts[index]])
          starts[index] += 1
        }
      }
      keys.sort()
      for index in keys.indices.dropFirst() where keys[index] == keys[index - 1] && repeated.last != keys[index] {
        repeated.append(keys[index])
      }
    }
    return repeated
  }
}
