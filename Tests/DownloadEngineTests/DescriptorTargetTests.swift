import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine

/// Content that goes to a descriptor of an unnamed file.
@Suite(.waiting) struct `A descriptor as target` {
  private let directory: TemporaryDirectory
  private let descriptor: Int32
  private static let content = Content.generated(seed: 71, byteCount: 3_000_000)

  init() throws {
    directory = try TemporaryDirectory()
    descriptor = open(directory.path("content"), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
  }

  private func run(
    _ server: ScriptedServer, path: String = "/f", digests: [ContentDigest] = []
  ) throws -> EngineRun {
    var wanted = try request(0, server.url(path), name: "f", digests: digests)
    wanted.target = .descriptor(descriptor)
    defer { close(descriptor) }
    return try EngineRun([wanted], into: directory)
  }

  @Test func `gets the content and nothing else`() throws {
    let server = try ScriptedServer(FileService(["/f": Self.content]) { $0.redirects = ["/r": "/f"] })
    let run = try run(server, path: "/r")
    #expect(run.result() == .downloaded)
    #expect(run.observer.outcomes[0]?.transfers.lastAnswer?.location.path == "/f")
    #expect(run.observer.outcomes[0]?.transfers.lastAnswer?.status == 200)
    #expect(try Self.content.firstDifference(inFile: directory.path("content")) == nil)
    #expect(directory.names() == ["content"])
  }

  @Test func `is emptied where the content changes`() throws {
    let other = Content.generated(seed: 72, byteCount: 2_000_000)
    let server = try ScriptedServer(
      FileService(["/f": Self.content]) {
        $0.cutAfter = 2_500_000
        $0.changesAfter = .requests(1)
        $0.replacements = ["/f": other]
      })
    let run = try run(server)
    #expect(run.result() == .downloaded, "\(String(describing: run.error()))")
    #expect(try other.firstDifference(inFile: directory.path("content")) == nil)
  }

  @Test func `is emptied where a server does not say which version it has`() throws {
    let cut = Locked(false)
    let whole = FileService(["/f": Self.content]) {
      $0.entityTag = .none
      $0.lastModified = nil
      $0.ignoresRanges = true
    }
    let server = try ScriptedServer { request in
      let isFirst = cut.withLock { cut in
        defer { cut = true }
        return !cut
      }
      guard isFirst else { return whole.steps(for: request) }
      return [
        .send(responseHead(200, [("Content-Length", "\(Self.content.byteCount)")])),
        .send(Self.content.bytes(in: 0..<1_500_000)), .close,
      ]
    }
    let run = try run(server)
    #expect(run.result() == .downloaded, "\(String(describing: run.error()))")
    #expect(try Self.content.firstDifference(inFile: directory.path("content")) == nil)
  }

  @Test func `has its digest compared`() throws {
    let server = try ScriptedServer(FileService(["/f": Self.content]))
    let digest = try #require(ContentDigest(.sha256, hex: Array(String(repeating: "0", count: 64).utf8)))
    let run = try run(server, digests: [digest])
    #expect(run.error()?.code == .integrity)
  }
}
