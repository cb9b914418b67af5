import TestSupport
import Testing

@testable import DownloadCore

/// One file with fast mirrors and mirrors that crawl, in any order; whoever answers first.
@Suite struct `Simulated crawling mirrors` {
  static let rounds = max(80, `Simulated downloads`.rounds / 8)
  static let length: Int64 = 64 << 20

  /// - Parameter crawlsAlone: whether no mirror is fast.
  static func world(_ random: inout SeededGenerator, crawlsAlone: Bool) -> SimulatedWorld {
    let file = SimulatedFile(
      item: 0, length: crawlsAlone ? 100_000 : length, modified: SimulatedDownload.unixStart - 100_000)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: file.digestVersion = 0
    case 1: file.pieceLength = [256 << 10, 4 << 20].randomElement(using: &random)!
    default: break
    }
    if Bool.random(using: &random) { file.expectedLength = file.current.length }
    let count = Int.random(in: 2...4, using: &random)
    let fastCount = crawlsAlone ? 0 : Int.random(in: 1..<count, using: &random)
    let hosts = (0..<count).map { mirror in
      var host = Host()
      let rate =
        mirror < fastCount
        ? Double.random(in: 5e6...30e6, using: &random) : Double.random(in: 1e3...20e3, using: &random)
      host.totalRate = rate
      host.connectionRate = rate * [1, 0.25].randomElement(using: &random)!
      host.roundTrip = .milliseconds([1, 20, 100, 500].randomElement(using: &random)!)
      if mirror < fastCount { host.crawlsFor = .milliseconds([0, 0, 500, 2000].randomElement(using: &random)!) }
      return host
    }.shuffled(using: &random)
    var behaviour = Behaviour()
    // Without a digest such mirrors are used one at a time.
    behaviour.hasOwnTags = Bool.random(using: &random)
    return SimulatedWorld(file: file, hosts: hosts, sources: hosts.map { _ in behaviour })
  }

  private static func play(_ seed: UInt64, crawlsAlone: Bool, isTracing: Bool = false) -> SimulatedDownload {
    var random = SeededGenerator(seed: seed)
    let world = world(&random, crawlsAlone: crawlsAlone)
    let download = SimulatedDownload(world, seed: seed, random: random, isTracing: isTracing)
    download.play()
    return download
  }

  @Test func `a file is not left to a mirror that crawls`() {
    var worst = 0.0
    for seed in UInt64(1)...UInt64(Self.rounds) {
      let download = Self.play(seed, crawlsAlone: false)
      worst = max(worst, download.now.inSeconds)
      // At 1.25 MB/s it takes 54 s.
      if download.problems.isEmpty, download.items[0].result != nil, download.now.inSeconds < 90 { continue }
      let again = Self.play(seed, crawlsAlone: false, isTracing: true)
      Issue.record(
        """
        seed \(seed): \(again.now.inSeconds) s \(again.problems) \(again.world.hosts.dropLast(again.world.hosts.count / 2))
        \(again.trace.filter { !$0.contains("advanced") }.prefix(300).joined(separator: "\n"))
        """)
      return
    }
    #expect(worst > 2)
  }

  @Test func `where all mirrors crawl the file comes, too`() {
    for seed in UInt64(1)...UInt64(Self.rounds / 4) {
      let download = Self.play(seed, crawlsAlone: true)
      #expect(
        download.problems.isEmpty && download.items[0].result == .concluded(version: 0, length: 100_000), "seed \(seed)"
      )
    }
  }
}
