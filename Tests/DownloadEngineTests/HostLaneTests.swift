import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine

/// Lists whose first lines name a host that does not serve them now.
@Suite(.waiting) struct `Files of one host` {
  enum Trouble: CaseIterable {
    case silent
    case refusing
    /// Asks to wait a minute.
    case busy
  }

  /// - Returns: the port, and the server that has it.
  private static func port(_ trouble: Trouble) throws -> (UInt16, ScriptedServer?) {
    switch trouble {
    case .silent:
      let server = try ScriptedServer { _ in [.stall(nil)] }
      return (server.port, server)
    case .refusing:
      return (try LoopbackSocket.freePort(), nil)
    case .busy:
      let server = try ScriptedServer { _ in [.respond(429, headers: [("Retry-After", "60")])] }
      return (server.port, server)
    }
  }

  @Test(arguments: Trouble.allCases, [(jobs: nil, badCount: 5000), (jobs: 4, badCount: 300)])
  func `do not wait for those of another one`(trouble: Trouble, _ list: (jobs: Int?, badCount: Int)) throws {
    let content = Content.generated(seed: 1, byteCount: 3000)
    let (badCount, goodCount) = (list.badCount, 60)
    let server = try ScriptedServer(
      FileService(Dictionary(uniqueKeysWithValues: (0..<goodCount).map { ("/\($0)", content) })))
    let (port, other) = try Self.port(trouble)
    let target = try TemporaryDirectory()
    let bad = try (0..<badCount).map { try request($0, "http://127.0.0.1:\(port)/\($0)", name: "bad\($0)") }
    let good = try (0..<goodCount).map { try request(badCount + $0, server.url("/\($0)"), name: "\($0)") }
    var leftCount = goodCount
    // The other host is not given up meanwhile, however slow the machine.
    let configure: (inout RunSettings) -> Void = {
      $0.limits.jobs = list.jobs
      $0.file.tries = 20
      $0.file.retryWait = .seconds(60)
    }
    let run = try EngineRun(bad + good, into: target, configure) { engine, observer in
      observer.onEnd = { outcome in
        guard outcome.task.position >= badCount else { return }
        leftCount -= 1
        if leftCount == 0 { engine.stop(.save) }
      }
    }
    for item in 0..<goodCount { #expect(run.result(badCount + item) == .downloaded) }
    #expect(run.end.wasStopped && !run.observer.outcomes.keys.contains { $0 < badCount }, "the others have not ended")
    withExtendedLifetime(other) {}
  }

  /// The first file would keep the only place until its host may be asked again, and the second one for a minute.
  @Test(arguments: [["later", "never", "good"], ["later", "never"]])
  func `that wait for long lend their places to others, and get them back`(names: [String]) throws {
    let asked = Locked<[String]>([])
    let servers = try names.map { _ in
      try ScriptedServer { request in
        let isFirst = asked.withLock { paths in
          defer { paths.append(request.path) }
          return !paths.contains(request.path)
        }
        switch request.path {
        case "/never": return [.respond(500, headers: [("Retry-After", "60")])]
        case "/later" where isFirst: return [.respond(500, headers: [("Retry-After", "6")])]
        default: return [.respond(200, body: Array("content".utf8))]
        }
      }
    }
    let target = try TemporaryDirectory()
    let requests = try zip(servers, names).enumerated().map { index, file in
      try request(index, file.0.url("/\(file.1)"), name: file.1)
    }
    var leftCount = names.count - 1
    let configure: (inout RunSettings) -> Void = {
      $0.limits.jobs = 1
      $0.file.tries = 20
      $0.file.retryWait = .seconds(60)
    }
    let run = try EngineRun(requests, into: target, configure) { engine, observer in
      observer.onEnd = { _ in
        leftCount -= 1
        if leftCount == 0 { engine.stop(.save) }
      }
    }
    for index in names.indices where index != 1 { #expect(run.result(index) == .downloaded) }
    #expect(run.end.wasStopped && run.result(1) == nil, "the second file waits on")
    let order = asked.withLock { $0 }
    let good = names.dropFirst(2).map { "/\($0)" }
    #expect(order.filter { $0 != "/never" } == ["/later"] + good + ["/later"] && order.dropLast().contains("/never"))
  }

  /// A spool in memory.
  private final class Spool: RequestSpool {
    private(set) var requests: [FileRequest] = []
    private(set) var appendedCount = 0
    private(set) var readCount = 0

    func append(_ request: FileRequest) -> Int64 {
      requests.append(request)
      appendedCount += 1
      return Int64(requests.count - 1)
    }

    func read(at place: Int64) -> FileRequest {
      readCount += 1
      return requests[Int(place)]
    }

    func removeAll() { requests = [] }
  }

  @Test func `wait in the spool if there are many, and come back in their order`() throws {
    let count = 4700
    let content = Content.text("small")
    let service = FileService(Dictionary(uniqueKeysWithValues: (0..<count).map { ("/\($0)", content) }))
    let answeredCount = Locked(0)
    let server = try ScriptedServer { request in
      let number = answeredCount.withLock { count in
        count += 1
        return count
      }
      return number <= 4 ? [.respond(429, headers: [("Retry-After", "6")])] : service.steps(for: request)
    }
    let target = try TemporaryDirectory()
    let spool = Spool()
    let requests = try (0..<count).map { try request($0, server.url("/\($0)"), name: "\($0)") }
    var order: [Int] = []
    let run = try EngineRun(requests, into: target, spool: spool) {
      $0.file.tries = 20
      $0.file.retryWait = .seconds(60)
    } prepare: { _, observer in
      observer.onEnd = { order.append($0.task.position) }
    }
    #expect(run.end.progress.downloadedCount == count && Set(order).count == count)
    #expect(spool.appendedCount > 300 && spool.readCount == spool.appendedCount && spool.requests.isEmpty)
    // What was in the spool is the end of the list, and ends last but for what was under way.
    #expect(order.suffix(100).allSatisfy { $0 > count / 2 })
  }

  /// All places are taken by a file that stalls, so most of the list is in the spool or unread.
  @Test(arguments: [TaskChange.cancel, .remove], [false, true])
  func `are all withdrawn, those of the list that are not known yet too`(change: TaskChange, isPaused: Bool) throws {
    let count = 20_000
    let content = Content.generated(seed: 1, byteCount: 3_000_000)
    let service = FileService(Dictionary(uniqueKeysWithValues: (0..<count).map { ("/\($0)", content) })) {
      $0.stallsAfter = 2_000_000
    }
    let server = try ScriptedServer(service)
    let requests = try (0..<count).map { try request($0, server.url("/\($0)"), name: "\($0)") }
    var isSent = false
    let target = try TemporaryDirectory()
    let run = try EngineRun(requests, into: target, spool: Spool()) {
      $0.limits.jobs = 1
    } prepare: { engine, observer in
      observer.onProgress = { progress in
        guard !isSent, progress.doneByteCount > 0 else { return }
        isSent = true
        engine.post((isPaused ? [.change(.pause, .all)] : []) + [.change(change, .all)])
      }
    }
    let withdrawal: Withdrawal = change == .cancel ? .cancelled : .removed
    #expect(run.end.progress.withdrawnCount == count && run.observer.outcomes.count == count)
    #expect(run.observer.outcomes.values.allSatisfy { $0.result == .withdrawn(withdrawal) })
    #expect(target.names() == [])
  }

  @Test(arguments: [GroupID.main, GroupID(1)])
  func `are withdrawn with their group, and those of other groups begin`(withdrawn: GroupID) throws {
    let count = 20_000
    let requests = try (0..<count).map {
      var wanted = try request($0, "http://127.0.0.1:9/\($0)", name: "\($0)")
      wanted.group = $0 % 2 == 0 ? .main : GroupID(1)
      return wanted
    }
    var queue = QueueMachine(jobs: count)
    var feed = RequestFeed(ArraySource(requests), spool: Spool())
    // The host has no room: the feed reads until it knows enough.
    for _ in 0..<150 { #expect(try feed.next(&queue, hasRoom: { _, _ in false }, isAnswering: { _ in false }) == nil) }
    var effects = queue.apply(.cancel, to: .group(withdrawn)).effects
    feed.withdraw(.group(withdrawn), .cancel, &queue)
    var begun: Set<TaskID> = []
    while !feed.hasEnded || queue.queuedCount > 0 {
      try feed.withdrawSome(&queue)
      while let next = try feed.next(&queue, hasRoom: { _, _ in true }, isAnswering: { _ in true }) {
        begun.insert(next.request.task)
      }
      effects += feed.takeEffects()
    }
    let ended = effects.map { if case .withdrawn(let task, .cancelled) = $0 { task } else { TaskID(position: -1) } }
    #expect(begun.count == count / 2 && Set(ended).count == count / 2 && ended.count == count / 2)
    #expect(ended.allSatisfy { requests[$0.position].group == withdrawn })
  }
}
