/// Different strings of bytes, numbered from 0 in the order in which they came.
///
/// All are in one buffer: a string costs its bytes, 8 more for its end, and about 8 for finding it.
struct ByteStrings: Sendable {
  private var bytes: [UInt8] = []
  /// The end of each string in `bytes`.
  private var ends: [Int] = []
  /// A hash table with open addressing: the number of a string, and one more; 0 in free slots. The count is a power of
  /// two, and at least half of the slots are free.
  private var slots = [UInt32](repeating: 0, count: 16)

  var count: Int { ends.count }

  subscript(index: Int) -> [UInt8] { Array(bytes[range(of: index)]) }

  /// The number of a string; nil for one that is not there.
  func index(of string: [UInt8]) -> Int? {
    let number = slots[slot(of: string)]
    return number == 0 ? nil : Int(number) - 1
  }

  /// The number of a string, which is added if it is not there.
  mutating func insert(_ string: [UInt8]) -> Int {
    var slot = slot(of: string)
    if slots[slot] != 0 { return Int(slots[slot]) - 1 }
    if (count + 1) * 2 > slots.count {
      grow()
      slot = self.slot(of: string)
    }
    bytes += string
    ends.append(bytes.count)
    slots[slot] = UInt32(count)
    return count - 1
  }

  private func range(of index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  /// The slot that holds the string, or the free one where it belongs.
  private func slot(of string: [UInt8]) -> Int {
    var slot = start(of: string[...])
    while slots[slot] != 0, !bytes[range(of: Int(slots[slot]) - 1)].elementsEqual(string) {
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  /// Seeded anew for each process, so that no strings can be made to collide.
  private func start(of string: ArraySlice<UInt8>) -> Int {
    var hasher = Hasher()
    string.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize() & (slots.count - 1)
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for index in ends.indices {
      var slot = start(of: bytes[range(of: index)])
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(index + 1)
    }
  }
}
