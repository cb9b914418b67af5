import SwiftGet
import TestSupport
import Testing

/// Closures that are kept: where they run, how often, and until when.
@Suite(.waiting) struct `Handlers` {
  private let content = Content.generated(seed: 41, byteCount: 200_000)

  /// An actor that collects what its handlers get.
  private actor Collector {
    var values: [String] = []
    var snapshots: [DownloadTask.Snapshot] = []
    var totals: [DownloadTotals] = []

    func follow(_ task: DownloadTask) {
      task.onProgress(every: .milliseconds(10)) {
        self.assertIsolated()
        self.snapshots.append($0)
      }
      .onStateChange {
        self.assertIsolated()
        self.values.append($0.state.kind.rawValue)
      }
      .onSuccess { self.values.append("success \($0.size)") }
      .onFailure { self.values.append("failure \($0.code)") }
      .onEnd { self.values.append("end \($0.state.kind)") }
    }

    func follow(_ scope: some DownloadScope) { scope.onSettled { self.totals.append($0) } }

    func ends(_ text: String) -> Int { values.count { $0 == text } }
  }

  @MainActor private final class Model {
    var paths: [String] = []
    var ends = 0

    nonisolated init() {}

    func follow(_ task: DownloadTask) {
      task.onSuccess {
        MainActor.assertIsolated()
        self.paths.append($0.path)
      }
      .onEnd { _ in self.count() }
    }

    private func count() { ends += 1 }
  }

  @Test func `each end is told once, after the last progress, on the actor whose state the closure uses`() async throws
  {
    let rig = try SessionRig(["/f": content]) { $0.bytesPerSecondOfServer = 1_000_000 }
    let collector = Collector()
    let task = try await rig.session.add(rig.request("/f"), paused: true).task
    await collector.follow(task)
    try await task.resume()
    _ = try await task.result()
    #expect(await eventually { await collector.ends("end succeeded") == 1 })
    #expect(await eventually { await collector.snapshots.last?.progress.fraction == 1 })
    let values = await collector.values
    #expect(values.count { $0 == "success 200000" } == 1 && !values.contains { $0.hasPrefix("failure") })
    let states = values.filter { DownloadTask.State.Kind(rawValue: $0) != nil }
    #expect(zip(states, states.dropFirst()).allSatisfy { $0 != $1 }, "\(states)")
    #expect(states.last == "succeeded" && states.contains("running"), "\(states)")
    let bytes = await collector.snapshots.map(\.progress.bytes)
    #expect(bytes == bytes.sorted())
  }

  @Test func `no handler of progress runs when that of the end is called, wherever they run`() async throws {
    let rig = try SessionRig(["/f": content, "/g": content])
    let events = Locked<[String]>([])
    let isOpen = Locked(false)
    let tasks = try await rig.session.add([rig.request("/f"), rig.request("/g")], paused: true).tasks
    tasks[0].onProgress(every: .milliseconds(10)) { snapshot in
      while snapshot.progress.bytes > 0, !isOpen.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) }
      events.withLock { $0.append("progress \(snapshot.state.kind)") }
    }
    .onEnd { _ in events.withLock { $0.append("end") } }
    .onSuccess { _ in events.withLock { $0.append("success") } }
    tasks.onProgress(every: .milliseconds(10)) { totals in
      while totals.filesDone > 0, !isOpen.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) }
      events.withLock { $0.append("totals \(totals.filesDone)") }
    }
    .onSettled { _ in events.withLock { $0.append("settled") } }
    try await tasks.resume()
    _ = try await tasks.results()
    #expect(!events.withLock { $0.contains { ["end", "success", "settled"].contains($0) } })
    isOpen.withLock { $0 = true }
    #expect(await eventually { events.withLock { Set(["end", "success", "settled"]).isSubset(of: $0) } })
    let all = events.withLock { $0 }
    #expect(
      all.lastIndex { $0.hasPrefix("progress") }! < min(all.firstIndex(of: "end")!, all.firstIndex(of: "success")!))
    #expect(all.contains("progress succeeded") && all.contains("totals 2"))
    #expect(all.lastIndex { $0.hasPrefix("totals") }! < all.firstIndex(of: "settled")!)
  }

  @Test func `handlers of the main actor run there, and nonisolated ones anywhere`() async throws {
    let rig = try SessionRig(["/f": content])
    let model = Model()
    let count = Locked(0)
    let task = try await rig.session.add(rig.request("/f")).task
    await model.follow(task)
    task.onSuccess { _ in count.withLock { $0 += 1 } }
    _ = try await task.result()
    #expect(await eventually { await model.paths == [rig.target.path("f")] })
    #expect(await eventually { await model.ends == 1 })
    #expect(await eventually { count.withLock { $0 } == 1 })
  }

  @Test func `a handler that is set after the end is called once with the outcome`() async throws {
    let rig = try SessionRig(["/f": content])
    let task = try await rig.session.add(rig.request("/f")).task
    let failed = try await rig.session.add(rig.request("/missing")).task
    _ = try await task.result()
    _ = await thrown { try await failed.result() }
    let collector = Collector()
    await collector.follow(task)
    #expect(await eventually { await collector.ends("end succeeded") == 1 })
    #expect(await eventually { await collector.ends("success 200000") == 1 })
    let other = Collector()
    await other.follow(failed)
    #expect(await eventually { await other.ends("failure refused") == 1 })
    #expect(await other.ends("end failed") == 1)
  }

  @Test func `1,000 handlers set around the end see it once each`() async throws {
    let rig = try SessionRig(["/f": content])
    let task = try await rig.session.add(rig.request("/f")).task
    let counts = Locked([Int](repeating: 0, count: 1000))
    for index in 0..<1000 {
      task.onEnd { _ in counts.withLock { $0[index] += 1 } }
      if index % 100 == 50 { await Task.yield() }
      if index == 500 { _ = try await task.result() }
    }
    #expect(await eventually { counts.withLock { $0.allSatisfy { $0 == 1 } } })
  }

  @Test func `pausing calls no failure handler, and a retry is told again`() async throws {
    let rig = try SessionRig([:])
    let collector = Collector()
    let task = try await rig.session.add(rig.request("/f"), paused: true).task
    await collector.follow(task)
    try await task.resume()
    #expect(await eventually { await collector.ends("end failed") == 1 })
    try await task.retry()
    #expect(await eventually { await collector.ends("end failed") == 2 })
    #expect(await collector.ends("failure refused") == 2)
    try await task.pause()
    try await rig.session.pause()
    try await task.retry()
    #expect(await eventually { await collector.values.last == "paused" })
    try await task.cancel()
    #expect(await eventually { await collector.ends("end cancelled") == 1 })
    #expect(await collector.ends("failure refused") == 2)
  }

  @Test func `a slow handler misses progress, never an end, and holds nobody up`() async throws {
    let rig = try SessionRig(["/f": content, "/g": content]) { $0.bytesPerSecondOfServer = 2_000_000 }
    let (gate, opened) = (Watch(), Locked(false))
    let ends = Locked<[String]>([])
    let tasks = try await rig.session.add([rig.request("/f"), rig.request("/g")]).tasks
    tasks[0].onStateChange { snapshot in
      await gate.wait()
      ends.withLock { $0.append("slow \(snapshot.state.kind)") }
    }
    for task in tasks { task.onEnd { _ in ends.withLock { $0.append("quick") } } }
    _ = try await tasks.results()
    #expect(await eventually { ends.withLock { $0.count { $0 == "quick" } } == 2 })
    #expect(!ends.withLock { $0.contains { $0.hasPrefix("slow") } } && !opened.withLock { $0 })
    gate.open()
    #expect(await eventually { ends.withLock { $0.last } == "slow succeeded" })
  }

  @Test func `after the session is closed no handler is called`() async throws {
    let rig = try SessionRig(["/f": content])
    rig.isOpen.withLock { $0 = false }
    defer { rig.isOpen.withLock { $0 = true } }
    let task = try await rig.session.add(rig.request("/f")).task
    let (calls, ends) = (Locked(0), Locked(0))
    task.onProgress(every: .milliseconds(10)) { _ in calls.withLock { $0 += 1 } }
    task.onEnd { _ in ends.withLock { $0 += 1 } }
    #expect(await eventually { calls.withLock { $0 } > 2 })
    await rig.session.close()
    let count = calls.withLock { $0 }
    // What was running may have ended its call.
    await Task.yield()
    #expect(calls.withLock { $0 } - count <= 1 && ends.withLock { $0 } == 0)
    #expect(await code { try await task.result() } == .sessionClosed)
  }

  @Test func `a session goes on while only a handler of an unsettled task is left, and ends then`() async throws {
    let target = try TemporaryDirectory()
    let service = FileService(["/f": content]) { $0.bytesPerSecondOfServer = 400_000 }
    let server = try ScriptedServer(service)
    let ended = Locked<DownloadTask.State.Kind?>(nil)
    weak var session: DownloadSession?
    do {
      let own = SessionRig.session(in: target)
      session = own
      let url = server.url("/f")
      try await own.add(DownloadRequest(url)).task.onEnd { snapshot in ended.withLock { $0 = snapshot.state.kind } }
    }
    #expect(await eventually { ended.withLock { $0 } == .succeeded })
    #expect(try content.firstDifference(inFile: target.path("f")) == nil)
    #expect(await eventually { session == nil })
  }

  @Test func `a session that nobody refers to ends, and keeps the bytes`() async throws {
    let content = Content.generated(seed: 42, byteCount: 3_000_000)
    let rig = try SessionRig(["/f": content])
    rig.stall()
    weak var session: DownloadSession?
    do {
      let own = SessionRig.session(in: rig.target)
      session = own
      let task = try await own.add(rig.request("/f")).task
      #expect(await eventually { task.latest.progress.bytes >= 300_000 })
    }
    #expect(await eventually { session == nil && rig.target.names().contains("f.swiftget-part") })
    rig.goOn()
    _ = try await rig.session.add(rig.request("/f")).task.result()
    #expect(rig.server.requests.contains { $0.rangeHeader.map { !$0.hasPrefix("bytes=0-") } ?? false })
    #expect(try rig.isRight("f", content))
  }

  @Test func `a session settles once each time when the queue runs dry, with the counts of outcomes`() async throws {
    let names = (0..<100).map { "/\($0)" }
    let small = Content.text("x")
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.dropLast(3).map { ($0, small) }))
    let (collector, grouped) = (Collector(), Collector())
    await collector.follow(rig.session)
    await grouped.follow(rig.session.group("g"))
    try await rig.session.pause()
    _ = try await rig.session.add(names.enumerated().map { rig.request($1, group: $0 < 10 ? "g" : nil) })
    #expect(rig.session.latestTotals.activity == .paused)
    try await rig.session.resume()
    try await rig.session.settled()
    #expect(await eventually { await collector.totals.count == 1 })
    #expect(await collector.totals[0].counts == [.succeeded: 97, .failed: 3])
    #expect(await collector.totals[0].activity == .settled)
    #expect(await grouped.totals.map(\.counts) == [[.succeeded: 10]])
    // An add makes it active before it returns, and a new stretch begins.
    try await rig.session.add(rig.request(names[0]))
    try await rig.session.settled()
    #expect(await eventually { await collector.totals.count == 2 })
    #expect(await collector.totals[1].counts == [.succeeded: 1])
  }

  @Test func `handlers of an array of tasks: one call for the end of all`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content])
    let collector = Collector()
    let tasks = try await rig.session.add([rig.request("/a"), rig.request("/b")]).tasks
    await collector.follow(tasks)
    _ = try await tasks.results()
    #expect(await eventually { await collector.totals.map(\.counts) == [[.succeeded: 2]] })
  }
}

/// Holds Swift tasks up until it is opened.
private final class Watch: Sendable {
  private let state = Locked<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
