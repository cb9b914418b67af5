@testable import DownloadCore
import DownloadStore
import TestSupport
import Testing

@testable import SwiftGet

/// Sessions that outlast their process.
@Suite(.waiting) struct `Named sessions` {
  private let content = Content.generated(seed: 41, byteCount: 2_000_000)
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func open(
    _ rig: SessionRig, paused: Bool = false, _ configure: (inout DownloadSession.Configuration) -> Void = { _ in }
  ) async throws -> DownloadSession {
    try await DownloadSession.open(
      "night", in: home.path, paused: paused, configuration: SessionRig.configuration(in: rig.target, configure))
  }

  private func rig(_ count: Int = 3) throws -> SessionRig {
    try SessionRig(Dictionary(uniqueKeysWithValues: (0..<count).map { ("/f\($0)", content) }))
  }

  @Test func `it waits a day for hosts in trouble, unless a number of tries is given`() async throws {
    let rig = try rig()
    func file(_ session: DownloadSession) throws -> FileSettings {
      try session.driver.core.withLock { core throws(DownloadError) in try SessionDriver.settings(core).file }
    }
    #expect(try file(rig.session).retries.patience == nil)
    let session = try await open(rig) { $0.settings.tries = nil }
    #expect(try file(session).retries == Retries(tries: 5, longestWait: .seconds(600), patience: .seconds(86_400)))
    let task = try await session.add(rig.request("/f0"), paused: true).task
    try await task.set { $0.tries = 2 }
    let own = session.driver.core.withLock { $0.state.records[task.id.number]?.settings.taskSettings }
    #expect(try own?.over(file(session)).retries.patience == nil)
    try await session.set { $0.tries = 7 }
    #expect(try file(session).retries == Retries(tries: 7, longestWait: .seconds(600)))
    try await session.set { $0.tries = nil }
    await session.close()
    let patient = try await open(rig) {
      $0.settings.tries = nil
      $0.giveUpAfter = .seconds(7)
    }
    #expect(try file(patient).retries.patience == .seconds(7))
    await patient.close()
    let inMemory = SessionRig.session(in: rig.target) {
      $0.settings.tries = nil
      $0.giveUpAfter = .seconds(8)
    }
    #expect(try file(inMemory).retries.patience == .seconds(8))
    #expect(await code { try await open(rig) { $0.giveUpAfter = .zero } } == .invalidValue)
  }

  // MARK: What is there again

  @Test func `what was added is fetched by the next process`() async throws {
    let rig = try rig()
    rig.stall()
    let first = try await open(rig)
    let checksum = FileChecksum.sha256(try content.hexDigest())
    let added = try await first.add((0..<3).map { rig.request("/f\($0)", checksum: checksum, key: "k\($0)") })
    let ids = added.tasks.map(\.id)
    #expect(await eventually { added.tasks[0].latest.progress.bytes > 200_000 })
    await first.close()
    rig.goOn()
    let second = try await open(rig)
    let tasks = try await second.tasks()
    #expect(tasks.map(\.id) == ids && tasks.map(\.latest.number) == [1, 2, 3])
    #expect(tasks.map(\.latest.key) == ["k0", "k1", "k2"] && tasks[0].latest.checksums == [checksum])
    let results = try await second.results()
    #expect(results.count == 3 && results.allSatisfy { (try? $0.get()) != nil })
    #expect(try rig.isRight("f0", content))
    #expect(rig.server.requests.contains { $0.rangeHeader != nil }, "what was there was not fetched again")
    await second.close()
    // They are the history of the third one.
    let third = try await open(rig)
    let done = try await third.tasks().map(\.latest)
    #expect(done.map(\.id) == ids && done.allSatisfy { $0.state.kind == .succeeded && $0.endedSince1970 != nil })
    guard case .succeeded(let file)? = done.first?.state else { throw TestSupportError("not succeeded") }
    #expect(file.size == Int64(content.byteCount) && file.verified?.checksum == checksum)
    #expect(file.path == rig.target.path("f0"))
    let count = rig.server.requests.count
    #expect(try await third.totals.unsettled == 0 && rig.server.requests.count == count)
    await third.close()
  }

  @Test func `a process that works knows what had not settled at its start, whatever has settled since`() async throws {
    let rig = try rig()
    let first = try await open(rig)
    let done = try await first.add(rig.request("/f0")).task
    _ = try await done.result()
    rig.stall()
    let left = try await first.add((1..<3).map { rig.request("/f\($0)") }).tasks.map(\.id.description)
    await first.close()
    rig.goOn()
    let configuration = SessionRig.configuration(in: rig.target)
    let working = try await WorkingSession.open("night", in: home.path, configuration)
    #expect(await eventually { working.isSettled })
    #expect(working.tasksAtStart.sorted() == left.sorted())
    await working.close()
    let again = try await WorkingSession.open("night", in: home.path, configuration)
    #expect(again.tasksAtStart.isEmpty)
    await again.close()
  }

  @Test func `how far unfinished files are is there again, before anything begins`() async throws {
    let rig = try rig()
    rig.stall()
    let first = try await open(rig)
    let tasks = try await first.add((0..<3).map { rig.request("/f\($0)") }).tasks
    #expect(await eventually { tasks.allSatisfy { $0.latest.progress.bytes > 200_000 } })
    try await tasks[0].pause()
    try await first.group("main").pause()
    func snapshots(in home: String) async throws -> [DownloadTaskSnapshot] {
      let session = try await DownloadSession.open(
        "night", in: home, paused: true, configuration: SessionRig.configuration(in: rig.target))
      let snapshots = try await session.tasks().map(\.latest)
      await session.close()
      return snapshots
    }
    func haveBegun(_ snapshots: [DownloadTaskSnapshot]) -> Bool {
      snapshots.allSatisfy { $0.startedSince1970 != nil && $0.progress.totalBytes == 2_000_000 }
    }
    let known = tasks.map(\.latest.progress.bytes)
    #expect(
      try await eventually {
        // As a power cut would leave the store: its rows are written behind the commands, so early copies lack some.
        let copy = try TemporaryDirectory()
        try copy.makeDirectory("night")
        for name in home.names(in: "night") where name.hasPrefix("session.db") {
          try copy.write("night/\(name)", home.read("night/\(name)"))
        }
        let found = try await snapshots(in: copy.path)
        return haveBegun(found) && found.map(\.progress.bytes) == known
      })
    try await first.group("main").resume()
    rig.goOn()
    try await tasks[0].resume()
    _ = try await tasks[0].result()
    await first.close()
    let last = try await snapshots(in: home.path)
    #expect(haveBegun(last) && last[0].progress.bytes == 2_000_000)
    #expect(zip(last, known).allSatisfy { $0.progress.bytes >= $1 })
    let second = try await open(rig)
    try await second.resumeAll()
    try await second.settled()
    #expect(try (0..<3).allSatisfy { try rig.isRight("f\($0)", content) })
    await second.close()
  }

  @Test func `pauses, groups, limits, settings and the order are there again`() async throws {
    let rig = try rig(4)
    rig.isOpen.withLock { $0 = false }
    let first = try await open(rig, paused: true)
    let tasks = try await first.add((0..<4).map { rig.request("/f\($0)", group: $0 == 3 ? "late" : nil) }).tasks
    try await tasks[1].pause()
    try await tasks[2].move(to: .first)
    try await tasks[0].prioritize(5)
    try await tasks[3].set { $0.tries = 7 }
    try await first.group("late").pause()
    try await first.group("late").limit { $0.activeFiles = 1 }
    try await first.limit { $0.bytesPerSecond = 1_000_000 }
    try await first.set { $0.userAgent = "night/1" }
    await first.close()
    let second = try await open(rig)
    let found = try await second.tasks()
    #expect(found.map(\.latest.fileName) == ["f0", "f2", "f1", "f3"])
    #expect(
      found.map(\.latest.state) == [
        .paused(by: .session), .paused(by: .session), .paused(by: [.session, .task]), .paused(by: [.session, .group]),
      ])
    #expect(found[0].latest.priority == 5 && found[3].latest.settings.tries == 7 && found[3].latest.group == "late")
    #expect(second.group("late").isPaused && second.group("late").limits.activeFiles == 1)
    #expect(rig.server.requests.isEmpty)
    rig.isOpen.withLock { $0 = true }
    try await second.resume()
    #expect(try await found[1].result().size == Int64(content.byteCount))
    #expect(rig.server.requests.first?.headers.contains { $0.name == "User-Agent" && $0.value == "night/1" } == true)
    #expect(found[2].latest.state == .paused(by: .task) && found[3].latest.state == .paused(by: .group))
    try await second.resumeAll()
    try await second.settled()
    await second.close()
  }

  @Test func `failures, cancellations and removals are there again`() async throws {
    let rig = try rig()
    let first = try await open(rig)
    let failed = try await first.add(rig.request("/missing")).task
    #expect(await code { try await failed.result() } == .refused)
    rig.stall()
    let tasks = try await first.add((0..<3).map { rig.request("/f\($0)") }).tasks
    #expect(await eventually { tasks[0].latest.progress.bytes > 200_000 })
    try await tasks[0].cancel()
    try await tasks[1].remove()
    let ids = (failed.id, tasks[0].id, tasks[1].id)
    await first.close()
    rig.goOn()
    let second = try await open(rig)
    let again = try await second.task(ids.0)
    guard case .failed(let error) = again.latest.state else { throw TestSupportError("not failed") }
    #expect(error.code == .refused && error.httpStatus == 404 && error.cause == .status(404) && error.task == ids.0)
    #expect(try await second.task(ids.1).latest.state == .cancelled)
    #expect(await code { try await second.task(ids.2) } == .unknownTask)
    #expect(try await tasks[2].id == second.tasks().last?.id)
    _ = try await second.tasks().last?.result()
    #expect(rig.target.names() == ["f2"])
    // What has settled is done again by the same commands.
    try await second.task(ids.1).resume()
    _ = try await second.task(ids.1).result()
    #expect(
      await code {
        try await again.retry(); _ = try await again.result()
      } == .refused)
    // Numbers go on.
    #expect(try await second.add(rig.request("/f1")).task.latest.number == 5)
    try await second.settled()
    await second.close()
  }

  @Test func `a half file of a cancelled task goes after a restart, too`() async throws {
    let rig = try rig(1)
    rig.stall()
    let first = try await open(rig)
    let task = try await first.add(rig.request("/f0")).task
    #expect(await eventually { task.latest.progress.bytes > 200_000 })
    try await task.pause()
    await first.close()
    #expect(rig.target.names() == ["f0.swiftget", "f0.swiftget-part"])
    let second = try await open(rig)
    try await second.task(task.id).cancel()
    #expect(await eventually { rig.target.names().isEmpty })
    await second.close()
  }

  @Test func `what never began leaves nothing when it is cancelled`() async throws {
    let rig = try rig(1)
    let first = try await open(rig, paused: true)
    let task = try await first.add(rig.request("/f0", name: "new/f0")).task
    await first.close()
    let second = try await open(rig)
    #expect(try await second.task(task.id).cancel().changed == 1)
    try await second.task(task.id).remove()
    await second.close()
    #expect(rig.target.names().isEmpty)
  }

  /// The process was killed between the store's answer and the engine's.
  @Test func `what was cancelled or removed before a kill is over when the session is open`() async throws {
    let rig = try rig(1)
    for want in [StoredTask.Want.removed, .removedWithFile, .cancelled] {
      let first = try await open(rig, paused: true)
      // Behind many others the engine answers late.
      let many = try await first.add((0..<2_000).map { rig.request("/f0", name: "many/\($0)") })
      let task = try await first.add(rig.request("/f0", key: "k")).task
      await first.close()
      try await store(want, of: task.id)
      let second = try await open(rig)
      let again = try await second.add(rig.request("/f0", key: "k"))
      #expect(again.isExisting == (want == .cancelled), "\(want)")
      #expect(again.task.latest.state == .paused(by: .session), "\(want)")
      await second.close()
      let third = try await open(rig)
      #expect(try await third.task(key: "k").latest.state == .paused(by: .session), "\(want)")
      #expect(try await third.tasks().count == many.tasks.count + 1)
      await third.close()
      try await DownloadSession.delete("night", in: home.path)
    }
  }

  private func store(_ want: StoredTask.Want, of task: DownloadTaskID) async throws {
    let (store, _) = try SessionStore.open(Array(home.path("night").utf8), isMade: false) { _ in }
    let error = await withCheckedContinuation { continuation in
      store.post([.edit(task.number, [.want(want)])]) { continuation.resume(returning: $0) }
    }
    store.close()
    #expect(error == nil)
  }

  // MARK: Secrets

  @Test func `secrets are not stored, and a task waits for them`() async throws {
    let rig = try rig(2)
    rig.isOpen.withLock { $0 = false }
    let first = try await open(rig)
    var request = rig.request("/f0")
    request.headers = [HeaderField("X-Key", secret: "s3cret-value"), HeaderField("X-Open", "open")]
    request.credential = .user("me", password: "pass-w0rd")
    let task = try await first.add(request).task
    let url = rig.server.url("/f1").replacing("//", with: "//who:hidden-pw@")
    let other = try await first.add(DownloadRequest(url)).task
    await first.close()
    let stored = try home.names(in: "night").flatMap { try home.read("night/\($0)") }
    for secret in ["s3cret-value", "pass-w0rd", "hidden-pw"] {
      #expect(!stored.contains(secret.utf8), "\(secret) is stored")
    }
    rig.isOpen.withLock { $0 = true }
    let before = rig.server.requests.count
    let second = try await open(rig)
    let (again, otherAgain) = try await (second.task(task.id), second.task(other.id))
    #expect(again.latest.state == .waiting(.credentials("header X-Key")))
    #expect(otherAgain.latest.state == .waiting(.credentials("user")))
    // Commands do not have it begin.
    #expect(try await again.pause().changed == 1)
    #expect(again.latest.state == .paused(by: .task))
    #expect(try await again.resume().changed == 1)
    #expect(try await again.retry().unchanged == 1)
    #expect(again.latest.state == .waiting(.credentials("header X-Key")) && rig.server.requests.count == before)
    // The request again, or settings.
    #expect(try await second.add(request).isExisting)
    _ = try await again.result()
    #expect(rig.server.requests.last?.headers.contains { $0.name == "X-Key" && $0.value == "s3cret-value" } == true)
    try await otherAgain.set { $0.credential = .user("who", password: "hidden-pw") }
    _ = try await otherAgain.result()
    await second.close()
  }

  @Test func `the password of a proxy is not stored, and the same request gives it again`() async throws {
    let rig = try rig(1)
    let proxy = try ScriptedServer { _ in [.respond(200, body: Array("by the proxy".utf8))] }
    let first = try await open(rig, paused: true)
    var request = rig.request("/f0")
    request.settings.proxy = "http://who:hidden-pw@127.0.0.1:\(proxy.port)"
    let task = try await first.add(request).task
    await first.close()
    #expect(!(try home.names(in: "night").contains { try home.read("night/\($0)").contains("hidden-pw".utf8) }))
    let second = try await open(rig)
    try await second.resume()
    let again = try await second.task(task.id)
    #expect(again.latest.state == .waiting(.credentials("proxy")))
    // Other settings do not give it.
    try await again.set { $0.tries = 2 }
    #expect(again.latest.state == .waiting(.credentials("proxy")) && proxy.requests.isEmpty)
    #expect(try await second.add(request).isExisting)
    _ = try await again.result()
    #expect(proxy.requests.allSatisfy { $0.header("Proxy-Authorization") == "Basic d2hvOmhpZGRlbi1wdw==" })
    #expect(!proxy.requests.isEmpty && rig.server.requests.isEmpty)
    await second.close()
  }

  @Test func `a task that was added with a policy waits for one`() async throws {
    let rig = try rig(1)
    rig.isOpen.withLock { $0 = false }
    let first = try await open(rig) { $0.policy.validate = { _ in .accept } }
    let task = try await first.add(rig.request("/f0")).task
    await first.close()
    rig.isOpen.withLock { $0 = true }
    let second = try await open(rig)
    #expect(try await second.task(task.id).latest.state == .waiting(.policy("validate")))
    await second.close()
    let third = try await open(rig) { $0.policy.validate = { _ in .accept } }
    _ = try await third.task(task.id).result()
    await third.close()
  }

  // MARK: One at a time

  @Test func `opened twice it is one session`() async throws {
    let rig = try rig()
    let first = try await open(rig)
    let second = try await open(rig, paused: true)
    #expect(first === second && first.latestTotals.files == 0)
    let task = try await first.add(rig.request("/f0")).task
    #expect(try await second.task(task.id).latest.state == .paused(by: .session))
    await first.close()
    #expect(await code { try await second.add(rig.request("/f1")) } == .sessionClosed)
    let third = try await open(rig)
    #expect(third !== first)
    await third.close()
  }

  @Test func `opened twice it has one policy and one configuration`() async throws {
    let rig = try rig()
    let first = try await open(rig) { $0.policy.validate = { _ in .accept } }
    func refusal(_ configure: (inout DownloadSession.Configuration) -> Void) async -> DownloadError? {
      await thrown { try await open(rig, configure) } as? DownloadError
    }
    let policy = await refusal { $0.policy.validate = { _ in .reject("never asked") } }
    #expect(policy?.code == .conflict && policy?.message.contains("policy") == true)
    let others = await refusal {
      $0.directory = "/"
      $0.history = 3
      $0.ifExists = .replace
    }
    #expect(
      others?.code == .conflict
        && ["directory", "history", "if_exists"].allSatisfy { others?.message.contains($0) == true },
      "\(others as Any)")
    #expect(try await open(rig) { $0.limits.activeFiles = 2 } === first)
    await first.close()
  }

  @Test func `what holds for one file is no setting of a session`() async throws {
    let rig = try rig()
    #expect(await code { try await open(rig) { $0.settings.checksum = .sha256("00") } } == .invalidValue)
    #expect(await code { try await open(rig) { $0.settings.url = rig.server.url("/f1") } } == .invalidValue)
    let session = SessionRig.session(in: rig.target) { $0.settings.url = rig.server.url("/f1") }
    #expect(await code { try await session.add(rig.request("/f0")) } == .invalidValue)
  }

  @Test func `a wrong name is refused`() async throws {
    let rig = try rig()
    for name in ["", "a/b", "..", "a b", String(repeating: "x", count: 65)] {
      #expect(await code { try await DownloadSession.open(name, in: home.path) } == .invalidValue)
    }
    #expect(await code { try await DownloadSession.delete("night", in: home.path) } == .unknownSession)
    _ = rig
  }

  @Test func `a deleted session is gone, and its files if that is wanted`() async throws {
    let rig = try rig(4)
    for deletesFiles in [false, true] {
      let session = try await open(rig)
      _ = try await session.add((0..<(deletesFiles ? 4 : 2)).map { rig.request("/f\($0)") }).files()
      #expect(await code { try await DownloadSession.delete("night", in: home.path) } == .busy)
      await session.close()
      if deletesFiles {
        // The same file with the same size.
        try await Task.sleep(for: .milliseconds(20))
        try Content.generated(seed: 42, byteCount: content.byteCount).write(to: rig.target.path("f3"))
      }
      try home.write("night/options", "no-sync\n")
      try await DownloadSession.delete("night", in: home.path, deletingFiles: deletesFiles)
      #expect(home.names().isEmpty)
      // The second session found two of them, and put two there.
      #expect(rig.target.names() == (deletesFiles ? ["f0", "f1", "f3"] : ["f0", "f1"]))
    }
  }

  @Test func `turns come in order, and one that is not taken in time comes no more`() async {
    let turns = CommandTurns()
    #expect(await turns.take(atMost: .zero))
    async let second = turns.take(atMost: .seconds(300))
    #expect(await turns.take(atMost: .milliseconds(20)) == false)
    turns.give()
    #expect(await second)
    turns.give()
    #expect(await turns.take(atMost: .zero))
  }

  // MARK: Ends

  @Test func `ends are told once over restarts`() async throws {
    let rig = try rig(4)
    var seen: [Int64] = []
    var files: [String] = []
    for round in 0..<4 {
      let session = try await open(rig)
      let since = seen.last ?? 0
      let task = try await session.add(rig.request("/f\(round)")).task
      for await change in session.changes(since: since) {
        guard case .ended(let snapshot, let number) = change else {
          if case .gap = change { Issue.record("a gap") }
          continue
        }
        seen.append(number)
        files.append(snapshot.fileName)
        // The last one is not seen by this process in some rounds.
        if snapshot.id == task.id { break }
      }
      #expect(session.latestTotals.lastEnd == Int64(round + 1))
      await session.close()
      if round == 1 { (_, _) = (seen.removeLast(), files.removeLast()) }
    }
    #expect(seen == [1, 2, 3, 4] && files == ["f0", "f1", "f2", "f3"])
  }
}
