import Glibc
import TestSupport
import Testing

/// Tests of the test support.
@Suite(.waiting) struct TestSupportTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private func get(_ server: ScriptedServer, _ path: String, _ headers: String = "") throws -> (String, [UInt8]) {
    let answer = try LoopbackSocket.exchange(
      port: server.port, "GET \(path) HTTP/1.1\r\nHost: x\r\n\(headers)Connection: close\r\n\r\n")
    let head = text(answer).components(before: "\r\n\r\n")
    return (head, Array(answer.dropFirst(head.utf8.count + 4)))
  }

  // MARK: ScriptedServer

  @Test func `a scripted server sends exactly the bytes of its steps`() throws {
    let server = try ScriptedServer { _ in [.send("HTTP/1.1 200 O"), .send("K\r\n\r\nbo\u{0}dy"), .close] }
    let answer = try LoopbackSocket.exchange(
      port: server.port, "GET /a?b HTTP/1.1\r\nHost: x\r\nRange: bytes=1-\r\n\r\n")
    #expect(text(answer) == "HTTP/1.1 200 OK\r\n\r\nbo\u{0}dy")
    let request = try #require(server.requests.first)
    #expect(request.method == "GET" && request.target == "/a?b" && request.path == "/a")
    #expect(request.rangeHeader == "bytes=1-" && request.header("hOST") == "x")
    #expect(server.bytesSent == Int64(answer.count))
  }

  @Test func `a connection is kept for the next request and numbers them`() throws {
    let server = try ScriptedServer { request in
      [.respond(200, body: Array("\(request.connectionIndex).\(request.indexOnConnection)".utf8))]
        + (request.target == "/last" ? [.close] : [])
    }
    let answer = text(
      try LoopbackSocket.exchange(port: server.port, "GET / HTTP/1.1\r\n\r\nGET /last HTTP/1.1\r\n\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n0.1") && answer.contains("0.0HTTP/1.1 200"))
    #expect(server.connectionCount == 1 && server.requests.count == 2)
  }

  @Test func `a script reports unexpected requests`() throws {
    let server = try ScriptedServer(scripts: [
      [.expect("GET /one "), .perform(.send("1")), .expect("GET /two "), .perform(.send("2"))]
    ])
    let answer = try LoopbackSocket.exchange(port: server.port, "GET /one HTTP/1.1\r\n\r\nGET /three HTTP/1.1\r\n\r\n")
    #expect(text(answer) == "12")
    #expect(server.mismatches.count == 1 && server.mismatches[0].contains("GET /three"))
  }

  @Test func `slow bytes keep their rate and a stall lasts until the server stops`() throws {
    let server = try ScriptedServer { _ in
      [.sendSlowly([UInt8](repeating: 65, count: 300), bytesPerSecond: 1000, chunk: 20), .stall(nil)]
    }
    let started = monotonicSeconds()
    let answer = try LoopbackSocket.exchange(port: server.port, "GET / HTTP/1.1\r\n\r\n", seconds: 0.6)
    #expect(answer.count == 300)
    #expect(monotonicSeconds() - started > 0.55)
    #expect(eventually { server.openConnections == 0 })
    server.stop()
    #expect(throws: TestSupportError.self) { try LoopbackSocket.connected(to: server.port) }
  }

  @Test func `a refusing port refuses and a limited server resets`() throws {
    let refusing = try RefusingPort()
    #expect(throws: TestSupportError.self) { try LoopbackSocket.connected(to: refusing.port) }
    let server = try ScriptedServer(connectionLimit: 1) { _ in [.respond(200), .stall(nil)] }
    let first = try LoopbackSocket.connected(to: server.port)
    defer { close(first) }
    #expect(eventually { server.openConnections == 1 })
    #expect(try LoopbackSocket.exchange(port: server.port, "GET / HTTP/1.1\r\n\r\n") == [])
  }

  // MARK: FileService

  @Test func `generated content is the same in any pieces and no two pages are equal`() {
    let content = Content.generated(seed: 7, byteCount: 1_000_003)
    let whole = content.allBytes
    #expect(whole.count == 1_000_003)
    for range in [0..<1, 3..<9, 4090..<4100, 262_140..<270_000, 999_999..<1_000_003] as [Range<Int64>] {
      #expect(content.bytes(in: range) == Array(whole[Int(range.lowerBound)..<Int(range.upperBound)]))
    }
    let pages = stride(from: 0, to: whole.count, by: 4096).map { Array(whole[$0..<min($0 + 4096, whole.count)]) }
    #expect(Set(pages).count == pages.count)
    #expect(whole != Content.generated(seed: 8, byteCount: 1_000_003).allBytes)
  }

  @Test func `a file is compared by its bytes and digested by openssl`() throws {
    let directory = try TemporaryDirectory()
    let content = Content.generated(seed: 1, byteCount: 300_000)
    try content.write(to: directory.path("a"))
    #expect(try content.firstDifference(inFile: directory.path("a")) == nil)
    #expect(try Content.generated(seed: 1, byteCount: 300_001).firstDifference(inFile: directory.path("a")) == 300_000)
    #expect(try Content.generated(seed: 2, byteCount: 300_000).firstDifference(inFile: directory.path("a")) == 0)
    #expect(
      try Content.text("abc").hexDigest() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(directory.names() == ["a"])
  }

  @Test(arguments: [
    ("bytes=0-3", "0123", "0-3/10"), ("bytes=8-", "89", "8-9/10"), ("bytes=-3", "789", "7-9/10"),
    ("bytes=5-99", "56789", "5-9/10"),
  ])
  func `ranges are served according to RFC 9110`(asked: String, body: String, contentRange: String) throws {
    let server = try ScriptedServer(FileService(["/f": .text("0123456789")]))
    let (head, bytes) = try get(server, "/f", "Range: \(asked)\r\n")
    #expect(head.hasPrefix("HTTP/1.1 206 ") && head.contains("Content-Range: bytes \(contentRange)\r\n"))
    #expect(text(bytes) == body && head.contains("Content-Length: \(body.utf8.count)"))
    #expect(head.contains("ETag: \"b") && head.contains("Last-Modified: Wed, 01 Jan 2025"))
  }

  @Test func `a range outside is refused and a conditional request is answered`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("0123456789")]))
    let (outside, _) = try get(server, "/f", "Range: bytes=10-\r\n")
    #expect(outside.hasPrefix("HTTP/1.1 416 ") && outside.contains("Content-Range: bytes */10"))
    let (other, body) = try get(server, "/f", "Range: bytes=1-2\r\nIf-Range: \"other\"\r\n")
    #expect(other.hasPrefix("HTTP/1.1 200 ") && body.count == 10)
    let (same, nothing) = try get(server, "/f", "If-Modified-Since: Wed, 01 Jan 2025 10:00:00 GMT\r\n")
    #expect(same.hasPrefix("HTTP/1.1 304 ") && nothing.isEmpty)
    #expect(try get(server, "/absent").0.hasPrefix("HTTP/1.1 404 "))
  }

  @Test func `a service makes the requested faults`() throws {
    let first = Content.generated(seed: 1, byteCount: 100_000)
    let second = Content.generated(seed: 2, byteCount: 100_000)
    let service = FileService(["/f": first]) { $0.failFirst = (1, 503, [("Retry-After", "1")]) }
    let server = try ScriptedServer(service)
    let (failed, _) = try get(server, "/f")
    #expect(failed.hasPrefix("HTTP/1.1 503 ") && failed.contains("Retry-After: 1"))
    service.change { $0.cutAfter = 40_000 }
    #expect(try get(server, "/f").1 == first.bytes(in: 0..<40_000))
    service.change { $0 = .init() }
    service.change { $0.ignoresRanges = true }
    let (whole, bytes) = try get(server, "/f", "Range: bytes=5-\r\n")
    #expect(whole.hasPrefix("HTTP/1.1 200 ") && bytes == first.allBytes)
    service.change {
      $0 = .init()
      $0.contentRangeShift = 3
    }
    #expect(try get(server, "/f", "Range: bytes=5-9\r\n").0.contains("Content-Range: bytes 8-12/100000"))
    service.change {
      $0 = .init()
      $0.changesAfter = .bodyBytes(0)
      $0.replacements = ["/f": second]
    }
    let (changed, changedBytes) = try get(server, "/f")
    #expect(changedBytes == second.allBytes && changed.contains("Thu, 02 Jan 2025"))
  }

  @Test func `chunks are complete and a rate holds across the answers of a connection`() throws {
    let content = Content.generated(seed: 3, byteCount: 100_000)
    let service = FileService(["/f": content]) { $0.framing = .chunked }
    let server = try ScriptedServer(service)
    let (head, chunked) = try get(server, "/f")
    #expect(head.contains("Transfer-Encoding: chunked") && !head.contains("Content-Length"))
    #expect(
      chunked == Array("10000\r\n".utf8) + content.bytes(in: 0..<65536) + Array("\r\n86a0\r\n".utf8)
        + content.bytes(in: 65536..<100_000) + Array("\r\n0\r\n\r\n".utf8))
    service.change {
      $0 = .init()
      $0.bytesPerSecondOfConnection = 200_000
    }
    let started = monotonicSeconds()
    _ = try LoopbackSocket.exchange(
      port: server.port,
      "GET /f HTTP/1.1\r\nRange: bytes=0-49999\r\n\r\n"
        + "GET /f HTTP/1.1\r\nRange: bytes=50000-\r\nConnection: close\r\n\r\n")
    #expect(monotonicSeconds() - started >= 0.4)
  }

  // MARK: Programs

  @Test func `a program's output, status and signals are reported`() throws {
    let said = try runProgram(
      "/bin/sh", ["-c", "cat; echo $WORD >&2; exit 7"], environment: ["WORD": "w"], input: [65])
    #expect(said.status == 7 && said.outputText == "A" && said.errorText == "w\n" && said.signal == nil)
    let directory = try TemporaryDirectory()
    #expect(try runProgram("/bin/pwd", directory: directory.path).outputText == directory.path + "\n")
    let killed = try runProgram("/bin/sh", ["-c", "kill -9 $$"])
    #expect(killed.signal == SIGKILL && killed.status == nil)
    let late = try runProgram("/bin/sleep", ["60"], timeLimit: 0.2)
    #expect(late.timedOut && late.signal == SIGKILL && late.wallSeconds < 10)
    #expect(throws: TestSupportError.self) { try runProgram("/nonexistent/program") }
  }

  @Test func `closed descriptors, limits and terminals reach the program`() throws {
    var invocation = ProgramInvocation("/bin/sh", ["-c", "ulimit -n >&2; test ! -e /proc/$$/fd/1"])
    invocation.closedDescriptors = [1]
    invocation.descriptorLimit = 64
    let closed = try SpawnedProgram(invocation).wait()
    #expect(closed.errorText == "64\n" && closed.status == 0, "\(closed)")
    var onTerminal = ProgramInvocation("/bin/sh", ["-c", "test -t 1 && test -t 2 && stty size <&1"])
    onTerminal.terminal = (columns: 77, rows: 12)
    let shown = try SpawnedProgram(onTerminal).wait()
    #expect(shown.status == 0 && shown.errorText == "12 77\r\n")
  }

  @Test func `a running program can be killed and its memory is measured`() throws {
    let program = try SpawnedProgram("/bin/sleep", ["60"])
    pause(seconds: 0.05)
    #expect(program.isRunning)
    program.kill(SIGTERM)
    let result = program.wait()
    #expect(result.signal == SIGTERM && !program.isRunning)
    // This process is many times as large as sleep.
    #expect((500...8000).contains(result.peakResidentKiB))
  }

  // MARK: Real servers

  @Test func `nginx serves ranges over HTTP and logs them`() throws {
    let server = try RealServer.nginx { $0.requestsPerConnection = 2 }
    try server.serve("sub/f", .text("0123456789"))
    let answer = text(
      try LoopbackSocket.exchange(
        port: server.port,
        "GET /sub/f HTTP/1.1\r\nHost: x\r\nRange: bytes=2-4\r\n\r\nGET /no HTTP/1.1\r\nHost: x\r\n\r\n"))
    #expect(answer.contains("HTTP/1.1 206 ") && answer.contains("\r\n\r\n234HTTP/1.1 404 "))
    #expect(eventually { (try? server.requests().count) == 2 })
    let requests = try server.requests()
    #expect(requests.map(\.status) == [206, 404] && requests.first?.range == "bytes=2-4")
    #expect(requests.first?.byteCount == 3 && requests.first?.target == "/sub/f")
    server.stop()
    #expect(throws: TestSupportError.self) { try LoopbackSocket.connected(to: server.port) }
  }

  @Test func `Apache serves a file over HTTP`() throws {
    let server = try RealServer.apache()
    try server.serve("f", .text("0123456789"))
    let answer = text(
      try LoopbackSocket.exchange(
        port: server.port, "GET /f HTTP/1.1\r\nHost: x\r\nRange: bytes=-1\r\nConnection: close\r\n\r\n"))
    #expect(answer.contains("HTTP/1.1 206 ") && answer.hasSuffix("\r\n\r\n9"))
    #expect(eventually { (try? server.requests().map(\.status)) == [206] })
  }

  @Test(arguments: [("nginx", "h2"), ("apache", "h2"), ("nginx", "http/1.1")])
  func `a server over TLS shows a certificate of the test authority`(name: String, protocolName: String) throws {
    let configure: (inout RealServer.Configuration) -> Void = {
      $0.speaksTLS = true
      $0.offersHTTP2 = protocolName == "h2"
    }
    let server = try name == "nginx" ? RealServer.nginx(configure) : RealServer.apache(configure)
    let result = try runProgram(
      "/usr/bin/openssl",
      [
        "s_client", "-connect", "127.0.0.1:\(server.port)", "-CAfile", try TestAuthority.shared().authorityPath,
        "-verify_ip", "127.0.0.1", "-verify_return_error", "-alpn", protocolName,
      ], input: [])
    #expect(result.status == 0 && result.outputText.contains("Verification: OK"), "\(result.errorText)")
    #expect(result.outputText.contains("ALPN protocol: \(protocolName)\n"))
  }
}

extension String {
  /// The text up to the first occurrence of `end`, or all of it.
  fileprivate func components(before end: String) -> String {
    let bytes = Array(utf8)
    let wanted = Array(end.utf8)
    guard bytes.count >= wanted.count else { return self }
    for start in 0...bytes.count - wanted.count where Array(bytes[start..<start + wanted.count]) == wanted {
      return String(decoding: bytes[..<start], as: UTF8.self)
    }
    return self
  }
}
