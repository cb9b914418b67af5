import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import FileStore

@Suite struct `Targets that another run holds` {
  private let target: TemporaryDirectory
  private let content = Content.generated(seed: 1, byteCount: 1_000_000)
  private let server: ScriptedServer

  init() throws {
    target = try TemporaryDirectory()
    server = try ScriptedServer(FileService(["/f": content, "/g": content]))
  }

  private func hold() throws -> SidecarFile {
    let directory = try TargetDirectory.open(path: Array(target.path.utf8))
    return try SidecarFile.open(directory.resolve([Array("f".utf8)]))
  }

  private func requests() throws -> [DownloadRequest] {
    let digests = [try digest(content)]
    return [
      try request(0, server.url("/f"), name: "f", digests: digests),
      try request(1, server.url("/g"), name: "g", digests: digests),
    ]
  }

  /// Runs, and releases the target when everything else is done.
  private func run(finishing isFinished: Bool) throws -> EngineRun {
    var held: SidecarFile? = try hold()
    return try EngineRun(requests(), into: target) { _ in
    } prepare: { _, observer in
      observer.onEnd = { outcome in
        guard outcome.item == 1, let sidecar = held else { return }
        if isFinished { try? content.write(to: target.path("f")) }
        try? sidecar.remove()
        held = nil
      }
    }
  }

  @Test func `are kept if they are finished when everything else is done`() throws {
    let run = try run(finishing: true)
    #expect(run.result(0) == .kept && run.result(1) == .downloaded && run.end.failureCodes.isEmpty)
    #expect(target.names() == ["f", "g"])
    #expect(server.requests.allSatisfy { $0.target == "/g" })
  }

  @Test func `are downloaded if the other run has given them up`() throws {
    let run = try run(finishing: false)
    #expect(run.result(0) == .downloaded && run.result(1) == .downloaded && run.end.failureCodes.isEmpty)
    #expect(try content.firstDifference(inFile: target.path("f")) == nil)
    #expect(target.names() == ["f", "g"])
  }

  @Test func `fail and name the holder if they are not released`() throws {
    let sidecar = try hold()
    let run = try EngineRun(requests(), into: target)
    #expect(run.result(1) == .downloaded)
    #expect(run.error(0)?.code == .locked && run.end.failureCodes == [.locked])
    #expect(server.requests.allSatisfy { $0.target == "/g" })
    try sidecar.remove()
  }

  @Test func `do not keep an interrupted run from ending`() throws {
    let sidecar = try hold()
    let run = try EngineRun(Array(requests().prefix(1)), into: target) { _ in
    } prepare: { engine, _ in
      engine.commands.post(.stop)
    }
    #expect(run.observer.outcomes.isEmpty && run.end.wasStopped)
    try sidecar.remove()
  }

  @Test func `are looked at in rounds, for a short time`() throws {
    var locked = LockedTargets()
    let (first, second) = (try requests()[0], try requests()[1])
    func round(_ now: Instant) -> [Int]? {
      guard locked.startRound(isFirstWork: false, now: now) else { return nil }
      var items: [Int] = []
      while let request = locked.next() { items.append(request.item) }
      return items
    }
    var now = Instant.zero
    #expect(round(now) == nil)
    var isHeld = locked.hold(first, now: now)
    isHeld = locked.hold(second, now: now) && isHeld
    #expect(isHeld && locked.count == 2 && round(now) == [0, 1] && locked.isEmpty)
    isHeld = locked.hold(first, now: now)
    #expect(isHeld && round(now) == nil)
    now = try #require(locked.nextRound)
    #expect(round(now) == [0])
    now = now + .seconds(10)
    isHeld = locked.hold(first, now: now)
    #expect(!isHeld && locked.isEmpty)
  }

  @Test func `are looked at once more if there was no other work`() throws {
    var locked = LockedTargets()
    let request = try requests()[0]
    var isHeld = locked.hold(request, now: .zero)
    let isRound = locked.startRound(isFirstWork: true, now: .zero)
    let next = locked.next()
    #expect(isHeld && isRound && next == request)
    isHeld = locked.hold(request, now: .zero)
    #expect(!isHeld)
  }
}
