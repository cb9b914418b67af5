import TestSupport
import Testing

@testable import DownloadHashing

@Suite struct `Results in order` {
  @Test func `come by their numbers, in whatever order they are put`() {
    for seed in 0..<200 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let window = Int.random(in: 1...9, using: &generator)
      var results = OrderedResults<Int>(window: window)
      var begun: [Int] = []
      var taken: [Int] = []
      while taken.count < 40 {
        if results.hasRoom, taken.count + begun.count < 200, Bool.random(using: &generator) {
          begun.append(results.begin())
        } else if let index = begun.indices.randomElement(using: &generator) {
          let number = begun.remove(at: index)
          results.put(number * 10, number: number)
        }
        while let value = results.take() { taken.append(value) }
        #expect(begun.count <= window, "seed \(seed)")
      }
      #expect(taken == taken.indices.map { $0 * 10 }, "seed \(seed)")
    }
  }

  @Test func `have no room beyond the window until the first one is taken`() {
    var results = OrderedResults<String>(window: 2)
    let (first, second) = (results.begin(), results.begin())
    #expect(!results.hasRoom && !results.isEmpty)
    results.put("second", number: second)
    #expect(results.take() == nil && !results.hasRoom)
    results.put("first", number: first)
    #expect(results.take() == "first" && results.hasRoom)
    #expect(results.take() == "second" && results.isEmpty && results.take() == nil)
  }
}
