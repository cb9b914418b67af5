import Glibc
import TestSupport
import Testing

/// `--failed`.
@Suite(.waiting) struct `Lists of failed files` {
  private let place: Workplace
  private let server: ScriptedServer
  /// Paths that are not found.
  private let missing = Locked<Set<String>>([])
  private static let small = Content.text("0123456789")
  private static let other = Content.text("abcdefghij")
  private static let digest = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"

  init() throws {
    place = try Workplace()
    let files = FileService(["/a": Self.small, "/x/b": Self.other, "/x/y/c": Self.small])
    let missing = missing
    server = try ScriptedServer { request in
      missing.withLock { $0.contains(request.path) } ? [.respond(404)] : files.steps(for: request)
    }
  }

  private func lines(_ name: String = "failed") throws -> [String] {
    try place.text(name).split(separator: "\n").map(String.init)
  }

  private func permissions(_ name: String) -> UInt32 {
    var status = stat()
    return lstat(place.directory.path(name), &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test func `have what failed in the order of the list, with the reason, and are empty where nothing did`() throws {
    missing.withLock { $0 = ["/x/b", "/none"] }
    let list = "\(server.url("/x/b"))\n out=sub/b\n\(server.url("/a"))\n\(server.url("/none"))\n"
    try place.directory.write("list", list)
    let result = try place.run("-i", "list", "-d", "t", "--failed", "failed")
    #expect(result.status == 8, "\(result.told)")
    let found = try lines()
    try #require(found.count == 5, "\(found)")
    #expect(found[0].hasPrefix("# sub/b: ") && found[0].contains("404"), "\(found)")
    #expect(found[1...2] == [server.url("/x/b"), " out=sub/b"], "\(found)")
    #expect(found[3].hasPrefix("# none: ") && found[4] == server.url("/none"), "\(found)")
    #expect(permissions("failed") == 0o600)
    missing.withLock { $0 = ["/none"] }
    let again = try place.run("-i", "failed", "-d", "t", "--failed", "second")
    #expect(again.status == 8 && place.holds("t/sub/b", Self.other), "\(again.told)")
    #expect(try lines("second").count == 2)
    let last = try place.run("-d", "t", "--failed", "second", server.url("/a"))
    #expect(last.status == 0 && permissions("second") == 0o600, "\(last.told)")
    #expect(try place.text("second").isEmpty)
    let empty = try place.run("-i", "second")
    #expect(empty.status == 0 && place.names == ["failed", "list", "second", "t"], "\(empty.told)")
  }

  @Test func `have URLs of the command line, with mirrors, checksums and credentials`() throws {
    missing.withLock { $0 = ["/a", "/x/b"] }
    let url = "http://us%40er:s3%3Acret@127.0.0.1:\(server.port)/a?x=1"
    let digest = try Self.small.hexDigest()
    let result = try place.run(
      "-v", "--failed", "failed", "--checksum", "sha256:\(digest)", url, "--mirror", server.url("/x/b"))
    #expect(result.status == 8 && !result.errorText.contains("cret"), "\(result.told)")
    let text = try place.text("failed")
    #expect(
      text.contains(
        "\"url\": [\"\(url)\", \"\(server.url("/x/b"))\"], \"checksum\": {\"sha256\": \"\(digest)\"}}\n"), "\(text)")
    #expect(permissions("failed") == 0o600)
    missing.withLock { $0 = [] }
    #expect(try place.run("-i", "failed").status == 0)
    #expect(place.holds("a", Self.small))
    #expect(server.requests.last?.header("Authorization") == "Basic dXNAZXI6czM6Y3JldA==")
  }

  @Test func `merge what several lines say of a file, and leave out what a filter does`() throws {
    missing.withLock { $0 = ["/a", "/x/b"] }
    let digest = try Self.small.hexDigest()
    let list = "\(server.url("/a"))\n\(server.url("/x/b"))\n\(server.url("/a#sha256="))\(digest)\n"
    try place.directory.write("list", list)
    let result = try place.run("-i", "list", "--exclude", "b", "--failed", "failed")
    #expect(result.status == 8, "\(result.told)")
    let found = try lines()
    #expect(found.count == 4 && found[1] == server.url("/a"), "\(found)")
    #expect(found[2] == "# a: belongs to an entry above", "\(found)")
    #expect(found[3] == server.url("/a#sha256=\(digest)"), "\(found)")
    missing.withLock { $0 = [] }
    let again = try place.run("-v", "-i", "failed", "--exclude", "b")
    #expect(
      again.status == 0 && again.errorText.contains("sha256") && place.names == ["a", "failed", "list"], "\(again.told)"
    )
  }

  @Test func `do not make origins trusted that a list from a URL names`() throws {
    let lists = Locked("")
    let listServer = try ScriptedServer { request in
      request.path == "/list" ? [.respond(200, body: Array(lists.withLock { $0 }.utf8))] : [.respond(404)]
    }
    missing.withLock { $0 = ["/a"] }
    lists.withLock { $0 = "\(server.url("/a"))\nmine\n" }
    let options = ["-H", "X-Key: sesame", "-d", "t"]
    let result = try place.run(
      place.invocation(options + ["-i", listServer.url("/list"), "--failed", "failed"]))
    #expect(result.status == 8, "\(result.told)")
    let found = try lines()
    #expect(found.map { $0.contains("\"untrusted\": true") } == [true, false], "\(found)")
    #expect(permissions("failed") == 0o600)
    let again = try place.run(place.invocation(options + ["-i", "failed", "--failed", "again"]))
    #expect(again.status == 8, "\(again.told)")
    #expect(try lines("again").map { $0.contains("\"untrusted\": true") } == [true, false])
    missing.withLock { $0 = [] }
    _ = try place.run(place.invocation(options + ["-i", "failed"]))
    #expect(place.holds("t/a", Self.small))
    #expect(server.requests.allSatisfy { $0.header("X-Key") == nil })
    #expect(listServer.requests.last?.path == "/mine" && listServer.requests.last?.header("X-Key") == "sesame")
  }

  @Test func `have what a signal left unfinished or not started`() throws {
    let slow = try ScriptedServer(
      FileService(["/a": mediumFile, "/b": mediumFile, "/c": Self.small]) { $0.bytesPerSecondOfServer = 1e6 })
    let list = "\(slow.url("/a"))\n\(slow.url("/b"))\n out=d\n\(slow.url("/c"))\n"
    var invocation = try place.invocation(["-j", "1", "-i", "-", "--failed", "failed"])
    invocation.input = Array(list.utf8)
    let program = try SpawnedProgram(invocation)
    #expect(eventually { slow.bodyBytesSent > 500_000 })
    program.kill(SIGINT)
    let result = program.wait()
    #expect(result.status == 130, "\(result.told)")
    #expect(
      try place.text("failed")
        == "# a: unfinished\n\(slow.url("/a"))\n# d: not started\n\(slow.url("/b"))\n out=d\n"
        + "# c: not started\n\(slow.url("/c"))\n")
  }

  @Test func `have names that are not UTF-8, or in JSON Lines warn of them`() throws {
    missing.withLock { $0 = ["/a", "/x/b"] }
    let bytes = Array("\(server.url("/a"))\n out=".utf8) + [0xff, 0x0a] + Array("\(server.url("/x/b"))\n".utf8)
    try place.directory.write("list", bytes)
    let result = try place.run("-i", "list", "--failed", "failed")
    #expect(result.status == 8 && !result.errorText.contains("leaves out"), "\(result.told)")
    #expect(try place.text("failed").hasPrefix("# \\xff: "))
    #expect(try place.directory.read("failed").contains(0xff))
    try place.directory.write("other", "\(Self.digest)  y\n")
    let mixed = try place.run(
      "-i", "list", "-i", "other", "--base-url", server.url("/none/"), "--failed", "failed")
    #expect(mixed.status == 8 && mixed.errorText.contains("--failed leaves out \\xff of list"), "\(mixed.told)")
    #expect(try lines().count == 2)
    missing.withLock { $0 = [] }
    let again = try place.run("-i", "list", "--failed", "failed")
    #expect(again.status == 0, "\(again.told)")
  }

  @Test func `that cannot be written are refused before the start`() throws {
    try place.directory.makeDirectory("directory")
    for path in ["none/failed", "directory", "/dev/full"] {
      let result = try place.run("--failed", path, server.url("/a"))
      #expect(result.status == 3 && result.errorText.contains("--failed \(path): "), "\(result.told)")
    }
    #expect(server.requests.isEmpty && place.names == ["directory"])
  }

  @Test func `do not replace what the run reads or writes for another purpose`() throws {
    let list = "\(server.url("/a"))\n"
    try place.directory.write("list", list)
    #expect(symlink("list", place.directory.path("link")) == 0)
    for arguments in [
      ["-i", "list", "--failed", "list"], ["-i", "list", "--failed", "link"],
      ["-i", "list", "--failed", "f", "--lock", "f"], ["-i", "list", "--failed", "f", "--log", "f"],
    ] {
      let result = try place.run(place.invocation(arguments))
      #expect(result.status == 2 && result.errorText.contains("name the same file"), "\(result.told)")
    }
    #expect(server.requests.isEmpty)
    #expect(try place.text("list") == list)
  }

  @Test(arguments: [
    (["--failed", "-"], "./- is one"), (["--failed", "x.swiftget"], "reserved"),
    (["--failed", "f", "-o", "x"], "--failed contradicts --output"), (["--failed", "f", "--check"], "--check"),
    (["--failed", "f", "--output-template", "{n}"], "{n}"),
  ])
  func `are refused with options that contradict them`(arguments: [String], words: String) throws {
    let result = try place.run(place.invocation(arguments + [server.url("/a")]))
    #expect(result.status == 2 && result.errorText.contains(words), "\(result.told)")
    #expect(server.requests.isEmpty && place.names.isEmpty)
  }
}
