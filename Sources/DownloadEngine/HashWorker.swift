internal import DownloadCore
internal import FileStore
internal import Transport

/// Computes digests on a thread of its own. It follows the contiguous prefix of growing part files, from the receive
/// buffer or from the page cache soon after it was written, and verifies small files in memory.
///
/// Small files and inspections are dealt with at once, all else by turns.
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

  /// The bytes that are read and hashed at a time: few enough to stay in the CPU cache.
  private static let blockByteCount = 256 << 10
  /// The bytes of a turn: few enough for others to wait, and the least while others wait.
  private static let turnByteCount = 16 << 20
  private static let leastTurnByteCount = 1 << 20

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
    var followed: [ItemHandle: FollowedContent] = [:]
    /// Files with a digest that OpenSSL cannot compute. Their `finish` is answered with `uncomputable`.
    var uncomputable: Set<ItemHandle> = []
    var computers: [[DigestAlgorithm]: DigestComputer] = [:]
    let pieceComputers = PieceComputers()
    var existing = ExistingFileGroup()
    var turns = HashTurns()
    var hasEnded = false
    func wait(_ content: FollowedContent) {
      let kind = content.completeLength == nil ? HashTurns.Kind.partial : .complete
      guard content.hasWork, content.queued != kind else { return }
      if let queued = content.queued { turns.remove(queued) { $0 === content } }
      content.queued = kind
      turns.add(content, kind)
    }
    while !hasEnded || !turns.isEmpty {
      // Jobs are popped one by one, so that the memory of each is freed when it is done.
      var left = Array((turns.isEmpty ? jobs.waitForAll() : jobs.takeAll()).reversed())
      while let job = left.popLast() {
        switch job {
        case .follow(let item, let part, let algorithms):
          if let old = followed[item], let queued = old.queued { turns.remove(queued) { $0 === old } }
          let content = DigestComputer(algorithms).map { FollowedContent(item, part, $0, isStopped) }
          followed[item] = content
          if content == nil { uncomputable.insert(item) } else { uncomputable.remove(item) }
        case .advance(let item, let offset):
          guard let content = followed[item] else { continue }
          content.advance(to: offset)
          wait(content)
        case .block(let item, let filled, let offset):
          if let content = followed[item] {
            content.advance(filled, at: offset, block)
            wait(content)
          }
          blocks.giveBack(filled.block)
        case .piece(let item, let part, let check):
          turns.add(PieceVerification(check, of: item, in: part, pieceComputers), .piece)
        case .finish(let item, _) where uncomputable.remove(item) != nil: replies.post(.uncomputable(item))
        case .finish(let item, let completeLength):
          guard let content = followed.removeValue(forKey: item) else { continue }
          content.finish(at: completeLength)
          wait(content)
        case .forget(let item):
          followed[item] = nil
          uncomputable.remove(item)
          turns.remove(item)
        case .existing(let item, let place, let expected, let attributes, let pieces):
          let check = ExistingCheck(item, place, expected: expected, pieces, attributes, syncs: syncs)
          turns.add(check, .existing)
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
        case .end: hasEnded = true
        }
      }
      guard let turn = turns.next() else { continue }
      switch take(turn, block) {
      case .unfinished:
        turns.putBack(turn)
        // Nothing that is right waits for a large file.
        if turn.kind == .existing { replies.post(existing.finish()) }
        continue
      case .finished(let reply): if let reply { replies.post(reply) }
      case .right(let member): existing.add(member)
      }
      (turn.work as? FollowedContent)?.queued = nil
      if turn.kind == .existing, existing.isFull || !turns.hasWork(.existing) { replies.post(existing.finish()) }
    }
  }

  /// Steps until the work is done or its turn is over.
  private func take(_ turn: HashTurns.Turn, _ block: UnsafeMutableRawBufferPointer) -> HashStep {
    var byteCount = 0
    while true {
      if isStopped.isSet { return .finished(nil) }
      let step = turn.work.step(block)
      guard case .unfinished = step else { return step }
      byteCount += block.count
      if byteCount >= Self.turnByteCount || (byteCount >= Self.leastTurnByteCount && !jobs.isEmpty) { return step }
    }
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
      if !job.recorded.isEmpty { answers.append(.smallHashed(job.item, computed)) }
      switch Verdict(expected: job.expected, computed: computed) {
      case .unverified: break
      case .verified(let digest): file.attributes.digest = digest
      case .mismatch(let expected, let actual):
        answers.append(.smallMismatched(job.item, expected: expected, actual: actual, body: file.body))
        return nil
      case .notComputed:
        answers.append(.uncomputable(job.item))
        return nil
      }
    }
    do throws(SystemCallError) {
      let staged = try publisher.stage(file, syncs: syncs)
      written.append(file.body.block)
      return .name(job.item, staged)
    } catch {
      answers.append(.smallFailed(job.item, error))
      return nil
    }
  }
}
