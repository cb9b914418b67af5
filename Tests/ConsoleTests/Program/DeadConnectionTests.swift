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

  /// It cannot have been answered, so it is no sign of life, and does not wait out a time limit of its own.
  @Test func `is given up with a stream that has just begun`() throws {
    let server = try RealServer.nginx {
      $0.speaksTLS = true
      $0.offersHTTP2 = true
      $0.bytesPerSecondOfRequest = 200_000
      // Without a version nothing is asked for a second time while the first still comes.
      $0.directives = "etag off; add_header Last-Modified '';"
    }
    let contents = [Content.generated(seed: 1, byteCount: 600_000), content("f1")]
    for (name, content) in zip(names, contents) { try server.serve(name, content) }
    let relay = try DeafRelay(to: server.port)
    let root = "https://127.0.0.1:\(relay.port)/"
    let isReleased = Locked(false)
    let gate = try ScriptedServer { _ in
      _ = eventually { isReleased.withLock { $0 } }
      return [.respond(302, headers: [("Location", root + "f1")])]
    }
    let program = try SpawnedProgram(
      place.invocation([
        "--cacert", try TestAuthority.shared().authorityPath, "-v", "-T", "4", "--retry-wait", "0.2", root + "f0",
        gate.url("/f1"),
      ]))
    #expect(eventually { relay.byteCount > 10_000 && !gate.requests.isEmpty })
    relay.goDeaf()
    pause(seconds: 3.5)
    isReleased.withLock { $0 = true }
    let result = program.wait()
    #expect(result.status == 0 && !result.timedOut, "\(result.told)")
    for (name, content) in zip(names, contents) { #expect(place.holds(name, content), "\(name)") }
    let (long, late) = (result.errorText.firstRange(of: "f0: 58"), result.errorText.firstRange(of: "f1: 58"))
    #expect(try #require(late).lowerBound < #require(long).lowerBound, "\(result.told)")
  }
}
