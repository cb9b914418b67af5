import TestSupport
import Testing

@testable import DownloadCore

/// The number of requests to a server that fails to serve ranges, for any speeds.
@Suite struct `Simulated cost` {
  static let rounds = max(60, `Simulated downloads`.rounds / 8)
  static let connections = 16
  static let tries = 3

  enum Uselessness: String, CaseIterable, Sendable { case oneByteOfEach, oneByteRange, emptyRange, status500 }

  /// One file over links of any speed. The first answer is complete or cut, and ranges bring almost nothing.
  static func world(_ uselessness: Uselessness, seed: UInt64) -> (SimulatedWorld, SeededGenerator) {
    var random = SeededGenerator(seed: seed)
    var behaviour = Behaviour()
    if Bool.random(using: &random) { behaviour.cut = 100_000...100_000 }
    switch uselessness {
    case .oneByteOfEach: behaviour.rangeCut = 1
    case .oneByteRange, .emptyRange:
      behaviour.lies = [uselessness == .oneByteRange ? .oneByteRange : .emptyRange]
      behaviour.lieProbability = 1
    case .status500: behaviour.rangeStatus = 500
    }
    var host = Host()
    host.roundTrip = .microseconds([100, 1000, 5000, 20_000, 200_000].randomElement(using: &random)!)
    host.connectionRate = [2e4, 1e5, 1e6, 1e7].randomElement(using: &random)!
    host.totalRate = host.connectionRate * [1, 4, 16].randomElement(using: &random)!
    let length: Int64 = [300_000, 300_000, 6_000_000, 60_000_000].randomElement(using: &random)!
    let file = SimulatedFile(item: 0, length: length, modified: SimulatedDownload.unixStart - 100_000)
    var world = SimulatedWorld(file: file, hosts: [host], sources: [behaviour])
    world.settings.file.tries = Self.tries
    world.settings.file.minSplitSize = [nil, 64 << 10, 1_000_000].randomElement(using: &random)!
    world.settings.file.maxConnections = Self.connections
    return (world, random)
  }

  /// Servers and links of any speed; nothing fails.
  private static func soundWorld(seed: UInt64) -> (SimulatedWorld, SeededGenerator) {
    var random = SeededGenerator(seed: seed)
    var host = Host()
    host.roundTrip = .microseconds([100, 1000, 20_000, 100_000, 300_000].randomElement(using: &random)!)
    host.connectionRate = [1e5, 5e5, 1e6, 1e7].randomElement(using: &random)!
    host.totalRate = host.connectionRate * [1, 3, 16, 64].randomElement(using: &random)!
    let length = Int64.random(
      in: 1...[1 << 20, 6 << 20, 60 << 20, 300 << 20].randomElement(using: &random)!, using: &random)
    let file = SimulatedFile(item: 0, length: length, modified: SimulatedDownload.unixStart - 100_000)
    var world = SimulatedWorld(file: file, hosts: [host], sources: [Behaviour()])
    world.settings.file.minSplitSize = [nil, nil, 64 << 10, 1_000_000, 20 << 20].randomElement(using: &random)!
    world.settings.file.maxConnections = [16, 16, 2, 5, 16, 40].randomElement(using: &random)!
    return (world, random)
  }

  /// The oracle counts the requests and looks at their sizes.
  @Test func `a file takes few requests, of which none is short, and uses its connections`() {
    var slow: [String] = []
    for seed in 1...UInt64(Self.rounds * 2) {
      let (world, random) = Self.soundWorld(seed: seed)
      let host = world.hosts[0]
      let download = SimulatedDownload(world, seed: seed, random: random)
      #expect(download.clean[0])
      download.play()
      if !download.problems.isEmpty {
        let again = SimulatedDownload(world, seed: seed, random: random, isTracing: true)
        again.play()
        Issue.record("seed \(seed): \(again.problems) \(host)\n\(again.trace.suffix(200).joined(separator: "\n"))")
      }
      let settings = download.run.fileSettings
      let length = world.files[0].current.length
      let mostParts = settings.minSplitSize.map { max(1, Int(length / $0)) } ?? .max
      let rate = min(host.totalRate, host.connectionRate * Double(min(settings.maxConnections, mostParts)))
      let ideal = Double(length) / rate
      // With few requests the last connections finish one after another.
      if download.now.inSeconds > 2 * ideal + 2 + 30 * host.roundTrip.inSeconds {
        slow.append("seed \(seed): \(download.now.inSeconds) s, at best \(ideal) s")
      }
    }
    #expect(slow.count <= Self.rounds / 20, "\(slow.count): \(slow.joined(separator: "\n"))")
  }

  @Test(arguments: Uselessness.allCases)
  func `the number of ranges without progress is limited`(uselessness: Uselessness) {
    var worst = 0
    for seed in 1...UInt64(Self.rounds) {
      let (world, random) = Self.world(uselessness, seed: seed)
      let download = SimulatedDownload(world, seed: seed, random: random)
      download.play()
      worst = max(worst, download.items[0].requestCount)
      // One burst of connections that are opened together, then the tries of ranges beside the first answer, of ranges
      // alone, and of the whole. The latter are counted again after progress.
      let length = world.files[0].current.length
      let limit = length <= 300_000 ? 12 : Self.connections + 5 * Self.tries
      #expect(
        download.items[0].requestCount <= limit,
        "seed \(seed): \(download.items[0].requestCount) requests; \(world.sources) \(world.hosts[0].roundTrip)")
      #expect(download.problems.isEmpty, "seed \(seed): \(download.problems)")
    }
    #expect(worst > 1)
  }
}
