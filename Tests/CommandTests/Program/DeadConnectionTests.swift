import TestSupport
import Testing

/// Connections whose packets are dropped, while the server is reachable over new ones.
@Suite(.waiting) struct `A dead connection` {
  private let place: Workplace
  private let names = (0..<200).map { "f\($0)" }

  init() throws { place = try Workplace() }

  private func content(_ name: String) -> Content {
    .generated(seed: UInt64(name.dropFirst()) ?? 0, byteCount: 60_000)
  }

  @Test(arguments: [false, true])
  func `is given up with all its streams, which continue on a new one`(isMultiplexed: Bool) throws {
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
      place.invocation(trust + ["-T", isThreadSanitized ? "10" : "1", "-t", "3"] + names.map { root + $0 }))

    #expect(eventually { relay.byteCount > 500_000 })
    let before = relay.connectionCount
    relay.goDeaf()
    let result = program.wait()
    #expect(result.status == 0 && !result.timedOut, "\(result.told)")
    for name in names { #expect(place.holds(name, content(name)), "\(name)") }
    #expect(relay.connectionCount > before)
  }

  /// A new stream is no sign of life and has no time limit of its own.
  @Test func `is given up with a new stream`() throws {
    let server = try RealServer.nginx {
      $0.speaksTLS = true
      $0.offersHTTP2 = true
      $0.bytesPerSecondOfRequest = 200_000
      // Without a version there is no second request while the first answer is incomplete.
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
