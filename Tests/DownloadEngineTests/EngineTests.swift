import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Complete runs with a server on this machine.
@Suite(.waiting) struct `The engine` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  private func isRight(_ name: String, _ content: Content) throws -> Bool {
    try content.firstDifference(inFile: target.path(name)) == nil
  }

  @Test func `downloads a small file, verified and dated, and leaves nothing else`() throws {
    let content = Content.generated(seed: 1, byteCount: 12_345)
    let server = try ScriptedServer(FileService(["/f": content]))
    let wanted = try request(0, server.url("/f"), name: "a/f", digests: [digest(content)])
    let run = try EngineRun([wanted], into: target)
    #expect(run.end.failureCodes.isEmpty && run.end.isWhole)
    let outcome = try #require(run.observer.outcomes[0])
    #expect(
      outcome.result == .downloaded && outcome.byteCount == 12_345
        && outcome.transfers.received.total == 12_345)
    #expect(
      outcome.status == 200 && outcome.verified?.digest == wanted.digests[0]
        && outcome.name == Array("a/f".utf8))
    #expect(run.end.progress.downloadedCount == 1 && run.end.progress.failedCount == 0)
    #expect(try isRight("a/f", content))
    #expect(target.names() == ["a"] && target.names(in: "a") == ["f"])
    var status = stat()
    #expect(stat(target.path("a/f"), &status) == 0 && status.st_mtim.tv_sec == 1_735_725_600)
    #expect(server.requests.count == 1 && server.requests[0].rangeHeader == nil)
  }

  @Test func `downloads a large file over several connections, each byte about once`() throws {
    let content = Content.generated(seed: 2, byteCount: 10_000_000)
    // Slow enough for a second connection to pay beside other tests.
    let service = FileService(["/f": content]) { $0.bytesPerSecondOfConnection = 1_000_000 }
    let server = try ScriptedServer(service)
    let wanted = try request(0, server.url("/f"), name: "f", digests: [digest(content)])
    let run = try EngineRun([wanted], into: target)
    #expect(run.result() == .downloaded)
    #expect(try isRight("f", content) && target.names() == ["f"])
    #expect(server.peakExchanges > 1 && server.requests.contains { $0.rangeHeader != nil })
    #expect(run.received() <= content.byteCount * 105 / 100)
    // Reported about four times a second and never decreasing.
    let done = run.observer.progress.map(\.doneByteCount)
    #expect(done.count > 2 && zip(done, done.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(run.observer.progress.contains { $0.active.first?.connectionCount ?? 0 > 1 })
  }

  @Test func `downloads many small files, and keeps them in the next run without a request`() throws {
    var files: [String: Content] = [:]
    for number in 0..<400 {
      files["/\(number)"] = .generated(seed: UInt64(number), byteCount: Int64(number * 7 % 5000))
    }
    let server = try ScriptedServer(FileService(files))
    let requests = try (0..<400).map { number in
      let content = try #require(files["/\(number)"])
      let computer = try #require(DigestComputer([.sha256]))
      content.allBytes.withUnsafeBytes { computer.update($0) }
      return try request(number, server.url("/\(number)"), name: "d\(number % 3)/\(number)", digests: computer.finish())
    }
    let run = try EngineRun(requests, into: target)
    #expect(run.end.progress.downloadedCount == 400 && run.end.failureCodes.isEmpty)
    for number in 0..<400 { #expect(try isRight("d\(number % 3)/\(number)", files["/\(number)"]!)) }
    #expect((0..<3).map { target.names(in: "d\($0)").count } == [134, 133, 133])
    let requestCount = server.requests.count
    let again = try EngineRun(requests, into: target)
    #expect(again.end.progress.keptCount == 400 && again.end.failureCodes.isEmpty)
    #expect(server.requests.count == requestCount && again.observer.started.isEmpty)
  }

  @Test func `reports failed items and downloads the others`() throws {
    let content = Content.text("content")
    let server = try ScriptedServer(FileService(["/good": content, "/bad": .text("something else")]))
    let refusing = try RefusingPort()
    let wanted = try digest(content)
    let run = try EngineRun(
      [
        request(0, server.url("/good"), name: "good", digests: [wanted]),
        request(1, server.url("/absent"), name: "absent"),
        request(2, server.url("/bad"), name: "bad", digests: [wanted]),
        request(3, refusing.url("/"), name: "silent"),
        request(4, server.url("/good"), name: "again"),
      ], into: target
    ) { $0.file.tries = 2 }
    #expect(run.result(0) == .downloaded && run.result(4) == .downloaded)
    #expect(run.error(1)?.code == .serverRefused)
    #expect(run.error(2)?.code == .integrity)
    #expect(run.error(3)?.code == .network)
    #expect(run.end.failureCodes == [.serverRefused, .integrity, .network])
    #expect(run.end.progress.failedCount == 3 && run.end.progress.downloadedCount == 2)
    #expect(target.names() == ["again", "bad.swiftget-bad", "good"])
    // The same wrong content is fetched twice, and not again.
    #expect(server.requests.count { $0.target == "/bad" } == 2)
    let next = try EngineRun([request(0, server.url("/good"), name: "bad", digests: [wanted])], into: target)
    #expect(next.result(0) == .downloaded && target.names() == ["again", "bad", "good"])
  }

  @Test func `uses the second mirror if the first one fails`() throws {
    let content = Content.generated(seed: 4, byteCount: 50_000)
    let refusing = try RefusingPort()
    let server = try ScriptedServer(FileService(["/f": content]))
    let run = try EngineRun(
      [request(0, refusing.url("/f"), server.url("/f"), name: "f")], into: target
    ) { $0.file.tries = 2 }
    #expect(run.result() == .downloaded)
    #expect(try isRight("f", content))
  }

  @Test func `resumes where a connection broke`() throws {
    let content = Content.generated(seed: 5, byteCount: 3_000_000)
    let server = try ScriptedServer(FileService(["/f": content]) { $0.cutAfter = 700_000 })
    let run = try EngineRun([request(0, server.url("/f"), name: "f")], into: target)
    #expect(run.result() == .downloaded)
    #expect(try isRight("f", content))
    // On a busy machine some bytes arrive beyond a division.
    #expect(run.received() <= content.byteCount * 3 / 2)
    #expect(server.requests.allSatisfy { $0.header("If-Range") == nil })
  }

  @Test(arguments: [1, 16])
  func `starts over when the content changes, and never mixes two versions`(connectionCount: Int) throws {
    let first = Content.generated(seed: 6, byteCount: 3_000_000)
    let second = Content.generated(seed: 7, byteCount: 3_000_000)
    let service = FileService(["/f": first]) {
      $0.cutAfter = 1_000_000
      $0.replacements = ["/f": second]
      $0.changesAfter = .bodyBytes(900_000)
    }
    let server = try ScriptedServer(service)
    let run = try EngineRun([request(0, server.url("/f"), name: "f")], into: target) {
      $0.file.maxConnections = connectionCount
    }
    #expect(run.result() == .downloaded)
    let isSecond = try isRight("f", second)
    // Several connections may have asked for everything before the change.
    #expect(try isSecond || connectionCount > 1 && isRight("f", first))
    let startedOver = run.observer.notices.contains {
      if case .startingOver(.changed) = $0.remark { $0.task == 0 } else { false }
    }
    #expect(startedOver == isSecond)
  }

  @Test func `fetches a body with an unconfirmed end twice`() throws {
    let content = Content.generated(seed: 8, byteCount: 40_000)
    let server = try ScriptedServer(FileService(["/f": content]) { $0.framing = .connectionEnd })
    let run = try EngineRun([request(0, server.url("/f"), name: "f")], into: target)
    #expect(run.result() == .downloaded && server.requests.count == 2)
    #expect(try isRight("f", content))
  }

  @Test func `keeps an existing file of the same length`() throws {
    let content = Content.text("0123456789")
    let server = try ScriptedServer(FileService(["/f": content, "/g": content]))
    try target.write("f", "abcdefghij")
    try target.write("g", "abc")
    let run = try EngineRun(
      [request(0, server.url("/f"), name: "f"), request(1, server.url("/g"), name: "g")], into: target)
    #expect(run.result(0) == .kept, "the same length, and nothing else is known")
    #expect(run.error(1) != nil)
    #expect(try target.read("g") == Array("abc".utf8) && target.names() == ["f", "g"])
  }

  @Test func `replaces a wrong file with the right one`() throws {
    let content = Content.generated(seed: 9, byteCount: 2_000_000)
    let server = try ScriptedServer(FileService(["/f": content]))
    try target.write("f", "an older version")
    let run = try EngineRun([request(0, server.url("/f"), name: "f", digests: [digest(content)])], into: target)
    #expect(run.result() == .downloaded)
    #expect(try isRight("f", content) && target.names() == ["f"])
  }

  /// A run without subscribers, for reports would wake it.
  @Test func `goes on although a wake-up is lost`() throws {
    let content = Content.text("content")
    let server = try ScriptedServer(FileService(["/f": content]))
    let engine = Engine(
      settings: RunSettings(), place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
      source: ArraySource([try request(0, server.url("/f"), name: "f")]), descriptorLimit: raiseDescriptorLimit(),
      runtime: Runtime(idleTime: .zero))
    var freeBacklog: () -> Void = {}
    engine.configure { loop in
      loop.longestSleep = .milliseconds(50)
      let backlog = loop.state.workers.client.backlog
      backlog.add(64 << 20)
      freeBacklog = { backlog.add(-64 << 20) }
    }
    try engine.start()
    pause(seconds: 0.2)
    #expect(server.requests.isEmpty)
    freeBacklog()
    #expect(eventually { target.names() == ["f"] })
    #expect(engine.join().isWhole)
  }

  /// Workers inspect and hash many targets together.
  @Test(arguments: [false, true])
  func `replaces no more files at a time than it downloads`(isHashed: Bool) throws {
    let content = Content.generated(seed: 21, byteCount: 2000)
    let names = (0..<60).map { "\($0)" }
    let server = try ScriptedServer(
      FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, content) })) {
        // An answer takes its time before its first byte, and is over when the last one is sent.
        $0.latency = .milliseconds(100)
      })
    let digests = isHashed ? [try digest(content)] : []
    let requests = try names.enumerated().map { index, name in
      // Only a file of the right length is hashed.
      try target.write(name, [UInt8](repeating: 7, count: isHashed ? 2000 : 7))
      return try request(index, server.url("/" + name), name: name, digests: digests)
    }
    let run = try EngineRun(requests, into: target) {
      $0.limits.jobs = 2
      if !isHashed { $0.target.ifExists = .replace }
    }
    // The server may take a moment to notice that an exchange is over.
    #expect(run.end.progress.downloadedCount == names.count && server.peakExchanges <= 6)
  }

  // MARK: Faults and ends

  @Test func `stops on a full disk and resumes later`() throws {
    let content = Content.generated(seed: 10, byteCount: 8_000_000)
    let server = try ScriptedServer(FileService(["/f": content]) { $0.bytesPerSecondOfServer = 8_000_000 })
    let wanted = try [request(0, server.url("/f"), name: "f", digests: [digest(content)])]
    _ = (FileCreationMask.current, BootID.current)
    // On other file systems than tmpfs data is written in small parts.
    let faults = [
      Fault(.fstatfs, persists: true, .failure(ENOSYS)),
      Fault(.pwrite, below: target.path, byteCount: 5_000_000, persists: true, .failure(ENOSPC)),
    ]
    let full = try FaultTable.withFaults(faults) { try EngineRun(wanted, into: target, onThisThread: true) }
    let error = try #require(full.error())
    #expect(error.code == .diskFull)
    #expect(full.end.stoppedBy?.code == .diskFull && full.end.failureCodes == [.diskFull])
    #expect(target.names() == ["f.swiftget", "f.swiftget-part"])
    let recorded = recordedByteCount(of: target.path("f"))
    let again = try EngineRun(wanted, into: target)
    #expect(again.result() == .downloaded)
    #expect(try isRight("f", content) && target.names() == ["f"])
    // Where ranges are divided, some bytes beyond the division arrive.
    let repeated = again.received() - (Int64(content.byteCount) - recorded)
    #expect(0..<recorded / 2 ~= repeated, "what was recorded is not fetched again")
  }

  @Test func `fails a small file for which there is no space`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("abc")]))
    let wanted = try [request(0, server.url("/f"), name: "f")]
    try exhaust(wanted, server)
  }

  /// A directory without write permission.
  private func exhaust(_ wanted: [FileRequest], _ server: ScriptedServer) throws {
    _ = (FileCreationMask.current, BootID.current)
    let run = try FaultTable.withFaults([Fault(.fstatat, persists: true, .failure(EACCES))]) {
      try EngineRun(wanted, into: target, onThisThread: true)
    }
    #expect(run.error()?.code == .localIO && run.end.failureCodes == [.localIO])
    #expect(server.requests.isEmpty && target.names().isEmpty)
  }

  @Test func `stops at once with everything recorded, and resumes later`() throws {
    let content = Content.generated(seed: 11, byteCount: 6_000_000)
    let service = FileService(["/f": content]) { $0.bytesPerSecondOfServer = 3_000_000 }
    let server = try ScriptedServer(service)
    let wanted = try [request(0, server.url("/f"), name: "f", digests: [digest(content)])]
    var sent = 0.0
    let run = try EngineRun(wanted, into: target) { _ in
    } prepare: { engine, observer in
      observer.onProgress = { progress in
        guard sent == 0, progress.doneByteCount > 1_000_000 else { return }
        sent = monotonicSeconds()
        engine.stop(.now)
      }
    }
    #expect(run.end.wasStopped && run.end.stoppedBy == nil && run.end.unfinished.count == 1)
    // Long before a time limit could be the cause of it.
    #expect(monotonicSeconds() - sent < 15)
    #expect(target.names() == ["f.swiftget", "f.swiftget-part"])
    service.change { $0.bytesPerSecondOfServer = nil }
    // A thread of the run may be inside a system call, after which it records what it has written.
    var recorded = ByteRangeSet()
    #expect(
      eventually {
        recorded = recordedBytes(of: target.path("f"))
        return !recorded.isEmpty
      })
    func resumed() throws -> EngineRun {
      try EngineRun(wanted, into: target) { $0.transport.userAgent = "resuming" }
    }
    // Another test may be starting a process, which shares the lock until it executes its program; or the first run may still
    // have it.
    var again = try resumed()
    #expect(
      try eventually {
        if again.error()?.code == .locked {
          recorded = recordedBytes(of: target.path("f"))
          again = try resumed()
        }
        return again.error() == nil
      })
    #expect(again.result() == .downloaded)
    let length = Int64(content.byteCount)
    let asked = server.requests.filter { $0.header("User-Agent") == "resuming" }
      .map { $0.askedRange(of: length) ?? 0..<length }
    #expect(!asked.isEmpty)
    #expect(asked.allSatisfy { recorded.gaps(in: $0) == [$0] }, "\(asked) and \(recorded.ranges)")
    #expect(try isRight("f", content) && target.names() == ["f"])
  }
}
