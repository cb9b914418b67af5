import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Files that were there before the run and match their digests.
@Suite(.waiting) struct `Existing files that are right` {
  private let workers: WorkerRig
  private let content = Content.generated(seed: 9, byteCount: 100)
  private let expected: ContentDigest

  init() throws {
    workers = try WorkerRig()
    expected = try digest(content)
  }

  private func job(_ item: Int) throws -> HashJob {
    .existing(
      ItemHandle(item), try workers.place("f\(item)"), expected: [ExpectedDigest(expected, .given)],
      FileAttributes(urlHash: 5))
  }

  private func write(_ count: Int) throws {
    for item in 0..<count { try workers.scratch.write("f\(item)", content.allBytes) }
  }

  /// What the worker answers to the jobs of so many files, and its calls.
  private func hash(_ count: Int) throws -> (replies: [WorkerReply], calls: [RecordedCall]) {
    workers.hashing.post(try (0..<count).map { try job($0) })
    var replies: [WorkerReply] = []
    let calls = FaultTable.recording { replies = workers.hash() }
    return (replies, calls)
  }

  private func isMarked(_ item: Int) throws -> Bool {
    guard case .regular(let file) = try ExistingTarget.inspect(workers.place("f\(item)")) else { return false }
    return file.isVouched(for: expected)
  }

  /// Items that the replies call verified.
  private func verified(_ replies: [WorkerReply]) -> [Int] {
    replies.compactMap { reply in
      if case .existingRight(let item, .some, 100, .some) = reply { item.number } else { nil }
    }
  }

  /// Items that the replies call failed.
  private func failed(_ replies: [WorkerReply]) -> [Int] {
    replies.compactMap { reply in
      if case .hashFailed(let item, _) = reply { item.number } else { nil }
    }
  }

  @Test(arguments: [1, 15, 16, 40]) func `are put on stable storage together, and then marked`(count: Int) throws {
    try write(count)
    let (replies, calls) = try hash(count)
    #expect(verified(replies) == Array(0..<count))
    for item in 0..<count { #expect(try isMarked(item)) }
    let isGrouped = count >= 16
    #expect(calls.count { $0.call == .syncfs } == (isGrouped ? 1 : 0))
    // One is that of the directory.
    #expect(calls.count { $0.call == .fsync } == (isGrouped ? 1 : count + 1))
    let lastSync = calls.lastIndex { $0.call == .fsync }
    #expect(calls.firstIndex { $0.call == .fsetxattr }! > lastSync!)
    #expect(calls.lastIndex { $0.call == .pread }! < calls.firstIndex { $0.call == .fsync || $0.call == .syncfs }!)
  }

  @Test func `are synced in several groups where they are many`() throws {
    try write(600)
    let (replies, calls) = try hash(600)
    #expect(verified(replies).count == 600)
    #expect(calls.count { $0.call == .syncfs } == 3)
    var openCount = 0
    var mostOpen = 0
    for call in calls where call.result >= 0 {
      if call.call == .openat { openCount += 1 } else if call.call == .close { openCount -= 1 }
      mostOpen = max(mostOpen, openCount)
    }
    #expect(mostOpen <= 256, "each holds a descriptor")
  }

  @Test func `are synced before long where they are large`() throws {
    let large = Content.generated(seed: 3, byteCount: 20 << 20)
    let wanted = try digest(large)
    for item in 0..<3 { try workers.scratch.write("f\(item)", large.allBytes) }
    workers.hashing.post(
      try (0..<3).map {
        .existing(
          ItemHandle($0), try workers.place("f\($0)"), expected: [ExpectedDigest(wanted, .given)],
          FileAttributes(urlHash: 5))
      })
    var replies: [WorkerReply] = []
    let calls = FaultTable.recording { replies = workers.hash() }
    #expect(replies.count == 3)
    let firstSync = try #require(calls.firstIndex { $0.call == .fsync })
    #expect(calls[firstSync...].contains { $0.call == .pread }, "the third is hashed after the first two are synced")
  }

  @Test func `are synced one by one where the sync of the file system fails`() throws {
    try write(20)
    workers.hashing.post(try (0..<20).map { try job($0) })
    var replies: [WorkerReply] = []
    // The sixth sync is that of the sixth file.
    let faults = [Fault(.syncfs, .failure(EIO)), Fault(.fsync, number: 6, .failure(EIO))]
    FaultTable.withFaults(faults) { replies = workers.hash() }
    #expect(failed(replies) == [5] && verified(replies) == (0..<20).filter { $0 != 5 })
    for item in 0..<20 { #expect(try isMarked(item) == (item != 5)) }
  }

  @Test func `are not marked if their directory cannot be synced`() throws {
    try write(20)
    workers.hashing.post(try (0..<20).map { try job($0) })
    var replies: [WorkerReply] = []
    FaultTable.withFaults([Fault(.fsync, .failure(EIO))]) { replies = workers.hash() }
    #expect(failed(replies) == Array(0..<20))
    for item in 0..<20 { #expect(try !isMarked(item)) }
  }

  @Test(arguments: [EROFS, EINVAL]) func `need no sync where there is nothing to write`(errno: Int32) throws {
    try write(3)
    workers.hashing.post(try (0..<3).map { try job($0) })
    var replies: [WorkerReply] = []
    FaultTable.withFaults([Fault(.fsync, persists: true, .failure(errno))]) { replies = workers.hash() }
    #expect(verified(replies) == [0, 1, 2])
  }

  @Test func `are not marked if they change before they are synced`() throws {
    try write(20)
    let place = try workers.place("f7")
    var group = ExistingFileGroup()
    for item in 0..<20 {
      group.add(
        ExistingFileGroup.Member(
          item: ItemHandle(item), file: try ExistingFile(workers.place("f\(item)")), byteCount: 100,
          attributes: FileAttributes(digest: .found(expected), urlHash: 5)))
    }
    // The kernel's clock for change times is coarse.
    pause(seconds: 0.05)
    let descriptor = try SystemCalls.openat(place.directory.raw, place.name, O_RDWR)
    try SystemCalls.pwriteAll(descriptor.raw, [1, 2, 3], at: 0)
    #expect(group.finish().count == 20 && group.finish().isEmpty)
    for item in 0..<20 { #expect(try isMarked(item) == (item != 7)) }
  }

  @Test func `that are wrong are told at once`() throws {
    try write(20)
    try workers.scratch.write("f3", [UInt8](repeating: 1, count: 100))
    let (replies, _) = try hash(20)
    guard case .existingWrong(3)? = replies.first else {
      Issue.record("\(String(describing: replies.first))")
      return
    }
    #expect(verified(replies) == (0..<20).filter { $0 != 3 })
    #expect(try !isMarked(3))
  }
}
