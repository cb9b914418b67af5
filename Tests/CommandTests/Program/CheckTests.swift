import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `Checking files` {
  private let place: Workplace
  private static let a = Content.text("content of a")
  private static let b = Content.text("content of b")

  init() throws {
    place = try Workplace()
    try Self.a.write(to: place.directory.path("a"))
    try Self.b.write(to: place.directory.path("b"))
  }

  @Test func `prints a result for each entry, in the order of the list`() throws {
    try place.directory.makeDirectory("dir")
    symlink("a", place.directory.path("link"))
    let names = ["b", "absent", "a", "dir", "link", "no/such"]
    try place.directory.write("SUMS", try names.map { "\(try Self.a.hexDigest())  \($0)\n" }.joined())
    let result = try place.run("--check", "-i", "SUMS")
    #expect(result.status == 9, "\(result.told)")
    let failed = "FAILED open or read"
    #expect(
      result.outputText == "b: FAILED\nabsent: \(failed)\na: OK\ndir: \(failed)\nlink: \(failed)\nno/such: \(failed)\n")
    #expect(result.errorText.contains("swiftget: absent: there is no such file (SUMS:2)\n"), "\(result.told)")
    #expect(result.errorText.contains("swiftget: dir: it is a directory (SUMS:4)\n"))
    #expect(result.errorText.contains("swiftget: link: it or a directory in its path is a symbolic link"))
    #expect(
      result.errorText.hasSuffix(
        "swiftget: warning: 1 of 6 files did not match\nswiftget: warning: 4 of 6 files missing\n"))
    let verbose = try place.run("--check", "-v", "-i", "SUMS")
    #expect(verbose.errorText.contains("swiftget: b: the sha256 is "), "\(verbose.told)")
    #expect(place.names == ["SUMS", "a", "b", "dir", "link"])
  }

  @Test func `sends no request, whatever the list names`() throws {
    let server = try ScriptedServer(FileService(["/a": Self.b, "/b": Self.b]))
    try place.directory.write(
      "list", "\(server.url("/a"))#sha256=\(try Self.a.hexDigest())\n\(server.url("/b"))\n\(server.url("/absent"))\n")
    let result = try place.run("--check", "-i", "list")
    #expect(result.status == 9 && server.requests.isEmpty, "\(result.told)")
    #expect(result.outputText == "a: OK\nb: unverifiable\nabsent: FAILED open or read\n")
    #expect(result.errorText.hasSuffix("swiftget: warning: 1 of 3 files cannot be verified\n"), "\(result.told)")
  }

  @Test func `takes the digest of the command line`() throws {
    let digest = try Self.a.hexDigest()
    #expect(try place.run("--check", "https://example.org/a#sha256=\(digest)").outputText == "a: OK\n")
    let named = try place.run("--check", "-o", "b", "--checksum", "sha256:\(digest)", "https://example.org/a")
    #expect(named.status == 9 && named.outputText == "b: FAILED\n", "\(named.told)")
    let quiet = try place.run(
      "-q", "--check", "-d", place.directory.path, "--checksum", "sha256:\(digest)", "https://example.org/a")
    #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.error.isEmpty, "\(quiet.told)")
  }

  @Test func `compares lengths, pieces and every digest`() throws {
    try Content.generated(seed: 7, byteCount: 100).write(to: place.directory.path("c"))
    let content = Content.generated(seed: 7, byteCount: 100)
    let pieces = try [0..<64 as Range<Int64>, 64..<100].map { try Content.bytes(content.bytes(in: $0)).hexDigest() }
    func entry(_ fields: String) -> String { #"{"url": "https://example.org/c", \#(fields)}"# + "\n" }
    let wholePieces = #""pieces": {"algorithm": "sha256", "length": 64, "hashes": ["\#(pieces[0])", "\#(pieces[1])"]}"#
    let wrongPieces = #""pieces": {"algorithm": "sha256", "length": 64, "hashes": ["\#(pieces[0])", "\#(pieces[0])"]}"#
    let good = try content.hexDigest("md5")
    let cases = [
      (#""size": 100"#, "size only"), (#""size": 101"#, "FAILED"), (wholePieces, "OK"), (wrongPieces, "FAILED"),
      (#""size": 100, "checksum": {"md5": "\#(good)", "sha1": "\#(String(repeating: "0", count: 40))"}"#, "FAILED"),
      (#""checksum": {"md5": "\#(good)", "sha1": "\#(try content.hexDigest("sha1"))"}"#, "OK"),
    ]
    for (fields, expected) in cases {
      try place.directory.write("list.jsonl", entry(fields))
      let result = try place.run("--check", "-i", "list.jsonl")
      #expect(
        result.outputText == "c: \(expected)\n" && result.status == (expected == "FAILED" ? 9 : 0),
        "\(fields): \(result.told)")
    }
  }

  @Test func `needs no base URL for names, and refuses what is no list`() throws {
    try place.directory.write("registry.txt", "a \(try Self.a.hexDigest())\nb sha1:\(try Self.b.hexDigest("sha1"))\n")
    #expect(try place.run("--check", "-i", "registry.txt").outputText == "a: OK\nb: OK\n")
    try place.directory.write("bad", "\(try Self.a.hexDigest())  a\nnot a line\n")
    let bad = try place.run("--check", "-i", "bad")
    #expect(bad.status == 2 && bad.errorText.contains("bad:2: ") && bad.output.isEmpty, "\(bad.told)")
    try place.directory.write("words", "a\nb\n")
    #expect(try place.run("--check", "-i", "words").status == 2)
    try place.directory.write("up", "\(try Self.a.hexDigest())  ../a\n")
    let up = try place.run("--check", "-i", "up")
    #expect(up.status == 2 && up.errorText.contains("hint: correct the name in the list"), "\(up.told)")
    let empty = try place.run("--check", "-i", "/dev/null")
    #expect(empty.status == 0 && empty.errorText.contains("contains no files"), "\(empty.told)")
  }

  @Test(arguments: [
    ([], "nothing to check"), (["-o", "-", "https://h/a"], "standard output"),
    (["--content-disposition", "https://h/a"], "no meaning with --check"),
    (["--check=x", "https://h/a"], "takes no argument"), (["--algorithm", "md5", "https://h/a"], "--write-manifest"),
  ])
  func `refuses what it cannot check`(arguments: [String], words: String) throws {
    let result = try place.run(place.invocation(["--check"] + arguments))
    #expect(result.status == 2 && result.errorText.contains(words) && result.output.isEmpty, "\(result.told)")
  }

  @Test func `is not taken for --checksum, nor the other way round`() throws {
    let ambiguous = try place.run("--chec", "https://example.org/a")
    #expect(ambiguous.status == 2 && ambiguous.errorText.contains("--check, --checksum"), "\(ambiguous.told)")
    let swallowed = try place.run("--checksum", "https://example.org/a")
    #expect(swallowed.status == 2 && swallowed.errorText.contains("not a checksum"), "\(swallowed.told)")
    #expect(try place.run("--check", "https://example.org/a").outputText == "a: unverifiable\n")
  }

  @Test func `of many files keeps their order and little memory`() throws {
    try place.directory.makeDirectory("many")
    let digest = try Self.a.hexDigest()
    var list = ""
    for number in 0..<60_000 {
      if number % 100 == 0 { try Self.a.write(to: place.directory.path("many/\(number)")) }
      list += "\(digest)  \(number)\n"
    }
    try place.directory.write("SUMS", list)
    let result = try place.run("-q", "--check", "-i", "SUMS", "-d", "many", "--log", "log")
    #expect(result.status == 9)
    let numbers = result.outputText.split(separator: "\n").compactMap { Int($0.prefix { $0 != ":" }) }
    #expect(numbers == (0..<60_000).filter { $0 % 100 != 0 })
    // A sanitizer keeps freed memory for a while, and a debug build says nothing.
    if getenv("SWIFTGET_BINARY") != nil { #expect(result.peakResidentKiB < 60_000, "\(result.peakResidentKiB) KiB") }
    #expect(try place.text("log").contains("the run ends with status 9"))
  }

  @Test func `of files that nothing verifies fails only with --strict`() throws {
    try place.directory.write("list", "https://h/a\nhttps://h/b#sha256=\(try Self.b.hexDigest())\n")
    let loose = try place.run("--check", "-i", "list")
    #expect(loose.status == 0 && loose.outputText == "a: unverifiable\nb: OK\n", "\(loose.told)")
    #expect(loose.errorText == "swiftget: warning: 1 of 2 files cannot be verified\n")
    let quiet = try place.run("-q", "--check", "-i", "list")
    #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.error.isEmpty, "\(quiet.told)")
    let strict = try place.run("-q", "--check", "--strict", "-i", "list")
    #expect(strict.status == 9 && strict.outputText == "a: unverifiable\n", "\(strict.told)")
    #expect(try place.run("--check", "https://h/absent").status == 9)
    let sized = "{\"url\": \"https://h/a\", \"size\": 12}\n"
    try place.directory.write("sizes.jsonl", sized)
    let size = try place.run("--check", "--strict", "-i", "sizes.jsonl")
    #expect(size.status == 9 && size.outputText == "a: size only\n", "\(size.told)")
  }

  @Test func `of files of the right size says that no more was compared`() throws {
    try place.directory.write("sizes.csv", "url,filename,size\nhttps://h/1,a,12\nhttps://h/2,b,12\n")
    try place.directory.write("a", "anything 12!")
    let result = try place.run("--check", "-i", "sizes.csv")
    #expect(result.status == 0 && result.outputText == "a: size only\nb: size only\n", "\(result.told)")
    #expect(
      result.errorText == "swiftget: warning: 2 of 2 files have the right size, and no checksum to compare\n")
    let quiet = try place.run("--check", "-q", "-i", "sizes.csv")
    #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.error.isEmpty, "\(quiet.told)")
    let objects = try place.run("--check", "--progress", "json", "--strict", "-i", "sizes.csv").outputText
    #expect(objects.contains("\"outcome\":\"size_only\"") && objects.contains("\"size_only\":2"), "\(objects)")
    try place.directory.write("a", "x")
    let wrong = try place.run("--check", "-i", "sizes.csv")
    #expect(wrong.status == 9 && wrong.outputText == "a: FAILED\nb: size only\n", "\(wrong.told)")
  }

  @Test(arguments: ["<size>12</size>", ""])
  func `of files with checksums of unknown algorithms only is no success`(size: String) throws {
    func list(_ hashes: String) throws {
      try place.directory.write(
        "list.meta4",
        "<?xml version=\"1.0\"?><metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"a\">\(size)\(hashes)"
          + "<url>https://h/a</url></file></metalink>")
    }
    for hash in ["<hash type=\"whirlpool\">00</hash>", "<pieces type=\"tiger\" length=\"4\"><hash>00</hash></pieces>"] {
      try list(hash)
      let result = try place.run("--check", "-q", "-i", "list.meta4")
      #expect(result.status == 9 && result.outputText == "a: unverifiable\n", "\(result.told)")
      #expect(result.errorText.contains("unknown algorithms"), "\(result.told)")
      try list(hash + "<hash type=\"sha-256\">\(try Self.a.hexDigest())</hash>")
      #expect(try place.run("--check", "-i", "list.meta4").outputText == "a: OK\n")
    }
  }

  @Test func `has objects for programs`() throws {
    try place.directory.write(
      "list",
      "https://h/a#sha256=\(try Self.b.hexDigest())\nhttps://h/b#sha256=\(try Self.b.hexDigest())\nhttps://h/c\n")
    let result = try place.run("--check", "--progress", "json", "-i", "list")
    #expect(result.status == 9 && result.error.isEmpty, "\(result.told)")
    let lines = result.outputText.split(separator: "\n").filter { !$0.contains("\"type\":\"progress\"") }
    try #require(lines.count == 5, "\(lines)")
    #expect(lines[0].hasPrefix("{\"type\":\"start\",") && lines[0].hasSuffix("\"version\":2,\"files\":3}"))
    #expect(
      lines[1].hasPrefix("{\"type\":\"check\",")
        && lines[1].contains("\"name\":\"a\",\"outcome\":\"different\",\"reason\":\"the sha256 is "))
    #expect(
      lines[2].hasSuffix(
        "\"name\":\"b\",\"outcome\":\"ok\",\"reason\":null,\"source\":{\"list\":\"list\",\"line\":2}}")
    )
    #expect(lines[3].contains("\"outcome\":\"missing\""))
    #expect(
      lines[4].hasPrefix("{\"type\":\"end\",") && lines[4].contains(",\"status\":9,")
        && lines[4].hasSuffix("\"checked\":3,\"failed\":2,\"unverifiable\":0}"))
  }

  /// A sparse file takes a while to hash and no time to make.
  @Test func `shows on a terminal how far it is, and leaves only the results`() throws {
    #expect(truncate(place.directory.path("a"), 3 << 30) == 0)
    try place.directory.write(
      "list", "https://h/a#sha256=\(try Self.b.hexDigest())\nhttps://h/b#sha256=\(try Self.b.hexDigest())\n")
    var invocation = try place.invocation(["--check", "-i", "list"])
    invocation.environment = ["TERM": "xterm"]
    invocation.terminal = (80, 24)
    // Hashing takes long on a machine that is busy.
    invocation.timeLimit = 600
    let result = try place.run(invocation)
    let told = String(decoding: result.error + result.output, as: UTF8.self)
    #expect(result.status == 9 && told.contains("/2 files, ") && told.contains("/s"), "\(told)")
    #expect(!told.contains("connection") && told.contains("a: FAILED") && told.contains("b: OK"), "\(told)")
    invocation.arguments.append("-q")
    let quiet = try place.run(invocation)
    #expect(!String(decoding: quiet.error, as: UTF8.self).contains("files, "), "\(quiet.told)")
  }

  @Test func `fails where the results are lost`() throws {
    var invocation = try place.invocation(["--check", "https://example.org/a#sha256=\(try Self.a.hexDigest())"])
    invocation.outputPath = "/dev/full"
    #expect(try place.run(invocation).status == 3)
    invocation.outputPath = nil
    invocation.closedDescriptors = [1]
    #expect(try place.run(invocation).status == 3)
  }
}
