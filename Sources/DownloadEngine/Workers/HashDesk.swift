internal import DownloadCore
internal import DownloadFiles

/// What a hash thread has of one engine. Belongs to that thread.
final class HashDesk {
  let client: WorkerClient
  /// Of an engine that posts nothing more: passed once nothing is left to do.
  var fence: WorkerFence?
  private let block: UnsafeMutableRawBufferPointer
  private let computers: DigestComputers
  private var followed: [ItemHandle: FollowedContent] = [:]
  /// Files with a digest that OpenSSL cannot compute. Their `finish` is answered with `uncomputable`.
  private var uncomputable: Set<ItemHandle> = []
  private var existing = ExistingFileGroup()
  private var turns = HashTurns()

  /// The bytes of a turn: few enough for others to wait, and the least while others wait.
  private static let turnByteCount = 16 << 20
  private static let leastTurnByteCount = 1 << 20

  /// - Parameters:
  ///   - block: for the bytes that are read.
  ///   - computers: of the thread, as the block is.
  init(_ client: WorkerClient, _ block: UnsafeMutableRawBufferPointer, _ computers: DigestComputers) {
    self.client = client
    self.block = block
    self.computers = computers
  }

  /// Whether something waits for a turn.
  var hasWork: Bool { !turns.isEmpty && !client.isGone.isSet }

  /// Whether the engine has left, and nothing of it is left to do.
  var isDone: Bool { fence != nil && !hasWork }

  // MARK: Jobs

  func take(_ job: HashJob) {
    switch job {
    case .follow(let item, let part, let algorithms):
      if let old = followed[item], let queued = old.queued { turns.remove(queued) { $0 === old } }
      let content = DigestComputer(algorithms).map { FollowedContent(item, part, $0, client.isHashingStopped) }
      followed[item] = content
      if content == nil { uncomputable.insert(item) } else { uncomputable.remove(item) }
    case .advance(let item, let offset):
      guard let content = followed[item] else { return }
      content.advance(to: offset)
      wait(content)
    case .block(let item, let filled, let offset):
      if let content = followed[item] {
        content.advance(filled, at: offset, block)
        wait(content)
      }
      client.blocks.giveBack(filled.block)
    case .piece(let item, let part, let check):
      turns.add(PieceVerification(check, of: item, in: part, computers), .piece)
    case .finish(let item, _) where uncomputable.remove(item) != nil: client.replies.post(.uncomputable(item))
    case .finish(let item, let completeLength):
      guard let content = followed.removeValue(forKey: item) else { return }
      content.finish(at: completeLength)
      wait(content)
    case .forget(let item):
      followed[item] = nil
      uncomputable.remove(item)
      turns.remove(item)
    case .existing(let item, let place, let expected, let attributes, let pieces):
      let check = ExistingCheck(item, place, expected: expected, pieces, attributes, syncs: client.syncs)
      turns.add(check, .existing)
    case .inspect(let batch): client.replies.post(.inspected(batch.map { ($0, $0.result()) }))
    case .small(let batch, let storage): stage(batch, namedBy: storage)
    case .hurry(let storage): storage.post(.nameNow)
    }
  }

  private func wait(_ content: FollowedContent) {
    let kind = content.completeLength == nil ? HashTurns.Kind.partial : .complete
    guard content.hasWork, content.queued != kind else { return }
    if let queued = content.queued { turns.remove(queued) { $0 === content } }
    content.queued = kind
    turns.add(content, kind)
  }

  // MARK: Turns

  /// - Parameter othersWait: whether jobs have come in.
  func takeTurn(whileOthersWait othersWait: () -> Bool) {
    if client.isHashingStopped.isSet {
      turns = HashTurns()
      return client.replies.post(existing.finish())
    }
    guard let turn = turns.next() else { return }
    switch step(turn, othersWait) {
    case .unfinished:
      turns.putBack(turn)
      // Nothing that is right waits for a large file.
      if turn.kind == .existing { client.replies.post(existing.finish()) }
      return
    case .finished(let reply): if let reply { client.replies.post(reply) }
    case .right(let member): existing.add(member)
    }
    (turn.work as? FollowedContent)?.queued = nil
    if turn.kind == .existing, existing.isFull || !turns.hasWork(.existing) { client.replies.post(existing.finish()) }
  }

  /// Steps until the work is done or its turn is over.
  private func step(_ turn: HashTurns.Turn, _ othersWait: () -> Bool) -> HashStep {
    var byteCount = 0
    while true {
      if client.isHashingStopped.isSet { return .finished(nil) }
      let step = turn.work.step(block)
      guard case .unfinished = step else { return step }
      byteCount += block.count
      if byteCount >= Self.turnByteCount || (byteCount >= Self.leastTurnByteCount && othersWait()) { return step }
    }
  }

  // MARK: Small files

  private func stage(_ batch: [SmallJob], namedBy storage: WorkerPort<StorageJob>) {
    var answers: [WorkerReply] = []
    var written: [MemoryBlock] = []
    let staged = batch.compactMap { client.isGone.isSet ? nil : stage($0, &answers, &written) }
    // Before any answer: the last one may be all that has the loop look at the backlog again.
    client.backlog.add(-batch.reduce(0) { $0 + $1.file.body.count })
    // Before the storage thread answers: what is recorded must be known when the file has its name.
    client.replies.post(answers)
    if !staged.isEmpty { storage.post(.name(staged)) }
    client.smallBlocks.giveBack(written)
  }

  /// Verifies a small file and writes it without its name.
  ///
  /// - Parameter written: gets the block of a file whose bytes nobody needs any more.
  private func stage(_ job: SmallJob, _ answers: inout [WorkerReply], _ written: inout [MemoryBlock]) -> NamedItem? {
    var file = job.file
    let algorithms = job.expected.algorithms(and: job.recorded)
    if !algorithms.isEmpty {
      let computer = computers.take(algorithms)
      computer?.update(file.body.bytes)
      let computed = computer?.finish() ?? []
      if let computer { computers.giveBack(computer) }
      if !job.recorded.isEmpty { answers.append(.smallHashed(job.item, computed)) }
      switch DigestComparison(expected: job.expected, computed: computed) {
      case .unverified: break
      case .verified(let digest): file.order.attributes.digest = digest
      case .mismatch(let expected, let actual):
        answers.append(.smallMismatched(job.item, expected: expected, actual: actual, body: file.body))
        return nil
      case .notComputed:
        answers.append(.uncomputable(job.item))
        return nil
      }
    }
    do throws(SystemCallError) {
      let staged = try client.publisher.stage(file, syncs: client.syncs)
      written.append(file.body.block)
      return (job.item, staged)
    } catch {
      answers.append(.smallFailed(job.item, error))
      return nil
    }
  }
}
