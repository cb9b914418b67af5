import Glibc
import TestSupport
import Testing

/// `--lock` and `--frozen`.
@Suite(.waiting) struct `Lock files` {
  private let place: Workplace
  private let service: FileService
  private let server: ScriptedServer
  private static let small = Content.text("0123456789")
  private static let other = Content.text("abcdefghij")

  init() throws {
    place = try Workplace()
    service = FileService(["/a": Self.small, "/d/b": mediumFile, "/c": Self.other])
    server = try ScriptedServer(service)
  }

  private func lines(_ name: String = "lock") throws -> [String] {
    try place.text(name).split(separator: "\n").map(String.init)
  }

  private func writeList() throws {
    try place.directory.write("list", "\(server.url("/d/b"))\n out=sub/b\n\(server.url("/a"))\n\(server.url("/c"))\n")
  }

  @Test func `are for their owner only where a URL has a secret`() throws {
    let login = server.url("/a").replacing("://", with: "://name:S3CR3T@")
    for (url, isPrivate) in [
      (server.url("/a"), false), (server.url("/a?page=1"), false), (login, true),
      (server.url("/a?X-Amz-Signature=S3CR3T"), true), (server.url("/a?x=1&api_key=S3CR3T"), true),
    ] {
      let place = try Workplace()
      let result = try place.run("--lock", "lock", "--no-config", "-o", "f", url)
      #expect(result.status == 0 && !result.errorText.contains("S3CR3T"), "\(result.told)")
      #expect(result.errorText.contains("warning: only you can read lock") == isPrivate, "\(result.told)")
      var status = stat()
      #expect(stat(place.directory.path("lock"), &status) == 0)
      #expect((status.st_mode & 0o777 == 0o600) == isPrivate, "\(url)")
    }
  }

  @Test func `record in the order of the list what was got, and are lists`() throws {
    try writeList()
    let result = try place.run("-i", "list", "-d", "t", "--lock", "lock")
    #expect(result.status == 0, "\(result.told)")
    let lines = try lines()
    #expect(lines.count == 3)
    let contents = [("sub/b", mediumFile), ("a", Self.small), ("c", Self.other)]
    for (line, (name, content)) in zip(lines, contents) {
      let digest = try content.hexDigest()
      #expect(line.contains("\"out\": \"\(name)\", \"size\": \(content.byteCount)"), "\(line)")
      #expect(line.hasSuffix("\"checksum\": {\"sha256\": \"\(digest)\"}}"), "\(line)")
      #expect(
        line.contains("\"etag\": \"\\\"") && line.contains("\"last_modified\": \"Wed, 01 Jan 2025"), "\(line)")
      #expect(!line.contains("final_url"), "\(line)")
    }
    #expect(lines[0].contains("{\"url\": \"\(server.url("/d/b"))\""), "\(lines[0])")
    // It names the same files as the list did, and their content.
    let again = try place.run("-i", "lock", "-d", "u", "--progress", "json")
    #expect(again.status == 0 && place.holds("u/sub/b", mediumFile) && place.holds("u/c", Self.other), "\(again.told)")
    #expect(try place.run("--check", "-q", "-i", "lock", "-d", "t").status == 0)
    #expect(place.names == ["list", "lock", "t", "u"])
  }

  @Test func `are written if every file is in place, whatever a hook says`() throws {
    let result = try place.run("--on-complete", "false", "--lock", "lock", server.url("/a"))
    #expect(result.status == 1, "\(result.told)")
    #expect(try lines().count == 1)
  }

  @Test func `have the digests of files that were kept`() throws {
    try writeList()
    #expect(try place.run("-i", "list", "-d", "t", "--lock", "first").status == 0)
    let requestCount = server.requests.count
    let second = try place.run("-i", "list", "-d", "t", "--lock", "second")
    #expect(second.status == 0 && server.requests.count == requestCount, "\(second.told)")
    for (one, other) in zip(try lines("first"), try lines("second")) {
      #expect(one.suffix(80) == other.suffix(80) && !other.contains("x-"), "\(other)")
    }
    // The existing file counts, not what an earlier run recorded.
    try place.directory.write("t/c", "ABCDEFGHIJ")
    let keeping = try place.run("-i", "list", "-d", "t", "--if-exists", "keep", "--lock", "third")
    #expect(keeping.status == 0, "\(keeping.told)")
    #expect(try lines("third")[2].contains(try Content.text("ABCDEFGHIJ").hexDigest()))
  }

  @Test func `have the URL that served a file without its query, and all mirrors without passwords`() throws {
    service.change { $0.redirects = ["/moved": "/a?signature=secret"] }
    let url = "http://user:pass@127.0.0.1:\(server.port)/moved?id=1"
    let result = try place.run("--lock", "lock", "-o", "x", url, "--mirror", server.url("/a"))
    #expect(result.status == 0, "\(result.told)")
    let lines = try lines()
    #expect(lines.count == 1 && lines[0].contains("\"final_url\": \"\(server.url("/a"))\""), "\(lines)")
    #expect(lines[0].contains("\"url\": [\"\(server.url("/moved?id=1"))\", \"\(server.url("/a"))\"]"), "\(lines)")
    #expect(!lines[0].contains("pass") && !lines[0].contains("secret"), "\(lines)")
  }

  @Test func `stay as they were if a file fails`() throws {
    try place.directory.write("lock", "old\n")
    let result = try place.run("--lock", "lock", server.url("/a"), server.url("/none"))
    #expect(result.status == 8, "\(result.told)")
    #expect(try place.text("lock") == "old\n" && place.names == ["a", "lock"])
  }

  @Test func `that cannot be written are refused before the start`() throws {
    try place.directory.makeDirectory("directory")
    for path in ["none/lock", "directory", "/dev/full"] {
      let result = try place.run("--lock", path, server.url("/a"))
      #expect(result.status == 3 && result.errorText.contains("lock file \(path): "), "\(result.told)")
    }
    #expect(server.requests.isEmpty && place.names == ["directory"])
  }

  @Test func `cannot have a name that is not UTF-8`() throws {
    let result = try place.run("--lock", "lock", server.url("/%ff"), server.url("/a"))
    #expect(result.status == 8, "\(result.told)")
    try place.directory.write("list", "\(server.url("/a"))\n out=")
    let descriptor = open(place.directory.path("list"), O_WRONLY | O_APPEND)
    #expect(write(descriptor, [0xff, 0x0a] as [UInt8], 2) == 2)
    close(descriptor)
    let invalid = try place.run("--lock", "lock", "-i", "list")
    #expect(invalid.status == 3 && invalid.errorText.contains("\\xff is not UTF-8"), "\(invalid.told)")
    #expect(!place.names.contains("lock"))
  }

  // MARK: --frozen

  private func lock() throws {
    try writeList()
    #expect(try place.run("-i", "list", "-d", "t", "--lock", "lock").status == 0)
  }

  @Test func `allow what they record`() throws {
    try lock()
    let result = try place.run("-i", "list", "-d", "u", "--frozen", "lock")
    #expect(
      result.status == 0 && place.holds("u/sub/b", mediumFile) && place.holds("u/a", Self.small), "\(result.told)")
    #expect(try place.run("-d", "v", "--frozen", "lock", server.url("/c")).status == 0)
    #expect(try place.run("-i", "list", "-d", "t", "--frozen", "lock", "--check", "-q").status == 0)
    try place.directory.write("t/a", "0123456780")
    #expect(try place.run("-i", "list", "-d", "t", "--frozen", "lock", "--check", "-q").status == 9)
  }

  @Test func `refuse other content`() throws {
    try lock()
    service.change {
      $0.changesAfter = .requests(0)
      $0.replacements = [
        "/a": Content.text("0123456780"), "/d/b": otherMediumFile, "/c": Content.text("longer than it"),
      ]
    }
    let result = try place.run("-i", "list", "-d", "u", "--frozen", "lock")
    #expect(result.status == 9, "\(result.told)")
    #expect(!fileExists(place.directory.path("u/a")) && !fileExists(place.directory.path("u/sub/b")))
    #expect(!fileExists(place.directory.path("u/c")))
  }

  @Test func `refuse other files and other URLs before the start`() throws {
    try lock()
    let requestCount = server.requests.count
    try place.directory.write("more", "\(server.url("/a"))\n\(server.url("/x"))\n\(server.url("/d/b"))\n out=c\n")
    let result = try place.run("-i", "more", "-d", "u", "--frozen", "lock")
    #expect(result.status == 2, "\(result.told)")
    #expect(result.errorText.contains("more:2: x is not in the lock file lock"), "\(result.told)")
    #expect(result.errorText.contains("more:3: the lock file lock has c from another URL"), "\(result.told)")
    try place.directory.write("sized", #"{"url": "\#(server.url("/a"))", "size": 11}"#)
    let sized = try place.run("-i", "sized", "--input-format", "jsonl", "-d", "u", "--frozen", "lock")
    #expect(sized.status == 2 && sized.errorText.contains("sized:1"), "\(sized.told)")
    #expect(server.requests.count == requestCount && !fileExists(place.directory.path("u")))
  }

  @Test func `of a shard are for that shard`() throws {
    try place.directory.write("list", ["/d/b", "/a", "/c"].map { server.url($0) + "\n" }.joined())
    for shard in ["1/2", "2/2"] {
      #expect(try place.run("-i", "list", "-d", "t", "--shard", shard, "--lock", "lock").status == 0)
      let result = try place.run("-i", "list", "-d", "u", "--shard", shard, "--frozen", "lock")
      #expect(result.status == 0, "\(result.told)")
    }
    #expect(place.directory.names(in: "u") == ["a", "b", "c"])
    // It has none of the other shard.
    let other = try place.run("-i", "list", "-d", "v", "--shard", "1/2", "--frozen", "lock")
    #expect(other.status == 2 && !fileExists(place.directory.path("v")), "\(other.told)")
  }

  @Test func `with two entries for one file are refused, unless they are the same`() throws {
    func entry(_ url: String, _ content: Content) throws -> String {
      #"{"url": "\#(server.url(url))", "out": "a", "checksum": {"sha256": "\#(try content.hexDigest())"}}"# + "\n"
    }
    let entries = [try entry("/a", Self.small), try entry("/a", Self.other), try entry("/c", Self.small)]
    for second in entries[1...] {
      for lines in [[entries[0], second], [second, entries[0]], [entries[0], entries[0], second]] {
        try place.directory.write("lock", lines.joined())
        let result = try place.run("--frozen", "lock", server.url("/a"))
        #expect(result.status == 2 && server.requests.isEmpty, "\(result.told)")
        #expect(result.errorText.contains("lock:1 and lock:\(lines.count) "), "\(result.told)")
      }
    }
    try place.directory.write("lock", entries[0] + entries[0])
    #expect(try place.run("--frozen", "lock", server.url("/a")).status == 0)
  }

  @Test func `are refused where they record nothing`() throws {
    for text in [
      #"{"url": "http://h/a"}"#, "https://h/a", #"{"url": "http://h/a", "out": "../a", "checksum": "md5:0"}"#,
    ] {
      try place.directory.write("lock", text + "\n")
      let result = try place.run("--frozen", "lock", server.url("/a"))
      #expect(result.status == 2 && result.errorText.contains("lock:1"), "\(result.told)")
    }
    #expect(try place.run("--frozen", "none", server.url("/a")).status == 2)
    try place.directory.write("empty", "")
    let empty = try place.run("--frozen", "empty", server.url("/a"))
    #expect(empty.status == 2 && empty.errorText.contains("a is not in the lock file empty"), "\(empty.told)")
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: [
    (["--lock", "-"], "./- is one"), (["--lock", "x.swiftget"], "reserved"), (["--lock", "l", "-o", "-"], "--lock"),
    (["--lock", "l", "-o", "/tmp/x"], "cannot list"), (["--lock", "l", "-o", "../x"], "cannot list"),
    (["--lock", "l", "--check"], "no meaning with --check"),
    (["--frozen", "l", "--content-disposition"], "--content-disposition"),
  ])
  func `are refused with options that contradict them`(arguments: [String], words: String) throws {
    let result = try place.run(place.invocation(arguments + [server.url("/a")]))
    #expect(result.status == 2 && result.errorText.contains(words), "\(result.told)")
    #expect(server.requests.isEmpty && place.names.isEmpty)
  }
}
