import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Numbers found by hashes` {
  @Test func `are those that were inserted since the table grew, whatever their hashes`() {
    var random = SeededGenerator(seed: 7)
    for mask in [UInt64.max, 0xff, 0xff << 56, 0] {
      var table = HashedNumbers()
      var hashes: [UInt64] = []
      for number in 0..<500 {
        if table.isFull {
          table.grow()
          for (number, hash) in hashes.enumerated() { table.insert(number, hash) }
        }
        hashes.append(UInt64.random(in: 0...UInt64.max, using: &random) & mask)
        table.insert(number, hashes[number])
      }
      for (number, hash) in hashes.enumerated() { #expect(table.first(hash) { $0 == number } == number) }
      #expect(table.first(0) { _ in false } == nil)
      table.grow()
      #expect(table.first(hashes[0]) { _ in true } == nil)
    }
  }
}
