import TestSupport
import Testing

/// `--changed-exit`.
@Suite(.waiting) struct `A run that tells whether anything is new` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let content = Content.text("0123456789")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": Self.content, "/b": Self.content]))
  }

  private func status(_ arguments: String...) throws -> Int32? {
    let result = try place.run(place.invocation(["--changed-exit", "10"] + arguments))
    return result.status
  }

  @Test func `ends with the number after a download, and with 0 when all is there`() throws {
    #expect(try status(server.url("/a")) == 10)
    #expect(try status(server.url("/a")) == 0)
    #expect(try status(server.url("/a"), server.url("/b")) == 10)
    #expect(try status(server.url("/a"), server.url("/b")) == 0)
  }

  @Test func `counts a file that was replaced`() throws {
    try place.directory.write("a", "other")
    #expect(try status("--if-exists", "replace", server.url("/a")) == 10)
    #expect(place.holds("a", Self.content))
  }

  @Test func `counts a file that went to standard output`() throws {
    #expect(try status("-o-", server.url("/a")) == 10)
  }

  @Test func `says what failed all the same`() throws {
    #expect(try status(server.url("/a"), server.url("/none")) == 8)
  }

  @Test func `has its number in the JSON output and in the log`() throws {
    let result = try place.run("--changed-exit", "10", "--progress", "json", "--log", "log", server.url("/a"))
    #expect(result.status == 10 && result.outputText.contains(#""type":"end""#), "\(result.told)")
    let end = result.outputText.split(separator: "\n").last ?? ""
    #expect(end.contains(#""status":10"#), "\(end)")
    #expect(try place.text("log").contains("ends with status 10"))
  }

  @Test func `does not count a list that was downloaded`() throws {
    let url = server.url("/a")
    let lists = try ScriptedServer { _ in [.respond(200, body: Array("\(url)\n".utf8))] }
    #expect(try status("-i", lists.url("/list")) == 10)
    #expect(try status("-i", lists.url("/list")) == 0)
  }
}
