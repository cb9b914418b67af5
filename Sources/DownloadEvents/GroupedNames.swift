internal import DownloadCore

/// Names in groups. They come in any order, and are read group by group.
///
/// Memory: one block for each group, and 16 bytes for each block in the store.
struct GroupedNames {
  /// Names as their lengths and bytes.
  private struct Group {
    /// Blocks in the store, in order.
    var stored: [Range<Int>] = []
    /// The last block.
    var last: [UInt8] = []
  }

  /// A block goes to the store when it has this many bytes.
  static let blockByteCount = 4096

  private let store: any ByteStore
  private var groups: [Group] = []

  init(_ store: any ByteStore) { self.store = store }

  /// - Parameter group: counted from 0.
  mutating func add(_ name: [UInt8], to group: Int) {
    while groups.count <= group { groups.append(Group()) }
    groups[group].last += UInt32(clamping: name.count).bytes
    groups[group].last += name
    guard groups[group].last.count >= Self.blockByteCount else { return }
    let start = store.byteCount
    store.append(groups[group].last)
    groups[group].stored.append(start..<store.byteCount)
    groups[group].last.removeAll(keepingCapacity: true)
  }

  /// Hands out the names of a group in the order in which they came, until `take` returns false. Ends at the first name
  /// that the store has lost.
  func read(_ group: Int, _ take: ([UInt8]) -> Bool) {
    guard group < groups.count else { return }
    for range in groups[group].stored {
      let block = store.read(range)
      guard !store.hasFailed, Self.split(block, take) else { return }
    }
    _ = Self.split(groups[group].last, take)
  }

  /// - Returns: false where `take` has returned false.
  private static func split(_ block: [UInt8], _ take: ([UInt8]) -> Bool) -> Bool {
    var start = 0
    while start < block.count {
      let first = start + UInt32.byteCount
      let end = first + Int(UInt32(in: block[...], at: start))
      guard take(Array(block[first..<end])) else { return false }
      start = end
    }
    return true
  }
}
