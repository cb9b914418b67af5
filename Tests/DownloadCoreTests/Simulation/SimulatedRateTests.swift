import TestSupport
import Testing

@testable import DownloadCore

/// Many small files from one host with a limit. Times are those of the simulated clock.
@Suite struct `Simulated request rates` {
  /// `SWIFTGET_SIMULATION_ROUNDS` raises it.
  static let rounds = max(60, `Simulated downloads`.rounds / 10)
  static let count = 300

  /// A host with short round trips and plenty of bandwidth.
  private static func host(_ random: inout SeededGenerator) -> Host {
    var host = Host()
    host.roundTrip = .microseconds([500, 1000, 2000].randomElement(using: &random)!)
    host.connectionRate = 1e8
    host.totalRate = 1e8
    return host
  }

  private static func rateLimit(_ random: inout SeededGenerator) -> SimulatedRateLimit {
    SimulatedRateLimit(
      rate: [5, 10, 20, 50, 100, 200, 500].randomElement(using: &random)!,
      burst: [0, 1, 5, 20].randomElement(using: &random)!, status: [429, 503].randomElement(using: &random)!)
  }

  private static func play(_ host: Host, seed: UInt64, _ random: inout SeededGenerator) -> SimulatedDownload {
    let modified = SimulatedDownload.unixStart - 100_000
    var world = SimulatedWorld(
      file: SimulatedFile(item: 0, length: 4096, modified: modified), hosts: [host], sources: [Behaviour()])
    for item in 1..<Self.count {
      let length = Int64.random(in: 1...8192, using: &random)
      world.files.append(SimulatedFile(item: item, length: length, modified: modified))
      world.sources.append([Behaviour()])
      world.locations.append([
        Location(scheme: .https, host: "host.example", port: 8000, path: "/\(item)/0", query: nil)
      ])
    }
    let download = SimulatedDownload(world, seed: seed, random: random)
    download.play()
    return download
  }

  private static func hasAll(_ download: SimulatedDownload) -> Bool {
    download.problems.isEmpty
      && download.items.allSatisfy { if case .concluded? = $0.result { true } else { false } }
  }

  @Test func `files from a host that limits the rate take little longer than they must, and few are refused`() {
    for seed in UInt64(1)...UInt64(Self.rounds) {
      var random = SeededGenerator(seed: seed)
      var host = Self.host(&random)
      let drawn = Self.rateLimit(&random)
      host.rateLimit = drawn
      let download = Self.play(host, seed: seed, &random)
      let refusedCount = download.world.hosts[0].rateLimit!.refusedCount
      let ideal = Double(Self.count - 1 - drawn.burst) / drawn.rate
      let seconds = download.now.inSeconds
      let told = "seed \(seed): \(drawn), \(host.roundTrip): \(refusedCount) refused, \(seconds) s, at best \(ideal) s"
      #expect(Self.hasAll(download), "\(told) \(download.problems)")
      #expect(seconds <= 1.3 * ideal + 0.1 + 20 * host.roundTrip.inSeconds, "\(told)")
      #expect(refusedCount <= 60, "\(told)")
    }
  }

  /// Up to 64 requests are under way when the first refusal arrives.
  @Test func `so do files from a distant host, after the first refusals`() {
    for seed in UInt64(1)...UInt64(Self.rounds) {
      var random = SeededGenerator(seed: seed)
      var host = Self.host(&random)
      host.roundTrip = .milliseconds(Int64.random(in: 5...100, using: &random))
      let drawn = Self.rateLimit(&random)
      host.rateLimit = drawn
      let download = Self.play(host, seed: seed, &random)
      let refusedCount = download.world.hosts[0].rateLimit!.refusedCount
      let told = "seed \(seed): \(drawn), \(host.roundTrip): \(refusedCount) refused, \(download.now.inSeconds) s"
      #expect(Self.hasAll(download), "\(told) \(download.problems)")
      #expect(refusedCount <= 64 + 60, "\(told)")
    }
  }

  /// Of a distant host up to 64 requests are under way when the first refusal arrives, as for rates.
  @Test(arguments: [(false, 24), (true, 64 + 16)])
  func `a host that limits concurrency is not taken for one that limits the rate`(isDistant: Bool, mostRefused: Int) {
    for seed in UInt64(1)...UInt64(Self.rounds) {
      var random = SeededGenerator(seed: seed)
      var host = Self.host(&random)
      if isDistant { host.roundTrip = .milliseconds(Int64.random(in: 10...200, using: &random)) }
      host.connectionRate = 1e6
      host.connectionLimit = Int.random(in: 1...12, using: &random)
      let download = Self.play(host, seed: seed, &random)
      let refusedCount = download.items.reduce(0) { $0 + $1.requestCount } - Self.count
      let governor = download.run.governor(of: download.world.locations[0][0].origin)
      let told = "seed \(seed): \(host.connectionLimit), \(host.roundTrip): \(refusedCount) refused"
      #expect(Self.hasAll(download), "\(told) \(download.problems)")
      #expect(governor?.requestRate.isPaced == false, "\(told)")
      #expect(refusedCount <= mostRefused, "\(told)")
    }
  }

  /// Ranges are requests as well.
  @Test func `one large file is complete in spite of a limit on the rate, and not slowed down without one`() {
    for seed in UInt64(1)...UInt64(Self.rounds / 3) {
      var random = SeededGenerator(seed: seed)
      var host = Self.host(&random)
      host.connectionRate = 1e6
      host.totalRate = 8e6
      let file = SimulatedFile(item: 0, length: 40_000_000, modified: SimulatedDownload.unixStart - 100_000)
      let drawn = Self.rateLimit(&random)
      for limit in [nil, drawn] {
        host.rateLimit = limit
        let world = SimulatedWorld(file: file, hosts: [host], sources: [Behaviour()])
        let download = SimulatedDownload(world, seed: seed, random: random)
        download.play()
        let told = "seed \(seed): \(String(describing: limit)), \(download.now.inSeconds) s"
        #expect(Self.hasAll(download), "\(told) \(download.problems)")
        // Five seconds at best, and forty over one connection.
        #expect(download.now.inSeconds < (limit == nil ? 7 : 48), "\(told)")
      }
    }
  }
}
