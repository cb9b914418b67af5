import DownloadCore
import DownloadJSON
import DownloadListWriting
import TestSupport
import Testing

@Suite struct `Lines of requests` {
  private static func request(_ seed: UInt64) -> (FileRequest, ListEntry) {
    var generator = SeededGenerator(seed: seed)
    let files = RandomFiles(
      seed: seed, algorithms: [.sha256, .md5], isText: true, hasControls: false, hasPieces: true
    ).files
    var entry = ListEntry(lineNumber: 1)
    entry.out = files.first?.name ?? Array("é\\\"x".utf8)
    if Bool.random(using: &generator) { entry.directory = files.last?.name }
    let mirrors = (0..<Int.random(in: 1...3, using: &generator)).map { index in
      MirrorURL(location: Location(scheme: .https, host: "h\(index)", port: 443, path: "/p%20", query: "a=\"b\""))
    }
    var request = FileRequest(
      task: 0, mirrors: mirrors, target: .listed([[0x78]]), digests: files.first?.digests ?? [],
      pieces: files.first?.pieces, expectedLength: files.first?.length,
      headers: ["X-A: 1", "X-B: a:b", "X-A: 2", "X-C: "].filter { _ in Bool.random(using: &generator) })
    request.isNamedByUser = Bool.random(using: &generator)
    return (request, entry)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `are read as what their lists said`(seed: UInt64) throws {
    let (request, entry) = Self.request(seed)
    let text = try #require(
      RequestLine.text(request, of: entry, isUntrusted: !request.isNamedByUser, reason: Array("a \"b\"\n".utf8)))
    #expect(text.starts(with: RequestLine.beginnings[0]))
    var parser = JSONLinesParser(ColumnRules())
    text.withUnsafeBytes { parser.append($0) }
    parser.end()
    let found = try #require(try parser.next())
    #expect(found.urls.map { String(decoding: $0, as: UTF8.self) } == request.mirrors.map(\.location.text))
    #expect(found.out == entry.out && found.directory == entry.directory && found.size == request.expectedLength)
    #expect(Set(found.digests) == Set(request.digests) && found.pieces == request.pieces)
    // Fields of one name keep their order.
    let headers = found.headers.map { String(decoding: $0, as: UTF8.self) }
    #expect(headers.sorted() == request.headers.sorted())
    #expect(headers.filter { $0.hasPrefix("X-A") } == request.headers.filter { $0.hasPrefix("X-A") })
    #expect(found.isUntrusted == !request.isNamedByUser)
  }

  @Test func `have the name of a checksum list, and the place of the entry`() throws {
    var (request, entry) = Self.request(1)
    entry = ListEntry(lineNumber: 7)
    entry.name = Array("d/b".utf8)
    request.source = SourceLine(list: "SUMS", number: 7)
    let line = try #require(RequestLine.text(request, of: entry, isUntrusted: false, reason: []))
    let text = String(decoding: line, as: UTF8.self)
    #expect(text.contains("\"out\": \"d/b\""), "\(text)")
    #expect(text.hasSuffix("\"source\": {\"list\": \"SUMS\", \"line\": 7}}\n"), "\(text)")
  }

  @Test(arguments: [("/a", "/", "a"), ("/d/e/a b", "/d/e/", "a b")])
  func `have the directory of an absolute name`(path: String, directory: String, name: String) throws {
    var (request, entry) = Self.request(1)
    entry = ListEntry(lineNumber: 7)
    entry.out = Array(path.utf8)
    entry.directory = Array("ignored".utf8)
    entry.outMayBeAbsolute = true
    request.headers = []
    let line = try #require(RequestLine.text(request, of: entry, isUntrusted: false, reason: []))
    let text = String(decoding: line, as: UTF8.self)
    #expect(text.contains("\"out\": \"\(name)\", \"dir\": \"\(directory)\","), "\(text)")
  }

  @Test func `encode credentials so that they are read again`() throws {
    var (request, _) = Self.request(2)
    for (userinfo, text) in [("u@/:p:%\"", "u%40%2F:p%3A%25%22"), ("u", "u"), ("u:", "u:"), (":p", ":p")] {
      request.mirrors = [
        MirrorURL(location: Location(scheme: .http, host: "h", port: 80, path: "/a", query: nil), userinfo: userinfo)
      ]
      let line = try #require(RequestLine.text(request, of: nil, isUntrusted: false, reason: []))
      #expect(String(decoding: line, as: UTF8.self).contains("\"url\": \"http://\(text)@h/a\""))
    }
  }

  @Test(arguments: [[0xff], [0x61, 0x0a], [0x7f]] as [[UInt8]])
  func `cannot have names that JSON lists cannot have`(name: [UInt8]) {
    let (request, _) = Self.request(3)
    var named = ListEntry(lineNumber: 1)
    named.out = name
    #expect(RequestLine.text(request, of: named, isUntrusted: false, reason: []) == nil)
    var placed = ListEntry(lineNumber: 1)
    placed.directory = name
    #expect(RequestLine.text(request, of: placed, isUntrusted: false, reason: []) == nil)
  }
}
