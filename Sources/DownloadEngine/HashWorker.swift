internal import DownloadCore
internal import FileStore
internal import Transport

/// Computes digests on a thread of its own. It follows the contiguous prefix of growing part files, from the receive
/// buffer or from the page cache soon after it was written, and verifies small files in memory.
final class HashWorker: Sendable {
  let jobs = Mailbox<HashJob>()
  private let replies: Mailbox<WorkerReply>
  private let storage: StorageWorker
  private let publisher: Publisher
  private let backlog: SmallBacklog
  private let blocks: BlockPool
  private let smallBlocks: SmallBlockPool
  private let syncs: Bool
  /// Set when the run ends early: digests are then of no use.
  private let isStopped: StopFlag

  /// The state of one followed file.
  private struct Follower {
    let version: ItemVersion
    let part: PartFile
    let digests: DigestComputer
    var position: Int64 = 0
    var failure: SystemCallError?
  }

  /// The bytes that are read and hashed at a time: few enough to stay in the CPU cache.
  private static let blockByteCount = 256 << 10

  init(
    replies: Mailbox<WorkerReply>, storage: StorageWorker, publisher: Publisher, backlog: SmallBacklog,
    blocks: BlockPool, smallBlocks: SmallBlockPool, syncs: Bool, isStopped: StopFlag
  ) {
    self.backlog = backlog
    self.blocks = blocks
    self.smallBlocks = smallBlocks
    self.syncs = syncs
    self.isStopped = isStopped
    self.replies = replies
    self.storage = storage
    self.publisher = publisher
  }

  /// The thread's body.
  func run() {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockByteCount, alignment: 4096)
    defer { block.deallocate() }
    var followers: [Int: Follower] = [:]
    /// Files with a digest that OpenSSL cannot compute. Their `finish` is answered with `uncomputable`.
    var uncomputable: Set<ItemVersion> = []
    var computers: [[DigestAlgorithm]: DigestComputer] = [:]
    let pieces = PieceHasher()
    var existing = ExistingFileGroup()
    while true {
      // Jobs are popped one by one, so that the memory of each is freed when it is done.
      var left = Array(jobs.waitForAll().reversed())
      while let job = left.popLast() {
        switch job {
        case .follow(let version, let part, let algorithms):
          guard let digests = DigestComputer(algorithms) else {
            uncomputable.insert(version)
            continue
          }
          followers[version.item] = Follower(version: version, part: part, digests: digests)
        case .advance(let version, let offset):
          if followers[version.item]?.version == version { hash(&followers[version.item]!, to: offset, block) }
        case .block(let version, let filled, let offset):
          if followers[version.item]?.version == version { hash(&followers[version.item]!, filled, at: offset, block) }
          blocks.giveBack(filled.block)
        case .piece(let version, let part, let check):
          if let reply = pieces.verify(check, of: version, in: part, block, isStopped) { replies.post(reply) }
        case .finish(let version, _) where uncomputable.remove(version) != nil: replies.post(.uncomputable(version))
        case .finish(let version, let completeLength):
          guard var follower = followers.removeValue(forKey: version.item), follower.version == version else {
            continue
          }
          hash(&follower, to: completeLength, block)
          if isStopped.isSet { continue }
          if let failure = follower.failure {
            replies.post(.hashFailed(version, failure))
          } else {
            replies.post(.hashed(version, follower.digests.finish()))
          }
        case .forget(let item):
          followers[item] = nil
          uncomputable = uncomputable.filter { $0.item != item }
        case .existing(let item, let place, let expected, let attributes, let pieces):
          if let reply = self.existing(item, place, expected, pieces, attributes, block, &existing) {
            replies.post(reply)
          }
          if existing.isFull { replies.post(existing.finish()) }
        case .inspect(let batch): replies.post(.inspected(batch.map { ($0, $0.result()) }))
        case .small(let batch):
          var answers: [WorkerReply] = []
          var written: [MemoryBlock] = []
          let staged = batch.compactMap { stage($0, &computers, &answers, &written) }
          // Before the storage thread answers: what is recorded must be known when the file has its name.
          replies.post(answers)
          storage.jobs.post(staged)
          backlog.remove(batch.reduce(0) { $0 + $1.file.body.count })
          smallBlocks.giveBack(written)
        case .hurry: storage.jobs.post(.nameNow)
        case .end:
          replies.post(existing.finish())
          return
        }
      }
      replies.post(existing.finish())
    }
  }

  private func hash(_ follower: inout Follower, to end: Int64, _ block: UnsafeMutableRawBufferPointer) {
    while follower.failure == nil, follower.position < end, !isStopped.isSet {
      let wanted = Int(min(Int64(block.count), end - follower.position))
      do throws(SystemCallError) {
        let count = try follower.part.read(
          into: UnsafeMutableRawBufferPointer(rebasing: block[..<wanted]), at: follower.position)
        // The file is shorter than what was written: another process has truncated it.
        guard count == wanted else { throw SystemCallError(.pread, 5) }
        follower.digests.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
        follower.position += Int64(count)
      } catch {
        follower.failure = error
      }
    }
  }

  private func hash(
    _ follower: inout Follower, _ filled: FilledBlock, at offset: Int64, _ block: UnsafeMutableRawBufferPointer
  ) {
    hash(&follower, to: offset, block)
    guard follower.failure == nil, follower.position == offset else { return }
    follower.digests.update(filled.bytes)
    follower.position += Int64(filled.count)
  }

  /// Hashes an existing file.
  ///
  /// - Parameter group: gets the file if it is right and is to be marked.
  /// - Returns: the answer; nil if the group will give it, or if the run has ended early.
  private func existing(
    _ item: Int, _ place: TargetPlace, _ expected: [ExpectedDigest], _ pieces: PieceHashes?,
    _ attributes: FileAttributes, _ block: UnsafeMutableRawBufferPointer, _ group: inout ExistingFileGroup
  ) -> WorkerReply? {
    if isStopped.isSet { return nil }
    let wrong = WorkerReply.existingWrong(item: item)
    let pieces = expected.isEmpty ? pieces : nil
    guard let computer = DigestComputer(expected.map(\.digest.algorithm)),
      pieces.map({ DigestComputer.isAvailable($0.algorithm) }) ?? true
    else {
      return .uncomputable(ItemVersion(item: item, generation: 0))
    }
    guard let file = try? ExistingFile(place) else { return wrong }
    let streamed = pieces.map { StreamedPieces($0) }
    var offset: Int64 = 0
    while let count = try? file.read(into: block, at: offset) {
      if isStopped.isSet { return nil }
      if count == 0 {
        if let streamed {
          do { try streamed.finish() } catch { return wrong }
        }
        var attributes = attributes
        switch Verdict(expected: expected, computed: computer.finish()) {
        case .verified(let digest): attributes.digest = digest
        case .unverified where streamed != nil: attributes.digest = nil
        case .unverified, .mismatch, .notComputed: return wrong
        }
        guard syncs else { return .existingRight(item: item, verified: attributes.digest, byteCount: offset, nil) }
        group.add(ExistingFileGroup.Member(item: item, file: file, byteCount: offset, attributes: attributes))
        return nil
      }
      let bytes = UnsafeRawBufferPointer(rebasing: block[..<count])
      computer.update(bytes)
      if let streamed {
        do { try streamed.update(bytes) } catch { return wrong }
      }
      offset += Int64(count)
    }
    return wrong
  }

  /// Verifies a small file and writes it without its name.
  ///
  /// - Parameter written: gets the block of a file whose bytes nobody needs any more.
  private func stage(
    _ job: SmallJob, _ computers: inout [[DigestAlgorithm]: DigestComputer], _ answers: inout [WorkerReply],
    _ written: inout [MemoryBlock]
  ) -> StorageJob? {
    var file = job.file
    let algorithms = job.expected.algorithms(and: job.recorded)
    if !algorithms.isEmpty {
      if computers[algorithms] == nil { computers[algorithms] = DigestComputer(algorithms) }
      let computer = computers[algorithms]
      computer?.update(file.body.bytes)
      let computed = computer?.finish() ?? []
      if !job.recorded.isEmpty { answers.append(.smallHashed(job.version, computed)) }
      switch Verdict(expected: job.expected, computed: computed) {
      case .unverified: break
      case .verified(let digest): file.attributes.digest = digest
      case .mismatch(let expected, let actual):
        answers.append(.smallMismatched(job.version, expected: expected, actual: actual, body: file.body))
        return nil
      case .notComputed:
        answers.append(.uncomputable(job.version))
        return nil
      }
    }
    do throws(SystemCallError) {
      let staged = try publisher.stage(file, syncs: syncs)
      written.append(file.body.block)
      return .name(job.version, staged)
    } catch {
      answers.append(.smallFailed(job.version, error))
      return nil
    }
  }
}
