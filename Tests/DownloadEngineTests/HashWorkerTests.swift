import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

@Suite(.waiting) struct `The hash worker` {
  private let handle: ItemHandle = 3

  @Test func `hashes a growing part file`() throws {
    let workers = try WorkerRig()
    let content = Content.generated(seed: 5, byteCount: 1_234_567)
    let part = try PartFile.create(workers.place("f"))
    let wanted = [try digest(content), try digest(content, .md5), try digest(content, .blake2b)]
    let (hasher, worker) = (workers.hasher, workers.hashing)
    startThread { hasher.run() }
    worker.post(.follow(handle, part, wanted.map(\.algorithm)))
    var offset: Int64 = 0
    for step: Int64 in [1, 4095, 262_144, 262_145, 0, 300_000] {
      try workers.write(content.bytes(in: offset..<offset + step), to: part, at: offset)
      offset += step
      worker.post(.advance(handle, to: offset))
      // A repeated offset costs nothing.
      worker.post(.advance(handle, to: offset / 2))
      pause(seconds: 0.01)
    }
    try workers.write(content.bytes(in: offset..<content.byteCount), to: part, at: offset)
    worker.post(.finish(handle, completeLength: content.byteCount))
    hasher.messages.post(.end)
    let replies = workers.replies.waitForAll()
    guard case .hashed(handle, let digests)? = replies.first, replies.count == 1 else {
      Issue.record("\(replies)")
      return
    }
    #expect(digests == wanted)
  }

  @Test func `hashes blocks from memory and reads only the other bytes`() throws {
    let workers = try WorkerRig()
    let content = Content.generated(seed: 8, byteCount: 700_001)
    // The file has other bytes in place of the blocks, because these must not be read.
    let part = try PartFile.create(workers.place("f"))
    try workers.write([UInt8](repeating: 0, count: Int(content.byteCount)), to: part)
    try workers.write(content.bytes(in: 100_000..<400_000), to: part, at: 100_000)
    let replies = workers.hash(
      .follow(handle, part, [.sha256]), .block(handle, filled(content, 0..<100_000, in: workers), at: 0),
      .block(handle, filled(content, 400_000..<600_000, in: workers), at: 400_000), .advance(handle, to: 500_000),
      .block(handle, filled(content, 600_000..<700_001, in: workers), at: 600_000),
      // These are too late or belong to another beginning.
      .block(handle, filled(content, 0..<5, in: workers), at: 0),
      .block(99, filled(content, 0..<5, in: workers), at: 700_001),
      .finish(handle, completeLength: content.byteCount))
    guard case .hashed(handle, [try digest(content)])? = replies.first, replies.count == 1 else {
      Issue.record("\(replies)")
      return
    }
    #expect(workers.client.blocks.hasRoom(besides: -7), "every block comes back")
  }

  private func filled(_ content: Content, _ range: Range<Int64>, in workers: WorkerRig) -> FilledBlock {
    let bytes = content.bytes(in: range)
    let block = workers.client.blocks.take(byteCount: bytes.count)
    block.memory.copyBytes(from: bytes)
    return FilledBlock(block: block, count: bytes.count)
  }

  @Test func `hashes nothing more once the run has ended early`() throws {
    let workers = try WorkerRig()
    let content = Content.generated(seed: 7, byteCount: 700_000)
    let part = try PartFile.create(workers.place("f"))
    try workers.write(content.bytes(in: 0..<content.byteCount), to: part, at: 0)
    let expected = try digest(content)
    let check = PieceCheck(index: 0, range: 0..<content.byteCount, expected: expected, number: 1)
    let jobs: [HashJob] = [
      .follow(handle, part, [.sha256]), .finish(handle, completeLength: content.byteCount),
      .piece(handle, part, check),
      .existing(9, part.place, expected: [ExpectedDigest(expected, .given)], FileAttributes()),
    ]
    workers.client.isHashingStopped.set()
    for job in jobs { #expect(workers.hash(job).isEmpty) }
  }

  @Test func `hashes everything at the end if it got no earlier jobs`() throws {
    let workers = try WorkerRig()
    let content = Content.generated(seed: 6, byteCount: 600_000)
    let part = try workers.part("f", content)
    let replies = workers.hash(.follow(handle, part, [.sha256]), .finish(handle, completeLength: content.byteCount))
    guard case .hashed(handle, [try digest(content)])? = replies.first else {
      Issue.record("\(replies)")
      return
    }
  }

  @Test func `does not answer for a forgotten file`() throws {
    let workers = try WorkerRig()
    let part = try workers.part("f", .text("abc"))
    let replies = workers.hash(
      .follow(handle, part, [.sha256]), .advance(handle, to: 3), .forget(handle),
      .advance(handle, to: 3), .finish(handle, completeLength: 3), .forget(99))
    #expect(replies.isEmpty)
  }

  @Test func `ignores jobs of an older beginning`() throws {
    let workers = try WorkerRig()
    let newer = ItemHandle(4)
    let part = try workers.part("f", .text("new content"))
    let replies = workers.hash(
      .follow(newer, part, [.sha256]), .advance(handle, to: 3), .finish(newer, completeLength: 11))
    guard case .hashed(newer, [try digest(.text("new content"))])? = replies.first else {
      Issue.record("\(replies)")
      return
    }
    // The end of an older beginning is ignored.
    #expect(workers.hash(.follow(newer, part, [.sha256]), .finish(handle, completeLength: 11)).isEmpty)
  }

  @Test func `reports a truncated part file`() throws {
    let workers = try WorkerRig()
    let part = try workers.part("f", .generated(seed: 1, byteCount: 499_999))
    let replies = workers.hash(
      .follow(handle, part, [.sha256]), .advance(handle, to: 500_000), .finish(handle, completeLength: 500_000))
    guard case .hashFailed(handle, SystemCallError(.pread, EIO))? = replies.first, replies.count == 1 else {
      Issue.record("\(replies)")
      return
    }
  }

  @Test func `reports a read error once, and continues with other files`() throws {
    let workers = try WorkerRig()
    let part = try workers.part("f", .text("abc"))
    let other: ItemHandle = 4
    let replies = FaultTable.withFaults([Fault(.pread, .failure(EIO))]) {
      workers.hash(
        .follow(handle, part, [.sha256]), .follow(other, part, [.sha256]), .advance(handle, to: 2),
        .advance(handle, to: 3), .finish(handle, completeLength: 3), .finish(other, completeLength: 3))
    }
    try #require(replies.count == 2)
    guard case .hashFailed(handle, SystemCallError(.pread, EIO)) = replies[0],
      case .hashed(other, [try digest(.text("abc"))]) = replies[1]
    else {
      Issue.record("\(replies)")
      return
    }
  }

  // MARK: Existing files

  @Test func `verifies an existing file`() throws {
    let workers = try WorkerRig()
    let content = Content.generated(seed: 7, byteCount: 700_000)
    try content.write(to: workers.scratch.path("f"))
    let right = [try digest(content), try digest(content, .sha1)]
    let wrong = [right[0], try digest(.text("other"), .sha1)]
    for (digests, isRight) in [(right, true), (wrong, false)] {
      let replies = workers.hash(
        .existing(
          8, try workers.place("f"), expected: digests.map { ExpectedDigest($0, .given) },
          FileAttributes(urlHash: 1)))
      switch replies.first {
      case .existingRight(8, .some, content.byteCount, .some)?: #expect(isRight)
      case .existingWrong(8)?: #expect(!isRight)
      default: Issue.record("\(replies)")
      }
    }
    let absent = workers.hash(
      .existing(9, try workers.place("g"), expected: right.map { ExpectedDigest($0, .given) }, FileAttributes()))
    guard case .existingWrong(9)? = absent.first else {
      Issue.record("\(absent)")
      return
    }
  }

  @Test func `verifies an existing file by its pieces where nothing else is known, and does not mark it`() throws {
    let workers = try WorkerRig()
    let content = Content.generated(seed: 8, byteCount: 700_000)
    try content.write(to: workers.scratch.path("f"))
    let bytes = content.allBytes
    let digests = try stride(from: 0, to: bytes.count, by: 300_000).map { start in
      try digest(.bytes(Array(bytes[start..<min(start + 300_000, bytes.count)])))
    }
    let other = try digest(.text("other"))
    let lists = [
      (digests, true), (digests.dropLast() + [other], false), ([other] + digests.dropFirst(), false),
      (digests.dropLast(), false), (digests + [other], false),
    ]
    for (digests, isRight) in lists {
      let replies = workers.hash(
        .existing(
          4, try workers.place("f"), expected: [], FileAttributes(urlHash: 1),
          pieces: PieceHashes(length: 300_000, digests: Array(digests))))
      switch replies.first {
      case .existingRight(4, nil, content.byteCount, nil)?: #expect(isRight)
      case .existingWrong(4)?: #expect(!isRight)
      default: Issue.record("\(replies)")
      }
      guard case .regular(let file) = try ExistingTarget.inspect(workers.place("f")) else { return }
      #expect(!file.isVouched(forURLHash: 1))
    }
  }

  @Test func `reports an existing file that cannot be synced, and does not mark it`() throws {
    let digests = [try digest(.text("abc"))]
    for (syncs, errno) in [(true, EIO), (true, EROFS), (false, EIO)] {
      let workers = try WorkerRig(syncs: syncs)
      try workers.scratch.write("f", "abc")
      let place = try workers.place("f")
      let calls = try FaultTable.recording {
        let replies = FaultTable.withFaults([Fault(.fsync, persists: true, .failure(errno))]) {
          workers.hash(
            .existing(3, place, expected: digests.map { ExpectedDigest($0, .given) }, FileAttributes()))
        }
        switch try #require(replies.first) {
        case .hashFailed(3, SystemCallError(.fsync, EIO)):
          #expect(syncs && errno == EIO)
        case .existingRight(3, .some, byteCount: 3, _): #expect(!syncs || errno == EROFS)
        default: Issue.record("\(replies)")
        }
      }
      #expect(calls.contains { $0.call == .fsetxattr } == (syncs && errno == EROFS))
    }
  }

  @Test func `treats an unreadable existing file as wrong`() throws {
    let workers = try WorkerRig()
    try workers.scratch.write("f", "abc")
    let digests = [try digest(.text("abc"))]
    let replies = try FaultTable.withFaults([Fault(.pread, .failure(EIO))]) {
      workers.hash(
        .existing(
          1, try workers.place("f"), expected: digests.map { ExpectedDigest($0, .given) }, FileAttributes()))
    }
    guard case .existingWrong(1)? = replies.first else {
      Issue.record("\(replies)")
      return
    }
  }

  // MARK: Small files

  private func job(_ workers: WorkerRig, _ number: Int, _ text: String, _ digests: [ContentDigest]) throws -> SmallJob {
    SmallJob(
      item: ItemHandle(number),
      file: SmallFile(place: try workers.place("small\(number)"), body: FilledBlock(copying: text.utf8)),
      expected: digests.map { ExpectedDigest($0, .given) })
  }

  @Test func `passes only right small files on to publication`() throws {
    let workers = try WorkerRig()
    let good = try digest(.text("good"))
    let replies = workers.hash(
      workers.small(
        try job(workers, 0, "good", [good]), try job(workers, 1, "bad", [good]), try job(workers, 2, "unknown", [])))
    try #require(replies.count == 1)
    guard
      case .smallMismatched(
        1, ExpectedDigest(good, .given), let actual, let body) = replies[0]
    else {
      Issue.record("\(replies)")
      return
    }
    #expect(actual == (try digest(.text("bad"))) && body.bytes.elementsEqual("bad".utf8))
    #expect(workers.scratch.names().isEmpty, "nothing has its name yet")
    let published = workers.store().compactMap { reply -> Int? in
      if case .published(let item, _, .success) = reply { item.number } else { nil }
    }
    #expect(published == [0, 2] && workers.scratch.names() == ["small0", "small2"])
    #expect(try workers.scratch.read("small0") == Array("good".utf8))
  }

  /// An engine without transfers looks at the backlog when an answer comes, and at no other time.
  @Test func `counts small files as written before anybody can answer for them`() throws {
    let workers = try WorkerRig(syncs: false)
    let storage = workers.storage.messages
    var lateCount = 0
    let thread = WorkerThread { [hasher = workers.hasher] in hasher.run() }
    #expect(thread != nil)
    for round in 0..<300 {
      let job = try job(workers, round, "content", [])
      workers.client.backlog.add(job.file.body.count)
      workers.hashing.post(workers.small(job))
      while storage.isEmpty {}
      if workers.client.backlog.value != 0 { lateCount += 1 }
      _ = storage.takeAll()
    }
    workers.hasher.messages.post(.end)
    #expect(lateCount == 0)
  }

  @Test func `reports the small file that cannot be written`() throws {
    let workers = try WorkerRig()
    let replies = try FaultTable.withFaults([Fault(.openat, number: 2, .failure(ENOSPC))]) {
      workers.hash(
        workers.small(try job(workers, 0, "a", []), try job(workers, 1, "b", []), try job(workers, 2, "c", [])))
    }
    guard case .smallFailed(1, let error)? = replies.first, replies.count == 1 else {
      Issue.record("\(replies)")
      return
    }
    #expect(error == SystemCallError(.openat, ENOSPC))
    #expect(workers.store().count == 2 && workers.scratch.names() == ["small0", "small2"])
  }

  @Test func `answers every job even if no digest can be computed`() async {
    // OpenSSL reads its configuration once, so this needs a separate process.
    await #expect(processExitsWith: .success) {
      let scratch = try TemporaryDirectory()
      try scratch.write(
        "openssl.cnf",
        """
        openssl_conf = init
        [init]
        alg_section = algorithms
        [algorithms]
        default_properties = fips=yes
        """)
      setenv("OPENSSL_CONF", scratch.path("openssl.cnf"), 1)
      let workers = try WorkerRig()
      let part = try workers.part("f", .text("abc"))
      try workers.scratch.write("there", "abc")
      let wanted = ContentDigest(.md5, repeating: 0)
      let handle: ItemHandle = 3
      let other: ItemHandle = 4
      let small = SmallJob(
        item: other, file: SmallFile(place: try workers.place("small"), body: FilledBlock(copying: "abc".utf8)),
        expected: [ExpectedDigest(wanted, .given)])
      let replies = workers.hash(
        .follow(handle, part, [.md5]), .advance(handle, to: 3), .finish(handle, completeLength: 3),
        .piece(handle, part, PieceCheck(index: 0, range: 0..<3, expected: wanted, number: 1)),
        .existing(5, try workers.place("there"), expected: small.expected, FileAttributes()), workers.small(small),
        // A forgotten file has no end.
        .follow(6, part, [.md5]), .forget(6), .finish(6, completeLength: 3))
      let items = replies.compactMap { reply in if case .uncomputable(let handle) = reply { handle } else { nil } }
      if items.sorted() != [3, 3, 4, 5] || replies.count != 4 { Issue.record("\(replies)") }
      if workers.scratch.names() != ["f.swiftget-part", "there"] { Issue.record("\(workers.scratch.names())") }
    }
  }
}
