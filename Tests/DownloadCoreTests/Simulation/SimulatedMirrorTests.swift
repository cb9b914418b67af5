import TestSupport
import Testing

@testable import DownloadCore

/// One file with several mirrors, each with a host of its own. Times are those of the simulated clock.
@Suite struct `Simulated mirrors` {
  /// `SWIFTGET_SIMULATION_ROUNDS` raises it.
  static let rounds = max(60, `Simulated downloads`.rounds / 8)

  /// Bytes per second.
  static let mebi = 1_048_576.0

  /// A mirror's rate in total and for each connection, bytes per second.
  struct Mirror {
    var total: Double
    var ofConnection: Double
    var roundTrip = Duration.milliseconds(1)
    var behaviour = Behaviour()

    init(_ total: Double, ofConnection: Double? = nil) {
      self.total = total * mebi
      self.ofConnection = (ofConnection ?? total) * mebi
    }

    /// The rate over this number of connections.
    func rate(_ connections: Int) -> Double { min(total, ofConnection * Double(connections)) }
  }

  static func world(_ mirrors: [Mirror], mebibytes: Int64) -> SimulatedWorld {
    let file = SimulatedFile(item: 0, length: mebibytes << 20, modified: SimulatedDownload.unixStart - 100_000)
    let hosts = mirrors.map { mirror in
      var host = Host()
      host.totalRate = mirror.total
      host.connectionRate = mirror.ofConnection
      host.roundTrip = mirror.roundTrip
      return host
    }
    return SimulatedWorld(file: file, hosts: hosts, sources: mirrors.map(\.behaviour))
  }

  static func play(_ world: SimulatedWorld, seed: UInt64 = 1, isTracing: Bool = false) -> SimulatedDownload {
    let download = SimulatedDownload(world, seed: seed, random: SeededGenerator(seed: seed), isTracing: isTracing)
    download.play()
    return download
  }

  /// The seconds that all mirrors together need over the best choice of at most 16 connections.
  static func ideal(_ mirrors: [Mirror], mebibytes: Int64) -> Double {
    var connections = mirrors.map { _ in 1 }
    while connections.reduce(0, +) < 16 {
      let gains = mirrors.indices.map { mirrors[$0].rate(connections[$0] + 1) - mirrors[$0].rate(connections[$0]) }
      guard let best = gains.indices.max(by: { gains[$0] < gains[$1] }), gains[best] > 0 else { break }
      connections[best] += 1
    }
    return Double(mebibytes) * mebi / mirrors.indices.reduce(0) { $0 + mirrors[$1].rate(connections[$1]) }
  }

  @Test(arguments: [[30.0, 3], [3, 30]])
  func `a fast and a slow mirror take the time of the sum of their rates, in either order`(rates: [Double]) {
    let mirrors = rates.map { Mirror($0) }
    let download = Self.play(Self.world(mirrors, mebibytes: 128))
    #expect(download.problems.isEmpty && download.items[0].result == .concluded(version: 0, length: 128 << 20))
    #expect(download.now.inSeconds <= 1.1 * Self.ideal(mirrors, mebibytes: 128), "\(download.now.inSeconds)")
    #expect(download.items[0].received <= (128 << 20) * 102 / 100)
    for mirror in mirrors.indices {
      let share = Double(download.items[0].brought[mirror] ?? 0) / Double(128 << 20)
      #expect(abs(share - rates[mirror] / 33) < 0.02, "\(share)")
    }
  }

  @Test func `random mirrors nearly reach the sum of their rates`() {
    var slow: [String] = []
    let rounds = Self.rounds
    for seed in UInt64(1)...UInt64(rounds) {
      var random = SeededGenerator(seed: seed)
      let mirrors = (0..<Int.random(in: 2...4, using: &random)).map { _ in
        let rate = Double.random(in: 1...30, using: &random)
        var mirror = Mirror(rate, ofConnection: rate * [1, 1, 0.5, 0.2].randomElement(using: &random)!)
        mirror.roundTrip = .milliseconds([1, 10, 50].randomElement(using: &random)!)
        return mirror
      }
      let download = Self.play(Self.world(mirrors, mebibytes: 128), seed: seed)
      #expect(download.problems.isEmpty, "seed \(seed)")
      let roundTrip = mirrors.map(\.roundTrip.inSeconds).max()!
      let ideal = Self.ideal(mirrors, mebibytes: 128)
      if download.now.inSeconds > 1.1 * ideal + 20 * roundTrip {
        slow.append("seed \(seed): \(download.now.inSeconds) s, at best \(ideal) s")
      }
    }
    #expect(slow.count <= rounds / 20, "\(slow.count): \(slow.joined(separator: "\n"))")
  }

  /// A correct first mirror, and others with one of many faults.
  @Test func `a file is downloaded in spite of bad mirrors`() {
    for seed in UInt64(1)...UInt64(Self.rounds) {
      guard let report = Self.report(ofBadMirrors: seed) else { continue }
      Issue.record(report)
      return
    }
  }

  @Test(arguments: [789] as [UInt64])
  func `seeds of bad mirrors that once revealed a bug pass`(seed: UInt64) {
    if let report = Self.report(ofBadMirrors: seed) { Issue.record(report) }
  }

  /// - Returns: nil where the file is downloaded.
  private static func report(ofBadMirrors seed: UInt64) -> Comment? {
    var random = SeededGenerator(seed: seed)
    let world = badMirrors(&random)
    func isRight(_ download: SimulatedDownload) -> Bool {
      download.problems.isEmpty && download.items[0].result == .concluded(version: 0, length: 8 << 20)
    }
    if isRight(play(world, seed: seed)) { return nil }
    let again = play(world, seed: seed, isTracing: true)
    return """
      seed \(seed): \(String(describing: again.items[0].result)) \(again.problems) \(world.sources)
      \(again.trace.suffix(400).joined(separator: "\n"))
      """
  }

  private static func badMirrors(_ random: inout SeededGenerator) -> SimulatedWorld {
    let digestKind = Int.random(in: 0..<3, using: &random)
    let isVerified = digestKind > 0
    let file = SimulatedFile(item: 0, length: 8 << 20, modified: SimulatedDownload.unixStart - 100_000)
    if digestKind == 1 { file.digestVersion = 0 }
    if digestKind == 2 { file.pieceLength = [64 << 10, 300_000, 3 << 20].randomElement(using: &random)! }
    let count = Int.random(in: 2...4, using: &random)
    var hosts = (0..<count).map { _ in Host() }
    var sources = (0..<count).map { _ in Behaviour() }
    for mirror in 1..<count { spoil(&hosts[mirror], &sources[mirror], file, isVerified: isVerified, &random) }
    let order = Array(0..<count).shuffled(using: &random)
    // If lengths differ and there is no digest, the first mirror counts.
    let kept = isVerified ? order : Array(0..<count)
    return SimulatedWorld(file: file, hosts: kept.map { hosts[$0] }, sources: kept.map { sources[$0] })
  }

  private static func spoil(
    _ host: inout Host, _ source: inout Behaviour, _ file: SimulatedFile, isVerified: Bool,
    _ random: inout SeededGenerator
  ) {
    let other = SimulatedFile.Version(
      number: 900, length: Bool.random(using: &random) ? 8 << 20 : 7 << 20, modified: file.current.modified - 1000)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: host.isDead = true
    case 1: source.otherVersion = other
    case 2:
      source.lies = [isVerified ? .undetectableVersion : .otherCompleteLength]
      source.lieProbability = [0.3, 1].randomElement(using: &random)!
    case 3: host.connectionRate = 20_000
    case 4: source.cut = 0...300_000
    case 5: source.status = [404, 403, 500, 503].randomElement(using: &random)!
    case 6: host.trouble = (0..<30).map { _ in Host.Trouble.allCases.randomElement(using: &random)! }
    default: source.servesRanges = false
    }
    if !host.trouble.isEmpty { host.troubleProbability = 0.7 }
  }
}

extension Instant {
  var inSeconds: Double { (self - .zero).inSeconds }
}

extension SimulatedWorld {
  /// One file with one mirror for each host.
  init(file: SimulatedFile, hosts: [Host], sources: [Behaviour]) {
    files = [file]
    self.sources = [sources]
    self.hosts = hosts + hosts.map { _ in Host() }
    locations = [
      hosts.indices.map {
        Location(scheme: .https, host: "host.example", port: 8000 + UInt16($0), path: "/0/\($0)", query: nil)
      }
    ]
  }
}
