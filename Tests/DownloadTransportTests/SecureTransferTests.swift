import DownloadCore
import TestSupport
@testable import DownloadTransport
import Testing

/// TLS and HTTP/2 with nginx and a test certificate authority.
@Suite(.waiting) struct `Over TLS` {
  private func rig(_ configure: (inout RunSettings) -> Void = { _ in }) throws -> Rig {
    let authority = try TestAuthority.shared().authorityPath
    return Rig {
      $0.transport.caFile = authority
      configure(&$0)
    }
  }

  private func server(_ configure: (inout RealServer.Configuration) -> Void = { _ in }) throws -> RealServer {
    let server = try RealServer.nginx {
      $0.speaksTLS = true
      $0.offersHTTP2 = true
      configure(&$0)
    }
    for number in 0..<20 { try server.serve("\(number)", .generated(seed: UInt64(number), byteCount: 30_000)) }
    return server
  }

  @Test(arguments: [(false, 1), (true, 4)])
  func `many exchanges share an HTTP2 connection, or a few`(isSpread: Bool, connectionCount: Int) throws {
    let server = try server()
    let rig = try rig()
    let recorders = try (0..<80).map { number in
      let recorder = Recorder()
      _ = try rig.start(server.url("/\(number % 20)"), isSpread: isSpread, to: recorder)
      return recorder
    }
    #expect(rig.run { recorders.allSatisfy { $0.result != nil } })
    for (number, recorder) in recorders.enumerated() {
      #expect(recorder.result == .complete && recorder.heads.map(\.version) == [.http2])
      #expect(recorder.body == Content.generated(seed: UInt64(number % 20), byteCount: 30_000).allBytes)
    }
    let handshakes = recorders.count { $0.handshake != nil }
    #expect(handshakes == connectionCount)
    #expect(eventually { (try? server.requests().count) == 80 })
    #expect(try server.requests().allSatisfy { $0.version == "HTTP/2.0" && $0.status == 200 })
  }

  @Test(arguments: ["TLSv1.2", "TLSv1.3"])
  func `further connections resume the first one's session`(version: String) throws {
    let server = try server {
      $0.directives = """
        ssl_protocols \(version);
        ssl_session_cache shared:sessions:1m;
        location = /resumed { return 200 $ssl_session_reused; }
        """
    }
    let rig = try rig()
    #expect(try rig.get(server.url("/resumed")).text == ".")
    for _ in 0..<3 {
      let recorders = try (0..<4).map { _ in
        let recorder = Recorder()
        _ = try rig.start(server.url("/resumed"), isSeparate: true, to: recorder)
        return recorder
      }
      #expect(rig.run { recorders.allSatisfy { $0.result != nil } })
      // A TLS 1.3 ticket should be used once (RFC 8446 appendix C.4).
      #expect(version == "TLSv1.3" ? recorders[0].text == "r" : recorders.allSatisfy { $0.text == "r" })
    }
  }

  @Test func `separate exchanges have their own connections and use HTTP1`() throws {
    let server = try server()
    let rig = try rig()
    #expect(try rig.get(server.url("/0")).heads.map(\.version) == [.http2])
    let recorders = try (0..<3).map { number in
      let recorder = Recorder()
      _ = try rig.start(
        server.url("/0"), .range(Int64(number) * 10_000..<Int64(number + 1) * 10_000), isSeparate: true, to: recorder)
      return recorder
    }
    #expect(rig.run { recorders.allSatisfy { $0.result != nil } })
    for recorder in recorders {
      #expect(recorder.result == .complete && recorder.heads.map(\.version) == [.http11] && recorder.handshake != nil)
    }
    #expect(
      recorders.flatMap(\.body) == Content.generated(seed: 0, byteCount: 30_000).allBytes)
  }

  @Test func `nothing is read of a shared connection while one of its exchanges suspends it`() throws {
    let server = try server { $0.bytesPerSecondOfRequest = 4_000_000 }
    let big = Content.generated(seed: 99, byteCount: 4_000_000)
    try server.serve("big", big)
    let rig = try rig()
    let (suspender, other, third) = (Recorder(), Recorder(), Recorder())
    let exchange = try rig.start(server.url("/big"), to: suspender)
    let beside = try rig.start(server.url("/big"), to: other)
    #expect(rig.run { suspender.body.count > 100_000 && other.body.count > 100_000 })
    #expect(exchange.isMultiplexed && !exchange.isBlocked)
    rig.loop.suspend(exchange)
    rig.loop.suspend(exchange)
    rig.loop.suspend(beside)
    let counts = [suspender.body.count, other.body.count]
    // A request that begins meanwhile waits.
    let late = try rig.start(server.url("/1"), to: third)
    #expect(!rig.run(seconds: 0.5) { third.result != nil })
    #expect([suspender.body.count, other.body.count] == counts && exchange.isBlocked && late.isBlocked)
    rig.loop.unpause(exchange)
    #expect(!rig.run(seconds: 0.2) { other.body.count > counts[1] }, "the other one suspends it, too")
    let before = Clock.now()
    rig.loop.unpause(beside)
    #expect(exchange.lastActivity >= before && !exchange.isBlocked, "it was not silent")
    #expect(rig.run { [suspender, other, third].allSatisfy { $0.result == .complete } })
    #expect(suspender.body == big.allBytes && other.body == big.allBytes)
  }

  @Test func `an exchange that ends no longer suspends its connection`() throws {
    let server = try server { $0.bytesPerSecondOfRequest = 4_000_000 }
    try server.serve("big", .generated(seed: 99, byteCount: 4_000_000))
    let rig = try rig()
    let (suspender, other) = (Recorder(), Recorder())
    let exchange = try rig.start(server.url("/big"), to: suspender)
    #expect(rig.run { suspender.body.count > 100_000 })
    rig.loop.suspend(exchange)
    _ = try rig.start(server.url("/1"), to: other)
    rig.loop.stop(exchange)
    rig.loop.suspend(exchange)
    #expect(rig.run { other.result == .complete })
  }

  @Test func `--http1.1 is respected`() throws {
    let server = try server()
    let answer = try rig { $0.transport.httpVersion = .http1 }.get(server.url("/1"))
    #expect(answer.result == .complete && answer.heads.map(\.version) == [.http11])
  }

  @Test func `a server that closes connections after some requests loses no file`() throws {
    let server = try server { $0.requestsPerConnection = 7 }
    let rig = try rig()
    var waiting = Array(0..<100)
    var bodies = 0
    var repeats = 0
    while !waiting.isEmpty {
      let batch = waiting.prefix(25).map { ($0, Recorder()) }
      waiting.removeFirst(batch.count)
      for (number, recorder) in batch { _ = try rig.start(server.url("/\(number % 20)"), to: recorder) }
      try #require(rig.run { batch.allSatisfy { $0.1.result != nil } })
      for (number, recorder) in batch {
        switch recorder.result {
        case .complete:
          #expect(recorder.body == Content.generated(seed: UInt64(number % 20), byteCount: 30_000).allBytes)
          bodies += 1
        case .failed(let fault) where fault.kind == .unanswered || fault.kind == .transient:
          repeats += 1
          waiting.append(number)
        default: Issue.record("\(String(describing: recorder.result))")
        }
      }
      try #require(repeats < 500)
    }
    #expect(bodies == 100)
  }

  @Test func `a reset stream does not complete the body`() throws {
    let server = try server { $0.directives = "limit_rate 10000;" }
    let rig = try rig()
    let recorder = Recorder()
    recorder.onBody = { received, _ in received > 0 ? .stop : .taken }
    #expect(try rig.get(server.url("/2"), recorder: recorder).result == .stopped)
    // The connection is still usable.
    #expect(try rig.get(server.url("/3"), .range(0..<100)).handshake == nil)
  }

  @Test func `an unknown authority is refused, except with --insecure`() throws {
    let server = try server()
    guard case .failed(.tlsVerification(let detail)) = try Rig().get(server.url("/1")).result else {
      Issue.record("an untrusted certificate was accepted")
      return
    }
    #expect(!detail.isEmpty)
    #expect(try Rig { $0.transport.verifiesTLS = false }.get(server.url("/1")).result == .complete)
    #expect(try rig().get(server.url("/1")).result == .complete)
  }

  @Test func `a certificate for another name is refused`() throws {
    let server = try server()
    let rig = try rig { $0.transport.resolve = ["other.example:\(server.port):127.0.0.1"] }
    guard case .failed(.tlsVerification) = try rig.get("https://other.example:\(server.port)/1").result else {
      Issue.record("a certificate for another name was taken")
      return
    }
    #expect(try server.requests().isEmpty)
  }

  @Test func `a missing authority file is reported`() throws {
    let server = try server()
    let rig = Rig { $0.transport.caFile = "/nonexistent.pem" }
    guard case .failed(.tlsFiles) = try rig.get(server.url("/1")).result
    else {
      Issue.record("an unreadable authority file was passed over")
      return
    }
  }

  @Test func `a plain-text server fails the handshake`() throws {
    let server = try ScriptedServer { _ in [.respond(200)] }
    let listener = try ScriptedServer(scripts: [[.perform(.send("HTTP/1.1 400 Bad Request\r\n\r\n"))]])
    guard case .failed(.tlsHandshake) = try rig().get("https://127.0.0.1:\(listener.port)/").result else {
      Issue.record("plain text was taken for TLS")
      return
    }
    // A server that waits for more of the request never answers the hello.
    let silent = try rig { $0.transport.connectTimeout = .milliseconds(300) }.get("https://127.0.0.1:\(server.port)/")
    #expect(silent.result == .failed(.connectTimeout) && server.requests.isEmpty)
  }

  @Test func `a close-delimited body is complete only with close_notify`() throws {
    let server = try SecureEndServer()
    let rig = try rig()
    for (path, ending) in [("/cut", ExchangeResult.unauthenticatedEnd), ("/whole", .complete), ("/length", .complete)] {
      let recorder = try rig.get(server.url(path))
      #expect(recorder.result == ending, "\(path)")
      let count = SecureEndServer.content.byteCount / (path == "/cut" ? 2 : 1)
      #expect(Int64(recorder.body.count) == count, "\(path)")
    }
  }

  @Test func `the end of a reused connection is reported to its current exchange`() throws {
    let server = try SecureEndServer()
    for (path, ending) in [("/cut", ExchangeResult.unauthenticatedEnd), ("/whole", .complete)] {
      let rig = try rig()
      #expect(try rig.get(server.url("/first")).text == "first")
      let recorder = try rig.get(server.url(path))
      #expect(recorder.handshake == nil, "the connection was kept")
      #expect(recorder.result == ending, "\(path)")
    }
  }
}
