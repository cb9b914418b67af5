import SwiftGet
import TestSupport
import Testing

/// What only the caller can decide.
@Suite(.waiting) struct `A policy` {
  private let content = Content.generated(seed: 71, byteCount: 20_000)

  @Test func `a file that is rejected never has its name, and others go on meanwhile`() async throws {
    let (asked, gate) = (Locked<[UnpublishedDownload]>([]), Locked(false))
    let rig = try SessionRig(["/good": content, "/bad": content]) { _ in
    } configure: {
      $0.policy.validate = { file in
        asked.withLock { $0.append(file) }
        guard file.url.hasSuffix("/bad") else { return .accept }
        while !gate.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
        return .reject("no archive")
      }
    }
    let bad = try await rig.session.add(rig.request("/bad")).task
    let good = try await rig.session.add(rig.request("/good")).task
    _ = try await good.result()
    let state = bad.latest.state
    #expect(!state.isSettled, "\(state)")
    gate.withLock { $0 = true }
    let error = try #require(await thrown { try await bad.result() } as? DownloadError)
    #expect(error.code == .integrity && error.message.contains("no archive"))
    #expect(rig.target.names() == ["bad.swiftget-bad", "good"])
    #expect(asked.withLock { $0.allSatisfy { $0.size == 20_000 && $0.path.hasPrefix(rig.target.path) } })
  }

  @Test func `an error of the policy fails the task when its tries are used up, and keeps the bytes`() async throws {
    struct Broken: Error {}
    let isBroken = Locked(true)
    let rig = try SessionRig(["/f": content]) { _ in
    } configure: {
      $0.policy.validate = { _ in
        if isBroken.withLock({ $0 }) { throw Broken() }
        return .accept
      }
    }
    let task = try await rig.session.add(rig.request("/f")).task
    let error = try #require(await thrown { try await task.result() } as? DownloadError)
    #expect(error.code == .localIO && error.message.contains("Broken"))
    #expect(!rig.target.names().contains("f") && rig.target.names().contains("f.swiftget-part"))
    isBroken.withLock { $0 = false }
    try await task.retry()
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
  }

  /// At the beginning of a file, at its first answer, for its name and at its end.
  @Test(arguments: ["source", "accepts", "name", "validate"])
  func `a policy that fails once is asked again`(question: String) async throws {
    struct Broken: Error {}
    let asked = Locked(0)
    @Sendable func fail() throws {
      if asked.withLock({
        $0 += 1; return $0
      }) == 1 {
        throw Broken()
      }
    }
    let rig = try SessionRig(["/f": content]) { _ in
    } configure: {
      $0.settings.tries = 2
      switch question {
      case "source":
        $0.policy.source = { _, _ in
          try fail(); return nil
        }
      case "accepts":
        $0.policy.accepts = { _, _ in
          try fail(); return true
        }
      case "name":
        $0.policy.name = { _ in
          try fail(); return nil
        }
      default:
        $0.policy.validate = { _ in
          try fail(); return .accept
        }
      }
    }
    _ = try await rig.session.add(rig.request("/f")).task.result()
    #expect(try rig.isRight("f", content) && asked.withLock { $0 } == 2)
    #expect(rig.server.requests.count == 1, "the answer waits")
  }

  @Test func `an answer that is not accepted is no file, and the source may name another one`() async throws {
    let heads = Locked<[ResponseHead]>([])
    let rig = try SessionRig(["/page": content, "/f": content, "/other": content]) {
      $0.extraHeaders = [("Content-Type", "Text/HTML; charset=utf-8")]
    } configure: {
      $0.policy.accepts = { head, task in
        heads.withLock { $0.append(head) }
        return !head.url.hasSuffix("/page") && task.key != "wrong"
      }
    }
    let page = try await rig.session.add(rig.request("/page")).task
    let error = try #require(await thrown { try await page.result() } as? DownloadError)
    #expect(error.code == .refused && error.message.contains("200"), "\(error)")
    #expect(await code { try await rig.session.add(rig.request("/other", key: "wrong")).task.result() } == .refused)
    _ = try await rig.session.add(rig.request("/f")).task.result()
    #expect(rig.target.names() == ["f"])
    #expect(heads.withLock { $0.map(\.contentType) } == ["text/html", "text/html", "text/html"])
    #expect(heads.withLock { $0.map(\.contentLength) } == [20_000, 20_000, 20_000])
    let target = try TemporaryDirectory()
    let session = SessionRig.session(in: target) {
      $0.policy.accepts = { head, _ in head.url.hasSuffix("/f") }
      $0.policy.source = { [url = rig.server.url("/f")] _, refusal in
        refusal.map { _ in DownloadPolicy.Source(url: url) }
      }
    }
    _ = try await session.add(rig.request("/page", name: "f")).task.result()
    #expect(try content.firstDifference(inFile: target.path("f")) == nil)
  }

  @Test func `a half file goes on when its answer is accepted, and keeps its bytes when it is not`() async throws {
    let content = Content.generated(seed: 73, byteCount: 2_000_000)
    let statuses = Locked<[Int]>([])
    let isAccepted = Locked(true)
    let rig = try SessionRig(["/f": content]) { _ in
    } configure: {
      $0.policy.accepts = { head, _ in
        statuses.withLock { $0.append(head.status) }
        return isAccepted.withLock { $0 }
      }
    }
    let task = try await rig.failHalfway(rig.request("/f"))
    let bytes = task.latest.progress.bytes
    #expect(bytes > 0)
    isAccepted.withLock { $0 = false }
    try await task.retry()
    #expect(await code { try await task.result() } == .refused)
    #expect(task.latest.progress.bytes == bytes)
    isAccepted.withLock { $0 = true }
    try await task.retry()
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
    #expect(statuses.withLock { $0.suffix(2) } == [206, 206])
  }

  @Test func `files whose requests name none are named by the policy`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content, "/c": content]) {
      $0.extraHeaders = [("Content-Disposition", "attachment; filename=\"suggested.bin\"")]
    } configure: {
      $0.policy.name = { file in
        file.url.hasSuffix("/a") ? file.suggestedName : file.url.hasSuffix("/b") ? "../../own" : nil
      }
    }
    let tasks = try await rig.session.add(
      [rig.request("/a"), rig.request("/b"), rig.request("/c", name: "given")]
    ).tasks
    let paths = try await tasks.results().map { try $0.get().path }
    #expect(paths == ["suggested.bin", "own", "given"].map(rig.target.path))
    #expect(tasks[0].latest.path == rig.target.path("suggested.bin"))
    #expect(rig.target.names() == ["given", "own", "suggested.bin"])
  }
}
