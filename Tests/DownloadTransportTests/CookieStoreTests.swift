import DownloadCore
import TestSupport
@testable import DownloadTransport
import Testing

@Suite(.waiting) struct `Cookies` {
  private func fields(_ request: WireRequest) -> [String] {
    request.headers.filter { $0.name.lowercased() == "cookie" }.map(\.value)
  }

  private func server(_ set: String...) throws -> ScriptedServer {
    let headers = set.map { (name: "Set-Cookie", value: $0) }
    return try ScriptedServer { _ in [.respond(200, headers: headers)] }
  }

  private func line(_ domain: String, _ path: String, secure: Bool = false, _ name: String) -> [UInt8] {
    Array("\(domain)\tFALSE\t\(path)\t\(secure ? "TRUE" : "FALSE")\t0\t\(name)\tv".utf8)
  }

  private func names(_ lines: [[UInt8]]) -> [String] {
    lines.map { String(decoding: $0.split(separator: 9)[5], as: UTF8.self) }.sorted()
  }

  @Test func `are neither kept nor sent by default`() throws {
    let server = try server("a=1; Path=/")
    let rig = Rig()
    for _ in 0..<2 { #expect(try rig.get(server.url("/")).result == .complete) }
    #expect(server.requests.map(fields) == [[], []] && rig.loop.cookies.isEmpty)
  }

  @Test func `of an answer are sent with all later requests that they are meant for`() throws {
    let server = try server("a=1; Path=/", "b=2; Path=/x", "c=3; Path=/; Secure")
    let rig = Rig {
      $0.secrets.cookies = Secrets.Cookies()
      $0.transport.resolve = ["example.org:\(server.port):127.0.0.1"]
    }
    let root = "http://example.org:\(server.port)"
    #expect(try rig.get(root + "/x/1").result == .complete)
    #expect(try rig.get(root + "/x/2", .range(0..<5), isSeparate: true).result == .complete)
    #expect(try rig.get(root + "/y", isTrusted: false).result == .complete)
    #expect(try rig.get(server.url("/x")).result == .complete)
    #expect(server.requests.map(fields) == [[], ["b=2; a=1"], ["a=1"], []])
  }

  @Test func `that have expired are not sent`() throws {
    let server = try ScriptedServer { request in
      [.respond(200, headers: [("Set-Cookie", request.path == "/in" ? "a=1; Path=/" : "a=; Path=/; Max-Age=0")])]
    }
    let rig = Rig { $0.secrets.cookies = Secrets.Cookies() }
    for path in ["/in", "/out", "/"] { #expect(try rig.get(server.url(path)).result == .complete) }
    #expect(server.requests.map(fields) == [[], ["a=1"], []])
  }

  @Test func `of a file go to their host, path and scheme only`() throws {
    let server = try server()
    let rig = Rig {
      $0.secrets.cookies = Secrets.Cookies(loaded: [
        line("example.org", "/", "a"), line("example.org", "/x", "b"), line("example.org", "/", secure: true, "c"),
        line("localhost", "/", "d"), line("example.net", "/", "e"),
      ])
      $0.transport.resolve = ["example.org", "localhost", "www.example.org"].map { "\($0):\(server.port):127.0.0.1" }
    }
    for url in ["example.org|/x/1", "example.org|/y", "localhost|/", "www.example.org|/"] {
      #expect(try rig.get("http://" + url.replacing("|", with: ":\(server.port)")).result == .complete)
    }
    #expect(server.requests.map(fields) == [["b=v; a=v"], ["a=v"], ["d=v"], []])
    #expect(names(rig.loop.cookies) == ["a", "b", "c", "d", "e"])
  }

  @Test func `for a subdomain or a whole public suffix are not accepted from elsewhere`() throws {
    let server = try server("a=1; Domain=example.co.uk; Path=/", "b=2; Domain=co.uk; Path=/", "c=3; Domain=other.uk")
    let hosts = ["x.example.co.uk", "y.example.co.uk", "other.co.uk"]
    let rig = Rig {
      $0.secrets.cookies = Secrets.Cookies()
      $0.transport.resolve = hosts.map { "\($0):\(server.port):127.0.0.1" }
    }
    for host in hosts { #expect(try rig.get("http://\(host):\(server.port)/").result == .complete) }
    #expect(server.requests.map(fields) == [[], ["a=1"], []])
  }

  @Test func `of header lines stand in the same field, for trusted origins`() throws {
    let server = try server()
    for cookies in [nil, Secrets.Cookies(loaded: [line("127.0.0.1", "/", "a")])] {
      let rig = Rig {
        $0.secrets.cookies = cookies
        $0.transport.headers = ["cookie:  x=1; y=2", "X-Key: k", "Cookie: z=3"]
      }
      #expect(try rig.get(server.url("/")).result == .complete)
      #expect(try rig.get(server.url("/"), headers: ["Cookie: own=4"]).result == .complete)
      #expect(try rig.get(server.url("/"), isTrusted: false).result == .complete)
      #expect(try rig.get(server.url("/")).result == .complete)
      let kept = cookies == nil ? [] : ["a=v"]
      func field(_ more: String...) -> [String] {
        let all = kept + more
        return all.isEmpty ? [] : [all.joined(separator: "; ")]
      }
      let requests = server.requests.suffix(4)
      #expect(
        requests.map(fields) == [
          field("x=1; y=2", "z=3"), field("x=1; y=2", "z=3", "own=4"), field(), field("x=1; y=2", "z=3"),
        ])
      #expect(requests.map { $0.header("X-Key") } == ["k", "k", nil, "k"])
    }
  }
}
