import DownloadCore
import TestSupport
import Testing

@testable import DownloadTransport

@Suite(.waiting) struct `A login` {
  private static let challenge = ("WWW-Authenticate", "Digest realm=\"r\", qop=\"auth\", algorithm=MD5, nonce=")

  /// Wants Digest. The nonce is valid for `uses` requests.
  private final class Guard: Sendable {
    private let state = Locked((number: 0, left: 0))
    private let uses: Int
    private let tellsStale: Bool
    private let accepts: Bool

    init(uses: Int = .max, tellsStale: Bool = true, accepts: Bool = true) {
      self.uses = uses
      self.tellsStale = tellsStale
      self.accepts = accepts
    }

    func steps(_ request: WireRequest) -> [Step] {
      let credentials = request.header("Authorization") ?? ""
      let isDigest = credentials.hasPrefix("Digest ")
      let challenge = state.withLock { state -> String? in
        if accepts, isDigest, credentials.contains("nonce=\"n\(state.number)\""), state.left > 0 {
          state.left -= 1
          return nil
        }
        state.number += 1
        state.left = uses
        return "\"n\(state.number)\"" + (isDigest && tellsStale && accepts ? ", stale=true" : "")
      }
      guard let challenge else { return [.respond(200, body: Array("content".utf8))] }
      let field = (A.challenge.0, A.challenge.1 + challenge)
      return [.respond(401, headers: [field], body: Array("who?".utf8))]
    }

    private typealias A = `A login`
  }

  private func schemes(_ server: ScriptedServer) -> [String] {
    server.requests.map { $0.header("Authorization").map { String($0.prefix { $0 != " " }) } ?? "-" }
  }

  @Test func `is sent with the first request, and by Digest where the server asks for it`() throws {
    let keeper = Guard()
    let server = try ScriptedServer { keeper.steps($0) }
    let rig = Rig()
    for _ in 0..<3 {
      let answer = try rig.get(server.url("/f"), userinfo: "me:secret")
      #expect(answer.heads.map(\.status) == [200] && answer.text == "content" && answer.result == .complete)
      #expect(answer.endCount == 1)
    }
    #expect(schemes(server) == ["Basic", "-", "Digest", "Digest", "Digest"])
    #expect(server.connectionCount == 1)
  }

  @Test(arguments: [false, true])
  func `is repeated when the nonce has expired`(tellsStale: Bool) throws {
    let keeper = Guard(uses: 1, tellsStale: tellsStale)
    let server = try ScriptedServer { keeper.steps($0) }
    let rig = Rig()
    for _ in 0..<3 {
      let answer = try rig.get(server.url("/f"), userinfo: "me:secret")
      #expect(answer.heads.map(\.status) == [200] && answer.text == "content" && answer.result == .complete)
    }
    #expect(server.requests.count <= 11)
  }

  @Test func `that is refused ends with the last answer`() throws {
    let keeper = Guard(accepts: false)
    let server = try ScriptedServer { keeper.steps($0) }
    let rig = Rig()
    for count in [3, 5] {
      let answer = try rig.get(server.url("/f"), userinfo: "me:wrong")
      #expect(answer.heads.map(\.status) == [401] && answer.heads.first?.refusesCredentials == true)
      #expect(answer.text == "who?" && answer.result == .complete && answer.endCount == 1)
      #expect(server.requests.count <= count, "\(schemes(server))")
    }
  }

  @Test func `ends where each nonce is called stale`() throws {
    let count = Locked(0)
    let server = try ScriptedServer { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return [.respond(401, headers: [(Self.challenge.0, Self.challenge.1 + "\"n\(number)\", stale=true")])]
    }
    let rig = Rig()
    for most in [4, 8] {
      let answer = try rig.get(server.url("/f"), userinfo: "me:secret")
      #expect(answer.heads.map(\.status) == [401] && answer.heads.first?.refusesCredentials == true)
      #expect(answer.endCount == 1 && server.requests.count <= most, "\(server.requests.count) requests")
    }
  }

  @Test func `is not repeated where the server wants Basic, and not by NTLM or Negotiate`() throws {
    for challenge in ["Basic realm=\"r\"", "NTLM", "Negotiate"] {
      let server = try ScriptedServer { _ in [.respond(401, headers: [("WWW-Authenticate", challenge)])] }
      let answer = try Rig().get(server.url("/f"), userinfo: "me:secret")
      #expect(answer.heads.map(\.status) == [401] && answer.heads.first?.refusesCredentials == true)
      #expect(schemes(server) == ["Basic"])
    }
  }

  @Test func `by Basic still works where another path of the server wants Digest`() throws {
    let keeper = Guard()
    let server = try ScriptedServer { request in
      if request.target == "/digest" { return keeper.steps(request) }
      guard request.header("Authorization") == "Basic bWU6c2VjcmV0" else {
        return [.respond(401, headers: [("WWW-Authenticate", "Basic realm=\"b\"")])]
      }
      return [.respond(200, body: Array("basic".utf8))]
    }
    let rig = Rig()
    for (path, text) in [("/digest", "content"), ("/basic", "basic"), ("/digest", "content"), ("/basic", "basic")] {
      let answer = try rig.get(server.url(path), userinfo: "me:secret")
      #expect(answer.heads.map(\.status) == [200] && answer.text == text, "\(path): \(schemes(server))")
    }
  }

  @Test func `is not sent with a request that has none, and no nonce goes to another origin`() throws {
    let keeper = Guard()
    let server = try ScriptedServer { keeper.steps($0) }
    let other = try ScriptedServer { _ in [.respond(200)] }
    let rig = Rig()
    _ = try rig.get(server.url("/f"), userinfo: "me:secret")
    #expect(try rig.get(server.url("/f"), isTrusted: false).heads.map(\.status) == [401])
    _ = try rig.get(other.url("/f"), userinfo: "me:secret")
    _ = try rig.get(other.url("/f"), isTrusted: false)
    #expect(schemes(other) == ["Basic", "-"])
    #expect(schemes(server).last == "-")
  }

  @Test func `that fails while it is answered is a fault of the connection`() throws {
    let server = try ScriptedServer { request in
      let credentials = request.header("Authorization") ?? ""
      if credentials.hasPrefix("Digest ") { return [.close] }
      return [.respond(401, headers: [(Self.challenge.0, Self.challenge.1 + "\"n\"")])]
    }
    let answer = try Rig().get(server.url("/f"), userinfo: "me:secret")
    guard case .failed(let fault) = answer.result else {
      Issue.record("no fault: \(answer.heads)")
      return
    }
    #expect(answer.heads.isEmpty && fault.kind != .permanent, "\(fault)")
  }

  @Test func `may be answered with a long page`() throws {
    let server = try ScriptedServer { request in
      guard request.header("Authorization")?.hasPrefix("Digest ") == true else {
        let field = (Self.challenge.0, Self.challenge.1 + "\"n\"")
        return [.respond(401, headers: [field], body: [UInt8](repeating: 65, count: 300_000))]
      }
      return [.respond(200, body: Array("content".utf8))]
    }
    let answer = try Rig().get(server.url("/f"), userinfo: "me:secret")
    #expect(answer.heads.map(\.status) == [200] && answer.text == "content" && answer.result == .complete)
  }
}
