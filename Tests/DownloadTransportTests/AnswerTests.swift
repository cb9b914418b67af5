import DownloadCore
import TestSupport
@testable import DownloadTransport
import Testing

/// Answers of servers, and the events that they cause.
@Suite(.waiting) struct `An answer` {
  private func answer(_ steps: Step..., recorder: Recorder = Recorder()) throws -> Recorder {
    let server = try ScriptedServer { _ in steps }
    return try Rig().get(server.url("/f"), recorder: recorder)
  }

  @Test func `has one head, one body and one end`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("0123456789")]))
    let answer = try Rig().get(server.url("/f"), .range(2..<5))
    let head = try #require(answer.heads.first)
    #expect(answer.heads.count == 1 && answer.endCount == 1 && answer.result == .complete)
    #expect(head.status == 206 && head.contentLength == 3 && head.contentRange == .satisfied(2..<5, completeLength: 10))
    #expect(head.lastModified == 1_735_725_600 && head.entityTag?.isWeak == false)
    #expect(answer.text == "234")
  }

  @Test func `in many packets is complete`() throws {
    let content = Content.generated(seed: 4, byteCount: 3_000_001)
    for framing in [FileService.Behaviour.Framing.contentLength, .chunked, .connectionEnd] {
      let server = try ScriptedServer(FileService(["/f": content]) { $0.framing = framing })
      let answer = try Rig().get(server.url("/f"))
      #expect(answer.result == .complete && answer.body == content.allBytes, "\(framing)")
      #expect(answer.heads.first?.isChunked == (framing == .chunked))
      #expect(answer.heads.first?.isCloseDelimited == (framing == .connectionEnd))
    }
  }

  @Test(arguments: ["identity", "IDENTITY", "identity, identity"])
  func `with an identity coding ends with its length`(coding: String) throws {
    let server = try ScriptedServer { request in
      let length = request.target == "/empty" ? 0 : 3
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\nContent-Length: \(length)\r\n\r\n"
      switch request.target {
      case "/empty": return [.send(head), .stall(nil)]
      case "/whole": return [.send(head), .stall(.milliseconds(20)), .send("ab"), .send("c"), .stall(nil)]
      case "/more": return [.send(head + "abcdef"), .stall(nil)]
      case "/cut": return [.send(head + "ab"), .close]
      default: return [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\nabcd"), .close]
      }
    }
    let rig = Rig()
    for (path, text, result) in [
      ("/whole", "abc", .complete), ("/more", "abc", .complete), ("/empty", "", .complete),
      ("/cut", "ab", .failed(.shortBody)), ("/none", "abcd", .complete),
    ] as [(String, String, ExchangeResult)] {
      let answer = try rig.get(server.url(path))
      #expect(answer.text == text && answer.result == result, "\(path): \(String(describing: answer.result))")
      #expect(answer.heads.count == 1 && answer.endCount == 1)
    }
  }

  @Test func `may follow interim answers`() throws {
    let answer = try answer(
      .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\nETag: \"no\"\r\n\r\n"),
      .respond(200, headers: [("ETag", "\"yes\"")], body: [65]))
    #expect(answer.heads.map(\.status) == [200] && answer.text == "A" && answer.result == .complete)
    #expect(answer.heads.first?.entityTag?.opaque == Array("yes".utf8))
  }

  @Test func `may have trailers, which are ignored`() throws {
    let answer = try answer(
      .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: ETag\r\n\r\n3\r\nabc\r\n0\r\n"),
      .send("ETag: \"late\"\r\nContent-Length: 7\r\nStatus: 404\r\n\r\n"))
    #expect(answer.heads.count == 1 && answer.heads.first?.entityTag == nil && answer.heads.first?.status == 200)
    #expect(answer.text == "abc" && answer.result == .complete, "\(String(describing: answer.result))")
  }

  @Test func `with a content coding is not decoded`() throws {
    let answer = try answer(.respond(200, headers: [("Content-Encoding", "gzip")], body: [1, 2, 3]))
    #expect(answer.body == [1, 2, 3] && answer.heads.first?.contentEncoding == "gzip")
    #expect(answer.result == .complete)
  }

  @Test(arguments: [200, 206, 301, 302, 404, 416, 429, 500, 503])
  func `of any status is delivered, redirects are not followed`(status: Int) throws {
    let answer = try answer(.respond(status, headers: [("Location", "/elsewhere")], body: Array("x".utf8)))
    #expect(answer.heads.map(\.status) == [status] && answer.text == "x" && answer.result == .complete)
    #expect(answer.heads.first?.location == Array("/elsewhere".utf8))
  }

  @Test func `can be ended at its head`() throws {
    let recorder = Recorder()
    recorder.onHead = { _ in false }
    let answer = try answer(.respond(200, body: [65]), .stall(nil), recorder: recorder)
    #expect(answer.result == .stopped && answer.body.isEmpty && answer.heads.count == 1 && answer.endCount == 1)
  }

  @Test func `can be ended in its body`() throws {
    let server = try ScriptedServer(FileService(["/f": .generated(seed: 1, byteCount: 50_000_000)]))
    let recorder = Recorder()
    recorder.onBody = { received, _ in received < 100_000 ? .taken : .stop }
    let rig = Rig()
    let answer = try rig.get(server.url("/f"), recorder: recorder)
    #expect(answer.result == .stopped && answer.endCount == 1)
    #expect((100_000..<200_000).contains(answer.body.count))
    #expect(eventually { server.openConnections == 0 }, "what is left of the body would be waited for")
    #expect(rig.loop.exchangeCount == 0)
  }

  // MARK: Broken ones

  private static let broken: [(String, [Step], TransferFault)] = [
    ("none", [.close], .emptyReply),
    ("a reset", [.reset], .emptyReply),
    ("a short body", [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), .close], .shortBody),
    (
      "an unfinished chunk", [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nabc"), .close],
      .shortBody
    ),
    (
      "no last chunk", [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), .close], .shortBody
    ),
  ]

  @Test(arguments: broken.indices)
  func `that breaks off has a specific fault`(index: Int) throws {
    let (name, steps, fault) = Self.broken[index]
    let server = try ScriptedServer { _ in steps }
    #expect(try Rig().get(server.url("/f")).result == .failed(fault), "\(name)")
  }

  @Test func `that is reset in its body is a broken connection`() throws {
    let answer = try answer(
      .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), .stall(.milliseconds(100)), .reset)
    guard case .failed(.reset) = answer.result else {
      Issue.record("\(String(describing: answer.result))")
      return
    }
    #expect(answer.text == "abc")
  }

  private static let lies: [(String, [Step])] = [
    ("HTTP/0.9", [.send("<html>no head at all</html>"), .close]),
    ("another protocol", [.send("SSH-2.0-OpenSSH_9.2\r\n"), .stall(.milliseconds(300)), .close]),
    ("no status", [.send("HTTP/1.1 what\r\n\r\n"), .close]),
    ("a status of four digits", [.send("HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n"), .close]),
    ("a head that never ends", [.send("HTTP/1.1 200 OK\r\n"), .sendBody(Body(headerLines))]),
    ("a line that never ends", [.send("HTTP/1.1 200 OK\r\nX: "), .sendBody(Body(.bytes(letters)))]),
    ("a status line that never ends", [.send("HTTP/1.1 200 "), .sendBody(Body(.bytes(letters)))]),
    ("a NUL in a line", [.send("HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 0\r\n\r\n"), .close]),
    ("a line without a colon", [.send("HTTP/1.1 200 OK\r\nwhatever\r\nContent-Length: 0\r\n\r\n"), .close]),
    (
      "another protocol after 101",
      [.send("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"), .sendBody(Body(.bytes(letters)))]
    ),
    ("two status lines", [.send("HTTP/1.1 200 OK\r\nHTTP/1.1 206 OK\r\nContent-Length: 0\r\n\r\n"), .close]),
  ]
  private static let headerLines = Content.bytes(
    Array(String(repeating: "X-Endless: and on and on it goes\r\n", count: 1_200_000).utf8))
  private static let letters = [UInt8](repeating: 65, count: 40_000_000)

  @Test(arguments: lies.indices)
  func `that is not HTTP is a protocol violation, soon`(index: Int) throws {
    let (name, steps) = Self.lies[index]
    let server = try ScriptedServer { _ in steps }
    let answer = try Rig().get(server.url("/f"))
    guard case .failed(.protocolViolation) = answer.result else {
      Issue.record("\(name): \(String(describing: answer.result))")
      return
    }
    #expect(answer.body.isEmpty && answer.endCount == 1, "\(name)")
    #expect(server.bytesSent < 30_000_000, "\(name)")
  }

  @Test func `with a status line as a trailer does not complete`() throws {
    let answer = try answer(
      .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHTTP/1.1 404 Not Found\r\n\r\n"))
    // Newer versions of libcurl may ignore it.
    if case .failed(let fault) = answer.result { #expect(fault.kind == .transient) }
    #expect(answer.heads.map(\.status) == [200] && answer.endCount == 1)
  }

  @Test(arguments: ["xyz\r\nabc\r\n", "-3\r\nabc\r\n", "3\r\nabcd\r\n0\r\n\r\n", "fffffffffffffffff\r\nabc\r\n"])
  func `with malformed chunks does not complete`(chunks: String) throws {
    let answer = try answer(
      .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"), .closeAfter(.milliseconds(200)))
    guard case .failed(let fault) = answer.result else {
      Issue.record("\(String(describing: answer.result))")
      return
    }
    // Retried a few times, like any broken body.
    #expect(fault.kind == .transient)
  }

  @Test(arguments: ["5, 6", "abc", "-1", "99999999999999999999999"])
  func `with an invalid length has no length`(length: String) throws {
    let answer = try answer(.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nabc"), .close)
    if let head = answer.heads.first { #expect(head.contentLength == nil && head.hasInvalidContentLength) }
    #expect(answer.endCount == 1)
  }
}
