import TestSupport
import Testing

@testable import Console

@Suite struct `A set of items` {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `has what was inserted`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var items = ItemSet()
    var expected: Set<Int> = []
    for _ in 0..<100 {
      let item = Int.random(in: 0..<500, using: &generator)
      items.insert(item)
      expected.insert(item)
    }
    #expect((0..<1000).filter(items.contains) == expected.sorted() && items.count == expected.count)
  }
}
