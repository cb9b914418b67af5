import TestSupport
import Testing

@testable import DownloadScratch

@Suite struct `A set of numbers` {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `has what was inserted`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var set = NumberSet()
    var expected: Set<Int> = []
    for _ in 0..<100 {
      let number = Int.random(in: 0..<500, using: &generator)
      #expect(set.insert(number) == expected.insert(number).inserted)
    }
    #expect((0..<1000).filter(set.contains) == expected.sorted() && set.count == expected.count)
  }
}
