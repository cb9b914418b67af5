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

  @Test func `an error of the policy fails the task, and keeps the bytes`() async throws {
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
    #expect(await thrown { try await task.result() } is DownloadError)
    #expect(!rig.target.names().contains("f") && rig.target.names().contains("f.swiftget-part"))
    isBroken.withLock { $0 = false }
    try await task.retry()
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
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
