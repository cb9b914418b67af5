import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

@Suite(.waiting) struct `Storage worker` {
  private let handle: ItemHandle = 2

  private func staged(_ workers: WorkerRig, _ name: String, replacing: Bool = false) throws -> StagedFile {
    try workers.client.publisher.stage(
      SmallFile(
        place: workers.place(name), body: FilledBlock(copying: name.utf8), PublishOrder(isReplacing: replacing)),
      syncs: true)
  }

  private func published(_ replies: [WorkerReply]) -> [ItemHandle: PublicationError?] {
    var results: [ItemHandle: PublicationError?] = [:]
    for case .published(let item, _, let result) in replies {
      results[item] = if case .failure(let error) = result { .some(error) } else { .some(nil) }
    }
    return results
  }

  // MARK: Small files

  @Test func `publishes waiting files as one group with one sync of the directory`() throws {
    let workers = try WorkerRig()
    let files = try (0..<40).map { try staged(workers, "f\($0)") }
    #expect(workers.scratch.names().isEmpty)
    for (number, file) in files.enumerated() {
      workers.storing.post(.name([(ItemHandle(number), file)]))
    }
    var replies: [WorkerReply] = []
    let calls = FaultTable.recording { replies = workers.store() }
    #expect(published(replies).count == 40 && published(replies).values.allSatisfy { $0 == nil })
    #expect(workers.scratch.names().count == 40)
    #expect(try workers.scratch.read("f17") == Array("f17".utf8))
    let syncs = calls.filter { [.fsync, .fdatasync, .syncfs, .sync].contains($0.call) }
    #expect((1...3).contains(syncs.count), "\(syncs.map(\.call))")
    // First the data, then the names, then the directory.
    let firstName = try #require(calls.firstIndex { $0.call == .linkat || $0.call == .renameat })
    let lastName = try #require(calls.lastIndex { $0.call == .linkat || $0.call == .renameat })
    #expect(calls[..<firstName].contains { $0.call == .syncfs || $0.call == .fsync })
    #expect(calls[lastName...].contains { $0.call == .fsync || $0.call == .syncfs })
  }

  @Test func `reports the failed files of a group`() throws {
    let workers = try WorkerRig()
    try workers.scratch.write("b", "was there")
    for (number, name) in ["a", "b", "c"].enumerated() {
      workers.storing.post(.name([(ItemHandle(number), try staged(workers, name))]))
    }
    let results = published(workers.store())
    #expect(results == [0: nil, 1: .targetAppeared, 2: nil])
    #expect(try workers.scratch.read("b") == Array("was there".utf8))
  }

  @Test func `does not publish a file whose data cannot be synced`() throws {
    let workers = try WorkerRig()
    for number in 0..<3 {
      workers.storing.post(
        .name([(ItemHandle(number), try staged(workers, "f\(number)"))]))
    }
    let faults = [SystemCall.fsync, .fdatasync, .syncfs].map { Fault($0, persists: true, .failure(EIO)) }
    let results = published(FaultTable.withFaults(faults) { workers.store() })
    #expect(results.count == 3 && results.values.allSatisfy { $0 != nil })
    #expect(workers.scratch.names().isEmpty)
  }

  // MARK: Part files

  @Test func `records ranges as synced after their sync`() throws {
    let workers = try WorkerRig()
    let sidecar = try SidecarFile.open(workers.place("f"))
    let part = try workers.part("f", .generated(seed: 1, byteCount: 5000))
    let replies = workers.store(
      .sync(
        handle,
        Revocable(
          FilesToSync(part: part, sidecar: sidecar, record: workers.record("f", written: 0..<5000, synced: 0..<5000)))))
    guard case .synced(handle, ByteRangeSet([0..<5000]))? = replies.first else {
      Issue.record("\(replies)")
      return
    }
    #expect(try recorded(workers)?.synced == ByteRangeSet([0..<5000]))
  }

  @Test(arguments: [SystemCall.fdatasync, .fsync])
  func `keeps the previous record valid if a sync fails`(call: SystemCall) throws {
    let workers = try WorkerRig()
    let sidecar = try SidecarFile.open(workers.place("f"))
    let part = try workers.part("f", .generated(seed: 1, byteCount: 9000))
    if call == .fdatasync {
      _ = workers.store(
        .sync(
          handle,
          Revocable(
            FilesToSync(part: part, sidecar: sidecar, record: workers.record("f", written: 0..<5000, synced: 0..<5000)))
        ))
    }
    let replies = FaultTable.withFaults([Fault(call, .failure(EIO))]) {
      workers.store(
        .sync(
          handle,
          Revocable(
            FilesToSync(part: part, sidecar: sidecar, record: workers.record("f", written: 0..<9000, synced: 0..<9000)))
        ))
    }
    guard case .syncFailed(handle, let error)? = replies.first, replies.count == 1 else {
      Issue.record("\(replies)")
      return
    }
    #expect(error == SystemCallError(call, EIO))
    let expected: [Range<Int64>] = call == .fdatasync ? [0..<5000] : []
    #expect(try recorded(workers)?.synced ?? ByteRangeSet() == ByteRangeSet(expected))
    guard call == .fdatasync else { return }
    // A later sync could succeed although the bytes are lost, so none is made.
    let again = workers.store(
      .sync(
        handle,
        Revocable(
          FilesToSync(part: part, sidecar: sidecar, record: workers.record("f", written: 0..<9000, synced: 0..<9000)))))
    guard case .syncFailed(handle, SystemCallError(.fdatasync, EIO))? = again.first else {
      Issue.record("\(again)")
      return
    }
    #expect(try recorded(workers)?.synced == ByteRangeSet([0..<5000]))
  }

  @Test func `records nothing as synced where nothing can be synced`() throws {
    let workers = try WorkerRig()
    let sidecar = try SidecarFile.open(workers.place("f"))
    let part = try workers.part("f", .generated(seed: 1, byteCount: 9000))
    _ = workers.store(
      .sync(
        handle, Revocable(FilesToSync(part: part, sidecar: sidecar, record: workers.record("f", written: 0..<5000)))))
    let replies = FaultTable.withFaults([Fault(.fdatasync, .failure(EINVAL))]) {
      workers.store(
        .sync(
          handle,
          Revocable(
            FilesToSync(part: part, sidecar: sidecar, record: workers.record("f", written: 0..<9000, synced: 0..<5000)))
        ))
    }
    guard case .synced(handle, ByteRangeSet([0..<5000]))? = replies.first, replies.count == 1 else {
      Issue.record("\(replies)")
      return
    }
    #expect(try recorded(workers)?.synced == ByteRangeSet([0..<5000]))
    #expect(!part.place.directory.isDurable)
  }

  private func recorded(_ workers: WorkerRig) throws -> SidecarRecord? {
    let bytes = try workers.scratch.read("f.swiftget")
    guard case .record(let record) = SidecarReading(Array(bytes.prefix(Int(SidecarReading.holderOffset)))).outcome
    else {
      return nil
    }
    return record
  }

  private func publish(_ workers: WorkerRig, _ part: PartFile, _ sidecar: SidecarFile?, byteCount: Int64) -> StorageJob
  {
    .publish(
      2, part, sidecar, byteCount: byteCount,
      PublishOrder(attributes: FileAttributes(urlHash: 1), modified: FileTime(seconds: 1000)), syncs: true)
  }

  @Test func `publishes a complete part file and removes its sidecar`() throws {
    let workers = try WorkerRig()
    let content = Content.generated(seed: 1, byteCount: 5000)
    let sidecar = try SidecarFile.open(workers.place("f"))
    let part = try workers.part("f", content)
    let replies = workers.store(.writeback(part, 0..<4096), publish(workers, part, sidecar, byteCount: 5000))
    #expect(published(replies) == [2: nil] && workers.scratch.names() == ["f"])
    #expect(try content.firstDifference(inFile: workers.scratch.path("f")) == nil)
  }

  @Test func `does not publish a part file of another length or without a sync`() throws {
    let workers = try WorkerRig()
    let part = try workers.part("f", .generated(seed: 1, byteCount: 5000))
    #expect(published(workers.store(publish(workers, part, nil, byteCount: 4999))) == [2: .wrongLength(found: 5000)])
    let failed = FaultTable.withFaults([Fault(.fsync, .failure(EIO))]) {
      published(workers.store(publish(workers, part, nil, byteCount: 5000)))
    }
    #expect(failed == [2: .systemCall(SystemCallError(.fsync, EIO))])
    #expect(workers.scratch.names() == ["f.swiftget-part"])
  }
}
