/// Different strings of bytes, numbered from 0 in the order in which they came, in a `ByteStore`. Each has a value, which is
/// stored beside it.
///
/// In memory: for each string the 6 to 9 bytes by which it is found, and a byte for its place.
package final class DistinctStrings {
  /// Each string, and behind it its value.
  private let stored: StoredStrings
  private var numbers = HashedNumbers()

  package init(_ store: any ByteStore) { stored = StoredStrings(store) }

  package var count: Int { stored.count / 2 }

  subscript(number: Int) -> [UInt8] { Array(stored[number * 2]) }

  package func value(of number: Int) -> ArraySlice<UInt8> { stored[number * 2 + 1] }

  /// The number of a string; nil for one that is not there.
  package func number(of string: [UInt8]) -> Int? { number(of: string, Self.hash(string[...])) }

  /// The number of a string, which is added if it is not there.
  ///
  /// - Parameter value: of a string that is added.
  package func insert(_ string: [UInt8], value: @autoclosure () -> [UInt8]) -> (number: Int, isNew: Bool) {
    let hash = Self.hash(string[...])
    if let number = number(of: string, hash) { return (number, false) }
    if numbers.isFull { grow() }
    numbers.insert(count, hash)
    stored.append(string)
    stored.append(value())
    return (count - 1, true)
  }

  private func number(of string: [UInt8], _ hash: UInt64) -> Int? {
    numbers.first(hash) { stored[$0 * 2].elementsEqual(string) }
  }

  private func grow() {
    numbers.grow()
    stored.visit { number, string in
      if number % 2 == 0 { numbers.insert(number / 2, Self.hash(string)) }
      return true
    }
  }

  /// Seeded anew for each process, so that no strings can be made to collide.
  private static func hash(_ string: ArraySlice<UInt8>) -> UInt64 {
    var hasher = Hasher()
    string.withUnsafeBytes { hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
