import TestSupport
import Testing

/// Bodies without a length over HTTP/2. libcurl 7.88 takes a stream that the server resets without an error for one that
/// ended, so a truncated body looks complete.
@Suite(.waiting) struct `The end of a stream of HTTP/2` {
  private let place: Workplace
  private let content = Content.generated(seed: 91, byteCount: 40_000)

  init() throws { place = try Workplace() }

  private func run(_ arguments: String...) throws -> ProgramResult {
    try place.run(
      place.invocation(["--cacert", try TestAuthority.shared().authorityPath, "-t", "3"] + arguments))
  }

  @Test(arguments: [[], ["--http2"]])
  func `a cut body is requested over HTTP/1.1, and the host is remembered`(options: [String]) throws {
    let server = try StreamServer(content) { $0.cutsOverHTTP1 = 2 }
    let names = (0..<6).map { "cut\($0)" }
    let invocation = try place.invocation(
      ["--cacert", try TestAuthority.shared().authorityPath, "-j", "1"] + options + names.map { server.url("/" + $0) })
    let result = try place.run(invocation)
    #expect(result.status == 0 && place.names == names, "\(result.told)")
    for name in names { #expect(place.holds(name, content), "\(name) \(result.told)") }
    #expect(server.requests.count { $0.hasPrefix("h2") } == 1, "\(server.requests)")
  }

  @Test func `many at a time are all whole`() throws {
    let server = try StreamServer(content)
    let names = (0..<30).map { "cut\($0)" }
    try place.directory.write("list", names.map { server.url("/" + $0) + "\n" }.joined())
    let result = try run("-i", "list")
    #expect(result.status == 0, "\(result.told)")
    for name in names { #expect(place.holds(name, content), "\(name) \(result.told)") }
  }

  @Test func `a server without HTTP/1.1 is believed after a second fetch`() throws {
    let server = try StreamServer(content) { $0.speaksHTTP1 = false }
    let result = try run("--http2", server.url("/a"), server.url("/b"))
    #expect(result.status == 0 && place.holds("a", content) && place.holds("b", content), "\(result.told)")
    #expect(server.requests.filter { $0 == "h2 /a" }.count >= 2, "\(server.requests)")
  }

  @Test func `a refusal over HTTP/1.1 has a hint that works`() throws {
    let server = try StreamServer(content) { $0.statusOverHTTP1 = 404 }
    let refused = try run("--http2", server.url("/once"))
    #expect(refused.status == 8 && place.names == [], "\(refused.told)")
    #expect(refused.errorText.contains("--allow-unconfirmed"), "\(refused.told)")
    let taken = try run("--http2", "--allow-unconfirmed", server.url("/once"))
    #expect(taken.status == 0 && place.holds("once", content), "\(taken.told)")
  }

  @Test func `with a checksum the first answer is taken`() throws {
    let server = try StreamServer(content)
    let digest = try "sha256:" + content.hexDigest()
    let result = try run("--http2", "--checksum", digest, server.url("/a"))
    #expect(result.status == 0 && place.holds("a", content), "\(result.told)")
    #expect(server.requests == ["h2 /a"], "\(server.requests)")
    let cut = try run("--http2", "--checksum", digest, server.url("/cut"))
    #expect(cut.status == 9 && !place.names.contains("cut"), "\(cut.told)")
  }

  @Test func `a list that is cut is not taken for the whole list`() throws {
    let names = (0..<60).map { "f\($0)" }
    let files = try ScriptedServer(
      FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, Content.text($0)) })))
    // The cut is between two lines.
    let lines = names.map { (files.url("/" + $0) + "\n").padded(to: 300) }.joined()
    let server = try StreamServer(.text(lines))
    let result = try run("--http2", "-i", server.url("/cut"))
    #expect(result.status == 0 && place.names == names.sorted(), "\(server.requests) \(result.told.suffix(300))")
  }
}

extension String {
  /// With a comment line before it, so that it has this number of bytes.
  fileprivate func padded(to byteCount: Int) -> String {
    "#" + String(repeating: "-", count: max(0, byteCount - utf8.count - 2)) + "\n" + self
  }
}
