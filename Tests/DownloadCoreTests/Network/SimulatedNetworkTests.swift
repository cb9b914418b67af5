import Glibc
import Testing

@testable import TestSupport

/// Runs of the machines in random networks, compared with the best fixed number of connections.
@Suite struct `Simulated networks` {
  /// The number of worlds and the first seed; `SWIFTGET_NETWORK_ROUNDS` and `SWIFTGET_NETWORK_SEED` override them.
  static let rounds = environment("SWIFTGET_NETWORK_ROUNDS").map(Int.init(clamping:)) ?? 60
  static let firstSeed = environment("SWIFTGET_NETWORK_SEED") ?? 1

  static func environment(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

  /// The result of one world.
  struct Round {
    let seed: UInt64
    let run: NetworkRun
    let time: Double
    let best: (time: Double, connections: Int)

    init(seed: UInt64) {
      self.seed = seed
      var random = SeededGenerator(seed: seed)
      let world = NetworkWorld(&random)
      best = FixedRun.best(world, seed: seed)
      let run = NetworkRun(world, seed: seed)
      time = run.play()
      self.run = run
    }

    /// The time as a part of the allowed time; above 1 is too slow.
    var slowness: Double { time / (best.time * 1.1 + 20 * run.world.roundTrip) }

    var text: String {
      "seed \(seed): \(time) s where \(best.connections) connections take \(best.time) s; \(run.world.files.count) files"
    }
  }

  @Test func `in 19 of 20 worlds no fixed number of connections is much faster`() {
    var rounds: [Round] = []
    for seed in 0..<UInt64(Self.rounds) { rounds.append(Round(seed: Self.firstSeed &+ seed)) }
    for kind in [true, false] {
      let part = rounds.filter { ($0.run.world.files.count == 1) == kind }.sorted { $0.slowness > $1.slowness }
      let slowCount = part.count { $0.slowness > 1 }
      let worst = part.prefix(10).map { "\(Int($0.slowness * 100)) % \($0.text)" }.joined(separator: "\n")
      // A few more are allowed, because a small sample varies.
      let allowed = part.count / 20 + (part.count < 500 ? 3 : 0)
      #expect(slowCount <= allowed, "\(slowCount) of \(part.count) are too slow:\n\(worst)")
      #expect(part.count > Self.rounds / 5)
    }
    for round in rounds {
      #expect(round.run.problems.isEmpty, "\(round.text): \(round.run.problems)")
      // The first burst determines the limit. Later trials to raise it become rarer.
      let late = round.run.refusalCount(after: 0.5 + 4 * round.run.world.roundTrip)
      #expect(Double(late) <= 3 + log2(1 + round.time), "\(round.text): \(late) refused after the limit was known")
    }
    let duplicated = rounds.filter { $0.run.duplicatePart > 0.02 }
    #expect(duplicated.isEmpty, "\(duplicated.map { "\($0.text): \($0.run.duplicatePart)" })")
  }

  // MARK: Single worlds

  private func play(_ files: [Int64], seed: UInt64 = 1, _ change: (inout NetworkWorld) -> Void) -> NetworkRun {
    var world = NetworkWorld(files: files)
    change(&world)
    let run = NetworkRun(world, seed: seed)
    run.play()
    #expect(run.problems.isEmpty, "\(run.problems)")
    return run
  }

  /// Bytes per second of a connection and of the file, and the bytes of a burst.
  @Test(arguments: [
    (200e3, 16e6, 200e3), (1e6, 16e6, 1e6), (1e6, 64e6, 1e6), (2e6, 64e6, 2e6), (4e6, 64e6, 2.5e6),
    (8e6, 256e6, 2.5e6),
  ])
  func `a server that sends to each connection in bursts gets all connections`(
    rate: Double, size: Double, piece: Double
  ) {
    var world = NetworkWorld(files: [Int64(size)])
    world.roundTrip = 0.000_2
    world.bandwidth = 1e9
    world.connectionPolicer = .init(burst: piece, rate: rate, sendsPieces: true)
    let run = NetworkRun(world, seed: 1)
    let seconds = run.play()
    let best = FixedRun.best(world, seed: 1)
    // Each step is measured for some hundred milliseconds, and the number of requests is limited, so that at the end not
    // every rest can be divided.
    #expect(seconds < 2 * best.time + 0.8, "\(seconds) s instead of \(best); \(run.counts.map(\.count))")
  }

  @Test func `if one connection in four is slow, the time grows by less than a third`() {
    func play(seed: UInt64, crawls: Bool) -> NetworkRun {
      self.play([64 << 20], seed: seed) {
        $0.connectionRate = 8 * 1_048_576
        if crawls { $0.crawl = (4, 65_536) }
      }
    }
    let usual = play(seed: 0, crawls: false).network.now
    var times: [Double] = []
    for seed in UInt64(1)...21 {
      let run = play(seed: seed, crawls: true)
      times.append(run.network.now)
      #expect(run.duplicatePart <= 0.02)
    }
    times.sort()
    #expect(times[10] <= 1.3 * usual, "\(times) s, and \(usual) s without")
    #expect(times[20] <= 2.2 * usual, "\(times) s, and \(usual) s without")
  }

  @Test func `if one connection is as fast as many, at most two are kept`() {
    let run = play([2 << 30]) { $0.bandwidth = 1e9 }
    let late = run.counts.filter { $0.time > 0.5 }
    #expect(late.count { $0.count > 2 } < late.count / 10, "\(run.counts.map(\.count))")
  }

  @Test func `if the rate is limited for each connection, sixteen are used`() {
    let run = play([256 << 20]) { $0.connectionRate = 8 * 1_048_576 }
    #expect(run.counts.map(\.count).max() == 16)
    // Two seconds at the rate of all of them. The last segments of 128 KiB are not divided.
    #expect(run.network.now < 2.15, "\(run.network.now)")
  }

  @Test func `200 files arrive with few refusals from a server that allows two connections`() {
    for seed in UInt64(1)...5 {
      let run = play(Array(repeating: 500_000, count: 200), seed: seed) {
        $0.connectionLimit = 2
        $0.connectionRate = 5e6
        $0.refusal = NetworkWorld.Refusal.allCases[Int(seed) % 3]
      }
      #expect(run.refusals.count <= 10, "\(run.refusals)")
    }
  }

  @Test func `many files from a distant host get many connections within a few round trips`() {
    let run = play(Array(repeating: 20_480, count: 500)) { $0.roundTrip = 0.1 }
    #expect(run.counts.map(\.count).max() == 64)
    let fifty = FixedRun.time(run.world, connections: 50, seed: 1)
    #expect(run.network.now <= fifty, "\(run.network.now) s, and \(fifty) s with fifty from the start")
  }

  @Test func `the connections of one file to a distant host are opened together`() {
    let run = play([128 << 20]) {
      $0.roundTrip = 0.1
      $0.window = 1e6
    }
    // The minimum is two round trips, a slow start of seven, and then sixteen windows in each round trip.
    #expect(run.network.now < 2.0, "\(run.network.now)")
    #expect(run.counts.first { $0.count == 16 }?.time ?? 99 < 0.35)
  }
}
