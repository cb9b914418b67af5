import DownloadCore
import TestSupport
@testable import DownloadTransport
import Testing

/// The bytes of requests. libcurl determines the order of the lines.
@Suite(.waiting) struct `A request` {
  private func lines(_ request: WireRequest) -> [String] { request.headers.map { "\($0.name): \($0.value)" }.sorted() }

  private func server() throws -> ScriptedServer { try ScriptedServer { _ in [.respond(200)] } }

  @Test func `for a whole file has the necessary fields only`() throws {
    let server = try server()
    #expect(try Rig().get(server.url("/a%20b?c=d")).result == .complete)
    let request = try #require(server.requests.first)
    #expect(request.method == "GET" && request.target == "/a%20b?c=d")
    #expect(
      lines(request) == [
        "Accept-Encoding: identity", "Accept: */*", "Host: 127.0.0.1:\(server.port)",
        "User-Agent: swiftget/\(programVersion)",
      ])
  }

  @Test(
    arguments: [
      (AskedContent.whole, nil), (.from(5), "bytes=5-"), (.from(0), "bytes=0-"), (.range(5..<10), "bytes=5-9"),
      (.range(0..<1), "bytes=0-0"), (.range(5_000_000_000..<5_000_000_001), "bytes=5000000000-5000000000"),
    ] as [(AskedContent, String?)])
  func `has its Range field`(asked: AskedContent, header: String?) throws {
    let server = try server()
    #expect(try Rig().get(server.url("/"), asked).result == .complete)
    let request = try #require(server.requests.first)
    #expect(request.rangeHeader == header)
    #expect(request.headers.filter { $0.name == "Range" }.count == (header == nil ? 0 : 1))
    #expect(request.header("If-Range") == nil)
  }

  @Test func `has the date of the local file`() throws {
    let server = try server()
    let copy = LocalCopy(modified: 1_735_725_600, size: 3)
    #expect(try Rig().get(server.url("/"), ifNewerThan: copy).result == .complete)
    #expect(server.requests.first?.header("If-Modified-Since") == "Wed, 01 Jan 2025 10:00:00 GMT")
    #expect(server.requests.first?.header("Accept-Encoding") == "identity")
  }

  @Test func `has its own condition, or none, on a handle that had another`() throws {
    let server = try server()
    let rig = Rig { $0.transport.headers = ["X-Common: 1"] }
    let tag = try #require(EntityTag(parsing: Array("\"a\"".utf8)))
    let copies = [
      LocalCopy(modified: 1_735_725_600, size: 3, entityTag: tag), LocalCopy(modified: 1_735_725_601, size: 3), nil,
      LocalCopy(modified: 1_735_725_602, size: 3), nil, nil,
    ]
    for copy in copies { #expect(try rig.get(server.url("/"), ifNewerThan: copy).result == .complete) }
    let requests = server.requests
    #expect(
      requests.map { $0.header("If-Modified-Since") } == [
        "Wed, 01 Jan 2025 10:00:00 GMT", "Wed, 01 Jan 2025 10:00:01 GMT", nil, "Wed, 01 Jan 2025 10:00:02 GMT", nil,
        nil,
      ])
    #expect(requests.map { $0.header("If-None-Match") } == ["\"a\"", nil, nil, nil, nil, nil])
    #expect(requests.allSatisfy { $0.header("X-Common") == "1" && $0.header("Accept-Encoding") == "identity" })
  }

  @Test func `has the headers of its host also on a handle that had them`() throws {
    let server = try server()
    let rig = Rig()
    let fields = (0..<4).map { "X-Host-\($0): \(String(repeating: "v", count: 40))" }
    for _ in 0..<5 { #expect(try rig.get(server.url("/"), hostHeaders: fields).result == .complete) }
    for request in server.requests { #expect(Set(lines(request)).isSuperset(of: fields)) }
  }

  @Test func `with a date accepts any answer`() throws {
    // libcurl's own conditional request would discard the body of an answer that is not newer.
    let server = try ScriptedServer { _ in
      [.respond(200, headers: [("Last-Modified", "Wed, 01 Jan 2025 10:00:00 GMT")], body: Array("body".utf8))]
    }
    let answer = try Rig().get(server.url("/"), ifNewerThan: LocalCopy(modified: 1_735_725_600, size: 3))
    #expect(answer.result == .complete && answer.heads.map(\.status) == [200] && answer.text == "body")
  }

  @Test func `is answered 304 without a body`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("body")]))
    let rig = Rig()
    let answer = try rig.get(server.url("/f"), ifNewerThan: LocalCopy(modified: 1_735_725_600, size: 3))
    #expect(answer.result == .complete && answer.heads.map(\.status) == [304] && answer.body.isEmpty)
    #expect(try rig.get(server.url("/f")).text == "body")
    #expect(server.connectionCount == 1)
  }

  @Test func `has headers and credentials for trusted origins only`() throws {
    let server = try server()
    let rig = Rig {
      $0.transport.headers = ["X-Common: 1", "Authorization: Bearer common"]
      $0.transport.referer = "http://from.example/"
      $0.transport.userAgent = "agent/9"
    }
    // The untrusted request reuses the handle of the trusted one, which must be clean.
    _ = try rig.get(server.url("/1"), headers: ["X-Own: 2"])
    _ = try rig.get(server.url("/2"), isTrusted: false, headers: ["X-Own: 2"])
    _ = try rig.get(server.url("/3"))
    let requests = server.requests
    let common = ["Accept-Encoding: identity", "Accept: */*", "Host: 127.0.0.1:\(server.port)", "User-Agent: agent/9"]
    let trusted = common + ["Authorization: Bearer common", "Referer: http://from.example/", "X-Common: 1"]
    #expect(lines(requests[0]) == (trusted + ["X-Own: 2"]).sorted())
    #expect(lines(requests[1]) == common.sorted())
    #expect(lines(requests[2]) == trusted.sorted())
    // A server takes the first of two: what is nearer to the request stands alone.
    let own = ["X-Common: 3", "authorization: own"]
    _ = try rig.get(server.url("/4"), headers: own, hostHeaders: ["Authorization: host", "X-Host: 4"])
    let replaced = common + ["Referer: http://from.example/", "X-Host: 4"] + own
    #expect(Set(lines(server.requests[3]).map { $0.lowercased() }) == Set(replaced.map { $0.lowercased() }))
  }

  @Test func `has name and password as they are`() throws {
    let server = try server()
    let rig = Rig()
    for user in ["me:se:cret", "m@e/ü:x", "me", "me:", ":x", ":"] {
      _ = try rig.get(server.url("/a?b"), userinfo: user)
    }
    _ = try rig.get(server.url("/a?b"), isTrusted: false)
    _ = try rig.get(server.url("/a?b"))
    #expect(
      server.requests.map { $0.header("Authorization") } == [
        "Basic bWU6c2U6Y3JldA==", "Basic bUBlL8O8Ong=", "Basic bWU6", "Basic bWU6", "Basic Ong=", "Basic Og==", nil,
        nil,
      ])
    #expect(server.requests.allSatisfy { $0.target == "/a?b" && $0.header("Host") == "127.0.0.1:\(server.port)" })
  }

  @Test func `uses the address of --resolve`() throws {
    let server = try server()
    let rig = Rig { $0.transport.resolve = ["files.example:\(server.port):127.0.0.1"] }
    #expect(try rig.get("http://files.example:\(server.port)/x").result == .complete)
    #expect(server.requests.first?.header("Host") == "files.example:\(server.port)")
  }

  @Test func `to a proxy has the whole URL`() throws {
    let server = try server()
    let rig = Rig {
      $0.transport.proxy = "http://me:secret@127.0.0.1:\(server.port)"
      $0.transport.noProxy = nil
    }
    #expect(try rig.get("http://files.example/x").result == .complete)
    #expect(server.requests.first?.target == "http://files.example/x")
    #expect(server.requests.first?.header("Proxy-Authorization") == "Basic bWU6c2VjcmV0")
  }

  @Test(arguments: [
    (407, TransferFault.status(407)), (403, .proxyStatus(403)), (503, .proxyStatus(503)),
  ])
  func `for a tunnel reports the proxy's answer`(status: Int, fault: TransferFault) throws {
    let server = try ScriptedServer { _ in [.respond(status), .close] }
    let rig = Rig {
      $0.transport.proxy = "http://127.0.0.1:\(server.port)"
      $0.transport.noProxy = nil
    }
    let answer = try rig.get("https://files.example/x")
    #expect(server.requests.first?.method == "CONNECT")
    #expect(answer.result == .failed(fault) && answer.heads.isEmpty)
  }
}
