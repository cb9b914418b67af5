import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Sets of byte ranges` {
  @Test func `adjacent ranges merge and only new bytes are counted`() {
    var set = ByteRangeSet()
    var added = set.insert(10..<20)
    #expect(added == 10)
    added = set.insert(20..<30)
    #expect(added == 10)
    added = set.insert(15..<25)
    #expect(added == 0)
    added = set.insert(5..<12)
    #expect(added == 5)
    added = set.insert(40..<40)
    #expect(added == 0)
    added = set.insert(35..<60)
    #expect(added == 25)
    #expect(set.ranges == [5..<30, 35..<60])
    #expect(set.byteCount == 50)
    #expect(set.contiguousEnd == 0)
    added = set.insert(0..<100)
    #expect(added == 50)
    #expect(set.ranges == [0..<100])
    #expect(set.contiguousEnd == 100)
  }

  @Test func `the extreme offsets do not overflow`() {
    var set = ByteRangeSet([0..<1, Int64.max - 1..<Int64.max])
    #expect(set.byteCount == 2)
    let added = set.insert(0..<Int64.max)
    #expect(added == Int64.max - 2)
    #expect(set.gaps(in: 0..<Int64.max).isEmpty)
    set.remove(1..<Int64.max)
    #expect(set.ranges == [0..<1])
  }

  /// The model is a plain set of offsets.
  @Test func `random operations agree with a set of offsets`() {
    for seed in UInt64(1)...60 {
      var random = SeededGenerator(seed: seed)
      var set = ByteRangeSet()
      var model: Set<Int64> = []
      for _ in 0..<60 {
        let start = Int64.random(in: 0...60, using: &random)
        let range = start..<start + Int64.random(in: 0...20, using: &random)
        if Bool.random(using: &random) {
          let added = set.insert(range)
          #expect(added == Int64(range.filter { !model.contains($0) }.count), "seed \(seed)")
          model.formUnion(range)
        } else {
          set.remove(range)
          model.subtract(range)
        }
        #expect(set.byteCount == Int64(model.count), "seed \(seed)")
        #expect(Set(set.ranges.joined()) == model, "seed \(seed)")
        #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "seed \(seed)")
        #expect(set.contiguousEnd == Int64((0...).first { !model.contains(Int64($0)) }!), "seed \(seed)")
        let probe = start..<start + Int64.random(in: 0...5, using: &random)
        #expect(set.contains(probe) == probe.allSatisfy { model.contains($0) }, "seed \(seed)")
        #expect(set.overlaps(probe) == probe.contains { model.contains($0) }, "seed \(seed)")
        #expect(Set(set.gaps(in: probe).joined()) == Set(probe).subtracting(model), "seed \(seed)")
      }
    }
  }
}
