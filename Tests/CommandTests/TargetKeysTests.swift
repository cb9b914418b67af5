import TestSupport
import Testing

@testable import DownloadLists

@Suite struct `Keys of targets` {
  @Test(arguments: [0, 1, 1000, TargetKeys.blockKeyCount, 3 * TargetKeys.blockKeyCount + 17])
  func `that are there more than once are found, or also of a directory`(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    // Few different ones, and those at the ends of all values.
    for most in [UInt64(count) * 2, .max] {
      var keys = TargetKeys()
      var counts: [UInt64: Int] = [:]
      var directories: Set<UInt64> = []
      for number in 0..<count {
        let isExtreme = number % 20_000 == 10
        let key = isExtreme ? (number % 3 == 0 ? 0 : .max) : UInt64.random(in: 0...most, using: &random)
        if number % 5 == 0 {
          keys.append(directory: key)
          directories.insert(TargetKeys.kept(key))
        } else {
          keys.append(key)
          counts[TargetKeys.kept(key), default: 0] += 1
        }
      }
      let found = counts.filter { $0.value > 1 || directories.contains($0.key) }
      #expect(keys.count == counts.values.reduce(0, +))
      #expect(keys.takeRepeated() == found.keys.sorted())
      #expect(keys.count == 0)
    }
  }
}
