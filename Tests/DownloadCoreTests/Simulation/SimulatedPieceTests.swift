import TestSupport
import Testing

@testable import DownloadCore

/// One file with hashes of its pieces, an honest mirror that may break, and others that may lie.
@Suite struct `Simulated pieces` {
  static let rounds = max(300, `Simulated downloads`.rounds / 2)
  private static let length: Int64 = 8 << 20

  @Test func `a file with pieces is had if one mirror is honest, in any order and however often it breaks`() {
    for seed in UInt64(1)...UInt64(Self.rounds) {
      guard let report = Self.report(seed) else { continue }
      Issue.record(report)
      return
    }
  }

  /// - Returns: nil where the file is downloaded.
  private static func report(_ seed: UInt64) -> Comment? {
    func play(isTracing: Bool = false) -> SimulatedDownload {
      var random = SeededGenerator(seed: seed)
      let world = world(&random)
      let download = SimulatedDownload(
        world, seed: seed, random: random, hasSlowWriter: seed % 3 == 0, isTracing: isTracing)
      download.play()
      return download
    }
    let download = play()
    if download.problems.isEmpty, download.items[0].result == .concluded(version: 0, length: length) { return nil }
    let again = play(isTracing: true)
    return """
      seed \(seed): \(String(describing: again.items[0].result)) \(again.problems) \(again.world.sources)
      \(again.trace.suffix(400).joined(separator: "\n"))
      """
  }

  private static func world(_ random: inout SeededGenerator) -> SimulatedWorld {
    let file = SimulatedFile(item: 0, length: length, modified: SimulatedDownload.unixStart - 100_000)
    file.pieceLength = [64 << 10, 300_000, 1 << 20, 3 << 20].randomElement(using: &random)!
    let count = Int.random(in: 2...4, using: &random)
    var hosts: [Host] = []
    var sources: [Behaviour] = []
    for mirror in 0..<count {
      var host = Host()
      host.roundTrip = .milliseconds([1, 20, 100].randomElement(using: &random)!)
      host.connectionRate = [5e5, 1e6, 4e6].randomElement(using: &random)!
      host.totalRate = host.connectionRate * [1.0, 4.0].randomElement(using: &random)!
      var source = Behaviour()
      if Int.random(in: 0..<3, using: &random) > 0 {
        source.cut = 300_000...[300_000, 600_000].randomElement(using: &random)!
      }
      if mirror > 0 { spoil(&host, &source, file, &random) }
      if Int.random(in: 0..<3, using: &random) == 0 {
        source.tags = [.strong, .weak, .none].randomElement(using: &random)!
        source.hasOwnTags = Bool.random(using: &random)
        source.tellsDate = Bool.random(using: &random)
      }
      if mirror == 0, source.cut == nil { source.servesRanges = Int.random(in: 0..<4, using: &random) > 0 }
      hosts.append(host)
      sources.append(source)
    }
    let order = Array(0..<count).shuffled(using: &random)
    return SimulatedWorld(file: file, hosts: order.map { hosts[$0] }, sources: order.map { sources[$0] })
  }

  private static func spoil(
    _ host: inout Host, _ source: inout Behaviour, _ file: SimulatedFile, _ random: inout SeededGenerator
  ) {
    let last = length % file.pieceLength!
    switch Int.random(in: 0..<7, using: &random) {
    case 0: host.isDead = true
    case 1: source.status = [404, 500, 503].randomElement(using: &random)!
    case 2, 3:
      source.lies = [.undetectableVersion]
      source.lieProbability = [0.3, 1].randomElement(using: &random)!
    case 4:
      // Other content of the same length.
      source.otherVersion = SimulatedFile.Version(number: 900, length: length, modified: file.current.modified)
    case 5:
      // The same content, but shorter or longer. There are as many pieces, except where more follows a last one of full
      // length.
      let change =
        Bool.random(using: &random)
        ? -Int64.random(in: 1..<max(2, last == 0 ? file.pieceLength! : last), using: &random)
        : Int64.random(in: 0..<max(1, file.pieceLength! - last), using: &random)
      source.otherVersion = SimulatedFile.Version(number: 0, length: length + change, modified: file.current.modified)
    default:
      // What it brings again after a break would be no progress.
      source.servesRanges = false
      source.cut = nil
    }
  }
}
