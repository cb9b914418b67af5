import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

@Suite struct `Pace of writes` {
  @Test func `is slow after one long write, until many in a row were short`() {
    var pace = WritePace()
    for _ in 0..<1000 { pace.wrote(in: WritePace.long) }
    #expect(!pace.isSlow, "just not long")
    pace.wrote(in: WritePace.long + .nanoseconds(1))
    #expect(pace.isSlow)
    for _ in 1..<WritePace.wantedShortCount { pace.wrote(in: .zero) }
    #expect(pace.isSlow)
    pace.wrote(in: WritePace.short)
    for _ in 1..<WritePace.wantedShortCount { pace.wrote(in: .zero) }
    #expect(pace.isSlow, "one that was not short begins the count anew")
    pace.wrote(in: .zero)
    #expect(!pace.isSlow)
  }
}

@Suite struct `Outstanding writes` {
  private let a = TransferID(number: 1)
  private let b = TransferID(number: 2)

  @Test func `are counted by transfer, and known by their bytes`() {
    var writes = OutstandingWrites()
    let first = writes.add(a, 0..<100)
    let second = writes.add(b, 500..<600)
    let third = writes.add(a, 100..<200)
    #expect(writes.count(of: a) == 2 && writes.count(of: b) == 1 && !writes.isEmpty)
    #expect(writes.overlap(199..<201) && writes.overlap(550..<551) && !writes.overlap(200..<500))
    let answer = writes.answered(second)
    #expect(answer?.transfer == b && answer?.range == 500..<600)
    #expect(!writes.overlap(500..<600) && writes.answered(second) == nil)
    #expect(writes.answered(first)?.range == 0..<100 && writes.answered(third)?.range == 100..<200 && writes.isEmpty)
  }

  @Test func `of a part file that was given up only keep their place in the order`() {
    var writes = OutstandingWrites()
    let old = writes.add(a, 0..<100)
    writes.voidAll()
    let new = writes.add(b, 0..<50)
    let job = writes.add()
    #expect(!writes.overlap(50..<100) && writes.overlap(0..<1))
    #expect(writes.answered(old) == nil && writes.answered(new)?.range == 0..<50 && !writes.isEmpty)
    #expect(writes.answered(job) == nil && writes.isEmpty)
  }
}

@Suite(.waiting) struct `A writer` {
  private let item: ItemHandle = 3
  private let budget = WriteBudget()

  private let hasFailed = StopFlag()

  private func write(_ number: Int, _ text: String, at offset: Int64, leasing byteCount: Int = 1 << 20) throws
    -> BlockWrite
  {
    BlockWrite(
      number: number, block: FilledBlock(copying: text.utf8), offset: offset,
      lease: try #require(budget.lease(byteCount: byteCount)), hasFailed: hasFailed)
  }

  private func answers(_ replies: [WorkerReply]) -> [WriteAnswer] {
    replies.flatMap { reply -> [WriteAnswer] in if case .wrote(let answers) = reply { answers } else { [] } }
  }

  @Test func `writes in order, and answers several writes at once`() throws {
    let workers = try WorkerRig()
    let part = try PartFile.create(workers.place("f"))
    let replies = workers.store(
      .write(item, part, try write(1, "aaaaaa", at: 0)), .write(item, part, try write(2, "bbbb", at: 3)))
    let answers = answers(replies)
    #expect(replies.count == 1 && answers.map(\.number) == [1, 2])
    #expect(answers.allSatisfy { $0.item == item && $0.error == nil })
    #expect(try workers.scratch.read(String(decoding: part.name, as: UTF8.self)) == Array("aaabbbb".utf8))
  }

  @Test func `records nothing of an item once one of its writes has failed, and goes on with others`() throws {
    let workers = try WorkerRig()
    let (bad, good) = (try PartFile.create(workers.place("bad")), try PartFile.create(workers.place("good")))
    let sidecar = try SidecarFile.open(workers.place("bad"))
    func record(_ hasFailed: StopFlag) -> StorageJob {
      .record(
        Revocable(
          RecordToWrite(
            sidecar: sidecar, record: workers.record("bad", written: 0..<1), writeHasFailed: hasFailed)))
    }
    let replies = try FaultTable.withFaults([Fault(.pwrite, .failure(ENOSPC))]) {
      workers.store(
        .write(item, bad, try write(1, "a", at: 0)), record(hasFailed),
        .write(4, good, try write(1, "b", at: 0)))
    }
    let answers = answers(replies)
    #expect(answers.map(\.error) == [SystemCallError(.pwrite, ENOSPC), nil] && answers[1].item == 4)
    #expect(try sidecar.load() == .empty)
    _ = workers.store(record(StopFlag()))
    #expect(try sidecar.load() != .empty, "only the flag has kept it from being written")
  }

  @Test func `answers sixteen at a time`() throws {
    let workers = try WorkerRig()
    let part = try PartFile.create(workers.place("f"))
    for number in 1...40 {
      workers.storing.post(.write(item, part, try write(number, "a", at: Int64(number), leasing: 1)))
    }
    let replies = workers.store()
    #expect(replies.count >= 3 && answers(replies).map(\.number) == Array(1...40))
    #expect(replies.allSatisfy { answers([$0]).count <= 16 })
  }

  @Test func `hands a job on after the writes before it`() throws {
    let workers = try WorkerRig()
    let part = try PartFile.create(workers.place("f"))
    let other = StorageWorker()
    let port = WorkerPort(other.messages, workers.client)
    let replies = workers.store(
      .write(item, part, try write(1, "a", at: 0)),
      .handOn(.release(TaskID(position: 9)), to: port, answer: (item, number: 2)),
      .handOn(.release(TaskID(position: 9)), to: port))
    #expect(answers(replies).map(\.number) == [1, 2] && answers(replies)[1].write == nil)
    other.messages.post(.end)
    other.run()
    #expect(workers.replies.takeAll().count == 2)
  }

  @Test func `writes nothing of an engine that is gone, and frees the memory`() throws {
    let workers = try WorkerRig()
    let part = try PartFile.create(workers.place("f"))
    workers.storing.post(.write(item, part, try write(1, "a", at: 0)))
    workers.client.isGone.set()
    #expect(workers.store().isEmpty)
    #expect(try part.size == 0)
    let leases = (0..<16).map { _ in budget.lease(byteCount: 1 << 20) }
    #expect(leases.allSatisfy { $0 != nil } && budget.lease(byteCount: 1) == nil, "16 MiB, all of them free")
  }

  // MARK: In a run

  @Test func `takes what comes over a shared connection of HTTP2`() async {
    // The writes of all threads are slow.
    await #expect(processExitsWith: .success) {
      let target = try TemporaryDirectory()
      let server = try RealServer.nginx {
        $0.speaksTLS = true
        $0.offersHTTP2 = true
      }
      let contents = (0..<6).map { Content.generated(seed: UInt64($0), byteCount: 4_000_000) }
      for (index, content) in contents.enumerated() { try server.serve("\(index)", content) }
      let requests = try contents.indices.map { try request($0, server.url("/\($0)"), name: "\($0)") }
      let authority = try TestAuthority.shared().authorityPath
      let run = try FaultTable.withFaults([Fault(.pwrite, persists: true, .late(8))], everyThread: true) {
        try EngineRun(requests, into: target, suspectsDevices: true) {
          $0.transport.caFile = authority
          $0.transport.httpVersion = .http2
          $0.file.maxConnections = 1
        }
      }
      let isRight = try contents.indices.allSatisfy { try target.read("\($0)") == contents[$0].allBytes }
      let versions = try server.requests().map(\.version)
      if run.end.progress.downloadedCount != 6 || !isRight || !versions.allSatisfy({ $0 == "HTTP/2.0" }) {
        Issue.record("\(run.end.progress.downloadedCount), \(isRight), \(versions)")
      }
      // Nothing is fetched twice, whatever waits for the disk.
      if run.end.progress.receivedByteCount != 24_000_000 { Issue.record("\(run.end.progress.receivedByteCount)") }
    }
  }

  @Test func `has written what a stopped run counts as saved`() async {
    // The writes of all threads are slow, so that some are under way when the run ends.
    await #expect(processExitsWith: .success) {
      let target = try TemporaryDirectory()
      let server = try ScriptedServer(FileService(["/f": .generated(seed: 1, byteCount: 6_000_000)]))
      let wanted = try [request(0, server.url("/f"), name: "f")]
      let run = try FaultTable.withFaults([Fault(.pwrite, persists: true, .late(3))], everyThread: true) {
        try EngineRun(wanted, into: target, suspectsDevices: true) {
          $0.file.maxConnections = 1
        } prepare: { engine, observer in
          observer.onProgress = { if $0.doneByteCount > 3_000_000 { engine.stop(.save) } }
        }
      }
      let recorded = recordedByteCount(of: target.path("f"))
      let counted = run.end.unfinished.map(\.byteCount)
      if recorded == 0 || counted != [recorded] { Issue.record("\(recorded) bytes are recorded, not \(counted)") }
    }
  }

  @Test func `keeps the loop from waiting for the disk`() async {
    // The writes of all threads are slow.
    await #expect(processExitsWith: .success) {
      let target = try TemporaryDirectory()
      let content = Content.generated(seed: 1, byteCount: 3_000_000)
      let server = try ScriptedServer(FileService(["/f": content]))
      let engine = Engine(
        settings: RunSettings(), place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
        source: ArraySource([try request(0, server.url("/f"), name: "f")]), descriptorLimit: raiseDescriptorLimit(),
        runtime: Runtime(idleTime: .zero, suspectsDevices: true))
      let path = target.path("f.swiftget-part")
      let answerCounts = Locked<[Int64: Int]>([:])
      try FaultTable.withFaults([Fault(.pwrite, persists: true, .late(100))], everyThread: true) {
        try engine.start()
        var end = pollfd(fd: engine.endDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
        while poll(&end, 1, 2) == 0 {
          engine.post([.describe(.all)]) { _ in
            let size = (try? SystemCalls.fstatat(SystemCalls.workingDirectory, Array(path.utf8)).size) ?? 0
            answerCounts.withLock { $0[size, default: 0] += 1 }
          }
        }
      }
      let isWhole = engine.join().isWhole
      let read = try target.read("f")
      if !isWhole || read != content.allBytes { Issue.record("not downloaded") }
      // A loop that makes the writes answers once between two of them.
      let counts = answerCounts.withLock { $0 }
      if counts.filter({ $0.key > 0 && $0.value >= 5 }).count < 3 { Issue.record("\(counts)") }
    }
  }
}
