import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

@Suite(.waiting) struct `Targets that another run holds` {
  private let target: TemporaryDirectory
  private let content = Content.generated(seed: 1, byteCount: 1_000_000)
  private let server: ScriptedServer

  init() throws {
    target = try TemporaryDirectory()
    server = try ScriptedServer(FileService(["/f": content, "/g": content]))
  }

  /// Calls `atEnd` on the engine's thread before it says that there is nothing more.
  private final class EndingSource: RequestSource {
    private var left: [FileRequest]
    private let atEnd: () -> Void
    var itemCount: Int? { nil }

    init(_ requests: [FileRequest], atEnd: @escaping () -> Void) {
      left = requests.reversed()
      self.atEnd = atEnd
    }

    func next() -> FileRequest? {
      if left.isEmpty { atEnd() }
      return left.popLast()
    }
  }

  private func hold() throws -> SidecarFile {
    let directory = try TargetDirectory.open(path: Array(target.path.utf8))
    return try SidecarFile.open(directory.resolve([Array("f".utf8)]))
  }

  private func requests() throws -> [FileRequest] {
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
        guard outcome.task == 1, let sidecar = held else { return }
        // Looks at the target come at the end of the other file and 0.25 and 0.63 s after it; none of them is to see half of
        // this.
        pause(seconds: 0.4)
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
      engine.stop(.save)
    }
    #expect(run.observer.outcomes.isEmpty && run.end.wasStopped)
    try sidecar.remove()
  }

  @Test func `are looked at in rounds, for a short time`() throws {
    var locked = LockedTargets()
    func round(_ now: Instant) -> Bool { locked.beginsRound(isFirstWork: false, now: now) }
    func mayWait(_ task: TaskID, _ now: Instant) -> Bool { locked.mayWait(task, now: now) }
    var now = Instant.zero
    #expect(mayWait(0, now) && mayWait(1, now) && round(now))
    #expect(mayWait(0, now) && !round(now))
    now = try #require(locked.nextRound)
    #expect(round(now))
    #expect(!mayWait(0, now + .seconds(10)))
  }

  @Test func `are looked at once more if there was no other work`() throws {
    var locked = LockedTargets()
    let answers = [
      locked.mayWait(7, now: .zero), locked.beginsRound(isFirstWork: true, now: .zero), locked.mayWait(7, now: .zero),
    ]
    #expect(answers == [true, true, false])
  }

  @Test func `get one look more when they have appeared, whatever the time`() throws {
    var locked = LockedTargets()
    let answers = [
      locked.mayWait(7, now: .zero), locked.beginsRound(isFirstWork: true, now: .zero),
      locked.mayWait(7, hasAppeared: true, now: .zero), locked.mayWait(7, hasAppeared: true, now: .zero),
    ]
    #expect(answers == [true, true, true, false])
  }

  @Test func `are kept if they are finished after the only look`() throws {
    var held: SidecarFile? = try hold()
    let service = FileService(["/f": content])
    let finishing = try ScriptedServer { [content, target] request in
      try? content.write(to: target.path("f"))
      return service.steps(for: request)
    }
    let wanted = try request(0, finishing.url("/f"), name: "f", digests: [digest(content)])
    // The source is asked for more when the first task has met the lock.
    let source = EndingSource([wanted]) {
      try? held?.remove()
      held = nil
    }
    let engine = Engine(
      settings: RunSettings(), place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
      source: source, descriptorLimit: raiseDescriptorLimit(), runtime: Runtime(idleTime: .zero))
    let run = try EngineRun(engine)
    #expect(held == nil && run.result(0) == .kept && run.end.failureCodes.isEmpty)
    #expect(target.names() == ["f"])
  }

  @Test func `are looked at for as long as is asked for, ever more seldom, and last at its end`() throws {
    var locked = LockedTargets(wait: .seconds(60))
    var now = Instant.zero
    var times: [Duration] = []
    while locked.mayWait(7, now: now) {
      if let next = locked.nextRound { now = next }
      let begins = locked.beginsRound(isFirstWork: true, now: now)
      #expect(begins)
      times.append(now - .zero)
    }
    #expect(times.first == .zero && times.last == .seconds(60) && (30..<60).contains(times.count))
    for (one, next) in zip(times, times.dropFirst()) { #expect(next - one <= .seconds(2) && next > one) }
  }

  @Test func `are told once, after the first look`() throws {
    var locked = LockedTargets(wait: .seconds(60))
    func look(_ now: Instant) -> Duration? {
      _ = locked.beginsRound(isFirstWork: false, now: now)
      return locked.takeWait(now: now)
    }
    #expect(locked.takeWait(now: .zero) == nil)
    #expect(look(.zero) == .seconds(60))
    #expect(look(.zero + .seconds(1)) == nil)
    var short = LockedTargets()
    _ = short.beginsRound(isFirstWork: false, now: .zero)
    #expect(short.takeWait(now: .zero) == nil)
  }

  @Test func `are downloaded when they are released during the wait`() throws {
    var held: SidecarFile? = try hold()
    let run = try EngineRun(Array(requests().prefix(1)), into: target) {
      $0.limits.lockWait = .seconds(15)
    } prepare: { _, observer in
      // Without the option there is no wait, because there is no other work.
      observer.onProgress = { [unowned observer] _ in
        guard observer.notices.contains(where: { if case .waitingForOtherRuns = $0.remark { true } else { false } })
        else { return }
        try? held?.remove()
        held = nil
      }
    }
    #expect(held == nil && run.result(0) == .downloaded && run.end.failureCodes.isEmpty)
  }

  @Test func `are not waited for beyond the deadline`() throws {
    let sidecar = try hold()
    let run = try EngineRun(requests(), into: target) {
      $0.limits.lockWait = .seconds(1000)
    } prepare: { engine, observer in
      observer.onEnd = { _ in engine.stop(.save, because: Failure(.runDeadline)) }
    }
    // It waits, or is being looked at once more.
    let left = run.end.progress.unfinishedCount + run.end.progress.unstartedCount
    #expect(run.end.stoppedBy?.cause == .runDeadline && left == 1 && run.result(0) == nil)
    try sidecar.remove()
  }
}
