import TestSupport
import Testing

/// Metalink/HTTP: mirrors that a server names in `Link` fields.
@Suite(.waiting) struct `Mirrors that a server names in its answers` {
  private let place: Workplace
  private let file = Content.generated(seed: 81, byteCount: 9_000_000)

  init() throws { place = try Workplace() }

  /// `Repr-Digest` of a content.
  private func field(_ content: Content) throws -> String {
    try content.write(to: place.directory.path("whole"))
    let result = try runProgram(
      "/bin/sh", ["-c", "openssl dgst -sha256 -binary \"$0\" | base64 -w 0", place.directory.path("whole")])
    return "sha-256=:\(result.outputText):"
  }

  private func mirror(_ content: Content? = nil) throws -> ScriptedServer {
    try ScriptedServer(FileService(["/pub/f": content ?? file]) { $0.bytesPerSecondOfServer = 8e6 })
  }

  /// Serves the file slowly, and names mirrors of it.
  private func server(_ mirrors: [String], digest: String?) throws -> ScriptedServer {
    try ScriptedServer(
      FileService(["/f": file]) {
        $0.bytesPerSecondOfServer = 4e6
        $0.extraHeaders = mirrors.map { ("Link", "<\($0)>; rel=duplicate; pri=1") }
        if let digest { $0.extraHeaders.append(("Repr-Digest", digest)) }
      })
  }

  @Test func `bring it together with nginx, and get nothing of the user's`() throws {
    let digest = try field(file)
    let mirror = try mirror()
    let server = try RealServer.nginx {
      $0.bytesPerSecondOfRequest = 1_000_000
      $0.directives = """
        add_header Link '<\(mirror.url("/pub/f"))>; rel=duplicate; pri=1; geo=de';
        add_header Link '<\(mirror.url("/f.meta4"))>; rel=describedby; type="application/metalink4+xml"';
        add_header Repr-Digest '\(digest)';
        """
    }
    try server.serve("f", file)
    let result = try place.run(
      "-v", "-x", "4", "-o", "f", "-H", "X-Key: S3CR3T", "-u", "name:S3CR3T", "--referer", "http://r/", "-b", "",
      server.url("/f"))
    #expect(result.status == 0 && place.holds("f", file), "\(result.told)")
    #expect(result.errorText.contains("using 1 mirror that the server names"), "\(result.told)")
    #expect(result.errorText.contains("(told by the server)"), "\(result.told)")
    #expect(mirror.bodyBytesSent > file.byteCount / 20, "\(mirror.bodyBytesSent)")
    for request in mirror.requests {
      #expect(request.path == "/pub/f" && request.rangeHeader != nil)
      for name in ["X-Key", "Authorization", "Referer", "Cookie"] { #expect(request.header(name) == nil, "\(name)") }
    }
  }

  @Test func `are used if the user gives the digest`() throws {
    let mirror = try mirror()
    let server = try server([mirror.url("/pub/f")], digest: nil)
    let result = try place.run("-o", "f", "--checksum", "sha256:\(try file.hexDigest())", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", file) && mirror.bodyBytesSent > 0, "\(result.told)")
  }

  @Test func `are not asked without a strong digest`() throws {
    let mirror = try mirror()
    let server = try server([mirror.url("/pub/f")], digest: nil)
    let result = try place.run("-o", "f", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", file) && mirror.requests.isEmpty, "\(result.told)")
  }

  @Test func `may lie, be absent or dead`() throws {
    let digest = try field(file)
    let lying = try mirror(Content.generated(seed: 82, byteCount: file.byteCount))
    let absent = try ScriptedServer { _ in [.respond(404)] }
    let dead = try RefusingPort()
    let server = try server([absent.url("/f"), dead.url("/f"), lying.url("/pub/f")], digest: digest)
    let result = try place.run("-o", "f", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", file), "\(result.told)")
    #expect(lying.bodyBytesSent > 0 && !absent.requests.isEmpty)
  }

  /// The record of an interrupted download names them, but a later run asks the server first.
  @Test func `are no obstacle to going on`() throws {
    let digest = try field(file)
    let mirror = try mirror()
    let first = try server([mirror.url("/pub/f")], digest: digest)
    let program = try place.start("-o", "f", first.url("/f"))
    #expect(eventually { mirror.bodyBytesSent > 300_000 && first.bodyBytesSent > 300_000 })
    program.kill(15)
    _ = program.wait()
    let result = try place.run("-v", "-o", "f", first.url("/f"))
    #expect(result.status == 0 && place.holds("f", file), "\(result.told)")
    #expect(!result.errorText.contains("starting over"), "\(result.told)")
  }
}
