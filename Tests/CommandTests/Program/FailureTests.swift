import TestSupport
import Testing

@Suite(.waiting) struct `Failures of a run` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func answering(_ status: Int, _ headers: [(name: String, value: String)] = []) throws -> ScriptedServer {
    try ScriptedServer { _ in [.respond(status, headers: headers, body: Array("<html>error</html>".utf8))] }
  }

  @Test(arguments: [(404, 8), (410, 8), (403, 8), (400, 8), (401, 6), (407, 6)])
  func `a refusal is final`(status: Int, exit: Int32) throws {
    let headers = status == 401 ? [(name: "WWW-Authenticate", value: "Basic realm=\"x\"")] : []
    let server = try answering(status, headers)
    let result = try place.run(server.url("/f"))
    #expect(result.status == exit, "\(result.told)")
    #expect(server.requests.count == 1 && place.names.isEmpty)
    #expect(result.errorText.contains("swiftget: f: ") && result.errorText.contains("\(status)"))
  }

  @Test func `of one kind are told a few times, and named at the end`() throws {
    let server = try answering(404)
    let list = (0..<30).map { "\(server.url("/f\($0)"))\n" }.joined()
    let result = try place.run("-i", "-", input: list)
    let lines = result.errorText.split(separator: "\n")
    #expect(result.status == 8 && lines.count { $0.hasPrefix("swiftget: f") } == 20, "\(result.told)")
    let names = lines.filter { $0.hasPrefix("  f") }
    #expect(names.count == 30 && Set(names).count == 30, "\(result.told)")
  }

  @Test(arguments: [408, 429, 500, 502, 503, 504, 520])
  func `a transient failure is retried and then a network failure`(status: Int) throws {
    let server = try answering(status)
    let result = try place.run("-t", "3", server.url("/f"))
    #expect(result.status == 4, "\(result.told)")
    #expect(server.requests.count == 3 && place.names.isEmpty)
  }

  @Test func `a refused connection is retried as often as allowed`() throws {
    let refusing = try RefusingPort()
    let result = try place.run("-t", "2", refusing.url("/f"))
    #expect(result.status == 4, "\(result.told)")
    #expect(result.errorText.contains("swiftget: f: ") && place.names.isEmpty)
  }

  @Test func `a host without an address is a network failure`() throws {
    let result = try place.run("-t", "1", "http://nothing.invalid/f")
    #expect(result.status == 4, "\(result.told)")
    #expect(result.errorText.contains("nothing.invalid"))
  }

  @Test func `connections that are always reset end the run`() throws {
    let server = try ScriptedServer { _ in [.reset] }
    let result = try place.run("-t", "3", server.url("/f"))
    #expect(result.status == 4, "\(result.told)")
    #expect(server.requests.count <= 6)
  }

  @Test func `an untrusted certificate is a failure of its own`() throws {
    let server = try RealServer.nginx { $0.speaksTLS = true }
    try server.serve("f", .text("secret"))
    let result = try place.run(server.url("/f"))
    #expect(result.status == 5, "\(result.told)")
    #expect(try place.names.isEmpty && server.requests().isEmpty)
    #expect(try place.run("--insecure", server.url("/f")).status == 0)
  }

  @Test func `an answer that is not HTTP is a protocol violation`() throws {
    let server = try ScriptedServer { _ in [.send("SSH-2.0-OpenSSH_9.2\r\n\r\n"), .close] }
    let result = try place.run("-t", "2", server.url("/f"))
    #expect(result.status == 7, "\(result.told)")
    #expect(place.names.isEmpty)
  }

  @Test(arguments: [
    [], ["--no-such-option", "http://127.0.0.1/f"], ["not-a-url"], ["ftp://127.0.0.1/f"],
    ["-j", "x", "http://127.0.0.1/f"],
    ["-o", "x", "http://127.0.0.1/f", "http://127.0.0.1/g"], ["-k", "http://127.0.0.1/f"],
    ["-x", "http://127.0.0.1:8080", "http://127.0.0.1/f"], ["-Ok", "http://127.0.0.1/f"],
    ["--if-exists", "perhaps", "http://127.0.0.1/f"], ["--progress", "loud", "http://127.0.0.1/f"],
    ["--mirror", "nonsense", "http://127.0.0.1/f"], ["-t", "10001", "http://127.0.0.1/f"],
    ["--recursive", "http://127.0.0.1/f"], ["--data=x", "http://127.0.0.1/f"], ["-C", "7", "http://127.0.0.1/f"],
  ])
  func `a wrong command line starts nothing`(arguments: [String]) throws {
    var invocation = ProgramInvocation(try swiftgetPath(), arguments)
    invocation.directory = place.directory.path
    let result = try place.run(invocation)
    #expect(result.status == 2, "\(arguments) \(result.told)")
    #expect(result.errorText.hasPrefix("swiftget: ") && result.output.isEmpty && place.names.isEmpty)
  }

  @Test func `the first of several kinds of failure determines the status`() throws {
    let missing = try answering(404)
    let login = try answering(401, [("WWW-Authenticate", "Basic realm=\"x\"")])
    let refusing = try RefusingPort()
    let good = try ScriptedServer(FileService(["/good": .text("good")]))
    let result = try place.run("-t", "1", missing.url("/a"), login.url("/b"), refusing.url("/c"), good.url("/good"))
    #expect(result.status == 6, "\(result.told)")
    #expect(place.names == ["good"] && result.errorText.contains("3 failed"))
    try place.directory.makeDirectory("b")
    let second = try place.run("-t", "1", missing.url("/a"), login.url("/b"), refusing.url("/c"))
    #expect(second.status == 3, "\(second.told)")
    let third = try place.run("-t", "1", refusing.url("/c"), missing.url("/a"))
    #expect(third.status == 8, "\(third.told)")
  }

  @Test func `a longer file than allowed is refused`() throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    let result = try place.run("--max-filesize", "1M", server.url("/f"))
    #expect(result.status != 0 && !place.names.contains("f"), "\(result.told)")
    let endless = try ScriptedServer { _ in
      [.send(responseHead(200, [("Connection", "close")])), .sendBody(Body(.generated(seed: 3, byteCount: 1 << 40)))]
    }
    let second = try place.run("--max-filesize", "3M", endless.url("/g"))
    #expect(second.status != 0 && !place.names.contains("g"), "\(second.told)")
    #expect(endless.bodyBytesSent < 40 << 20)
  }

  @Test func `a redirect loop ends`() throws {
    let server = try ScriptedServer(FileService([:]) { $0.redirects = ["/f": "/g", "/g": "/f"] })
    let result = try place.run("--max-redirect", "5", server.url("/f"))
    #expect(result.status != 0 && result.status != nil, "\(result.told)")
    #expect(server.requests.count == 6 && place.names.isEmpty)
  }

  @Test func `a mirror is used if the first one fails`() throws {
    let missing = try answering(404)
    let refusing = try RefusingPort()
    let good = try ScriptedServer(FileService(["/other-name": mediumFile]))
    for first in [missing.url("/f"), refusing.url("/f")] {
      let place = try Workplace()
      let result = try place.run("--mirror", good.url("/other-name"), first)
      #expect(result.status == 0, "\(result.told)")
      #expect(place.names == ["f"] && place.holds("f", mediumFile))
    }
  }

  @Test func `a mirror resumes when the first one breaks for good`() throws {
    let dying = try ScriptedServer(FileService(["/f": mediumFile]) { $0.cutAfter = 1_000_000 })
    let good = try ScriptedServer(FileService(["/f": mediumFile]))
    let result = try place.run("-t", "2", "-x", "1", "--mirror", good.url("/f"), dying.url("/f"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("f", mediumFile) && place.names == ["f"])
  }

  @Test func `a mirror with the right content replaces a wrong one`() throws {
    let wrong = try ScriptedServer(FileService(["/f": otherMediumFile]))
    let right = try ScriptedServer(FileService(["/f": mediumFile]))
    let digest = try mediumFile.hexDigest()
    let result = try place.run("--checksum", "sha256:\(digest)", "--mirror", right.url("/f"), wrong.url("/f"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("f", mediumFile))
  }
}
