import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// What an item's storage leaves to the writer of a slow device, and what it makes of the answers.
@Suite(.waiting) struct `An item's storage` {
  private let scratch: TemporaryDirectory
  private let workers: Workers
  private let storage: ItemStorage
  private let a = TransferID(number: 1)
  private let b = TransferID(number: 2)
  private let nothing = ByteRangeSet()

  init() throws {
    _ = (FileCreationMask.current, BootID.current)
    scratch = try TemporaryDirectory()
    let directory = try TargetDirectory.open(path: Array(scratch.path.utf8))
    workers = Workers(
      Runtime(idleTime: .zero, suspectsDevices: true), directory.base, syncs: false, groupLimit: 1)
    guard workers.start(for: EngineInbox()) else { throw TestSupportError("no threads") }
    let place = try directory.resolve([Array("f".utf8)])
    let mirror = try request(0, "http://h/f", name: "f").mirrors[0].location
    storage = ItemStorage(
      item: 1, url: mirror, mirrors: [mirror], at: place, workers: workers, syncs: false, isNew: true, now: .zero)
    try makePart(of: storage, VersionKnowledge(), workers)
  }

  private func lease(
    _ range: Range<Int64>, of transfer: TransferID, keeping done: ByteRangeSet = ByteRangeSet()
  ) -> WriteLease? {
    storage.lease(range, keeping: done, of: transfer, atMost: 2, byteCount: range.count)
  }

  private func handOver(_ range: Range<Int64>, of transfer: TransferID) throws {
    let room = try #require(lease(range, of: transfer))
    let block = FilledBlock(copying: [UInt8](repeating: UInt8(transfer.number), count: range.count))
    storage.handOver(block, at: range.lowerBound, mirror: 0, of: transfer, room)
  }

  private func answers(_ count: Int) -> [WriteAnswer] {
    var answers: [WriteAnswer] = []
    _ = eventually {
      for case .wrote(let some) in workers.client.replies.takeAll() { answers += some }
      return answers.count >= count
    }
    return answers
  }

  private func reply() throws -> WorkerReply {
    var reply: WorkerReply?
    _ = eventually {
      reply = workers.client.replies.takeAll().first
      return reply != nil
    }
    return try #require(reply)
  }

  private var names: [String] { scratch.names() }

  @Test func `leaves new bytes to the writer, few at a time, and those of one transfer at a place`() throws {
    #expect(!storage.writesItself(0..<100, keeping: nothing))
    #expect(storage.writesItself(0..<100, keeping: ByteRangeSet([50..<60])), "some of them are there")
    try handOver(0..<100, of: a)
    #expect(lease(50..<150, of: b) == nil && lease(100..<200, of: b) != nil)
    #expect(!storage.writesItself(500..<600, keeping: ByteRangeSet([500..<510])), "the writer has something")
    #expect(lease(500..<600, of: a, keeping: ByteRangeSet([500..<510])) == nil, "which the loop waits for")
    try handOver(100..<200, of: a)
    #expect(lease(200..<300, of: a) == nil && lease(200..<300, of: b) != nil)
    let stored = try answers(2).map { try storage.answered($0) { $0 == a }?.range }
    #expect(stored == [0..<100, 100..<200] && storage.outstanding.count(of: a) == 0)
    #expect(storage.writesItself(0..<300, keeping: ByteRangeSet([0..<200])))
  }

  /// The storage thread may be busy for long.
  @Test(arguments: ["nothing", "sync", "record", "removal"])
  func `is released by the writer while the storage thread syncs another file`(queued: String) throws {
    let directory = try TargetDirectory.open(path: Array(scratch.path.utf8))
    let place = try directory.resolve([Array("f".utf8)])
    let mirror = try request(0, "http://h/g", name: "g").mirrors[0].location
    let other = ItemStorage(
      item: 2, url: mirror, mirrors: [mirror], at: try directory.resolve([Array("g".utf8)]), workers: workers,
      syncs: false, isNew: true, now: .zero)
    try makePart(of: other, VersionKnowledge(), workers)
    func order(_ storage: ItemStorage) throws -> Revocable<FilesToSync> {
      let record = SidecarRecord(
        target: storage.place.name, url: mirror, mirrors: [mirror], bootID: BootID.current,
        knowledge: VersionKnowledge())
      return Revocable(
        FilesToSync(part: try #require(storage.part), sidecar: try #require(storage.sidecar), record: record))
    }
    try FaultTable.withFaults([Fault(.fdatasync, below: scratch.path, persists: true, .late(30_000))]) {
      other.thread.post(.sync(2, try order(other)))
      if queued == "sync" {
        let own = try order(storage)
        storage.records.sync = own
        storage.thread.post(.sync(1, own))
      }
      if queued == "record" {
        try storage.recordNow(written: ByteRangeSet(), VersionKnowledge(), isLast: false) { _ in true }
      }
      try handOver(0..<100, of: a)
      if queued == "removal" {
        storage.removeLater()
      } else {
        try storage.recordNow(written: ByteRangeSet(), VersionKnowledge(), isLast: true) { _ in true }
      }
      storage.release(1)
      var (isReleased, isOtherSynced) = (false, false)
      #expect(
        eventually {
          for reply in workers.client.replies.takeAll() where !isReleased {
            if case .released(1) = reply { isReleased = true }
            if case .synced(2, _) = reply { isOtherSynced = true }
          }
          return isReleased
        })
      #expect(!isOtherSynced)
      if queued == "removal" {
        #expect(!names.contains("f.swiftget-part"))
      } else {
        let sidecar = try SidecarFile.open(place)
        #expect(try readFile(scratch.path("f.swiftget-part")) == [UInt8](repeating: 1, count: 100), "all is written")
        guard case .record(let record) = try sidecar.load() else { throw TestSupportError("no record") }
        #expect(record.written == ByteRangeSet([0..<100]))
      }
    }
  }

  @Test func `has the storage thread cut off what an earlier run wrote and did not record`() throws {
    let part = try #require(storage.part)
    try [UInt8](repeating: 1, count: 100).withUnsafeBytes { try part.write($0, at: 0) }
    storage.resume(
      part, synced: nothing, done: ByteRangeSet([0..<10]), mirror: 0, cutTo: 10, isOfOtherURL: false)
    #expect(storage.isClearing, "nothing is written meanwhile")
    let cut = try reply()
    guard case .cleared(1, let same) = cut else { throw TestSupportError("\(cut)") }
    storage.cleared(same)
    #expect(try !storage.isClearing && storage.part === part && part.size == 10)

    storage.resume(
      part, synced: nothing, done: ByteRangeSet([0..<10]), mirror: 0, cutTo: -1, isOfOtherURL: false)
    let failure = try reply()
    guard case .clearingFailed(1, let error) = failure else { throw TestSupportError("\(failure)") }
    #expect(error.call == .ftruncate && error.errno == EINVAL)
  }

  @Test func `counts no bytes of a transfer that was stopped`() throws {
    try handOver(0..<100, of: a)
    let answer = try #require(answers(1).first)
    #expect(try storage.answered(answer) { _ in false } == nil)
    #expect(storage.outstanding.count(of: a) == 0 && lease(0..<100, of: b) != nil)
  }

  @Test func `counts no bytes of a part file that was given up`() throws {
    try handOver(0..<100, of: a)
    storage.discardAll(VersionKnowledge())
    #expect(lease(0..<100, of: a) != nil, "they go into another file")
    let answer = try #require(answers(1).first)
    #expect(try storage.answered(answer) { _ in true } == nil)
  }

  @Test func `ends with the error of the writer`() throws {
    try handOver(0..<100, of: a)
    var answer = try #require(answers(1).first)
    answer = WriteAnswer(
      item: answer.item, number: answer.number, write: answer.write, error: SystemCallError(.pwrite, EIO),
      duration: .zero)
    #expect(throws: SystemCallError(.pwrite, EIO)) { try storage.answered(answer) { _ in true } }
  }

  private func handOverMany(_ count: Int) throws {
    for number in 0..<count {
      let range = Int64(number) * 10..<Int64(number) * 10 + 10
      let lease = try #require(storage.lease(range, keeping: nothing, of: a, atMost: count, byteCount: 10))
      storage.handOver(
        FilledBlock(copying: [UInt8](repeating: 1, count: 10)), at: range.lowerBound, mirror: 0, of: a, lease)
    }
  }

  @Test func `has its files removed after all writes`() throws {
    try handOverMany(200)
    // The storage thread is idle, and the writer is not.
    storage.removeAll()
    let fence = WorkerFence(1)
    workers.writer(of: storage.place.directory).port.post(fence)
    #expect(eventually { isReadable(fence.descriptor) } && names.isEmpty)
  }

  @Test func `has what is written recorded after all writes`() throws {
    try handOverMany(200)
    try storage.recordNow(written: nothing, VersionKnowledge(), isLast: false) { _ in true }
    #expect(answers(201).last?.write == nil, "the job was handed on last")
    #expect(storage.keptPromises == ByteRangeSet([0..<2000]))
  }

  @Test(arguments: [false, true]) func `records nothing that was discarded`(isPiece: Bool) throws {
    try FaultTable.withFaults([Fault(.pwrite, below: scratch.path, persists: true, .late(500))]) {
      try handOver(0..<100, of: a)
      // It waits for the write.
      try storage.recordNow(written: nothing, VersionKnowledge(), isLast: false) { _ in true }
      if isPiece {
        storage.discard(0..<100, written: nothing, VersionKnowledge())
      } else {
        storage.discardAll(VersionKnowledge())
      }
      var (answerCount, isCleared) = (0, false)
      #expect(
        eventually {
          for reply in workers.client.replies.takeAll() {
            if case .wrote(let answers) = reply { answerCount += answers.count }
            if case .cleared(1, _) = reply { isCleared = true }
          }
          return answerCount == (isPiece ? 2 : 3) && isCleared
        })
    }
    let fence = WorkerFence(1)
    storage.thread.post(fence)
    #expect(eventually { isReadable(fence.descriptor) })
    guard case .record(let record) = try SidecarFile.peek(storage.place) else { throw TestSupportError("no record") }
    #expect(record.written == nothing && record.synced == nothing)
  }
}
