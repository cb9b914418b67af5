internal import DownloadCore

/// Names in a tree, each with what tells whether it still is the same file: 16 bytes for each.
package struct SetFiles: Sendable {
  private struct Entry: Hashable, Comparable {
    let key: UInt64
    let state: UInt64

    static func < (one: Entry, other: Entry) -> Bool { (one.key, one.state) < (other.key, other.state) }
  }

  private var entries: [Entry] = []
  private var isSorted = true
  private static let magic = Array("swiftget set files 1\n\n".utf8)

  package init() {}

  package var count: Int { entries.count }

  /// - Parameter key: a hash of the name.
  package mutating func insert(_ key: UInt64, _ status: FileStatus) {
    entries.append(Entry(key: key, state: Self.state(status)))
    isSorted = false
  }

  /// Call it after the last `insert`.
  package mutating func sort() {
    entries.sort()
    isSorted = true
  }

  /// Whether the name refers to the file that it did when it was inserted, and nobody has written to that since.
  package func contains(_ key: UInt64, _ status: FileStatus) -> Bool {
    assert(isSorted)
    return entries.sortedIndex(of: Entry(key: key, state: Self.state(status))) != nil
  }

  /// Whether each of the sorted keys was inserted.
  package func containsAll(_ keys: [UInt64]) -> Bool {
    assert(isSorted)
    var index = 0
    for key in keys {
      while index < entries.count, entries[index].key < key { index += 1 }
      guard index < entries.count, entries[index].key == key else { return false }
    }
    return true
  }

  /// Names and links do not count: those come and go with sets. Neither does the content of directories.
  private static func state(_ status: FileStatus) -> UInt64 {
    var bytes: [UInt8] = []
    bytes.append(number: UInt64(status.inode))
    if status.kind != .directory {
      bytes.append(number: UInt64(bitPattern: status.size))
      bytes.append(number: UInt64(bitPattern: status.modified.seconds))
      bytes.append(number: UInt64(bitPattern: Int64(status.modified.nanoseconds)))
    }
    return StableHash.fnv1a(bytes)
  }

  // MARK: Text

  package var text: [UInt8] {
    var text = Self.magic
    text.reserveCapacity(Self.magic.count + 16 * entries.count + 8)
    text.append(number: UInt64(entries.count))
    for entry in entries {
      text.append(number: entry.key)
      text.append(number: entry.state)
    }
    return text
  }

  /// Nil for a text that is damaged or of another version.
  package init?(text: [UInt8]) {
    guard text.starts(with: Self.magic) else { return nil }
    let numbers = text.dropFirst(Self.magic.count)
    guard numbers.count >= 8, numbers.count % 16 == 8,
      UInt64(in: numbers, at: numbers.startIndex) == (numbers.count - 8) / 16
    else { return nil }
    entries = stride(from: numbers.startIndex + 8, to: numbers.endIndex, by: 16).map {
      Entry(key: UInt64(in: numbers, at: $0), state: UInt64(in: numbers, at: $0 + 8))
    }
    sort()
  }
}
