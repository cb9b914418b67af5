/// One of the parts into which a run is divided by the names of its files (`--shard`).
///
/// A file belongs to the shard that its name selects, whatever other files there are: the first eight hexadecimal digits
/// of the SHA-256 digest of the name, as a number, modulo the number of shards.
package struct Shard: Sendable, Equatable {
  /// Valid numbers of shards.
  package static let counts: ClosedRange<Int64> = 1...1_000_000

  /// Counted from 1.
  package let number: Int
  package let count: Int

  /// - Returns: nil unless the count is valid and the number from 1 to the count.
  package init?(number: Int64, of count: Int64) {
    guard Self.counts.contains(count), number >= 1, number <= count else { return nil }
    self.number = Int(number)
    self.count = Int(count)
  }

  /// - Parameter digest: the SHA-256 digest of the name.
  package func contains(digest: some Collection<UInt8>) -> Bool {
    digest.prefix(4).reduce(0) { $0 << 8 | Int($1) } % count == number - 1
  }

  /// `2/16`
  package var text: String { "\(number)/\(count)" }
}
