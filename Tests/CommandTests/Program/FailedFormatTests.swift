import Glibc
import TestSupport
import Testing

/// The two forms of `--failed`, and that the next run needs no other options.
@Suite(.waiting) struct `Forms of lists of failed files` {
  private let place: Workplace
  private let server: ScriptedServer
  private let host: String
  /// Whether everything is found.
  private let isWhole = Locked(false)
  private static let a = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"
  private static let b = "72399361da6a7754fec986dca5b7cbaf1c810a28ded4abaf56b2106d06cb78b0"
  private static let md5 = "781e5e245d69b566979b86e28d23f2c7"

  init() throws {
    place = try Workplace()
    let files = FileService([
      "/a": .text("0123456789"), "/x/b": .text("abcdefghij"), "/ok": .text("0123456789"), "/x/y/c": .text("0123456789"),
    ])
    let isWhole = isWhole
    server = try ScriptedServer { request in
      isWhole.withLock { $0 } || request.path == "/ok" ? files.steps(for: request) : [.respond(404)]
    }
    host = String(server.url("/").dropLast())
  }

  /// A list whose files fail but `/ok`. HOST is the server, REASON what its answer to the path means.
  struct Example: CustomTestStringConvertible {
    var name = "list"
    let list: String
    var options: [String] = []
    let failed: String
    /// The status of the runs with and without a server that has everything.
    var statuses: (Int32, Int32) = (8, 0)

    var testDescription: String { "\(name) \(options) \(list.prefix(60))" }
  }

  private static let examples: [Example] = [
    Example(
      list: "# c\r\nHOST/a\r\n\r\nHOST/ok\r\nHOST/x/b#sha256=\(b)\r\n",
      failed: "# a: REASON/a\nHOST/a\n# b: REASON/x/b\nHOST/x/b#sha256=\(b)\n"),
    Example(list: "\u{feff}HOST/a", failed: "# a: REASON/a\nHOST/a\n"),
    Example(
      list: "x/y/c\n/x/b \nHOST/ok\n", options: ["--base-url", "HOST/"],
      failed: "# c: REASON/x/y/c\nx/y/c\n# b: REASON/x/b\n/x/b \n"),
    Example(
      list: "HOST/a\tHOST/x/y/c\n  out=p/q/r\n# x\n\tdir=data\n\n header=X-A: 1\n split=2\nHOST/ok\nHOST/x/b\n",
      options: ["--strip-components", "1"],
      failed: "# data/q/r: REASON/x/y/c\nHOST/a\tHOST/x/y/c\n  out=p/q/r\n\tdir=data\n header=X-A: 1\n split=2\n"
        + "# b: REASON/x/b\nHOST/x/b\n"),
    Example(
      list: "HOST/a\n out=p/q/r\nHOST/x/b\n", options: ["--output-template", "{host}/{path}/{stem}-{url-md5}"],
      failed: ""),
    Example(
      name: "SHA256SUMS", list: "\(a) *a\n\(md5)  a\n\(a)  ok\nSHA256 (x/b) = \(b)\n",
      options: ["--base-url", "HOST/"],
      failed:
        "# a: REASON/a\n\(a) *a\n# a: belongs to an entry above\n\(md5)  a\n# x/b: REASON/x/b\nSHA256 (x/b) = \(b)\n"),
    Example(
      name: "a.sha256", list: "\(a)\n", options: ["--base-url", "HOST/"], failed: "# a: REASON/a\nSHA256 (a) = \(a)\n"),
    Example(
      name: "B2SUMS",
      list: String(repeating: "0", count: 128) + "  a\n", options: ["--base-url", "HOST/"],
      failed: "# a: REASON/a\nBLAKE2b (a) = " + String(repeating: "0", count: 128) + "\n", statuses: (8, 9)),
    Example(
      list: "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\(a)  ok\n- SHA256 (x/b) = \(b)\n"
        + "-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n",
      options: ["--base-url", "HOST/"], failed: "# x/b: REASON/x/b\nSHA256 (x/b) = \(b)\n"),
    Example(
      list: "\u{feff}url,filename,size\r\nHOST/a,\"n,a\"\"\",10\r\nHOST/ok,,\r\nHOST/x/b,b.bin,10",
      failed: object("/a", #""out": "n,a\"", "size": 10"#, 2) + object("/x/b", #""out": "b.bin", "size": 10"#, 4)),
    Example(
      list: "where\tname\terror\nHOST/ok\tk\t\nHOST/a\tn/a.bin\tan \"old\" one\n",
      options: ["--columns", "url=where,out=name", "--strip-components", "1"],
      failed: object("/a", #""out": "n/a.bin""#, 3)),
    Example(
      list: "HOST/ok,1\nHOST/a,2\n", options: ["--columns", "url=1,out=2", "--input-format", "csv"],
      failed: object("/a", #""out": "2""#, 2)),
    Example(
      list: "HOSTNAME/ok,o/k\nHOSTNAME/a,p/q\nHOSTNAME/x/b,p/r\n",
      options: ["--columns", "url=1,out=2", "--url-scheme", "http", "--include", "*/[kq]", "--base-url", "HOST/none/"],
      failed: object("/a", #""out": "p/q""#, 2)),
    Example(
      list: "name\nok\na\nx/b\n", options: ["--url-template", "HOST/{+name}", "--columns", "out=name"],
      failed: object("/a", #""out": "a""#, 3) + object("/x/b", #""out": "x/b""#, 4)),
    Example(
      list: "run\tfastq_ftp\tfastq_md5\nR1\tHOST/a;HOST/ok;HOST/x/b\t\(md5);\(md5);a925576942e94b2ef57a066101b48876\n",
      failed: object("/a", #""checksum": {"md5": "\#(md5)"}"#, 2)
        + object("/x/b", #""checksum": {"md5": "a925576942e94b2ef57a066101b48876"}"#, 2)),
    Example(
      list: "'a' \(a)\n# x\nok \(a)\n\"x/b\"  sha256:\(b) HOST/x/b\n", options: ["--base-url", "HOST/"],
      failed: object("/a", #""out": "a", "checksum": {"sha256": "\#(a)"}"#, 1)
        + object("/x/b", #""out": "x/b", "checksum": {"sha256": "\#(b)"}"#, 4)),
    Example(
      list:
        "{\"url\":\"HOST/a\",\"headers\":{\"X-A\":\"1\"},\"x-error\":\"old\",\"dir\":\"d\"}\n{\"url\": \"HOST/ok\"}\n"
        + "{\"url\": [\"HOST/x/b\", \"HOST/x/b?2\"], \"checksum\": {\"sha256\": \"\(b)\"} }\n",
      failed: object("/a", #""dir": "d", "headers": {"X-A": "1"}"#, 1)
        + object("/x/b", #""checksum": {"sha256": "\#(b)"}"#, 3)
        .replacing(#""HOST/x/b","#, with: #"["HOST/x/b", "HOST/x/b?2"],"#)
        .replacing(#"REASON/x/b""#, with: #"REASON/x/b?…""#)),
    Example(
      list: "{\"files\": [{\"url\": \"HOST/a\"},{\"url\": \"HOST/ok\"},\n{\"url\": \"x/b\",\n\"out\": \"b\"}],"
        + " \"version\": 1}",
      options: ["--input-format", "json", "--base-url", "HOST/"],
      failed: object("/a", "", 1) + object("/x/b", #""out": "b""#, 2)),
    Example(
      list: "[{\"u\": {\"v\": \"HOST/a\"}}, {\"u\": {\"v\": \"HOST/ok\"}}]",
      options: ["--columns", "url=u.v", "--output-template", "{host}/{path}/{stem}-{url-md5}"],
      failed: object("/a", "", 1)),
    Example(
      list: "{\"u\": {\"v\": \"HOST/a\"}, \"n\": 1}", options: ["--columns", "url=u.v", "--force-directories"],
      failed: object("/a", "", 1)),
    Example(
      list: "{\"name\": \"x\", \"resources\": [{\"path\": \"HOST/ok\"}, {\"path\": \"x/b\", \"bytes\": 10}]}",
      options: ["--base-url", "HOST/"], failed: object("/x/b", #""out": "x/b", "size": 10"#, 1)),
    Example(
      list: "HOST/ok - data/ok\nHOST/x/b 10 data/%25%2e\n",
      failed: object("/x/b", #""out": "data/%%2e", "size": 10"#, 2)),
    Example(
      list: """
        <metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="i&lt;s/a--.iso"><size>10</size>
        <verification><hash type="sha256">\(a)</hash><pieces length="5" type="md5">
        <hash piece="1">099ebea48ea9666a7da2177267983138</hash><hash piece="0">4100c4d44da9177247e44a5fc1546778</hash>
        </pieces></verification><resources><url preference="9" location="fr">HOST/a?x&amp;y</url>
        <url preference="8" location="de">HOST/a</url></resources></file>
        <file name="ok"><resources><url>HOST/ok</url></resources></file>
        <file name="no"><os>Windows-x86</os><language>fr</language><resources><url>HOST/x/b</url></resources></file>
        </files></metalink>
        """,
      options: ["--metalink-location", "de", "--metalink-os", "Linux-x86", "--metalink-language", "en"],
      failed: object(
        "/a?…",
        #""out": "i<s/a--.iso", "size": 10, "checksum": {"sha256": "\#(a)"}, "pieces": {"algorithm": "md5", "length": 5, "#
          + #""hashes": ["4100c4d44da9177247e44a5fc1546778", "099ebea48ea9666a7da2177267983138"]}"#, 1
      ).replacing(#""HOST/a?…","#, with: #"["HOST/a", "HOST/a?x&y"],"#)),
  ]

  /// A line of JSON for an entry with one URL.
  ///
  /// - Parameter members: what it says besides.
  private static func object(_ path: String, _ members: String, _ line: Int) -> String {
    #"{"reason": "REASON\#(path)", "url": "HOST\#(path)", \#(members)\#(members.isEmpty ? "" : ", ")"#
      + #""source": {"list": "list", "line": \#(line)}}"# + "\n"
  }

  private func replaced(_ text: String) -> String {
    text.replacing("HOSTNAME", with: host.dropFirst("http://".count)).replacing("HOST", with: host)
  }

  private func arguments(_ own: [String], _ example: Example) -> [String] {
    own + example.options.map(replaced)
  }

  @Test(arguments: 0..<Self.examples.count)
  func `lead to the same files with the same command line`(number: Int) throws {
    let example = Self.examples[number]
    try place.directory.write(example.name, replaced(example.list))
    let first = try place.run(
      place.invocation(arguments(["-i", example.name, "-d", "t", "--failed", "failed"], example)))
    #expect(first.status == example.statuses.0, "\(first.told)")
    let failed = try place.text("failed").replacing(": the server returned 404 Not Found", with: "")
    if !example.failed.isEmpty {
      let expected = replaced(example.failed.replacing("REASON", with: "HOST"))
      #expect(failed == expected, "\(failed)")
    }
    isWhole.withLock { $0 = true }
    let requestCount = server.requests.count
    let second = try place.run(
      place.invocation(arguments(["-i", "failed", "-d", "t", "--failed", "rest"], example)))
    #expect(second.status == example.statuses.1, "\(second.told)")
    let asked = server.requests[requestCount...].map { [$0.target, $0.header("X-A") ?? ""] }
    #expect(!asked.contains { $0[0] == "/ok" }, "\(asked)")
    let whole = try place.run(place.invocation(arguments(["-i", example.name, "-d", "u"], example)))
    #expect(whole.status == example.statuses.1, "\(whole.told)")
    let expected = server.requests[(requestCount + asked.count)...].map { [$0.target, $0.header("X-A") ?? ""] }
    #expect(Set(asked) == Set(expected).filter { !$0[0].hasPrefix("/ok") })
    if example.statuses.0 == 8, example.statuses.1 == 0 {
      #expect(try place.text("rest").isEmpty)
      let difference = try runProgram("/usr/bin/diff", ["-r", place.directory.path("t"), place.directory.path("u")])
      #expect(difference.status == 0, "\(difference.outputText)")
    }
  }

  @Test func `have as comments what the run did without`() throws {
    let list = """
      \(host)/a
      nonsense \u{7}
      \(host)/x/b
       nonsense=1
      \(host)/ok
       out=q
      \(host)/ok?1
       out=q
      \(host)/ok
      """
    try place.directory.write("list", list)
    let result = try place.run("--keep-going", "-i", "list", "--failed", "failed")
    #expect(result.status == 2, "\(result.told)")
    let expected = """
      # a: \(host)/a: the server returned 404 Not Found
      \(host)/a
      # list:2: the line contains a control character
      # nonsense \\x07
      # list:4: unknown option 'nonsense'
      # \(host)/x/b
      #  nonsense=1
      # list:5: another entry for q contradicts this one
      # \(host)/ok
      #  out=q
      # list:7: another entry for q contradicts this one
      # \(host)/ok?1
      #  out=q

      """
    #expect(try place.text("failed") == expected)
    isWhole.withLock { $0 = true }
    let second = try place.run("-i", "failed", "--failed", "rest")
    #expect(second.status == 0 && place.names == ["a", "failed", "list", "ok", "rest"], "\(second.told)")
  }

  @Test func `in JSON Lines leave out what the run did without`() throws {
    try place.directory.write("list", "url,size\n\(host)/a,x\n\(host)/ok,\n")
    let result = try place.run("--keep-going", "-i", "list", "--failed", "failed")
    #expect(result.status == 2 && result.errorText.contains("does not have the wrong entries"), "\(result.told)")
    #expect(try place.text("failed").isEmpty)
  }

  @Test func `are not taken for another format because of a comment`() throws {
    try place.directory.write("list", "\(host)/ok\n out=a,url,b\n")
    try place.directory.makeDirectory("a,url,b")
    let result = try place.run("-i", "list", "--failed", "failed")
    #expect(result.status == 3, "\(result.told)")
    #expect(
      try place.text("failed")
        == "# What failed\n# a,url,b: a directory has this name\n\(host)/ok\n out=a,url,b\n")
    let again = try place.run("-i", "failed", "-d", "t")
    #expect(again.status == 0 && place.directory.names(in: "t") == ["a,url,b"], "\(again.told)")
  }

  @Test func `are JSON Lines if one list cannot hold it all`() throws {
    try place.directory.write("urls", "\(host)/a\n")
    try place.directory.write("SUMS", "\(Self.b)  x/b\n")
    try place.directory.write("1.csv", "url,out\n\(host)/a,b\n")
    try place.directory.write("2.csv", "url,name\n\(host)/a,c\n")
    for inputs in [
      ["-i", "urls", "-i", "SUMS"], ["-i", "1.csv", "-i", "2.csv"], ["-i", "SUMS", "\(host)/a"],
      ["-i", "urls", "\(host)/x/b"],
    ] {
      let result = try place.run(
        place.invocation(inputs + ["--base-url", host, "--failed", "failed", "--report", "report"]))
      #expect(result.status == 8, "\(result.told)")
      let lines = try place.text("failed").split(separator: "\n")
      #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("{\"reason\": ") }, "\(lines)")
      #expect(try ReadReport(place.text("report")).total("failed") == 2)
    }
    // What two lists say of a file is one entry.
    try place.directory.write("one", "\(Self.a)  a\n")
    let merged = try place.run("-i", "urls", "-i", "one", "--base-url", host, "--failed", "failed")
    #expect(merged.status == 8, "\(merged.told)")
    let line = try place.text("failed")
    #expect(line.split(separator: "\n").count == 1 && line.contains("{\"sha256\": \"\(Self.a)\"}"), "\(line)")
    // Without the first line this list of references looks like a registry of pooch.
    try place.directory.write("references", "ok\nx/b sha256:\(Self.b)\n")
    let references = try place.run("-i", "references", "--base-url", host, "--failed", "failed")
    #expect(references.status == 8, "\(references.told)")
    #expect(try place.text("failed").contains("\"url\": \"\(host)/x/b\", "))
    // Lists of one format are one list.
    try place.directory.write("more", "\(host)/x/b\n")
    let lists = try place.run("-i", "urls", "-i", "more", "--failed", "failed")
    #expect(lists.status == 8, "\(lists.told)")
    #expect(
      try place.text("failed").split(separator: "\n").filter { !$0.hasPrefix("#") } == ["\(host)/a", "\(host)/x/b"])
  }

  @Test func `of version 0_1 are read, whatever options say of the list`() throws {
    isWhole.withLock { $0 = true }
    try place.directory.write(
      "failed",
      "{\"x-error\": \"404\", \"url\": \"\(host)/a\", \"out\": \"n\", \"checksum\": {\"sha256\": \"\(Self.a)\"}, "
        + "\"x-source\": \"list:3\"}\n")
    for options in [[], ["--columns", "url=1,out=2"], ["--input-format", "csv"]] {
      let result = try place.run(place.invocation(["-i", "failed", "-d", "t"] + options))
      #expect(result.status == 0 && place.directory.names(in: "t") == ["n"], "\(result.told)")
      unlink(place.directory.path("t/n"))
    }
  }

  @Test func `have absolute names of aria2 input files`() throws {
    try place.directory.write("urls", "\(host)/a\n out=\(place.directory.path("o/p"))\n")
    try place.directory.write("SUMS", "\(Self.b)  x/b\n")
    for (list, isJSON) in [(["-i", "urls"], false), (["-i", "urls", "-i", "SUMS", "--base-url", host], true)] {
      isWhole.withLock { $0 = false }
      let result = try place.run(place.invocation(list + ["-d", "t", "--failed", "failed"]))
      #expect(result.status == 8, "\(result.told)")
      #expect(try place.text("failed").hasPrefix("{") == isJSON)
      isWhole.withLock { $0 = true }
      let again = try place.run("-i", "failed", "-d", "t")
      #expect(again.status == 0 && place.holds("o/p", .text("0123456789")), "\(again.told)")
      unlink(place.directory.path("o/p"))
    }
  }

  /// Lists whose names, or the failed list's, tell an algorithm or a file.
  @Test(arguments: [("SUMS", "failed.sha256"), ("SUMS", "B2SUMS"), ("x.sha256", "failed")])
  func `do not depend on names of lists`(list: String, failed: String) throws {
    try place.directory.write(list, "\(Self.a)  a\n\(Self.b)  x/b\n")
    let result = try place.run("-i", list, "--base-url", host, "--failed", failed)
    #expect(result.status == 8, "\(result.told)")
    #expect(
      try place.text(failed).split(separator: "\n").filter { !$0.hasPrefix("#") }
        == ["SHA256 (a) = \(Self.a)", "SHA256 (x/b) = \(Self.b)"])
    isWhole.withLock { $0 = true }
    let again = try place.run("-i", failed, "--base-url", host)
    #expect(again.status == 0 && place.holds("a", .text("0123456789")), "\(again.told)")
  }

  @Test func `have names and credentials as they stand in the list`() throws {
    let userinfo = "us%40er:s3cret@127.0.0.1"
    let list = Array("\(Self.a)  \(host.replacing("127.0.0.1", with: userinfo))/a\n\(Self.b)  x/".utf8) + [0xff, 0x0a]
    try place.directory.write("list", list)
    let result = try place.run("-v", "-i", "list", "--base-url", host, "--failed", "failed")
    #expect(result.status == 8 && !result.told.contains("s3cret"), "\(result.told)")
    let text = try place.text("failed")
    let failed = try place.directory.read("failed").split(separator: 0x0a)
    #expect([failed[1], failed[3]] == list.split(separator: 0x0a), "\(text)")
    #expect(failed[2].starts(with: "# x/\\xff: ".utf8) && !failed[0].contains(0x40), "\(text)")
  }

  @Test func `are made of compressed lists and of standard input`() throws {
    try place.directory.write("SUMS", "\(Self.a)  ok\n\(Self.b)  x/b\n")
    _ = try runProgram("/usr/bin/gzip", [place.directory.path("SUMS")])
    let line = "# x/b: \(host)/x/b: the server returned 404 Not Found\n\(Self.b)  x/b\n"
    let result = try place.run("-i", "SUMS.gz", "--base-url", host, "--failed", "failed")
    #expect(result.status == 8, "\(result.told)")
    #expect(try place.text("failed") == line)
    let second = try place.run(
      "-i", "-", "--base-url", host, "--failed", "failed", input: "\(Self.a)  ok\n\(Self.b)  x/b\n")
    #expect(second.status == 8, "\(second.told)")
    #expect(try place.text("failed") == line)
  }
}
