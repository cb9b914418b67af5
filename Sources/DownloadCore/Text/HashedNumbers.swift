/// Finds numbers from 0 on by the hashes of what they stand for: a hash table with open addressing.
///
/// A number costs 6 to 9 bytes. Neither hashes nor what they were made of are kept, so that the table is filled anew
/// where it grows.
struct HashedNumbers {
  /// A part of the hash of each number, and 0 in free slots.
  private var tags: [UInt8]
  private var numbers: [UInt32]
  private var count = 0

  init() {
    tags = Array(repeating: 0, count: 16)
    numbers = Array(repeating: 0, count: 16)
  }

  /// Whether a further number finds no room. At most 85 % of the slots are taken.
  var isFull: Bool { (count + 1) * 20 > tags.count * 17 }

  /// Forgets all numbers, and makes room for half as many again as there was.
  mutating func grow() {
    let slotCount = tags.count + tags.count / 2
    // Both at once would take the memory of both.
    tags = []
    numbers = []
    tags = Array(repeating: 0, count: slotCount)
    numbers = Array(repeating: 0, count: slotCount)
    count = 0
  }

  /// - Parameter isWanted: tells numbers apart whose hashes are alike.
  func first(_ hash: UInt64, where isWanted: (Int) -> Bool) -> Int? {
    let tag = Self.tag(hash)
    var slot = start(hash)
    while tags[slot] != 0 {
      if tags[slot] == tag, isWanted(Int(numbers[slot])) { return Int(numbers[slot]) }
      slot = next(slot)
    }
    return nil
  }

  /// Adds a number below 2^32, for which there must be room.
  mutating func insert(_ number: Int, _ hash: UInt64) {
    var slot = start(hash)
    while tags[slot] != 0 { slot = next(slot) }
    tags[slot] = Self.tag(hash)
    numbers[slot] = UInt32(truncatingIfNeeded: number)
    count += 1
  }

  private func start(_ hash: UInt64) -> Int { Int(hash.multipliedFullWidth(by: UInt64(tags.count)).high) }

  private func next(_ slot: Int) -> Int { slot + 1 == tags.count ? 0 : slot + 1 }

  /// The low bits of the hash; the high ones tell the slot.
  private static func tag(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash) | 1 }
}
