import TestSupport
import Testing

/// Answers of malicious servers. The program must end soon, without a wrong file and without control characters in its
/// output.
@Suite(.waiting) struct `A hostile server` {
  struct Attack: Sendable, CustomTestStringConvertible {
    let name: String
    /// The allowed exit statuses; 0 only if the content is right.
    let statuses: Set<Int32>
    /// The maximum of requests with three tries.
    var requestLimit = 12
    let answer: @Sendable (WireRequest) -> [Step]

    var testDescription: String { name }
  }

  private static let content = Content.generated(seed: 5, byteCount: 300_000)
  private static let honest = FileService(["/f": content])
  private static let escape = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m"

  private static func head(_ lines: String...) -> Step {
    .send((["HTTP/1.1 200 OK"] + lines).joined(separator: "\r\n") + "\r\n\r\n")
  }

  private static func range(of request: WireRequest) -> Range<Int64> {
    let bounds = (request.rangeHeader ?? "bytes=0-").dropFirst(6).split(separator: "-").compactMap { Int64($0) }
    return (bounds.first ?? 0)..<(bounds.count > 1 ? bounds[1] + 1 : content.byteCount)
  }

  /// 206 with the content's tag, and with this Content-Range and body.
  private static func partial(_ claimed: Range<Int64>, _ total: String, body: Range<Int64>) -> [Step] {
    let lines = [
      ("ETag", "\"\(content.tag)\""),
      ("Content-Range", "bytes \(claimed.lowerBound)-\(claimed.upperBound - 1)/\(total)"),
      ("Content-Length", "\(body.upperBound - body.lowerBound)"),
    ].map { (name: $0.0, value: $0.1) }
    return [.send(responseHead(206, lines)), .sendBody(Body(content, body))]
  }

  /// The first answer is cut; the attack follows in answers to ranges.
  private static func onRanges(
    _ name: String, _ statuses: Set<Int32>, requestLimit: Int = 12,
    _ answer: @escaping @Sendable (Range<Int64>) -> [Step]
  ) -> Attack {
    Attack(name: name, statuses: statuses, requestLimit: requestLimit) { request in
      if request.rangeHeader != nil { return answer(range(of: request)) }
      let lines = [("ETag", "\"\(content.tag)\""), ("Content-Length", "\(content.byteCount)")]
      return [
        .send(responseHead(200, lines.map { (name: $0.0, value: $0.1) })), .sendBody(Body(content, 0..<100_000)),
        .close,
      ]
    }
  }

  static let attacks: [Attack] = [
    Attack(name: "endless header lines", statuses: [7]) { _ in
      [
        .send("HTTP/1.1 200 OK\r\n"),
        .sendSlowly(
          Array(String(repeating: "X: y\r\n", count: 200_000).utf8),
          bytesPerSecond: 1e9, chunk: 65536),
      ]
    },
    Attack(name: "endless interim answers", statuses: [4, 7]) { _ in
      [
        .send(String(repeating: "HTTP/1.1 103 Early\r\nX: \(String(repeating: "y", count: 900))\r\n\r\n", count: 2000)),
        .close,
      ]
    },
    Attack(name: "another protocol after 101", statuses: [7]) { _ in
      [.send("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"), .sendBody(Body(content, 0..<200_000)), .close]
    },
    Attack(name: "a length of 2^63", statuses: [3, 4, 7, 9]) { _ in
      [head("Content-Length: 9223372036854775808"), .send("abc"), .close]
    },
    Attack(name: "a length of 2^63 - 1", statuses: [3, 4, 7, 9]) { _ in
      [head("Content-Length: 9223372036854775807"), .send("abc"), .close]
    },
    Attack(name: "a negative length", statuses: [4, 7, 9]) { _ in [head("Content-Length: -3"), .send("abc"), .close] },
    Attack(name: "two lengths", statuses: [4, 7, 9]) { _ in
      [head("Content-Length: 3", "Content-Length: 5"), .send("abc"), .close]
    },
    Attack(name: "a length with a chunked body that breaks off", statuses: [4, 7, 9]) { _ in
      [head("Content-Length: 3", "Transfer-Encoding: chunked"), .send("5\r\nabc"), .close]
    },
    onRanges("a range that overlaps what is there", [0, 4, 7]) {
      partial(max(0, $0.lowerBound - 50)..<$0.upperBound, "\(content.byteCount)", body: $0)
    },
    onRanges("a range that ends beyond the file", [0, 4, 7]) {
      partial($0.lowerBound..<content.byteCount + 500, "\(content.byteCount)", body: $0)
    },
    onRanges("a range at the end of numbers", [0, 4, 7, 9]) { _ in
      partial(Int64.max - 10..<Int64.max, "9223372036854775807", body: 0..<10)
    },
    onRanges("ranges that shrink to one byte", [0, 4, 7]) {
      partial($0.lowerBound..<$0.lowerBound + 1, "\(content.byteCount)", body: $0.lowerBound..<$0.lowerBound + 1)
    },
    onRanges("one byte of each range", [0, 4, 7]) {
      partial($0, "\(content.byteCount)", body: $0).prefix(1)
        + [.sendBody(Body(content, $0.lowerBound..<$0.lowerBound + 1)), .close]
    },
    Attack(name: "one byte of each answer", statuses: [4]) { _ in
      [head("Content-Length: 300000", "ETag: \"a\""), .sendBody(Body(content, 0..<1)), .close]
    },
    Attack(name: "escape sequences in the reason", statuses: [8]) { _ in
      [.send("HTTP/1.1 404 Not \(escape)\r\nContent-Length: 0\r\n\r\n")]
    },
    Attack(name: "escape sequences in an error page", statuses: [8]) { _ in
      [.respond(403, headers: [("Content-Type", "text/\(escape)")], body: Array(escape.utf8))]
    },
    Attack(name: "escape sequences in headers", statuses: [4, 6, 7]) { _ in
      [.respond(401, headers: [("WWW-Authenticate", "Basic realm=\"\(escape)\""), ("Retry-After", escape)])]
    },
    Attack(name: "escape sequences in a redirect", statuses: [4, 7, 8]) { request in
      request.path == "/f" ? [.respond(302, headers: [("Location", "/\(escape)?\(escape)")])] : [.respond(404)]
    },
    Attack(name: "escape sequences in no HTTP", statuses: [7]) { _ in [.send("\(escape)\r\n\r\n"), .close] },
    Attack(name: "a redirect that would end a request's line", statuses: [4, 7, 8]) { request in
      request.target == "/f"
        ? [.respond(302, headers: [("Location", "/g%0d%0aX-Injected:%20yes\r X-Injected: yes")])] : [.respond(404)]
    },
    Attack(name: "a redirect whose body trickles", statuses: [0]) { request in
      request.path == "/f"
        ? [
          .send("HTTP/1.1 302 Found\r\nLocation: /g\r\nContent-Length: 60000\r\n\r\n"),
          .sendSlowly([UInt8](repeating: 120, count: 60000), bytesPerSecond: 10, chunk: 1),
        ] : [head("Content-Length: \(content.byteCount)"), .sendBody(Body(content, 0..<content.byteCount))]
    },
    Attack(name: "a refusal whose body never comes", statuses: [8]) { _ in
      [.send("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n"), .stall(nil)]
    },
    Attack(name: "a redirect to ftp", statuses: [7]) { _ in
      [.respond(302, headers: [("Location", "ftp://127.0.0.1/f")])]
    },
    Attack(name: "a redirect to a file", statuses: [7]) { _ in
      [.respond(302, headers: [("Location", "file:///etc/passwd")])]
    },
    Attack(name: "a redirect to nowhere", statuses: [7]) { _ in [.respond(302)] },
    Attack(name: "a redirect to a script", statuses: [7]) { _ in
      [.respond(302, headers: [("Location", "javascript:alert(1)")])]
    },
  ]

  @Test(arguments: attacks)
  func `cannot do harm`(attack: Attack) throws {
    let place = try Workplace()
    let server = try ScriptedServer { attack.answer($0) }
    let result = try place.run(
      "-v", "-t", "3", "-T", "1", "-u", "name:s3cret", "-H", "X-Key: sesame", server.url("/f"))
    #expect(result.status.map(attack.statuses.contains) == true, "\(result.told)")
    #expect(place.names.contains("f") == (result.status == 0), "\(result.told)")
    if result.status == 0 { #expect(place.holds("f", Self.content)) }
    #expect(
      server.requests.count <= attack.requestLimit * (isThreadSanitized ? 2 : 1),
      "\(server.requests.count) requests: \(result.told)")
    #expect(server.requests.allSatisfy { $0.header("X-Injected") == nil })
    let said = result.errorText.unicodeScalars
    #expect(!said.contains { $0 != "\n" && $0.properties.generalCategory == .control }, "\(result.told)")
    #expect(!result.errorText.contains("s3cret") && !result.errorText.contains("sesame"), "\(result.told)")
  }

  @Test(arguments: ["http://name:evil@127.0.0.1:%/f", "//localhost:%/f", "http://127.0.0.1:%/f?a=name:s3cret"])
  func `gets no credentials by a redirect`(target: String) throws {
    let place = try Workplace()
    let other = try ScriptedServer(Self.honest)
    let location = target.replacing("%", with: "\(other.port)")
    let first = try ScriptedServer { _ in [.respond(307, headers: [("Location", location)])] }
    let result = try place.run(
      "--resolve", "localhost:\(other.port):127.0.0.1", "-u", "name:s3cret", "-H", "X-Key: sesame", "-H", "Cookie: a=b",
      first.url("/f"))
    #expect(result.status == 0 && place.holds("f", Self.content), "\(result.told)")
    #expect(!other.requests.isEmpty)
    for request in other.requests {
      for name in ["X-Key", "Cookie"] { #expect(request.header(name) == nil, "\(request.headers)") }
      #expect(request.header("Authorization")?.contains("bmFtZTpzM2NyZXQ=") != true, "\(request.headers)")
    }
  }
}
