import SwiftGet
import TestSupport
import Testing

/// Snapshots, totals, waits and changes.
@Suite(.waiting) struct `Watching a session` {
  private let content = Content.generated(seed: 51, byteCount: 500_000)

  @Test func `a snapshot tells of a file what there is to tell`() async throws {
    let rig = try SessionRig(["/data.tar.gz": content])
    var request = rig.request("/data.tar.gz?token=1", key: "k", group: "g")
    request.priority = 3
    request.info = ["title": "é\n"]
    request.checksums = [.sha256(try content.hexDigest())]
    let task = try await rig.session.add(request).task
    _ = try await task.result()
    let snapshot = try await task.snapshot
    #expect(snapshot.id == task.id && snapshot.number == 1 && snapshot.key == "k" && snapshot.group == "g")
    #expect(snapshot.priority == 3 && snapshot.info == ["title": "é\n"] && snapshot.urls == request.urls)
    #expect(snapshot.path == rig.target.path("data.tar.gz") && snapshot.fileName == "data.tar.gz")
    #expect(snapshot.fileExtension == "gz" && snapshot.checksums == request.checksums)
    let head = try #require(snapshot.head)
    #expect([200, 206].contains(head.status) && head.contentLength ?? 0 > 0)
    #expect(snapshot.head?.url == rig.server.url("/data.tar.gz") && snapshot.head?.entityTag == "\"\(content.tag)\"")
    let (start, end) = (try #require(snapshot.startedSince1970), try #require(snapshot.endedSince1970))
    #expect(start <= end && start > .seconds(1_600_000_000))
    #expect(snapshot.progress.fraction == 1 && snapshot.progress.bytes == content.byteCount)
    #expect(rig.session.latestTotals.bytesOnDisk == content.byteCount)
    #expect(DownloadTask.ID("\(task.id)") == task.id && "\(task.id)".utf8.count == 16)
    #expect(DownloadTask.ID("1") == nil && DownloadTask.ID("+123456789abcdef") == nil)
  }

  @Test func `without a length there is no total and no fraction`() async throws {
    let rig = try SessionRig(["/f": content]) {
      $0.framing = .chunked
      $0.bytesPerSecondOfServer = 1_000_000
    }
    var values: [DownloadTask.Snapshot] = []
    let task = try await rig.session.add(rig.request("/f")).task
    _ = try await task.result { values.append($0) }
    let running = values.filter { $0.state == .running }
    #expect(running.allSatisfy { $0.progress.totalBytes == nil && $0.progress.fraction == nil })
    #expect(task.latest.progress.fraction == 1)
  }

  @Test func `the length of a file above 4 GiB is exact`() async throws {
    let byteCount: Int64 = 5 << 30 | 1
    let rig = try SessionRig(["/f": .generated(seed: 52, byteCount: byteCount)]) { $0.stallsAfter = 100_000 }
    let task = try await rig.session.add(rig.request("/f")).task
    #expect(await eventually { task.latest.progress.bytes > 0 })
    #expect(task.latest.progress.totalBytes == byteCount && rig.session.latestTotals.progress.totalBytes == byteCount)
    await rig.session.close(.now)
  }

  @Test func `bytes that are kept do not count as rate, and a paused task has none`() async throws {
    let content = Content.generated(seed: 52, byteCount: 3_000_000)
    let rig = try SessionRig(["/f": content])
    rig.stall()
    let task = try await rig.session.add(rig.request("/f")).task
    #expect(await eventually { task.latest.progress.bytes >= 300_000 })
    try await task.pause()
    let paused = task.latest
    #expect(paused.progress.bytesPerSecond == nil && paused.progress.timeLeft == nil)
    #expect(paused.progress.totalBytes == content.byteCount && paused.progress.bytes >= 300_000)
    try await task.resume()
    #expect(await eventually { task.latest.state == .running })
    #expect(task.latest.progress.bytesPerSecond == nil && task.latest.progress.bytes >= 300_000)
    rig.goOn()
    _ = try await task.result()
  }

  @Test func `totals of 30 small files: bytes grow, the fraction never falls, and is 1 only at the end`() async throws {
    let names = (0..<30).map { "/\($0)" }
    let small = Content.generated(seed: 53, byteCount: 40_000)
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, small) })) {
      $0.bytesPerSecondOfServer = 2_000_000
    } configure: {
      $0.limits.activeFiles = 6
    }
    var requests = names.map { rig.request($0) }
    for index in requests.indices { requests[index].expectedSize = small.byteCount }
    var values: [DownloadTotals] = []
    let files = try await rig.session.add(requests).files { values.append($0) }
    #expect(files.count == 30)
    let bytes = values.map(\.progress.bytes)
    #expect(bytes == bytes.sorted())
    let fractions = values.map(\.progress.fraction)
    #expect(fractions.allSatisfy { $0.map { (0...1).contains($0) } ?? false })
    #expect(values.allSatisfy { $0.progress.fraction != 1 || $0.filesDone == 30 })
    #expect(values.last?.filesDone == 30 && values.allSatisfy { $0.files == 30 })
  }

  @Test func `waiting for the result of a task does not stop it when it is cancelled`() async throws {
    let rig = try SessionRig(["/f": content])
    rig.isOpen.withLock { $0 = false }
    let task = try await rig.session.add(rig.request("/f")).task
    let wait = Task { try await task.result() }
    let settled = Task { try await rig.session.settled() }
    let results = Task { try await [task].results() }
    #expect(await eventually { task.latest.state == .running })
    wait.cancel()
    settled.cancel()
    results.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
    await #expect(throws: CancellationError.self) { try await settled.value }
    await #expect(throws: CancellationError.self) { try await results.value }
    rig.isOpen.withLock { $0 = true }
    _ = try await task.result()
  }

  @Test func `nothing to wait for returns at once`() async throws {
    let rig = try SessionRig([:])
    #expect(try await rig.session.settled().files == 0)
    #expect(try await rig.session.results().isEmpty)
    #expect(try await rig.session.group("none").settled().files == 0)
    #expect(try await rig.session.selection(.state(.failed)).results().isEmpty)
    #expect(try await [DownloadTask]().results().isEmpty)
    #expect(try await [DownloadTask]().pause().changed == 0)
  }

  @Test func `the changes of a task end with its end`() async throws {
    let rig = try SessionRig(["/f": content]) { $0.bytesPerSecondOfServer = 1_000_000 }
    let task = try await rig.session.add(rig.request("/f")).task
    var states: [DownloadTask.State.Kind] = []
    for await snapshot in task.changes { states.append(snapshot.state.kind) }
    #expect(states.last == .succeeded && states.count { $0 == .succeeded } == 1)
    var again: [DownloadTask.State.Kind] = []
    for await snapshot in task.changes { again.append(snapshot.state.kind) }
    #expect(again == [.succeeded])
  }

  @Test func `replaying the changes of a session rebuilds its list exactly, in every loop`() async throws {
    let names = (0..<60).map { "/\($0)" }
    let small = Content.generated(seed: 54, byteCount: 5000)
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.dropLast(5).map { ($0, small) }))
    try await rig.session.pause()
    let tasks = try await rig.session.add(names.map { rig.request($0) }).tasks
    let begun = Locked(0)
    let loops = (0..<3).map { _ in
      let changes = rig.session.changes
      return Task {
        var (states, ends, order) = ([DownloadTask.ID: DownloadTask.State.Kind](), [Int64](), [String]())
        for await change in changes {
          switch change {
          case .task(let snapshot): states[snapshot.id] = snapshot.state.kind
          case .ended(let snapshot, let number):
            states[snapshot.id] = snapshot.state.kind
            ends.append(number)
          case .removed(let id): states[id] = nil
          case .upToDate:
            order.append("upToDate \(states.count)")
            begun.withLock { $0 += 1 }
          case .gap: order.append("gap")
          case .totals, .condition, .worker: break
          }
        }
        return (states, ends, order)
      }
    }
    #expect(await eventually { begun.withLock { $0 } == 3 })
    try await tasks[0].remove()
    try await tasks[1].cancel()
    try await rig.session.resume()
    try await rig.session.settled()
    var expected: [DownloadTask.ID: DownloadTask.State.Kind] = [:]
    for task in try await rig.session.tasks() { expected[task.id] = task.latest.state.kind }
    #expect(expected.count == 59)
    await rig.session.close()
    for loop in loops {
      let (states, ends, order) = await loop.value
      #expect(states == expected)
      #expect(ends == Array(1...59))
      #expect(order == ["upToDate 60"])
    }
    #expect(rig.session.latestTotals.lastEnd == 59)
  }

  @Test func `a task that is far behind in the queue says why it waits`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content]) { _ in
    } configure: {
      $0.limits.activeFiles = 1
    }
    rig.stall()
    let tasks = try await rig.session.add([rig.request("/a"), rig.request("/b")]).tasks
    #expect(await eventually { tasks[0].latest.state == .running })
    #expect(tasks[1].latest.state == .waiting(.slot))
  }

  @Test func `two sessions on one target: the second waits and says why, and gets the file`() async throws {
    let content = Content.generated(seed: 55, byteCount: 2_000_000)
    let rig = try SessionRig(["/f": content])
    rig.stall()
    let other = SessionRig.session(in: rig.target)
    let first = try await rig.session.add(rig.request("/f")).task
    // By then it has the lock.
    #expect(await eventually { first.latest.progress.bytes > 200_000 })
    let second = try await other.add(rig.request("/f")).task
    #expect(
      await eventually {
        if case .waiting(.busyTarget) = second.latest.state { true } else { false }
      })
    #expect(try await other.totals.activity == .waiting)
    await rig.session.close()
    #expect(await code { try await first.result() } == .sessionClosed)
    // It would look again by itself, later.
    try await second.retry()
    rig.goOn()
    _ = try await second.result()
    #expect(try rig.isRight("f", content))
  }

  @Test func `the history forgets the first to settle, and their handles say so`() async throws {
    let names = (0..<6).map { "/\($0)" }
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, content) })) { _ in
    } configure: {
      $0.history = 2
      $0.limits.activeFiles = 1
    }
    // As long as the list is there, its tasks are known.
    var added: DownloadSession.AddedList? = try await rig.session.add(names.map { rig.request($0) })
    let tasks = added?.tasks ?? []
    _ = try await rig.session.settled()
    #expect(try await rig.session.tasks().count == 6)
    #expect(try await added?.files().count == 6)
    added = nil
    #expect(tasks[3].latest.state == .removed && tasks[4].latest.state.kind == .succeeded)
    #expect(await code { try await rig.session.task(tasks[0].id) } == .unknownTask)
    #expect(try await rig.session.tasks().count == 2)
    #expect(rig.target.names().count == 6)
  }
}
