import Glibc
import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Simulated downloads` {
  /// How many worlds, and from which seed: `SWIFTGET_SIMULATION_ROUNDS` and `SWIFTGET_SIMULATION_SEED` override.
  static let rounds = environment("SWIFTGET_SIMULATION_ROUNDS").map(Int.init(clamping:)) ?? 300
  static let firstSeed = environment("SWIFTGET_SIMULATION_SEED") ?? 1

  static func environment(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

  static func play(_ seed: UInt64, isTracing: Bool = false) -> SimulatedDownload {
    var random = SeededGenerator(seed: seed)
    let world = SimulatedWorld(&random)
    let download = SimulatedDownload(world, random: random, isTracing: isTracing)
    download.play()
    return download
  }

  /// The problems of a seed with the end of what led to them; nil where there are none.
  static func report(_ seed: UInt64) -> Comment? {
    guard !play(seed).problems.isEmpty else { return nil }
    let again = play(seed, isTracing: true)
    return """
      seed \(seed): \(again.problems.joined(separator: "; "))
      settings: \(again.world.settings.tries) tries; sources: \(again.world.sources)
      \(again.trace.suffix(400).joined(separator: "\n"))
      """
  }

  @Test func `a file is one version, whole, or absent, and present where it could be had`() {
    var failures = 0
    for round in 0..<Self.rounds {
      guard let report = Self.report(Self.firstSeed &+ UInt64(round)) else { continue }
      Issue.record(report)
      failures += 1
      if failures == 3 { break }
    }
  }
}
