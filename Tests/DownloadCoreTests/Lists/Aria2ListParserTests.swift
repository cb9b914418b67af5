import Testing

@testable import DownloadCore

@Suite struct `URL lists and aria2 input files` {
  static let sha256 = String(repeating: "0123456789abcdef", count: 4)
  static let md5 = String(repeating: "0123456789ABCDEF", count: 2)

  @Test func `mirrors are on one line, separated by tabs`() {
    let list = ReadList("https://a/1\thttp://b/1\t\n \thttps://c/1\t https://d/1 \n")
    #expect(list.urls == [["https://a/1", "http://b/1"], ["https://c/1", "https://d/1"]])
  }

  @Test func `indented options belong to the URL above`() {
    let list = ReadList(
      """
      https://a/1
        out=sub/one.iso
      \tdir = /srv/x y\u{20}
        checksum=sha-256=\(Self.sha256)
        checksum=md5=\(Self.md5)
        # a comment
        header=X-A: b=c
        header=X-D:e
        referer=https://r/
        user-agent=me
        split=5
        max-connection-per-server=16
      https://a/2
      """, .aria2)
    #expect(list.errors == [])
    #expect(list.urls == [["https://a/1"], ["https://a/2"]])
    #expect(list.entries.first?.out == Array("sub/one.iso".utf8))
    #expect(list.entries.first?.directory == Array("/srv/x y".utf8))
    #expect(list.digests == [["sha256:\(Self.sha256)", "md5:\(Self.md5.lowercased())"], []])
    let headers = list.entries.first?.headers.map { String(decoding: $0, as: UTF8.self) }
    #expect(headers == ["X-A: b=c", "X-D:e", "Referer: https://r/", "User-Agent: me"])
    #expect(
      list.entries.last
        == {
          var entry = ListEntry(lineNumber: 13)
          entry.urls = [Array("https://a/2".utf8)]
          return entry
        }())
  }

  @Test func `an indented URL is a URL`() {
    let list = ReadList("  https://a/1?out=x\n  https://a/2\n")
    #expect(list.urls == [["https://a/1?out=x"], ["https://a/2"]])
  }

  @Test(arguments: [
    ("#sha256=\(sha256)", ["sha256:\(sha256)"]), ("#SHA-256=\(sha256)&egg=x", ["sha256:\(sha256)"]),
    ("#section", []), (" # said later", []), ("#", []), ("#a=b", []),
    ("#sha256=\(sha256)&md5=\(md5)", ["sha256:\(sha256)", "md5:\(md5.lowercased())"]),
  ])
  func `a fragment may be a digest and is always removed`(fragment: String, digests: [String]) {
    let list = ReadList("https://a/1?b\(fragment)\n")
    #expect(list.urls == [["https://a/1?b"]])
    #expect(list.digests == [digests])
  }

  @Test(arguments: [
    ("https://a/1?b \(sha256)", ["https://a/1?b"], ["sha256:\(sha256)"]),
    ("https://a/1?b   sha-256=\(sha256)  \(md5) ", ["https://a/1?b"], ["sha256:\(sha256)", "md5:\(md5.lowercased())"]),
    ("https://a/1#x \(sha256)", ["https://a/1"], ["sha256:\(sha256)"]),
    ("https://a/1#sha256=\(sha256) md5:\(md5)", ["https://a/1"], ["sha256:\(sha256)", "md5:\(md5.lowercased())"]),
    ("https://a/1 \(sha256)\thttps://b/1", ["https://a/1", "https://b/1"], ["sha256:\(sha256)"]),
    ("https://a/a b?c d", ["https://a/a b?c d"], []), ("https://a/1?q=the sha256", ["https://a/1?q=the sha256"], []),
    ("https://a/1 abcdef", ["https://a/1 abcdef"], []),
  ])
  func `a digest behind a blank ends the URL`(line: String, urls: [String], digests: [String]) {
    let list = ReadList("\(line)\n")
    #expect(list.urls == [urls] && list.digests == [digests] && list.errors == [])
  }

  @Test func `an entry has any number of options, and keeps those before one that is skipped`() {
    let lines = (0..<100_000).map { " header=X-A: \($0)\n" }
    let list = ReadList("https://a/1\n\(lines.joined()) split=3\n out=b\nhttps://a/2\n")
    #expect(list.entries.map(\.headers.count) == [100_000, 0] && list.errors == [])
    #expect(list.entries.first?.headers.last == Array("X-A: 99999".utf8))
    #expect(list.entries.map(\.out) == [Array("b".utf8), nil])
  }

  @Test func `mirrors may repeat a digest`() {
    let list = ReadList("https://a/1#sha256=\(Self.sha256)\thttps://b/1#sha256=\(Self.sha256.uppercased())\n")
    #expect(list.digests == [["sha256:\(Self.sha256)"]])
  }

  @Test(arguments: [
    ("a/b", ListProblem.notURL(Array("a/b".utf8))), ("https:/a", .notURL(Array("https:/a".utf8))),
    ("https://a\tb", .notURL(Array("b".utf8))),
    ("<html>", .markup), ("\(sha256)  a", .checksumLine),
    ("https://a/\u{1b}", .controlCharacter),
    ("https://a/\rb", .controlCharacter),
    ("https://a/1#sha256=12", .malformedFragment(.sha256)),
    ("https://a/1?b sha256=12", .malformedDigest(.sha256)), ("https://a/1?b \(sha256) name", .textAfterDigest),
    ("https://a/1?b \(sha256) https://a/2", .blankBetweenURLs), ("https://a/1 https://a/2", .blankBetweenURLs),
    ("https://a/1 \(sha256) sha256:\(md5)\(String(md5.reversed()))", .contradictoryDigests(.sha256)),
    (
      "https://a/1#md5=\(md5)\thttps://b/1#md5=\(String(md5.reversed()))",
      .contradictoryDigests(.md5)
    ),
  ])
  func `an invalid line is an error with a reason`(line: String, problem: ListProblem) {
    let list = ReadList("\n\(line)\n")
    #expect(list.errors.map(\.problem) == [problem])
    #expect(list.errors.map(\.lineNumber) == [2])
    #expect(list.entries == [])
  }

  @Test(arguments: [
    ("out=", ListProblem.emptyOption("out")), ("dir=", .emptyOption("dir")),
    ("nonsense", .strayLine),
    ("frobnicate=1", .unknownOption("frobnicate")), ("=1", .unknownOption("")),
    ("http-proxy=http://p:1", .unknownOption("http-proxy")),
    ("checksum=\(sha256)", .unnamedChecksum(Array(sha256.utf8))),
    ("checksum=adler32=12345678", .unnamedChecksum(Array("adler32=12345678".utf8))),
    ("checksum=sha-1=\(md5)", .malformedDigest(.sha1)),
    ("header=x", .malformedHeader), ("referer=*", .refererOfItself),
    ("header=: x", .malformedHeader),
    ("header=A B: x", .malformedHeader),
    ("header=A: x\ry", .controlCharacter),
  ])
  func `an unknown option invalidates its entry`(option: String, problem: ListProblem) {
    let list = ReadList("https://a/0\nhttps://a/1\n  \(option)\n  out=x\n  also-unknown=1\nhttps://a/2\n")
    #expect(list.errors.map(\.problem) == [problem])
    #expect(list.errors.map(\.lineNumber) == [3])
    #expect(list.urls == [["https://a/0"], ["https://a/2"]])
    #expect(list.entries.allSatisfy { $0.out == nil })
  }

  @Test(arguments: [("out", "x", "y"), ("dir", "x", "y"), ("referer", "x", "y"), ("user-agent", "x", "y")])
  func `an option with one value does not stand twice, unless it says the same`(
    name: String, one: String, other: String
  ) {
    let list = ReadList("https://a/0\n \(name)=\(one)\nhttps://a/1\n \(name)=\(one)\n gid=1\n \(name)= \(other)\n")
    #expect(list.errors.map(\.problem) == [.repeatedOption(name, line: 4)])
    #expect(list.errors.map(\.lineNumber) == [6] && list.urls == [["https://a/0"]])
    #expect(ReadList("https://a/1\n \(name)=\(one)\n \(name)=\(one) \n").errors.isEmpty)
    #expect(ReadList("https://a/1\n header=A: \(one)\n header=A: \(other)\n").errors.isEmpty)
  }

  @Test func `the options of an invalid line do not belong to the entry before`() {
    let list = ReadList("https://a/1\nnonsense\n  out=x\nhttps://a/2\n")
    #expect(list.errors.map(\.lineNumber) == [2])
    #expect(list.urls == [["https://a/1"], ["https://a/2"]])
    #expect(list.entries.first?.out == nil)
  }

  @Test func `an option before the first URL is an error`() {
    let list = ReadList("  out=x\nhttps://a/1\n")
    #expect(list.errors.map(\.problem) == [.optionBeforeURL])
    #expect(list.urls == [["https://a/1"]])
  }
}
