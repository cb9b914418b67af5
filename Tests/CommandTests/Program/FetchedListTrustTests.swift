import TestSupport
import Testing

@Suite(.waiting) struct `What lists from URLs may say` {
  private let place: Workplace
  private static let a = Content.generated(seed: 61, byteCount: 50_000)
  private static let b = Content.text("b\n")

  init() throws { place = try Workplace() }

  private static func sums() throws -> String { "\(try a.hexDigest())  a\n\(try b.hexDigest()) *sub/b\n" }

  /// The files of a list in `/dir`, and lists.
  private func service(
    _ lists: [String: Content], _ configure: (inout FileService.Behaviour) -> Void = { _ in }
  ) -> FileService {
    let files: [String: Content] = ["/dir/a": Self.a, "/dir/sub/b": Self.b]
    return FileService(files.merging(lists) { _, list in list }, configure)
  }

  private func hasBoth(_ directory: String = "out") -> Bool {
    place.holds("\(directory)/a", Self.a) && place.holds("\(directory)/sub/b", Self.b)
  }

  @Test(arguments: [
    ("http://user:secret@HOST/dir/a\n", "a user name or password"), ("//user:secret@HOST/dir/a\n", "a user name"),
    ("http://HOST/dir/a\n header=X-Key: secret\n", "header fields"),
    ("http://HOST/dir/a\n referer=http://secret/\n", "header fields"),
    ("http://HOST/dir/a\n dir=/tmp/secret\n", "an absolute directory"),
    ("{\"url\": \"http://HOST/dir/a\", \"headers\": {\"X-Key\": \"secret\"}}\n", "header fields"),
    ("http://HOST/dir/a\n http-user=secret\n", "http-user"),
    ("http://HOST/dir/a\n out=/etc/secret\n", "the name begins"),
    ("http://HOST/dir/a\n dir=../secret\n", "'..'"), ("file:///etc/secret\n", "file is not supported"),
    ("http://HOST/dir/a\n load-cookies=/etc/secret\n", "load-cookies"),
  ])
  func `what only the user may say is refused`(list: String, reason: String) throws {
    let text = Locked("")
    let files = service([:])
    let server = try ScriptedServer { request in
      request.path == "/dir/list"
        ? [.respond(200, body: Array(text.withLock { $0 }.utf8))] : files.steps(for: request)
    }
    text.withLock { $0 = list.replacing("HOST", with: "127.0.0.1:\(server.port)") }
    let result = try place.run("-i", server.url("/dir/list"))
    #expect(result.status == 2 && result.errorText.contains(reason), "\(result.told)")
    #expect(result.errorText.contains("\(server.url("/dir/list")):"), "\(result.told)")
    #expect(server.requests.count == 1 && place.names.isEmpty)
    // The user's own list may.
    if reason.contains("header") {
      try place.directory.write("list", text.withLock { $0 })
      #expect(try place.run("-i", "list").status == 0)
    }
  }

  @Test func `credentials go to the list's origin, and to no other that it names`() throws {
    let other = try ScriptedServer(service([:]))
    let text = Locked("")
    let files = service([:])
    let server = try ScriptedServer { request in
      request.path == "/dir/list"
        ? [.respond(200, body: Array(text.withLock { $0 }.utf8))] : files.steps(for: request)
    }
    text.withLock { $0 = "a\n\(other.url("/dir/sub/b"))\n" }
    let result = try place.run(
      "-v", "-d", "out", "-u", "name:secret", "-H", "X-Key: sesame", "--referer", "http://r/", "-i",
      server.url("/dir/list"))
    #expect(result.status == 0 && place.holds("out/b", Self.b), "\(result.told)")
    #expect(server.requests.count == 2 && other.requests.count == 1)
    for request in server.requests {
      #expect(request.header("X-Key") == "sesame" && request.header("Authorization") == "Basic bmFtZTpzZWNyZXQ=")
    }
    for field in ["X-Key", "Authorization", "Referer"] { #expect(other.requests[0].header(field) == nil, "\(field)") }
    #expect(!result.errorText.contains("secret") && !result.errorText.contains("sesame"))
  }

  @Test func `the URL's own credentials are used for its origin, and not where it redirects`() throws {
    let other = try ScriptedServer(service(["/dir/SUMS": .text(try Self.sums())]))
    let server = try ScriptedServer(
      service(["/dir/SUMS": .text(try Self.sums())]) { $0.redirects = ["/latest": other.url("/dir/SUMS")] })
    let direct = try place.run("-v", "-d", "out", "-i", "http://name:secret@127.0.0.1:\(server.port)/dir/SUMS")
    #expect(direct.status == 0 && hasBoth(), "\(direct.told)")
    #expect(server.requests.count == 3)
    for request in server.requests { #expect(request.header("Authorization") == "Basic bmFtZTpzZWNyZXQ=") }
    let result = try place.run(
      "-v", "-d", "other", "-H", "X-Key: sesame", "-i", "http://name:secret@127.0.0.1:\(server.port)/latest")
    #expect(result.status == 0 && hasBoth("other"), "\(result.told)")
    #expect(other.requests.count == 3 && other.requests.allSatisfy { $0.header("Authorization") == nil })
    #expect(other.requests.allSatisfy { $0.header("X-Key") == nil })
    #expect(server.requests.last?.header("X-Key") == "sesame")
    #expect(!(direct.errorText + result.errorText).contains("secret"))
  }

  @Test func `the base URL's origin is named by the user`() throws {
    let files = try ScriptedServer(service([:]))
    let server = try ScriptedServer(service(["/lists/SUMS": .text(try Self.sums())]))
    let result = try place.run(
      "-d", "out", "-H", "X-Key: sesame", "-i", server.url("/lists/SUMS"), "--base-url", files.url("/dir"))
    #expect(result.status == 0 && hasBoth(), "\(result.told)")
    #expect((files.requests + server.requests).allSatisfy { $0.header("X-Key") == "sesame" })
    #expect(files.requests.count == 2)
  }
}
