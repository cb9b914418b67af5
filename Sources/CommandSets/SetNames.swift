/// The files that a run wants in a set, told by keys of their paths: 8 bytes for each.
package struct SetNames: Sendable {
  /// Sorted, none twice.
  let keys: [UInt64]
  private let keyOfName: @Sendable ([UInt8]) -> UInt64

  /// - Parameter key: that of a name relative to the directory of the set.
  package init(_ keys: [UInt64], key: @escaping @Sendable ([UInt8]) -> UInt64) {
    self.keys = Self.sorted(keys)
    keyOfName = key
  }

  private init(sorted keys: [UInt64], key: @escaping @Sendable ([UInt8]) -> UInt64) {
    self.keys = keys
    keyOfName = key
  }

  /// The names of the whole set that a run completes.
  ///
  /// - Parameter all: the sorted keys of that set; nil where the run makes all of it.
  func completing(_ all: [UInt64]?) -> SetNames { all.map { SetNames(sorted: $0, key: keyOfName) } ?? self }

  func key(of name: [UInt8]) -> UInt64 { keyOfName(name) }

  /// - Parameter name: relative to the directory of the set.
  func contains(_ name: [UInt8]) -> Bool {
    keys.sortedIndex(of: keyOfName(name)) != nil
  }

  static func sorted(_ keys: [UInt64]) -> [UInt64] {
    var keys = keys
    keys.sort()
    var count = 0
    for key in keys where count == 0 || keys[count - 1] != key {
      keys[count] = key
      count += 1
    }
    keys.removeLast(keys.count - count)
    return keys
  }

  /// Whether each of the sorted keys is one of the other sorted ones.
  static func isSubset(_ keys: [UInt64], of others: [UInt64]) -> Bool {
    var index = others.startIndex
    for key in keys {
      while index < others.endIndex, others[index] < key { index += 1 }
      guard index < others.endIndex, others[index] == key else { return false }
    }
    return true
  }
}
