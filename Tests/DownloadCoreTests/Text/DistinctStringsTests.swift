import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Different strings in a store` {
  @Test func `have the numbers and values of a dictionary`() {
    for seed in 0..<6 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let strings = DistinctStrings(MemoryBytes())
      var numbers: [[UInt8]: Int] = [:]
      var values: [[UInt8]] = []
      for step in 0..<3000 {
        let alphabet: ClosedRange<UInt8> = step % 3 == 0 ? 0...255 : 48...57
        let length = step % 500 == 0 ? 70_000 : Int.random(in: 0...4, using: &random)
        let string = (0..<length).map { _ in UInt8.random(in: alphabet, using: &random) }
        let value = Array("\(step)".utf8.prefix(step % 5))
        let (number, isNew) = strings.insert(string, value: value)
        #expect(isNew == (numbers[string] == nil), "seed \(seed), step \(step)")
        if isNew {
          numbers[string] = values.count
          values.append(value)
        }
        #expect(number == numbers[string], "seed \(seed), step \(step)")
        let other = Array("\(Int.random(in: 0...9999, using: &random))".utf8)
        #expect(strings.number(of: other) == numbers[other], "seed \(seed), step \(step)")
      }
      #expect(strings.count == values.count)
      for (string, number) in numbers {
        #expect(strings[number] == string && Array(strings.value(of: number)) == values[number], "seed \(seed)")
      }
    }
  }

  @Test func `whose store fails are looked for in vain, and soon`() {
    for callCount in 0..<60 {
      let strings = DistinctStrings(FailingBytes(after: callCount))
      for number in 0..<5000 { _ = strings.insert(Array("\(number)".utf8), value: [1]) }
      for number in stride(from: 0, to: strings.count, by: 100) {
        #expect(strings[number].count <= 4 && strings.value(of: number).count <= 1)
      }
    }
  }
}
