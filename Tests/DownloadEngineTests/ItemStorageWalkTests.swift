import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Random calls to an item's storage, on a device whose writes and syncs take their time: what the record claims is in the
/// part file, and is of the version that it names.
@Suite(.waiting) struct `Walks of an item's storage` {
  /// What the engine knows, and the storage.
  private final class Walk {
    let storage: ItemStorage
    private let workers: Workers
    private let transfer = TransferID(number: 1)
    private let slotSize: Int64 = 64
    private var generator: SeededGenerator
    private var now = Instant.zero
    private var done = ByteRangeSet()
    private var isReleased = false
    /// Each byte of the content is this number, and the length says so.
    private var version: UInt8 = 1
    private var knowledge: VersionKnowledge { VersionKnowledge(completeLength: 10_000 + Int64(version)) }

    init(_ storage: ItemStorage, _ workers: Workers, seed: UInt64) {
      (self.storage, self.workers) = (storage, workers)
      generator = SeededGenerator(seed: seed)
    }

    private func randomSlot() -> Range<Int64> {
      let start = Int64.random(in: 0..<16, using: &generator) * slotSize
      return start..<start + slotSize
    }

    func step() throws {
      now = now + .milliseconds(Int.random(in: 0..<400, using: &generator))
      hear()
      switch Int.random(in: 0..<12, using: &generator) {
      case 0...5: try write(randomSlot())
      case 6: try storage.recordNow(written: done, knowledge, isLast: false) { _ in true }
      case 7, 8: try storage.checkpoint(written: done, knowledge, now: now)
      case 9: pause(seconds: 0.002)
      case 10:
        let slot = randomSlot()
        if storage.isClearing || !done.overlaps(slot) { return }
        done.remove(slot)
        storage.discard(slot, written: done, knowledge)
      default:
        done = ByteRangeSet()
        version += 1
        storage.discardAll(knowledge)
      }
    }

    /// By the writer, or here.
    private func write(_ range: Range<Int64>) throws {
      guard !storage.isClearing, !done.overlaps(range) else { return }
      let bytes = [UInt8](repeating: version, count: range.count)
      if storage.writesItself(range, keeping: done) {
        try bytes.withUnsafeBytes { try storage.write($0, at: range.lowerBound, keeping: done, mirror: 0) }
        done.insert(range)
      } else if let lease = storage.lease(range, keeping: done, of: transfer, atMost: 8, byteCount: range.count) {
        storage.handOver(FilledBlock(copying: bytes), at: range.lowerBound, mirror: 0, of: transfer, lease)
      }
    }

    private func hear() {
      for reply in workers.client.replies.takeAll() {
        switch reply {
        case .wrote(let answers):
          for answer in answers {
            if let stored = try? storage.answered(answer, isWanted: { _ in true }) { done.insert(stored.range) }
          }
        case .cleared(_, let part): storage.cleared(part)
        case .synced(_, let ranges):
          storage.syncEnded(now: now)
          storage.synced(ranges)
        case .released: isReleased = true
        default: Issue.record("\(reply)")
        }
      }
    }

    /// All jobs are done.
    func finishJobs() {
      let areDone = eventually {
        hear()
        return storage.outstanding.isEmpty && !storage.isClearing
      }
      let fence = WorkerFence(1)
      storage.thread.post(fence)
      #expect(areDone && eventually { isReadable(fence.descriptor) })
      hear()
    }

    /// The task is paused, whatever is under way.
    func end() throws {
      try storage.recordNow(written: done, knowledge, isLast: true) { _ in true }
      // The writer's blocks are recorded with it.
      for range in storage.keptPromises.ranges { done.insert(range) }
      storage.release(1)
      #expect(
        eventually {
          hear()
          return isReleased
        })
    }

    func check(_ path: String) throws {
      guard case .record(let record) = try SidecarFile.peek(storage.place) else { throw TestSupportError("no record") }
      let bytes = try readFile(path)
      for range in record.written.ranges + record.synced.ranges {
        let claimed = bytes.dropFirst(Int(range.lowerBound)).prefix(range.count)
        #expect(claimed.count == range.count && claimed.allSatisfy { 10_000 + Int64($0) == record.completeLength })
        #expect(done.contains(range), "what was discarded is not claimed")
      }
    }
  }

  @Test(arguments: 0..<UInt64(40)) func `claim nothing that is not there`(seed: UInt64) throws {
    _ = (FileCreationMask.current, BootID.current)
    let scratch = try TemporaryDirectory()
    let directory = try TargetDirectory.open(path: Array(scratch.path.utf8))
    let workers = Workers(Runtime(idleTime: .zero, suspectsDevices: true), directory.base, syncs: true, groupLimit: 1)
    guard workers.start(for: EngineInbox()) else { throw TestSupportError("no threads") }
    let mirror = try request(0, "http://h/f", name: "f").mirrors[0].location
    let storage = ItemStorage(
      item: 1, url: mirror, mirrors: [mirror], at: try directory.resolve([Array("f".utf8)]), workers: workers,
      syncs: true, isNew: true, now: .zero)
    try makePart(of: storage, VersionKnowledge(completeLength: 10_001), workers)
    let walk = Walk(storage, workers, seed: seed)
    let faults = [SystemCall.pwrite, .fdatasync].map { Fault($0, below: scratch.path, persists: true, .late(2)) }
    try FaultTable.withFaults(faults) {
      for _ in 0..<12 {
        for _ in 0..<20 { try walk.step() }
        walk.finishJobs()
        try walk.check(scratch.path("f.swiftget-part"))
      }
      for _ in 0..<Int(seed) { try walk.step() }
      try walk.end()
      try walk.check(scratch.path("f.swiftget-part"))
    }
    _ = workers.stop(hearing: EngineInbox())
  }
}
