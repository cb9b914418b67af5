import SwiftGet
import TestSupport
import Testing

/// Commands, and what holds when they return.
@Suite(.waiting) struct `Commands to a session` {
  private let content = Content.generated(seed: 31, byteCount: 3_000_000)

  /// A server with which no file ends before `goOn`.
  private func stalledRig(_ names: [String] = ["/f"]) throws -> SessionRig {
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, content) }))
    rig.stall()
    return rig
  }

  private func isReceiving(_ task: DownloadTask) async -> Bool {
    await eventually { task.latest.progress.bytes > 200_000 }
  }

  @Test func `a pause keeps the bytes, and a resume goes on with them`() async throws {
    let rig = try stalledRig()
    let task = try await rig.session.add(rig.request("/f")).task
    #expect(await isReceiving(task))
    let effect = try await task.pause()
    #expect(effect.changed == 1)
    #expect(task.latest.state == .paused(by: .task))
    // Another session gets the target's lock.
    let other = SessionRig.session(in: rig.target)
    rig.goOn()
    _ = try await other.add(rig.request("/f")).task.result()
    await other.close()
    #expect(rig.server.requests.contains { $0.rangeHeader.map { !$0.hasPrefix("bytes=0-") } ?? false })
    #expect(try await task.pause().unchanged == 1)
    try await task.resume()
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
  }

  @Test func `a pause and a resume in quick series lose nothing`() async throws {
    let rig = try SessionRig(["/f": content]) { $0.bytesPerSecondOfServer = 3_000_000 }
    let task = try await rig.session.add(rig.request("/f", checksum: .sha256(try content.hexDigest()))).task
    for round in 0..<20 {
      try await task.pause()
      if round % 3 == 0 { try await Task.sleep(for: .milliseconds(7)) }
      try await task.resume()
      #expect(!task.latest.state.isSettled || task.latest.state.kind == .succeeded)
      if round % 2 == 0 { try await Task.sleep(for: .milliseconds(11)) }
    }
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
    // At most a window for each toggle is fetched again.
    #expect(rig.server.bodyBytesSent < content.byteCount + 20 * 1_000_000)
  }

  @Test func `a cancelled task leaves no file, and a succeeded one stays`() async throws {
    let rig = try stalledRig(["/f", "/g"])
    rig.goOn()
    let done = try await rig.session.add(rig.request("/g")).task
    _ = try await done.result()
    rig.stall()
    let task = try await rig.session.add(rig.request("/f")).task
    #expect(await isReceiving(task))
    #expect(try await task.cancel().changed == 1)
    #expect(task.latest.state == .cancelled)
    #expect(await code { try await task.result() } == .cancelled)
    #expect(try await done.cancel().unchanged == 1)
    #expect(rig.target.names() == ["g"])
    // It begins anew, and what is asked for while the server stalls does not end.
    rig.goOn()
    try await task.resume()
    _ = try await task.result()
  }

  @Test func `a removed task is unknown, also through a handle made before`() async throws {
    let rig = try stalledRig()
    let task = try await rig.session.add(rig.request("/f", key: "k")).task
    let isWaiting = Locked(false)
    let result = Task { try await task.result { _ in isWaiting.withLock { $0 = true } } }
    #expect(await isReceiving(task))
    #expect(await eventually { isWaiting.withLock { $0 } })
    try await task.remove()
    #expect(await code { try await result.value } == .removed)
    #expect(task.latest.state == .removed)
    #expect(await code { try await task.pause() } == .unknownTask)
    #expect(await code { try await task.snapshot } == .unknownTask)
    #expect(await code { try await rig.session.task(task.id) } == .unknownTask)
    #expect(await code { try await rig.session.task(key: "k") } == .unknownTask)
    #expect(rig.target.names().isEmpty)
    let again = try await rig.session.add(rig.request("/f", key: "k"))
    #expect(!again.isExisting && again.task.id > task.id)
  }

  @Test func `removing deletes the file that was put there, and no newer one of its name`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content, "/c": content])
    let added = try await rig.session.add(["/a", "/b", "/c"].map { rig.request($0) })
    _ = try await added.files()
    #expect(removed(rig.target.path("b")))
    try rig.target.write("b", "somebody else's")
    try await added.tasks[2].remove()
    try await added.tasks.dropLast().remove(deletingFiles: true)
    #expect(rig.target.names() == ["b", "c"])
    #expect(try rig.target.read("b") == Array("somebody else's".utf8))
  }

  @Test func `a failed task is retried with the bytes that are there`() async throws {
    let rig = try SessionRig(["/f": content])
    let task = try await rig.failHalfway(rig.request("/f"))
    let error = try #require(await thrown { try await task.result() } as? DownloadError)
    #expect(error.code == .refused && error.httpStatus == 403 && error.task == task.id)
    let failed = rig.session.selection(.state(.failed))
    #expect(try await failed.retry().changed == 1)
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
    #expect(rig.server.requests.contains { $0.rangeHeader != nil })
    let nothing = try await failed.retry()
    #expect(nothing.changed == 0 && nothing.unchanged == 0)
  }

  @Test func `a pause of the session holds for later tasks, and resuming one says that it stays paused`() async throws {
    let rig = try SessionRig(["/f": content])
    try await rig.session.pause()
    let task = try await rig.session.add(rig.request("/f")).task
    #expect(task.latest.state == .paused(by: .session))
    let effect = try await task.resume()
    #expect(effect.stillPaused == 1 && effect.pausedBy == .session)
    try await task.pause()
    #expect(task.latest.state == .paused(by: [.task, .session]))
    let cleared = try await rig.session.resume()
    #expect(cleared.changed == 1 && cleared.stillPaused == 1 && cleared.pausedBy == .task)
    #expect(task.latest.state == .paused(by: .task))
    #expect(rig.server.requests.isEmpty)
    try await rig.session.resumeAll()
    _ = try await task.result()
  }

  @Test func `a pause of a group holds its tasks, also later ones, and no others`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content, "/c": content])
    let group = rig.session.group("g")
    try await group.pause()
    let a = try await rig.session.add(rig.request("/a", group: "g")).task
    _ = try await rig.session.add(rig.request("/b")).task.result()
    #expect(a.latest.state == .paused(by: .group))
    #expect(rig.server.requests.allSatisfy { $0.path == "/b" })
    #expect(try await rig.session.groups.map(\.name) == ["main", "g"])
    #expect(try await group.totals.activity == .paused)
    try await a.move(to: .group("main"))
    #expect(a.latest.group == "main")
    _ = try await a.result()
  }

  @Test func `unknown ids come back as errors, and the others are changed`() async throws {
    let rig = try SessionRig([:])
    try await rig.session.pause()
    let tasks = try await rig.session.add((0..<3).map { rig.request("/\($0)") }).tasks
    try await tasks[1].remove()
    let effect = try await tasks.pause()
    #expect(effect.changed == 2, "\(effect)")
    #expect(effect.failures.map(\.code) == [.unknownTask] && effect.failures[0].task == tasks[1].id)
  }

  @Test func `the next free place goes to the first in order: by priority, then by moves, then by adds`() async throws {
    let names = (0..<6).map { "/\($0)" }
    let small = Content.generated(seed: 32, byteCount: 1000)
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, small) })) {
      _ in
    } configure: {
      $0.limits.activeFiles = 1
    }
    try await rig.session.pause()
    let tasks = try await rig.session.add(names.map { rig.request($0) }).tasks
    try await tasks[5].move(to: .first)
    try await tasks[4].prioritize(10)
    try await tasks[0].move(to: .after(tasks[2]))
    let order = [4, 5, 1, 2, 0, 3]
    #expect(try await rig.session.tasks().map(\.id) == order.map { tasks[$0].id })
    #expect(await code { try await tasks[0].prioritize(200) } == .invalidValue)
    try await rig.session.resume()
    _ = try await rig.session.settled()
    // A file whose answer is late is asked for again on another connection.
    var paths: [String] = []
    for path in rig.server.requests.map(\.path) where !paths.contains(path) { paths.append(path) }
    #expect(paths == order.map { "/\($0)" })
  }

  @Test func `a session serves no more files at a time than its limit and the group's`() async throws {
    let names = (0..<5).map { "/\($0)" }
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, content) })) {
      // No file ends.
      $0.stallsAfter = 100_000
    } configure: {
      $0.limits.activeFiles = 4
    }
    let group = rig.session.group("g")
    try await group.limit { $0.activeFiles = 2 }
    #expect(group.limits.activeFiles == 2 && group.limits.connections == nil)
    func paths() -> Set<String> { Set(rig.server.requests.map(\.path)) }
    _ = try await rig.session.add(names.map { rig.request($0, group: "g") })
    #expect(try await eventually { try await group.totals.counts == [.running: 2, .waiting: 3] })
    #expect(await eventually { paths().count >= 2 })
    #expect(paths() == ["/0", "/1"])
    #expect(await code { try await rig.session.limit { $0.activeFiles = 0 } } == .invalidValue)
  }

  @Test func `a place that becomes free goes to the next that is not paused`() async throws {
    let names = (0..<5).map { "/\($0)" }
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, content) })) { _ in
    } configure: {
      $0.limits.activeFiles = 1
    }
    rig.stall()
    let tasks = try await rig.session.add(names.map { rig.request($0) }).tasks
    func isRunning(_ index: Int) async -> Bool { await eventually { tasks[index].latest.state == .running } }
    #expect(await isRunning(0))
    try await tasks[1].pause()
    try await tasks[0].cancel()
    #expect(await isRunning(2))
    try await tasks[2].remove()
    #expect(await isRunning(3))
    try await tasks[3].pause()
    #expect(await isRunning(4))
    #expect(tasks[1].latest.state == .paused(by: .task) && !rig.server.requests.contains { $0.path == "/1" })
    #expect(rig.session.latestTotals.counts == [.cancelled: 1, .paused: 2, .running: 1])
  }

  @Test func `settings and limits that change while files are added all hold`() async throws {
    let names = (0..<100).map { "/\($0)" }
    let small = Content.text("small")
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, small) }))
    async let added: Void = {
      for name in names { try await rig.session.add(rig.request(name)) }
    }()
    for count in 1...20 {
      try await rig.session.limit {
        $0.activeFiles = count
        $0.connections = count
        $0.bytesPerSecond = Int64(count) * 1_000_000
      }
      try await rig.session.set {
        $0.tries = count
        $0.connections = 1 + count % 16
        $0.connectTimeout = .seconds(count)
        $0.headers = [HeaderField("X-Count", "\(count)")]
      }
    }
    _ = try await added
    #expect(try await rig.session.settled().filesDone == 100)
  }

  @Test func `limits change while files are fetched`() async throws {
    let rig = try stalledRig(["/0", "/1", "/2", "/3"])
    let tasks = try await rig.session.add((0..<4).map { rig.request("/\($0)") }).tasks
    #expect(await eventually { tasks.allSatisfy { $0.latest.progress.bytes > 200_000 } })
    try await rig.session.limit { $0.activeFiles = 1 }
    #expect(await eventually { tasks.count { $0.latest.state == .running } == 1 })
    #expect(await eventually { tasks.count { $0.latest.state == .waiting(.slot) } == 3 })
    rig.goOn()
    try await rig.session.limit { $0.activeFiles = nil }
    try await tasks.pause()
    try await tasks.resume()
    _ = try await rig.session.settled()
    #expect(rig.session.latestTotals.counts == [.succeeded: 4])
  }

  @Test func `settings of a task, its group and the session: the nearest one counts`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content, "/c": content])
    try await rig.session.pause()
    try await rig.session.set { $0.userAgent = "session" }
    try await rig.session.group("g").set { $0.userAgent = "group" }
    let a = try await rig.session.add(rig.request("/a")).task
    let b = try await rig.session.add(rig.request("/b", group: "g")).task
    let c = try await rig.session.add(rig.request("/c", group: "g")).task
    try await c.set {
      $0.userAgent = "task"
      $0.headers = [HeaderField("X-A", "1")]
    }
    #expect(c.latest.settings.userAgent == "task" && c.latest.settings.tries == nil)
    try await rig.session.resume()
    _ = try await [a, b, c].results()
    func agents(_ path: String) -> Set<String?> {
      Set(rig.server.requests.filter { $0.path == path }.map { $0.header("User-Agent") })
    }
    #expect(agents("/a") == ["session"] && agents("/b") == ["group"] && agents("/c") == ["task"])
    #expect(rig.server.requests.filter { $0.path == "/c" }.allSatisfy { $0.header("X-A") == "1" })
    try await rig.session.pause()
    try await c.set { $0.userAgent = nil }
    #expect(c.latest.settings.userAgent == nil)
    #expect(await code { try await c.set { $0.tries = 0 } } == .invalidValue)
    #expect(await code { try await rig.session.set { $0.url = "http://127.0.0.1/" } } == .invalidValue)
  }

  @Test func `a running task gets another URL, and goes on`() async throws {
    let rig = try stalledRig(["/f"])
    let task = try await rig.session.add(rig.request("/f?a", checksum: .sha256(try content.hexDigest()))).task
    #expect(await isReceiving(task))
    let url = rig.server.url("/f?b")
    try await task.set { $0.url = url }
    #expect(task.latest.urls == [url])
    rig.goOn()
    _ = try await task.result()
    #expect(rig.server.requests.last?.target == "/f?b")
  }

  /// The second of two URLs that take the place of the first; the one between is never asked.
  @Test(arguments: [true, false])
  func `another URL goes on from half a file if it has the same version`(isSame: Bool) async throws {
    let next = isSame ? content : Content.generated(seed: 77, byteCount: content.byteCount)
    let rig = try SessionRig(["/f": content, "/g": next, "/h": next])
    rig.stall()
    let task = try await rig.session.add(rig.request("/f")).task
    #expect(await isReceiving(task))
    try await task.pause()
    try await task.set { [url = rig.server.url("/h")] in $0.url = url }
    try await task.set { [url = rig.server.url("/g")] in $0.url = url }
    rig.goOn()
    try await task.resume()
    _ = try await task.result()
    #expect(try next.firstDifference(inFile: rig.target.path("f")) == nil)
    let requests = rig.server.requests.filter { $0.path != "/f" }
    #expect(requests.allSatisfy { $0.path == "/g" } && !requests.isEmpty)
    // Only what was missing, or everything.
    let beginnings = requests.filter { $0.rangeHeader.map { $0.hasPrefix("bytes=0-") } ?? true }
    #expect(beginnings.isEmpty == isSame, "\(requests.map(\.rangeHeader))")
  }

  @Test func `what is selected is looked at by each command`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content])
    try await rig.session.pause()
    let added = try await rig.session.add([rig.request("/a", key: "a"), rig.request("/b", group: "g")])
    let (a, b) = (added.tasks[0], added.tasks[1])
    #expect(try await rig.session.tasks(where: .state(.paused)) == [a, b])
    #expect(try await rig.session.tasks(where: .key("a"), .group("g")).isEmpty)
    #expect(try await rig.session.tasks(where: .key("a"), .key("x")) == [a])
    #expect(try await rig.session.tasks(where: .host("127.0.0.1"), .path(rig.target.path("b"))) == [b])
    #expect(try await rig.session.tasks(where: DownloadSelector("id:\(a.id)")) == [a])
    #expect(await code { try DownloadSelector("nothing") } == .invalidValue)
    #expect(try await rig.session.selection().cancel().changed == 0)
    let selection = rig.session.selection(.group("g"))
    #expect(try await selection.cancel().changed == 1)
    #expect(b.latest.state == .cancelled && a.latest.state.kind == .paused)
    #expect(try await selection.retry().changed == 1)
    #expect(b.latest.state == .paused(by: .session))
  }

  @Test func `commands in random order: states are those that were commanded, and sums equal a recount`() async throws {
    let names = (0..<40).map { "/\($0)" }
    let small = Content.generated(seed: 34, byteCount: 30_000)
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, small) })) {
      $0.bytesPerSecondOfServer = 3_000_000
    }
    var generator = SeededGenerator(seed: 5)
    var tasks: [DownloadTask] = []
    for round in 0..<300 {
      switch Int.random(in: 0..<9, using: &generator) {
      case 0...1: tasks.append(try await rig.session.add(rig.request(names[round % names.count])).task)
      case 2: try await tasks.randomElement(using: &generator)?.pause()
      case 3: try await tasks.randomElement(using: &generator)?.resume()
      case 4:
        if let task = tasks.randomElement(using: &generator) {
          let effect = try await task.cancel()
          if effect.finishing == 0 { #expect([.cancelled, .succeeded].contains(task.latest.state.kind)) }
        }
      case 5:
        if let task = tasks.randomElement(using: &generator) {
          try await task.remove()
          #expect(await eventually { task.latest.state == .removed })
          tasks.removeAll { $0 == task }
        }
      case 6: try await rig.session.pause()
      case 7: try await rig.session.resume()
      default: try await tasks.randomElement(using: &generator)?.retry()
      }
    }
    tasks = Array(Set(tasks))
    try await rig.session.resumeAll()
    let totals = try await rig.session.settled()
    #expect(totals.activity == .settled && totals.unsettled == 0)
    let all = try await rig.session.tasks()
    #expect(Set(all) == Set(tasks))
    var counts: [DownloadTask.State.Kind: Int] = [:]
    for task in all { counts[task.latest.state.kind, default: 0] += 1 }
    #expect(counts.keys.allSatisfy { [.succeeded, .cancelled].contains($0) }, "\(counts)")
    for task in all {
      if case .succeeded(let file) = task.latest.state { #expect(try small.firstDifference(inFile: file.path) == nil) }
    }
    #expect(!rig.target.names().contains { $0.hasSuffix("-part") })
  }

  @Test func `after a pause files continue in the order of work, whether they had begun or not`() async throws {
    let names = (0..<8).map { "/f\($0)" }
    let rig = try stalledRig(names)
    try await rig.session.limit { $0.activeFiles = 2 }
    var tasks: [DownloadTask] = []
    for name in names { tasks.append(try await rig.session.add(rig.request(name)).task) }
    var generator = SeededGenerator(seed: 12)
    var priorities = [Int](repeating: 0, count: tasks.count)
    for round in 0..<12 {
      let first = tasks.indices.sorted { (-priorities[$0], $0) < (-priorities[$1], $1) }.prefix(2)
      func running() -> [Int] { tasks.indices.filter { tasks[$0].latest.state == .running } }
      #expect(
        await eventually { running() == first.sorted() }, "round \(round): \(running()), priorities \(priorities)")
      for index in first { #expect(await isReceiving(tasks[index])) }
      try await rig.session.pause()
      let changed = Int.random(in: 0..<tasks.count, using: &generator)
      priorities[changed] = Int.random(in: -3...3, using: &generator)
      try await tasks[changed].prioritize(priorities[changed])
      try await rig.session.resume()
    }
    rig.goOn()
    try await rig.session.settled()
    for name in names { #expect(try rig.isRight(String(name.dropFirst()), content)) }
    await rig.session.close()
  }
}
