import Glibc

/// Random numbers determined by a seed (SplitMix64, Steele, Lea and Flood 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A mutated copy of `sample`: bytes set, inserted, deleted, doubled or cut, one to six times.
  ///
  /// Half of the new bytes are from `alphabet`, which should contain the bytes with a meaning for the parser.
  package mutating func mutate(_ sample: [UInt8], alphabet: [UInt8]) -> [UInt8] {
    var bytes = sample
    for _ in 0..<Int.random(in: 1...6, using: &self) {
      let index = Int.random(in: 0...bytes.count, using: &self)
      let byte =
        Bool.random(using: &self)
        ? alphabet.randomElement(using: &self) ?? 0 : UInt8.random(in: 0...255, using: &self)
      switch Int.random(in: 0..<6, using: &self) {
      case 0 where index < bytes.count: bytes[index] = byte
      case 1 where index < bytes.count: bytes.remove(at: index)
      case 2: bytes.removeLast(bytes.count - index)
      case 3:
        let length = min(bytes.count - index, Int.random(in: 1...8, using: &self))
        bytes.insert(contentsOf: bytes[index..<index + length], at: index)
      default: bytes.insert(byte, at: index)
      }
    }
    return bytes
  }
}

/// Rounds and seed of fuzz tests. `SWIFTGET_FUZZ_ROUNDS` and `SWIFTGET_FUZZ_SEED` override them.
package enum Fuzz {
  package static let rounds = environment("SWIFTGET_FUZZ_ROUNDS").map(Int.init(clamping:)) ?? 20_000
  package static let seed = environment("SWIFTGET_FUZZ_SEED") ?? 20_261_120

  /// Calls `body` in each round with a generator and its seed. To repeat a single round, set `SWIFTGET_FUZZ_SEED` to
  /// that seed and `SWIFTGET_FUZZ_ROUNDS` to 1.
  ///
  /// `body` returns whether the input was accepted. The run returns whether at least one input in 500 was accepted,
  /// because a test whose inputs are all rejected proves little. Short runs always return true.
  package static func run(_ body: (inout SeededGenerator, _ seed: UInt64) throws -> Bool) rethrows -> Bool {
    var taken = 0
    for round in 0..<rounds {
      let seed = seed &+ UInt64(round)
      var generator = SeededGenerator(seed: seed)
      if try body(&generator, seed) { taken += 1 }
    }
    return taken * 500 >= rounds || rounds < 1000
  }

  private static func environment(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }
}
