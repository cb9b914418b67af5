import TestSupport
import Testing

/// Bodies without a length over TLS: what closes without close_notify may have been cut by anybody on the way.
@Suite struct `The end of a TLS connection` {
  private let place: Workplace
  private let server: SecureEndServer

  init() throws {
    place = try Workplace()
    server = try SecureEndServer()
  }

  private func run(_ arguments: String...) throws -> ProgramResult {
    try place.run(
      place.invocation(["--cacert", try TestAuthority.shared().authorityPath, "-t", "3"] + arguments))
  }

  @Test func `cut at the same place each time nothing is published`() throws {
    let result = try run(server.url("/cut"))
    #expect(result.status == 4, "\(result.told)")
    #expect(result.errorText.contains("close_notify"), "\(result.told)")
    #expect(!place.names.contains("cut"), "\(place.names)")
    #expect(server.requests.count <= 4, "\(server.requests)")
  }

  @Test func `with close_notify it is published after it was confirmed`() throws {
    let result = try run(server.url("/whole"))
    #expect(result.status == 0 && place.holds("whole", SecureEndServer.content), "\(result.told)")
    #expect(server.requests.count == 2, "\(server.requests)")
  }

  @Test func `on a kept connection it is the same`() throws {
    let result = try run(
      "-j", "1", server.url("/first"), server.url("/cut"), server.url("/first.2"), server.url("/whole"))
    #expect(result.status == 4, "\(result.told)")
    #expect(place.holds("first", .text("first")) && place.holds("whole", SecureEndServer.content), "\(result.told)")
    #expect(!place.names.contains("cut"), "\(place.names)")
  }

  @Test func `a length that is met needs no close_notify`() throws {
    let result = try run(server.url("/length"))
    #expect(result.status == 0 && place.holds("length", SecureEndServer.content), "\(result.told)")
    #expect(server.requests.count == 1, "\(server.requests)")
  }

  @Test func `who asks for it gets what came`() throws {
    let result = try run("--allow-unconfirmed", server.url("/cut"))
    #expect(result.status == 0 && place.names == ["cut"], "\(result.told)")
  }

  @Test func `a digest judges it`() throws {
    let content = SecureEndServer.content
    let wrong = try run("--checksum", "sha256:\(content.hexDigest("sha256"))", server.url("/cut"))
    #expect(wrong.status == 9 && !place.names.contains("cut"), "\(wrong.told)")
  }
}
