import DownloadCore
import DownloadStore
import Glibc
import TestSupport
import Testing

@testable import SwiftGet

/// Sessions that another process works on: the same calls have the same effects here, and when that process ends its work
/// goes on.
@Suite(.waiting) struct `Sessions that another process works on` {
  private let content = Content.generated(seed: 91, byteCount: 1_000_000)
  private let home: TemporaryDirectory
  private let rig: SessionRig

  init() throws {
    home = try TemporaryDirectory()
    let content = Content.generated(seed: 91, byteCount: 1_000_000)
    rig = try SessionRig(Dictionary(uniqueKeysWithValues: (0..<8).map { ("/f\($0)", content) }))
  }

  private var path: [UInt8] { Array(home.path("night").utf8) }

  private func configuration(
    _ configure: (inout DownloadSession.Configuration) -> Void = { _ in }
  ) -> DownloadSession.Configuration {
    SessionRig.configuration(in: rig.target) {
      $0.settings = DownloadSettings()
      configure(&$0)
    }
  }

  /// Starts another process, and returns when it serves the session.
  private func startWorker() async throws -> SpawnedProgram {
    let worker = try SpawnedProgram(try productPath("swiftget"), ["serve", "-S", "night", "--session-dir", home.path])
    #expect(
      await eventually {
        SessionFiles.holder(of: path).map { $0.mayWork && $0.process != .current && $0.socket != nil } ?? false
      }, "\(worker.errorSoFar)")
    return worker
  }

  private func open() async throws -> DownloadSession {
    let session = try await DownloadSession.open("night", in: home.path, configuration: configuration())
    #expect(session.driver.remote != nil, "another process works on it")
    return session
  }

  /// Ends the other process as `ctl stop` does, and waits for its end.
  private func stop(_ worker: SpawnedProgram) -> ProgramResult {
    worker.kill(SIGTERM)
    return worker.wait()
  }

  @Test func `adds, commands, waits and handlers are as in the process that works`() async throws {
    let worker = try await startWorker()
    let session = try await open()
    rig.stall()
    let checksum = FileChecksum.sha256(try content.hexDigest())
    let ends = Locked<[String]>([])
    let added = try await session.add(
      (0..<4).map { rig.request("/f\($0)", checksum: checksum, key: "k\($0)", group: $0 == 3 ? "g" : nil) }
        + [DownloadRequest("ftp://h/x")])
    #expect(added.tasks.count == 4 && added.failures.map(\.index) == [4])
    for task in added.tasks { task.onEnd { snapshot in ends.withLock { $0.append(snapshot.fileName) } } }
    #expect(added.tasks.map(\.latest.number) == [1, 2, 3, 4] && added.tasks[3].latest.group == "g")
    #expect(added.tasks[0].latest.checksums == [checksum] && added.tasks[0].latest.path == rig.target.path("f0"))
    #expect(await eventually { added.tasks[0].latest.progress.bytes > 200_000 })
    let first = added.tasks[0]
    #expect(try await first.pause().changed == 1)
    #expect(first.latest.state == .paused(by: .task))
    try await session.group("g").pause()
    #expect(added.tasks[3].latest.state == .paused(by: .group) && session.group("g").isPaused)
    try await first.set { $0.tries = 4 }
    try await first.prioritize(3)
    #expect(first.latest.settings.tries == 4 && first.latest.priority == 3)
    try await added.tasks[2].move(to: .before(added.tasks[1]))
    #expect(try await session.tasks().map(\.latest.key) == ["k0", "k2", "k1", "k3"])
    try await session.group("g").limit { $0.connections = 2 }
    #expect(session.group("g").limits.connections == 2)
    #expect(try await added.tasks[1].cancel().changed == 1)
    #expect(added.tasks[1].latest.state == .cancelled)
    try await added.tasks[2].remove()
    #expect(await code { try await added.tasks[2].pause() } == .unknownTask)
    #expect(await code { try await first.prioritize(101) } == .invalidValue)
    let again = try await session.add(rig.request("/f0", checksum: checksum, key: "k0"), paused: true)
    #expect(again.isExisting && again.task.id == first.id && again.kept.contains(.priority))
    rig.goOn()
    try await session.resumeAll()
    try await session.settled()
    #expect(first.latest.state.kind == .succeeded && added.tasks[3].latest.state.kind == .succeeded)
    guard case .succeeded(let file) = first.latest.state else { throw TestSupportError("not succeeded") }
    #expect(file.size == 1_000_000 && file.verified?.checksum == checksum && file.path == rig.target.path("f0"))
    #expect(await eventually { ends.withLock { Set($0) } == ["f0", "f1", "f3"] }, "\(ends.withLock { $0 })")
    #expect(try rig.isRight("f0", content))
    try await first.remove(deletingFiles: true)
    #expect(!rig.target.names().contains("f0"))
    // It leaves the session to the other process.
    await session.close()
    #expect(worker.isRunning)
    #expect(await code { try await session.pause() } == .sessionClosed)
    #expect(stop(worker).status == 0)
  }

  @Test func `what the other process does is reported, in order`() async throws {
    let worker = try await startWorker()
    let session = try await open()
    let seen = Locked<[Int64]>([])
    let loop = Task {
      // All of them, however late the loop begins.
      for await change in session.changes(since: 0) {
        if case .ended(_, let number) = change { seen.withLock { $0.append(number) } }
      }
    }
    let client = try SessionClient(of: home.path("night"))
    let requests = (0..<4).map { #"{"url": "\#(rig.server.url("/f\($0)"))", "dir": "\#(rig.target.path)"}"# }
    _ = try client.call("pause", #"{"session": true}"#)
    _ = try client.call("add", "{\"requests\": [\(requests.joined(separator: ","))]}")
    #expect(await eventually { session.latestTotals.counts == [.paused: 4] })
    _ = try client.call("set", #"{"session": true, "settings": {"tries": 3}}"#)
    _ = try client.call("resume", #"{"session": true}"#)
    #expect(await eventually { seen.withLock { $0 } == [1, 2, 3, 4] }, "\(seen.withLock { $0 })")
    #expect(session.latestTotals.lastEnd == 4)
    let late = try await session.selection(.all).tasks()
    #expect(late.count == 4 && late.allSatisfy { $0.latest.state.kind == .succeeded })
    await session.close()
    await loop.value
    _ = stop(worker)
  }

  @Test func `a process that is killed is succeeded, and every wait ends`() async throws {
    let worker = try await startWorker()
    let session = try await open()
    rig.stall()
    let added = try await session.add((0..<4).map { rig.request("/f\($0)") })
    let files = Task { try await added.files() }
    #expect(await eventually { added.tasks[0].latest.progress.bytes > 200_000 })
    worker.kill()
    _ = worker.wait()
    // A command that nobody could obey is obeyed by this process.
    try await added.tasks[3].set { $0.tries = 7 }
    #expect(session.driver.remote == nil && added.tasks[3].latest.settings.tries == 7)
    #expect(SessionFiles.holder(of: path)?.process == .current)
    rig.goOn()
    try await session.retry()
    #expect(try await files.value.count == 4)
    for index in 0..<4 { #expect(try rig.isRight("f\(index)", content)) }
    // Others reach it here now.
    let client = try SessionClient(of: home.path("night"))
    #expect(try client.call("totals")["files"]?.integer == 4)
    await session.close()
  }

  @Test func `who works on the session is known, and each change of it is told`() async throws {
    let worker = try await startWorker()
    let session = try await open()
    #expect(session.worker?.process == worker.identifier && session.worker?.isThisProcess == false)
    let told = Locked<[Int32?]>([])
    let loop = Task {
      for await change in session.changes {
        if case .worker(let worker) = change { told.withLock { $0.append(worker?.process) } }
      }
    }
    #expect(await eventually { session.driver.core.withLock { !$0.state.feeds.isEmpty } })
    worker.kill(SIGKILL)
    _ = worker.wait()
    #expect(await eventually { session.worker?.isThisProcess == true })
    #expect(await eventually { told.withLock { $0 } == [nil, getpid()] })
    await session.close()
    await loop.value
  }

  @Test func `a command that has no answer yet is obeyed by the successor`() async throws {
    let worker = try await startWorker()
    let session = try await open()
    // The file may begin before the session is paused.
    rig.stall()
    worker.kill(SIGSTOP)
    let adding = Task { try await session.add(rig.request("/f0", key: "k")) }
    let pausing = Task { try await session.pause() }
    try await Task.sleep(for: .milliseconds(100))
    worker.kill()
    _ = worker.wait()
    #expect(try await adding.value.task.latest.key == "k")
    _ = try await pausing.value
    #expect(session.latestTotals.counts == [.paused: 1])
    rig.goOn()
    try await session.resume()
    try await session.settled()
    #expect(try rig.isRight("f0", content))
    await session.close()
    // It is in the store, too.
    let again = try await DownloadSession.open("night", in: home.path, configuration: configuration())
    #expect(try await again.tasks().map(\.latest.state.kind) == [.succeeded])
    await again.close()
  }

  @Test func `a process that does not answer keeps nobody from leaving`() async throws {
    let worker = try await startWorker()
    let session = try await open()
    worker.kill(SIGSTOP)
    let call = Task { await thrown { try await session.pause() } }
    // The answers of this suite may take 600 s.
    await session.close()
    let error = try #require(await call.value as? DownloadError)
    #expect(error.code == .sessionClosed, "\(error)")
    worker.kill(SIGCONT)
    #expect(stop(worker).status == 0)
  }

  @Test func `a command through a connection, whose process dies before it answers, is not acknowledged`() async throws
  {
    let worker = try await startWorker()
    let session = try await DownloadSession.connect("night", in: home.path)
    worker.kill(SIGSTOP)
    let call = Task { await thrown { try await session.pause() } }
    try await Task.sleep(for: .milliseconds(100))
    worker.kill(SIGKILL)
    _ = worker.wait()
    let error = try #require(await call.value as? DownloadError)
    #expect(error.code == .unacknowledged, "\(error)")
    #expect(await code { try await session.pause() } == .sessionClosed)
  }

  @Test func `what contradicts the session is refused by name`() async throws {
    let worker = try await startWorker()
    func refusal(_ configure: (inout DownloadSession.Configuration) -> Void) async -> DownloadError? {
      await thrown {
        try await DownloadSession.open("night", in: home.path, configuration: configuration(configure))
      } as? DownloadError
    }
    let limits = await refusal {
      $0.limits.activeFiles = 3
      $0.settings.tries = 9
    }
    #expect(limits?.code == .conflict && limits?.message.contains("active_files, tries") == true, "\(limits as Any)")
    #expect(await refusal { $0.history = 5 }?.message.contains("history") == true)
    #expect(await refusal { $0.policy.validate = { _ in .accept } }?.code == .policyNeedsOwner)
    let session = try await open()
    try await session.limit { $0.activeFiles = 3 }
    await session.close()
    let same = try await DownloadSession.open(
      "night", in: home.path, configuration: configuration { $0.limits.activeFiles = 3 })
    await same.close()
    _ = stop(worker)
  }

  @Test func `a connection never works on the session`() async throws {
    #expect(await code { try await DownloadSession.connect("night", in: home.path) } == .unknownSession)
    let worker = try await startWorker()
    let session = try await DownloadSession.connect("night", in: home.path)
    rig.isOpen.withLock { $0 = false }
    let task = try await session.add(DownloadRequest(rig.server.url("/f0"), into: rig.target.path)).task
    #expect(stop(worker).status == 0)
    let wait = Task { try await task.result() }
    #expect(await code { try await wait.value } == .sessionClosed)
    #expect(SessionFiles.holder(of: path)?.mayWork != true)
    let next = try await startWorker()
    let again = try await DownloadSession.connect("night", in: home.path)
    rig.isOpen.withLock { $0 = true }
    _ = try await again.task(task.id).result()
    await again.close()
    _ = stop(next)
  }
}
