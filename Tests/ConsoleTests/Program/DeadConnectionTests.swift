import TestSupport
import Testing

/// Connections that die without a word, while the server stays reachable over new ones.
@Suite struct `A connection that dies in silence` {
  private let place: Workplace
  private let names = (0..<200).map { "f\($0)" }

  init() throws { place = try Workplace() }

  private func content(_ name: String) -> Content {
    .generated(seed: UInt64(name.dropFirst()) ?? 0, byteCount: 60_000)
  }

  @Test(arguments: [false, true])
  func `is given up with all its streams, and what was under way goes on over a new one`(isMultiplexed: Bool) throws {
    let server = try RealServer.nginx {
      $0.speaksTLS = isMultiplexed
      $0.offersHTTP2 = isMultiplexed
      $0.bytesPerSecondOfRequest = 30_000
    }
    for name in names { try server.serve(name, content(name)) }
    let relay = try DeafRelay(to: server.port)
    let root = "\(isMultiplexed ? "https" : "http")://127.0.0.1:\(relay.port)/"
    let trust = isMultiplexed ? ["--cacert", try TestAuthority.shared().authorityPath] : []
    let program = try SpawnedProgram(
      place.invocation(trust + ["-T", "1", "-t", "3"] + names.map { root + $0 }))

    #expect(eventually { relay.byteCount > 500_000 })
    let before = relay.connectionCount
    relay.goDeaf()
    let result = program.wait()
    #expect(result.status == 0 && !result.timedOut, "\(result.told)")
    for name in names { #expect(place.holds(name, content(name)), "\(name)") }
    #expect(relay.connectionCount > before)
  }
}
