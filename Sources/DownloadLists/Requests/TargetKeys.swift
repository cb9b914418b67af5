/// The hashes of many targets, of which those are looked for that are there more than once, or are also those of
/// directories on the way to other targets. 8 bytes for each.
///
/// The lowest bit tells targets and directories apart.
struct TargetKeys {
  /// Full blocks are sorted. An array for all would be copied where it grows, and have its memory twice for a moment.
  private var blocks: [[UInt64]] = []
  private var newest: [UInt64] = []
  /// The number of targets.
  private(set) var count = 0

  static let blockKeyCount = 32 << 10

  /// The part of a key that is kept.
  static func kept(_ key: UInt64) -> UInt64 { key & ~1 }

  mutating func append(_ key: UInt64) {
    insert(Self.kept(key))
    count += 1
  }

  mutating func append(directory key: UInt64) { insert(key | 1) }

  private mutating func insert(_ key: UInt64) {
    newest.append(key)
    if newest.count == Self.blockKeyCount { endBlock() }
  }

  private mutating func endBlock() {
    newest.sort()
    blocks.append(newest)
    newest = []
    newest.reserveCapacity(Self.blockKeyCount)
  }

  /// The keys, as `kept` has them, that several targets have, or a target and a directory; ascending. Forgets all keys.
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
        while starts[index] < block.endIndex, block[starts[index]] <= last | 1 {
          keys.append(block[starts[index]])
          starts[index] += 1
        }
      }
      keys.sort()
      // Of equal ones the targets come first.
      for index in keys.indices.dropFirst() where keys[index - 1] == Self.kept(keys[index]) {
        if repeated.last != keys[index - 1] { repeated.append(keys[index - 1]) }
      }
    }
    return repeated
  }
}
