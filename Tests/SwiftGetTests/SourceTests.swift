import SwiftGet
import TestSupport
import Testing

/// Where a file is fetched from, and who logs in, as the caller says at each beginning.
@Suite(.waiting) struct `The source of a file` {
  private let content = Content.generated(seed: 81, byteCount: 20_000)

  /// A server that wants a token, and answers 403 without it.
  private func server(_ isAllowed: @escaping @Sendable (WireRequest) -> Bool, refusal: Int = 403) throws
    -> ScriptedServer
  {
    let service = FileService(["/f": content, "/new": content]) { _ in }
    return try ScriptedServer { request in
      isAllowed(request) ? service.steps(for: request) : [.respond(refusal)]
    }
  }

  @Test func `it is asked before each beginning, and a token goes with the request`() async throws {
    let target = try TemporaryDirectory()
    let server = try server { $0.header("X-Token") == "t1" }
    let session = SessionRig.session(in: target) {
      $0.policy.source = { task, refusal in
        #expect(refusal == nil && task.fileName == "f")
        return DownloadPolicy.Source(headers: [HeaderField("X-Token", secret: "t1")])
      }
    }
    let file = try await session.add(DownloadRequest(server.url("/f"))).task.result()
    #expect(file.size == 20_000 && server.requests.count == 1)
  }

  @Test func `a refusal asks once more, and the file begins again with the answer`() async throws {
    let target = try TemporaryDirectory()
    let server = try server { $0.path == "/new" }
    let refusals = Locked<[Int?]>([])
    let session = SessionRig.session(in: target) {
      $0.policy.source = { [url = server.url("/new")] _, refusal in
        refusals.withLock { $0.append(refusal?.httpStatus) }
        return refusal == nil ? nil : DownloadPolicy.Source(url: url)
      }
    }
    let file = try await session.add(DownloadRequest(server.url("/f"), name: "f")).task.result()
    #expect(file.path == target.path("f") && refusals.withLock { $0 } == [nil, 403])
    #expect(Set(server.requests.map(\.path)) == ["/f", "/new"])
  }

  @Test func `refused again it fails, and nobody is asked in a loop`() async throws {
    let target = try TemporaryDirectory()
    let server = try server { _ in false }
    let asked = Locked(0)
    let session = SessionRig.session(in: target) {
      $0.policy.source = { _, refusal in
        asked.withLock { $0 += 1 }
        return DownloadPolicy.Source(headers: [HeaderField("X-Token", "wrong")])
      }
    }
    let error = try #require(
      await thrown { try await session.add(DownloadRequest(server.url("/f"))).task.result() } as? DownloadError)
    #expect(error.code == .refused && error.httpStatus == 403 && error.cause == .status(403))
    #expect(asked.withLock { $0 } == 2)
    #expect(target.names().isEmpty)
  }

  @Test func `credentials are asked for when a server wants some, and not for other refusals`() async throws {
    let target = try TemporaryDirectory()
    let server = try server({ $0.header("Authorization") == "Basic dTpw" }, refusal: 401)
    let session = SessionRig.session(in: target) {
      $0.policy.credential = { challenge in
        #expect(challenge.refusal.code == .authentication)
        return .user("u", password: "p")
      }
    }
    let file = try await session.add(DownloadRequest(server.url("/f"))).task.result()
    #expect(file.size == 20_000)
    let refusing = try self.server { _ in false }
    #expect(
      await code { try await session.add(DownloadRequest(refusing.url("/f"), name: "g")).task.result() } == .refused)
  }

  @Test func `wrong credentials fail the task without a loop, and other hosts go on while they are asked for`()
    async throws
  {
    let target = try TemporaryDirectory()
    let (wanting, other) = (try server({ _ in false }, refusal: 401), try server { _ in true })
    let asked = Locked(0)
    let session = SessionRig.session(in: target) {
      $0.policy.credential = { _ in
        asked.withLock { $0 += 1 }
        _ = await eventually { target.names() == ["other"] }
        return .user("u", password: "wrong")
      }
    }
    let tasks = try await session.add([
      DownloadRequest(wanting.url("/f")), DownloadRequest(other.url("/f"), name: "other"),
    ]).tasks
    let error = try #require(await thrown { try await tasks[0].result() } as? DownloadError)
    #expect(error.code == .authentication && error.httpStatus == 401)
    #expect(try await tasks[1].result().size == 20_000 && target.names() == ["other"])
    #expect(asked.withLock { $0 } == 1 && wanting.requests.count == 2)
  }

  @Test func `the source is asked if nobody can log in`() async throws {
    let target = try TemporaryDirectory()
    let server = try server({ $0.path == "/new" }, refusal: 401)
    let session = SessionRig.session(in: target) {
      $0.policy.credential = { _ in nil }
      $0.policy.source = { [url = server.url("/new")] _, refusal in
        refusal.map { _ in DownloadPolicy.Source(url: url) }
      }
    }
    _ = try await session.add(DownloadRequest(server.url("/f"), name: "f")).task.result()
    #expect(try content.firstDifference(inFile: target.path("f")) == nil)
  }

  @Test func `a task that is paused while its source is asked for is not begun by a late answer`() async throws {
    let target = try TemporaryDirectory()
    let server = try server { _ in true }
    let isOpen = Locked(false)
    let session = SessionRig.session(in: target) {
      $0.policy.source = { _, _ in
        while !isOpen.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
        return nil
      }
    }
    let task = try await session.add(DownloadRequest(server.url("/f"))).task
    try await Task.sleep(for: .milliseconds(20))
    try await task.pause()
    isOpen.withLock { $0 = true }
    try await Task.sleep(for: .milliseconds(50))
    #expect(server.requests.isEmpty && task.latest.state == .paused(by: .task))
    try await task.resume()
    _ = try await task.result()
  }

  @Test func `a netrc file logs in, and one that is none is an error`() async throws {
    let target = try TemporaryDirectory()
    let server = try server({ $0.header("Authorization") == "Basic dTpw" }, refusal: 401)
    try target.write("netrc", "machine 127.0.0.1 login u password p\n")
    let session = SessionRig.session(in: target) { $0.netrcFile = target.path("netrc") }
    _ = try await session.add(DownloadRequest(server.url("/f"))).task.result()
    try target.write("broken", "machine\n")
    for name in ["broken", "missing"] {
      let session = SessionRig.session(in: target) { $0.netrcFile = target.path(name) }
      #expect(await code { try await session.add(DownloadRequest(server.url("/f"))) } == .invalidValue)
    }
  }
}
