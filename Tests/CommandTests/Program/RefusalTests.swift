import DownloadCore
import TestSupport
import Testing

/// Refusals that pass, those that stay, and redirects that ask for patience or for a cookie.
@Suite(.waiting) struct `Refusals and redirects` {
  private let place: Workplace
  private let content = Content.text("content")

  init() throws { place = try Workplace() }

  private func served() -> [Step] { [.respond(200, headers: [("ETag", "\"1\"")], body: Array("content".utf8))] }

  private func next(_ count: Locked<Int>) -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }

  @Test func `403 with Retry-After is waited for`() throws {
    let count = Locked(0)
    let server = try ScriptedServer { _ in
      next(count) < 2 ? [.respond(403, headers: [("Retry-After", "1")])] : served()
    }
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", content) && server.requests.count == 3, "\(result.told)")
  }

  @Test func `403 that outlasts the tries fails the files one by one, without further waiting`() throws {
    let server = try ScriptedServer { _ in [.respond(403, headers: [("X-RateLimit-Remaining", "0")])] }
    try place.directory.write("list", (0..<30).map { server.url("/\($0)") + "\n" }.joined())
    let result = try place.run("-i", "list", "-t", "2", "--retry-wait", "1")
    #expect(result.status == 8 && result.errorText.contains("403 Forbidden"), "\(result.told)")
    // Two steps for those that were refused first, one request for each of the others.
    #expect((30...40).contains(server.requests.count), "\(server.requests.count)")
  }

  @Test func `403 alone is final`() throws {
    let server = try ScriptedServer { _ in [.respond(403, headers: [("X-RateLimit-Remaining", "7")])] }
    #expect(try place.run(server.url("/f")).status == 8)
    #expect(server.requests.count == 1)
  }

  @Test func `a redirect to a missing file costs two requests`() throws {
    for (status, end) in [(404, Int32(8)), (410, 8), (403, 8), (401, 6)] {
      let target = try ScriptedServer { _ in [.respond(status)] }
      let first = try ScriptedServer { _ in [.respond(301, headers: [("Location", target.url("/t"))])] }
      let result = try place.run(first.url("/f"))
      #expect(result.status == end && result.errorText.contains("redirected to \(target.url("")): "), "\(result.told)")
      #expect(first.requests.count == 1 && target.requests.count == 1)
      #expect(try place.run("--spider", first.url("/f")).status == end)
      #expect(first.requests.count + target.requests.count <= 6, "a HEAD, and a GET where that may be refused")
    }
  }

  @Test func `a redirect to itself with Retry-After is waited for`() throws {
    let count = Locked(0)
    let server = try ScriptedServer { request in
      next(count) < 2 ? [.respond(303, headers: [("Location", request.path), ("Retry-After", "1")])] : served()
    }
    let result = try place.run("--max-redirect", "3", "--retry-wait", "5", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", content) && server.requests.count == 3, "\(result.told)")
    #expect(result.wallSeconds >= 1.9, "\(result.told)")
  }

  /// A server that redirects to a login and back, and knows the client by a cookie then.
  @Test func `a cookie of a redirect goes with its item, and nowhere else`() throws {
    let other = try ScriptedServer { _ in served() }
    let server = try ScriptedServer { request in
      switch request.path {
      case "/login":
        return [.respond(302, headers: [("Location", "/f"), ("Set-Cookie", "id=S3CR3T; Path=/")])]
      case "/away":
        return [.respond(302, headers: [("Location", other.url("/o")), ("Set-Cookie", "x=S3CR3T; Path=/")])]
      case "/f" where request.header("Cookie") != "id=S3CR3T":
        return [.respond(302, headers: [("Location", "/login")])]
      default: return served()
      }
    }
    let host = server.url("").dropFirst("http://".count)
    let away = server.url("/away").replacing("127.0.0.1", with: "localhost")
    let result = try place.run("-4", "-v", "-j", "1", server.url("/f"), server.url("/g"), away)
    #expect(result.status == 0 && place.holds("f", content) && place.holds("g", content), "\(result.told) \(host)")
    #expect(!result.errorText.contains("S3CR3T"))
    #expect(server.requests.map { $0.header("Cookie") ?? "-" } == ["-", "-", "id=S3CR3T", "-", "-"])
    #expect(other.requests.count == 1 && other.requests[0].header("Cookie") == nil)
    // The jar of the run has them for all.
    let kept = try place.run("-v", "--save-cookies", "jar", "-d", "d", "-j", "1", server.url("/f"), server.url("/h"))
    #expect(kept.status == 0 && server.requests.last?.header("Cookie") == "id=S3CR3T", "\(kept.told)")
  }

  @Test func `a head of megabytes is asked for once`() throws {
    let lines = (0..<600).map { ("Set-Cookie", "c\($0)=\(String(repeating: "v", count: 3500))") }
    let server = try ScriptedServer { _ in [.respond(200, headers: lines, body: Array("content".utf8))] }
    let result = try place.run(server.url("/f"))
    #expect(result.status == 7 && server.requests.count == 1, "\(result.told)")
  }

  @Test func `a cookie that fits into no request is refused`() throws {
    let server = try ScriptedServer { _ in served() }
    func jar(_ byteCount: Int) throws {
      let value = String(repeating: "v", count: byteCount - 1)
      try place.directory.write("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\tn\t\(value)\n")
    }
    try jar(CookieFile.mostCookieBytes)
    let path = "/f?" + String(repeating: "q", count: 900)
    let longest = try place.run("--load-cookies", "jar", "-H", "X-Last: 1", "-o", "f", server.url(path))
    #expect(server.requests[0].header("User-Agent") != nil && server.requests[0].header("X-Last") == "1")
    #expect(
      longest.status == 0 && server.requests[0].header("Cookie")?.utf8.count == CookieFile.mostCookieBytes + 1,
      "\(longest.told)")
    try jar(CookieFile.mostCookieBytes + 1)
    let refused = try place.run("--load-cookies", "jar", server.url("/f"))
    #expect(refused.status == 2 && refused.errorText.contains("line 1 a cookie of more than 7000"), "\(refused.told)")
    #expect(server.requests.count == 1 && !refused.errorText.contains("vvv"))
  }
}
