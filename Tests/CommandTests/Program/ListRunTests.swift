import TestSupport
import Testing

@Suite(.waiting) struct `Running lists` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let a = Content.generated(seed: 1, byteCount: 50_000)
  private static let b = Content.text("b\n")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(
      FileService([
        "/a": Self.a, "/b": Self.b, "/dir/a": Self.a, "/dir/b%20c": Self.b, "/dir/x%5Cy%0Az": Self.b,
        "/big": mediumFile,
      ]))
  }

  @Test(arguments: [false, true])
  func `a list of URLs is read from a file and from standard input`(isFromInput: Bool) throws {
    let list = "\u{feff}# comment\r\n\(server.url("/a"))\r\n\r\n\(server.url("/b"))#sha256=\(try Self.b.hexDigest())"
    try place.directory.write("list", list)
    let result = isFromInput ? try place.run("-i", "-", input: list) : try place.run("-i", "list")
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["a", "b", "list"] && place.holds("a", Self.a) && place.holds("b", Self.b))
    #expect(result.errorText.contains("swiftget: b: 2 B") && result.errorText.contains("sha256 verified"))
  }

  @Test func `names of several different files are all told, up to the twentieth`() throws {
    let list = "abch".map { $0 == "h" ? "https://h/h/a\n" : "https://h/f/\($0)\nhttps://h/g/\($0)\n" }.joined()
    try place.directory.write("list", list)
    let result = try place.run("-i", "list", "-d", "t")
    #expect(result.status == 2 && !place.names.contains("t"), "\(result.told)")
    for words in ["list:1 and list:2 ", "list:3 and list:4 ", "list:5 and list:6 ", "list:1 and list:7 "] {
      #expect(result.errorText.contains("swiftget: \(words)would both be written to "), "\(result.told)")
    }
    #expect(result.errorText.ranges(of: "hint: ").count == 1)
    let many = (0..<50).map { "https://h/f/\($0)\nhttps://h/g/\($0)\n" }.joined()
    let most = try place.run("-i", "-", input: many)
    #expect(most.status == 2 && most.errorText.ranges(of: "would both be").count == 20, "\(most.told)")
  }

  @Test(arguments: [
    ("https://h/f/a\nhttps://h/g/a\n", "--output-template '{stem}-{url-md5}.{ext}'"),
    ("https://h/f/a\nhttps://h/g/a\n out=a\n", "separated by TABs; rename other files with out="),
    ("url,md5\nhttps://h/f/a,\nhttps://h/g/a,\n", "a column such as filename"),
    ("{\"url\": \"https://h/f/a\"}\n{\"url\": \"https://h/g/a\"}\n", "names of their own in \"out\""),
  ])
  func `files of one name have a hint for the format of the list`(list: String, hint: String) throws {
    let result = try place.run("-i", "-", input: list)
    #expect(result.status == 2 && result.errorText.contains(hint), "\(result.told)")
  }

  /// What the hints say works.
  @Test func `files of one name are told apart as the hints say`() throws {
    let (a, other) = (server.url("/a"), server.url("/dir/a"))
    for (list, arguments) in [
      ("\(a)\n\(other)\n", ["--force-directories"]), ("\(a)\n\(other)\n out=b\n", []),
      ("\(a)\n\(other)\n", ["--output-template", "{host}/{path}/{name}"]),
      ("\(a)?x=1\n\(a)?x=2\n", ["--output-template", "{stem}-{url-md5}.{ext}"]),
      ("url,filename\n\(a),x\n\(other),y\n", []), ("url,mirror\n\(a),\(other)\n", []),
      ("url,x\n\(a),x\n\(other),y\n", ["--columns", "url=url,out=x"]),
      ("{\"url\": [\"\(a)\", \"\(other)\"]}\n", []),
      ("{\"url\": \"\(a)\"}\n{\"url\": \"\(other)\", \"out\": \"z\"}\n", []),
    ] as [(String, [String])] {
      var invocation = try place.invocation(["-q", "-i", "-", "-d", "t", "--dry-run"] + arguments)
      invocation.input = Array(list.utf8)
      let result = try place.run(invocation)
      #expect(result.status == 0, "\(list): \(result.told)")
    }
  }

  @Test(arguments: ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"])
  func `a GNU checksum list names files below the base URL`(algorithm: String) throws {
    let list =
      "\(try Self.a.hexDigest(algorithm))  a\n\(try Self.b.hexDigest(algorithm)) *b c\n"
      + "\\\(try Self.b.hexDigest(algorithm))  x\\\\y\\nz\n"
    try place.directory.write("SUMS", list)
    let result = try place.run("-d", "out", "-i", "SUMS", "--base-url", server.url("/dir"))
    // A control character has no place in a file's name, so that line is refused; the rest is another run.
    #expect(result.status == 2, "\(result.told)")
    #expect(result.errorText.contains("SUMS:3") && server.requests.isEmpty && place.names == ["SUMS"])
    try place.directory.write("SUMS", list.split(separator: "\n").dropLast().joined(separator: "\n"))
    let second = try place.run("-d", "out", "-i", "SUMS", "--base-url", server.url("/dir"))
    #expect(second.status == 0, "\(second.told)")
    #expect(place.directory.names(in: "out") == ["a", "b c"])
    #expect(place.holds("out/a", Self.a) && place.holds("out/b c", Self.b))
    #expect(second.errorText.contains("\(algorithm) verified"))
  }

  @Test func `an escaped backslash is unescaped`() throws {
    let server = try ScriptedServer(FileService(["/x%5Cy": Self.b]))
    try place.directory.write("SUMS", "\\\(try Self.b.hexDigest())  x\\\\y\n")
    let result = try place.run("-i", "SUMS", "--base-url", server.url("/"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("x\\y", Self.b))
  }

  @Test func `a BSD checksum list is read too`() throws {
    try place.directory.write(
      "CHECKSUM",
      "# a: 50000 bytes\nSHA256 (a) = \(try Self.a.hexDigest())\nMD5 (b c) = \(try Self.b.hexDigest("md5"))\n")
    let result = try place.run("-i", "CHECKSUM", "--base-url", server.url("/dir/"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("a", Self.a) && place.holds("b c", Self.b))
  }

  @Test func `one wrong line of a checksum list fails that file only`() throws {
    try place.directory.write("SUMS", "\(String(repeating: "0", count: 64))  a\n\(try Self.b.hexDigest())  b\n")
    let result = try place.run("-i", "SUMS", "--base-url", server.url("/"))
    #expect(result.status == 9, "\(result.told)")
    #expect(!place.names.contains("a") && place.holds("b", Self.b))
    #expect(result.errorText.contains("swiftget: a: ") && result.errorText.contains("1 failed"))
  }

  @Test func `an aria2 list gives mirrors, names, directories, digests and headers`() throws {
    let refusing = try RefusingPort()
    let list = """
      \(refusing.url("/nothing"))\t\(server.url("/big"))
        out=named/big.bin
        checksum=sha-256=\(try mediumFile.hexDigest())
      \(server.url("/b"))
        dir=other
        header=X-Wanted: yes
      """
    try place.directory.write("list", list)
    let result = try place.run("-i", "list")
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("named/big.bin", mediumFile) && place.holds("other/b", Self.b))
    #expect(place.names == ["list", "named", "other"])
    for request in server.requests { #expect(request.header("X-Wanted") == (request.path == "/b" ? "yes" : nil)) }
  }

  @Test(arguments: [
    ("http://127.0.0.1/x\nnot a URL\n", ":2: "), ("ftp://127.0.0.1/x\n", ":1: "), ("  out=x\n", ":1: "),
    ("http://127.0.0.1/x\n out=../x\n", ":1: "), ("http://127.0.0.1/x\n checksum=sha-256=00\n", ":2: "),
  ])
  func `an invalid line starts nothing`(lines: String, place where: String) throws {
    try place.directory.write("list", "\(lines)\(server.url("/a"))\n")
    let result = try place.run("-i", "list", server.url("/b"))
    #expect(result.status == 2, "\(result.told)")
    #expect(result.errorText.contains("swiftget: list\(`where`)"), "\(result.errorText)")
    #expect(server.requests.isEmpty && place.names == ["list"])
  }

  @Test func `two requests for one target are refused with both lines`() throws {
    try place.directory.write("list", "\(server.url("/a"))\n\n\(server.url("/dir/a"))\n")
    let result = try place.run("-i", "list")
    #expect(result.status == 2, "\(result.told)")
    #expect(result.errorText.contains("list:1") && result.errorText.contains("list:3"))
    #expect(server.requests.isEmpty && place.names == ["list"])
    let other = try place.run(server.url("/a"), server.url("/dir/a"))
    #expect(other.status == 2, "\(other.told)")
    #expect(other.errorText.contains(server.url("/a")) && other.errorText.contains(server.url("/dir/a")))
    #expect(server.requests.isEmpty && place.names == ["list"])
  }

  @Test(arguments: [".swiftget", ".swiftget-part", ".swiftget-bad", ".1-2.swiftget-tmp"])
  func `a target with the name of another's part file, sidecar or rejected content is refused`(suffix: String) throws {
    try place.directory.write("list", "\(server.url("/a"))\n\(server.url("/b"))\n out=a\(suffix)\n")
    let result = try place.run("-i", "list")
    #expect(result.status == 2, "\(result.told)")
    let named = try place.run("-o", "x/a\(suffix)", server.url("/a"))
    #expect(named.status == 2 && named.errorText.contains(suffix.suffix(4)), "\(named.told)")
    #expect(server.requests.isEmpty && place.names == ["list"])
  }

  @Test func `one file under two spellings of its name is refused`() throws {
    try place.directory.write("list", "\(server.url("/a"))\n\(server.url("/b"))\n out=./a\n")
    #expect(try place.run("-i", "list").status == 2)
    try place.directory.write("list", "\(server.url("/a"))\n\(server.url("/b"))\n out=x//../a\n")
    #expect(try place.run("-i", "list").status == 2)
    try place.directory.write(
      "list", "\(server.url("/a"))\n\(server.url("/b"))\n dir=\(place.directory.path)\n out=a\n")
    let result = try place.run("-i", "list")
    #expect(result.status == 2, "\(result.told)")
    #expect(server.requests.isEmpty && place.names == ["list"])
  }

  @Test func `a missing list is a failure that names it`() throws {
    let result = try place.run("-i", "absent")
    #expect(result.status == 3 || result.status == 2, "\(result.told)")
    #expect(result.errorText.contains("absent"))
  }

  @Test func `an empty list is no error, but a warning`() throws {
    try place.directory.write("list", "# nothing\n\n")
    let result = try place.run("-i", "list")
    #expect(
      result.status == 0 && result.errorText == "swiftget: warning: the list list contains no files\n", "\(result.told)"
    )
    let quiet = try place.run("-q", "-i", "list")
    #expect(quiet.status == 0 && quiet.errorText.isEmpty, "\(quiet.told)")
    try place.directory.write("other", server.url("/b"))
    let both = try place.run("-i", "other", "-i", "list")
    #expect(
      both.status == 0 && both.errorText.contains("the list list contains no files")
        && !both.errorText.contains("list other"))
  }

  @Test func `equal requests are one`() throws {
    let line = "\(server.url("/a"))\t\(server.url("/dir/a"))#sha256=\(try Self.a.hexDigest())\n"
    try place.directory.write("list", line + "\(server.url("/b"))\n" + line + line)
    try place.directory.write("again", line)
    let result = try place.run("-i", "list", "-i", "again", "--progress", "json", server.url("/b"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("a", Self.a) && place.holds("b", Self.b) && place.names == ["a", "again", "b", "list"])
    #expect(server.requests.count { $0.path == "/b" } == 1)
    #expect(result.outputText.contains("\"files\":2"), "\(result.told)")
  }

  @Test func `names of lists are filtered, and lose leading directories`() throws {
    let names = ["a", "dir/a", "dir/sub/b", "dir/sub/c.md5"]
    let service = FileService(Dictionary(uniqueKeysWithValues: names.map { ("/\($0)", Self.a) }))
    let server = try ScriptedServer(service)
    let digest = try Self.a.hexDigest()
    try place.directory.write("list", names.map { "\(digest)  \($0)\n" }.joined() + "\(digest)  other\n")
    func run(_ arguments: String...) throws -> ProgramResult {
      try place.run(place.invocation(["-i", "list", "--base-url", server.url("/"), "-d", "d"] + arguments))
    }
    let filtered = try run("--include", "dir/**", "--exclude", "*.md5", "--exclude", "nothing")
    #expect(filtered.status == 0, "\(filtered.told)")
    #expect(server.requests.map(\.path).sorted() == ["/dir/a", "/dir/sub/b"])
    #expect(place.directory.names(in: "d") == ["dir"] && place.directory.names(in: "d/dir/sub") == ["b"])
    let stripped = try run("--include", "b", "--strip-components", "1")
    #expect(stripped.status == 0 && place.directory.names(in: "d/sub") == ["b"], "\(stripped.told)")
    let meeting = try run("--include", "a", "--strip-components", "5")
    #expect(meeting.status == 2 && meeting.errorText.contains("list:1 and list:2"), "\(meeting.told)")
    let none = try run("--include", "nothing")
    #expect(none.status == 0 && none.errorText.contains("leave no file of the list list"), "\(none.told)")
    let before = try run("--include", "dir/sub/**", "--exclude", "dir/sub/c*", "--strip-components", "2")
    #expect(before.status == 0 && place.directory.names(in: "d").sorted() == ["b", "dir", "sub"], "\(before.told)")
    let named = try run("--include", "dir/a", "--output-template", "x/{name}")
    #expect(named.status == 0 && place.directory.names(in: "d/x") == ["a"], "\(named.told)")
    let alone = try place.run("--include", "a", server.url("/a"))
    #expect(alone.status == 2 && alone.errorText.contains("'--include' needs a list"), "\(alone.told)")
  }

  @Test func `a URL with alternatives is several files`() throws {
    let paths = ["/x1", "/x2", "/y1", "/y2", "/{x}[1]"]
    let server = try ScriptedServer(FileService(Dictionary(uniqueKeysWithValues: paths.map { ($0, Self.a) })))
    let result = try place.run("--glob", server.url("/{x,y}[1-2]"), server.url("/x1"))
    #expect(result.status == 0 && place.names == ["x1", "x2", "y1", "y2"], "\(result.told)")
    #expect(server.requests.count == 4)
    let several = try place.run("--glob", "-o", "f", server.url("/{x,y}1"))
    #expect(several.status == 2 && several.errorText.contains("'-o' needs exactly one URL"), "\(several.told)")
    let one = try place.run("--glob", "-o", "f", server.url("/[1-1]").replacing("/[", with: "/x["))
    #expect(one.status == 0 && place.holds("f", Self.a), "\(one.told)")
    let unclosed = try place.run("--glob", server.url("/{x"), server.url("/[2-1]"))
    #expect(unclosed.status == 2 && unclosed.errorText.contains("'{' is not closed"), "\(unclosed.told)")
    #expect(unclosed.errorText.contains("[2-1]") && unclosed.errorText.contains("backslash"))
  }

  @Test func `the first problems of lists are told together, and nothing starts`() throws {
    let lines = (1...30).map { $0 % 2 == 0 ? server.url("/f\($0)") : "\(server.url("/a"))\n out=../up" }
    try place.directory.write("list", lines.joined(separator: "\n") + "\n")
    try place.directory.write("other", "nothing\n\(server.url("/b"))#sha256=12\n")
    let result = try place.run("-i", "other", "-i", "list")
    let told = result.errorText.split(separator: "\n").filter { !$0.contains("hint:") }
    #expect(result.status == 2 && told.count == 17, "\(result.told)")
    #expect(told[0].contains("other:1: ") && told[1].contains("other:2: ") && told[2].contains("list:1: "))
    #expect(told[16].contains("list:43: ") && server.requests.isEmpty)
    try place.directory.write("list", String(repeating: "nothing\n", count: 100))
    let more = try place.run("-i", "list")
    #expect(more.status == 2 && more.errorText.contains("list:20: ") && !more.errorText.contains("list:21: "))
    // The hint, which is the same for all, is told once.
    #expect(more.errorText.split(separator: "\n").count == 21, "\(more.told)")
  }

  @Test func `checksums of one name on several lines are all compared`() throws {
    let digest = try Self.a.hexDigest()
    let (wrong, other) = (String(repeating: "0", count: 32), String(repeating: "0", count: 64))
    try place.directory.write("list", "\(digest)  a\nSHA256 (b) = \(try Self.b.hexDigest())\nMD5 (./a) = \(wrong)\n")
    let result = try place.run("-i", "list", "--base-url", server.url("/"))
    #expect(result.status == 9 && result.errorText.contains("md5"), "\(result.told)")
    #expect(place.names.filter { !$0.contains("swiftget") } == ["b", "list"], "\(place.names)")
    try place.directory.write("list", "\(digest)  a\n\n\(other) *a\n")
    let second = try place.run("-i", "list", "--base-url", server.url("/"))
    #expect(second.status == 2, "\(second.told)")
    #expect(second.errorText.contains("list:1 and list:3: one file has two different sha256 checksums"))
  }

  @Test func `two URLs with a blank between them are an error`() throws {
    try place.directory.write("list", "\(server.url("/a")) \(server.url("/dir/a"))\n")
    let result = try place.run("-i", "list")
    #expect(result.status == 2 && result.errorText.contains("list:1: "), "\(result.told)")
    #expect(result.errorText.contains("TAB") && server.requests.isEmpty)
    try place.directory.write("list", "\(server.url("/dir/b c"))\n")
    #expect(try place.run("-i", "list").status == 0)
    #expect(place.holds("b c", Self.b))
  }

  @Test(arguments: ["/dir", "/dir/"]) func `relative references are resolved against the base URL`(base: String) throws
  {
    try place.directory.write("list", "a\n./b%20c\n out=x\n/b\n\(server.url("/big"))\n")
    let result = try place.run("-i", "list", "--base-url", server.url(base))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("a", Self.a) && place.holds("x", Self.b) && place.holds("b", Self.b))
    #expect(place.holds("big", mediumFile) && place.names == ["a", "b", "big", "list", "x"])
    #expect(try place.run("-i", "list").status == 2)
    try place.directory.write("list", "<html>\n")
    #expect(try place.run("-i", "list", "--base-url", server.url(base)).status == 2)
  }

  @Test func `a checksum list without a base URL reports what is missing`() throws {
    try place.directory.write("SUMS", "\(try Self.b.hexDigest())  b\n")
    let result = try place.run("-i", "SUMS")
    #expect(result.status == 2 && result.errorText.contains("--base-url"), "\(result.told)")
  }
}
