import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadTransport

@Suite(.waiting) struct `The deadline of a run` {
  private let target: TemporaryDirectory
  private let content = Content.text("0123456789")
  private let server: ScriptedServer

  init() throws {
    target = try TemporaryDirectory()
    server = try ScriptedServer(FileService(["/f": content, "/g": content]))
  }

  private func requests() throws -> [FileRequest] {
    [try request(0, server.url("/f"), name: "f"), try request(1, server.url("/g"), name: "g")]
  }

  @Test func `that has passed lets nothing start`() throws {
    let run = try EngineRun(requests(), into: target) { _ in
    } prepare: { engine, _ in
      engine.stop(.save, because: Failure(.runDeadline))
    }
    #expect(run.end.stoppedBy?.cause == .runDeadline && run.end.failureCodes == [.deadline])
    #expect(run.end.progress.unstartedCount == 2 && server.requests.isEmpty && target.names().isEmpty)
  }

  @Test func `that comes when everything is done changes nothing`() throws {
    let run = try EngineRun(requests(), into: target) { _ in
    } prepare: { engine, observer in
      observer.onEnd = { _ in
        if observer.outcomes.count == 2 { engine.stop(.save, because: Failure(.runDeadline)) }
      }
    }
    #expect(run.end.isWhole && run.end.failureCodes.isEmpty && target.names() == ["f", "g"])
  }

  @Test func `of a span is that of the clock that counts suspensions`() {
    let before = Clock.sinceBoot()
    guard case .sinceBoot(let deadline) = RunDeadline(.span(.seconds(100))) else {
      Issue.record("not by the clock since the boot")
      return
    }
    #expect(deadline >= before + .seconds(100) && deadline <= Clock.sinceBoot() + .seconds(100))
    #expect(!RunDeadline.sinceBoot(deadline).hasPassed && RunDeadline.sinceBoot(before).hasPassed)
    let now = Clock.unixTime()
    #expect(RunDeadline.wallClock(now).hasPassed && !RunDeadline.wallClock(now + 1000).hasPassed)
  }
}
