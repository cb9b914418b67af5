import Testing

@testable import DownloadCore

@Suite struct `Response head parser` {
  /// Parses lines one by one, as libcurl delivers them.
  /// - Returns: the result for the last line.
  static func parse(_ text: String) -> ResponseHeadParser.Result {
    var parser = ResponseHeadParser()
    return feed(text, to: &parser)
  }

  static func feed(_ text: String, to parser: inout ResponseHeadParser) -> ResponseHeadParser.Result {
    var result = ResponseHeadParser.Result.more
    for line in lines(Array(text.utf8)) {
      result = line.withUnsafeBytes { parser.line($0) }
      if result != .more { return result }
    }
    return result
  }

  static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0a) {
      lines.append(Array(rest[...end]))
      rest = rest[(end + 1)...]
    }
    return rest.isEmpty ? lines : lines + [Array(rest)]
  }

  func head(_ fields: String, status: String = "HTTP/1.1 200 OK") throws -> ResponseHead {
    let result = Self.parse("\(status)\r\n\(fields.split(separator: "\n").map { $0 + "\r\n" }.joined())\r\n")
    guard case .complete(let head) = result else {
      throw TestFailure(description: "\(result)")
    }
    return head
  }

  struct TestFailure: Error, CustomStringConvertible { let description: String }

  @Test func `a typical answer is parsed`() throws {
    let head = try head(
      """
      Server: nginx
      Date: Sun, 06 Nov 1994 08:49:37 GMT
      CONTENT-TYPE: Application/Octet-Stream; charset=x
      content-length:1048576
      Last-Modified: Sun, 06 Nov 1994 08:49:30 GMT
      Connection: keep-alive
      ETag: "5f-1"
      Accept-Ranges: bytes
      Repr-Digest: sha-256=:\(`Digest fields`.sha256):
      Digest: SHA-256=\(`Digest fields`.sha256)
      Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg==
      Location:  /a%20b
      Retry-After: 7
      """)
    var expected = ResponseHead(status: 200)
    expected.date = 784_111_777
    expected.contentType = "application/octet-stream"
    expected.contentLength = 1_048_576
    expected.lastModified = 784_111_770
    expected.entityTag = EntityTag(parsing: "\"5f-1\"".utf8)
    expected.representationDigests = [`Digest fields`.strong256]
    expected.contentMD5 = ContentDigest(.md5, hex: "d41d8cd98f00b204e9800998ecf8427e".utf8)
    expected.location = Array("/a%20b".utf8)
    expected.retryAfterValue = Array("7".utf8)
    #expect(head == expected)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK", 200, HTTPVersion.http11), ("HTTP/1.0 404 Not Found", 404, .http10),
    ("HTTP/2 206 ", 206, .http2),
    ("HTTP/3 999", 999, .http3), ("HTTP/2.0 200", 200, .http2), ("http/1.1 200 ", 200, .http11),
  ])
  func `the status line gives status and version`(line: String, status: Int, version: HTTPVersion) throws {
    let head = try head("Content-Length: 0", status: line)
    #expect(head.status == status)
    #expect(head.version == version)
  }

  @Test(arguments: [
    "", "\r\n", "HTTP\r\n", "HTTP/1.1\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 099 x\r\n",
    "HTTP/9 200\r\n", "HTTP/1. 200\r\n", "HTTP/11 200\r\n", "HTTP/1.1 200OK\r\n", "ICY 200 OK\r\n",
    "Content-Length: 5\r\n", "HTTP/1.1 -20 OK\r\n",
  ])
  func `a head without a status line is malformed`(line: String) {
    var parser = ResponseHeadParser()
    #expect(Array(line.utf8).withUnsafeBytes { parser.line($0) } == .malformed)
  }

  @Test func `interim answers are skipped`() throws {
    let result = Self.parse(
      "HTTP/1.1 100 Continue\r\nContent-Length: 9\r\n\r\nHTTP/1.1 103 Early Hints\r\nETag: \"a\"\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
    var expected = ResponseHead(status: 200)
    expected.contentLength = 5
    #expect(result == .complete(expected))
  }

  @Test func `trailers are ignored, and a status line starts a new head`() {
    var parser = ResponseHeadParser()
    let first = Self.feed("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\n", to: &parser)
    var expected = ResponseHead(status: 200)
    expected.entityTag = EntityTag(parsing: "\"a\"".utf8)
    expected.isChunked = true
    #expect(first == .complete(expected))
    #expect(Self.feed("ETag: \"b\"\r\n\r\n", to: &parser) == .more)
    #expect(Self.feed("HTTP/1.1 404 No\r\n\r\n", to: &parser) == .complete(ResponseHead(status: 404)))
  }

  @Test func `a status line among the fields is malformed`() {
    #expect(Self.parse("HTTP/1.1 416 No\r\nHTTP/1.1 206 OK\r\n\r\n") == .malformed)
  }

  @Test func `lines may end with a line feed alone`() {
    #expect(Self.parse("HTTP/1.1 204 x\n\n") == .complete(ResponseHead(status: 204)))
  }

  @Test func `a folded line is one line with blanks`() throws {
    let head = try head("Content-Range: bytes\n 0-4/5\nX: y\n ETag: \"x\"\nETag:\n\t \"a\"\nContent-Length: 5\n \t")
    #expect(head.contentRange == .satisfied(0..<5, completeLength: 5) && head.contentLength == 5)
    #expect(head.entityTag == EntityTag(parsing: "\"a\"".utf8))
    // It frames the body otherwise for libcurl, which does not unfold it.
    #expect(Self.parse("HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n") == .malformed)
    #expect(Self.parse("HTTP/1.1 200 OK\r\nETag:\r\n \"a\0\"\r\n\r\n") == .malformed)
  }

  @Test(arguments: [
    "none", "UTF-8", "utf8", "binary", "identity,", ", identity", "none, 8bit", "7bit", "",
  ])
  func `values of Content-Encoding that change no bytes are no coding`(value: String) throws {
    #expect(try head("Content-Encoding: \(value)").contentEncoding == nil)
    #expect(try head("Content-Encoding: gzip, \(value)").contentEncoding == "gzip")
  }

  @Test(arguments: ["aws-chunked", "gzip,aws-chunked", "AWS-Chunked, gzip", "br\nContent-Encoding: aws-chunked, br"])
  func `what an object store was told with an upload is no coding`(value: String) throws {
    #expect(try head("Content-Encoding: \(value)").contentEncoding == nil)
  }

  @Test func `lines that are not fields are ignored`() throws {
    let head = try head("nonsense\n: x\nContent-Length : 5\nETag: \"a\"\nContent-Lengt: 1")
    var expected = ResponseHead(status: 200)
    expected.entityTag = EntityTag(parsing: "\"a\"".utf8)
    #expect(head == expected)
  }

  @Test(arguments: [
    ("5", 5), ("5, 5", 5), ("0", 0), ("9223372036854775807", Int64.max), ("9223372036854775808", nil), ("-5", nil),
    ("+5", nil), ("5 6", nil), ("5, 6", nil), ("", nil), ("5x", nil), ("0x5", nil),
  ])
  func `a length is a single number`(value: String, length: Int64?) throws {
    let head = try head("Content-Length: \(value)")
    #expect(head.contentLength == length)
    #expect(head.hasInvalidContentLength == (length == nil))
  }

  @Test func `lengths on two lines must agree`() throws {
    #expect(try head("Content-Length: 5\nContent-Length: 5").contentLength == 5)
    let head = try head("Content-Length: 5\nContent-Length: 6\nContent-Length: 5")
    #expect(head.contentLength == nil)
    #expect(head.hasInvalidContentLength)
  }

  @Test func `the identity coding is none`() throws {
    for value in ["identity", "Identity", "identity, identity", ""] {
      let head = try head("Content-Length: 5\nTransfer-Encoding: \(value)")
      #expect(head.contentLength == 5 && !head.isChunked && !head.isCloseDelimited)
      #expect(head.hasIdentityCoding == !value.isEmpty)
    }
    let closed = try head("Transfer-Encoding: identity")
    #expect(closed.isCloseDelimited && closed.contentLength == nil)
    for value in ["identity, chunked", "chunked, identity"] {
      let head = try head("Content-Length: 5\nTransfer-Encoding: \(value)")
      #expect(head.isChunked && head.contentLength == nil && !head.hasIdentityCoding)
    }
    #expect(try !head("Transfer-Encoding: identity\nContent-Length: 5", status: "HTTP/2 200").hasIdentityCoding)
  }

  @Test func `a transfer coding overrides the length`() throws {
    let chunked = try head("Content-Length: 5\nTransfer-Encoding: gzip, Chunked")
    #expect(chunked.isChunked)
    #expect(chunked.contentLength == nil)
    let closed = try head("Content-Length: 5\nTransfer-Encoding: gzip")
    #expect(closed.isCloseDelimited)
    #expect(try !head("Transfer-Encoding: chunked", status: "HTTP/2 200").isChunked)
  }

  @Test func `a malformed Content-Range differs from a missing one`() throws {
    let good = try head("Content-Range: bytes 0-4/5\nContent-Range: bytes 0-4/5", status: "HTTP/1.1 206 x")
    #expect(good.contentRange == .satisfied(0..<5, completeLength: 5))
    #expect(!good.hasMalformedContentRange)
    for fields in ["Content-Range: bytes 4-0/5", "Content-Range: bytes 0-4/5\nContent-Range: bytes 1-4/5"] {
      let bad = try head(fields, status: "HTTP/1.1 206 x")
      #expect(bad.contentRange == nil)
      #expect(bad.hasMalformedContentRange)
    }
    #expect(try !head("").hasMalformedContentRange)
  }

  @Test func `contradictory validators are dropped`() throws {
    #expect(try head("ETag: \"a\"\nETag: \"a\"").entityTag != nil)
    #expect(try head("ETag: \"a\"\nETag: \"b\"\nETag: \"b\"").entityTag == nil)
    #expect(try head("ETag: a\nETag: \"a\"").entityTag == nil)
    let date = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(try head("\(date)\n\(date)").lastModified == 784_111_777)
    #expect(try head("\(date)\nLast-Modified: Sun, 06 Nov 1994 08:49:38 GMT").lastModified == nil)
  }

  @Test(arguments: [
    ("identity", nil), ("", nil), ("GZIP", "gzip"), ("identity, br", "br"), ("gzip, br", "gzip, br"),
    ("\u{1b}[m", "?[m"),
  ])
  func `a content coding is kept unless it is identity`(value: String, expected: String?) throws {
    #expect(try head("Content-Encoding: \(value)").contentEncoding == expected)
  }

  @Test func `whether the connection closes depends on version and options`() throws {
    #expect(try head("Connection: upgrade, Close").connectionCloses)
    #expect(try !head("").connectionCloses)
    #expect(try head("", status: "HTTP/1.0 200 x").connectionCloses)
    #expect(try !head("Connection: Keep-Alive", status: "HTTP/1.0 200 x").connectionCloses)
    #expect(try !head("Connection: close", status: "HTTP/2 200").connectionCloses)
  }

  @Test func `challenges of several lines are combined`() throws {
    let head = try head("WWW-Authenticate: Basic realm=\"x\"\nWWW-Authenticate: Digest nonce=\"y\"")
    #expect(head.wwwAuthenticate == ["basic", "digest"])
  }

  @Test func `the first location counts, an empty one does not`() throws {
    #expect(try head("Location:\nLocation: /a\nLocation: /b").location == Array("/a".utf8))
  }

  @Test(arguments: ["ETag: \"a\0b\"", "Location: /a\rSet-Cookie: x"])
  func `bytes that are forbidden in a value end the transfer`(field: String) {
    #expect(Self.parse("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n") == .malformed)
  }

  @Test func `too many lines, too long lines and too many bytes end the transfer`() {
    var parser = ResponseHeadParser()
    #expect(Self.feed("HTTP/1.1 200 OK\r\n", to: &parser) == .more)
    let few = String(repeating: "X: y\r\n", count: 299)
    #expect(Self.feed(few, to: &parser) == .more)
    #expect(Self.feed("X: y\r\n", to: &parser) == .tooLarge)

    let long = "X: " + String(repeating: "y", count: 65_536 - 5) + "\r\n"
    parser = ResponseHeadParser()
    #expect(Self.feed("HTTP/1.1 200 OK\r\n" + long, to: &parser) == .more)
    #expect(Self.feed("y" + long, to: &parser) == .tooLarge)

    parser = ResponseHeadParser()
    #expect(Self.feed("HTTP/1.1 200 OK\r\n" + long + long + long, to: &parser) == .more)
    #expect(Self.feed(long, to: &parser) == .tooLarge)
  }

  @Test func `endless interim answers exceed the limit`() {
    #expect(Self.parse(String(repeating: "HTTP/1.1 100 x\r\n\r\n", count: 200)) == .tooLarge)
  }

  @Test func `overlong lists are cut`() throws {
    let codings = try head("Content-Encoding: \(String(repeating: "a,", count: 30_000))")
    #expect(try #require(codings.contentEncoding).utf8.count < 200)
    let schemes = try head("WWW-Authenticate: \(String(repeating: "a,", count: 30_000))")
    #expect(schemes.wwwAuthenticate.count == 16)
  }
}
