import TestSupport
import Testing

@testable import Console

@Suite struct `A set of numbers` {
  @Test func `has those that were inserted`() {
    var random = SeededGenerator(seed: 1)
    var set = NumberSet(below: 130)
    var expected: Set<Int> = []
    for _ in 0..<300 {
      let number = Int.random(in: 0..<130, using: &random)
      #expect(set.insert(number) == expected.insert(number).inserted)
    }
    #expect((0..<130).filter { set.contains($0) } == expected.sorted())
    set.removeAll()
    #expect(!(0..<130).contains { set.contains($0) })
  }
}
