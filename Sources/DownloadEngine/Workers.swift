internal import DownloadCore
internal import FileStore

/// The worker threads: one syncs and publishes part files, one small files, two hash and inspect targets.
///
/// Owned by the loop's thread. The threads get jobs through mailboxes and answer through `replies`.
final class Workers {
  let replies = Mailbox<WorkerReply>()
  /// Syncs and publishes part files, each of which may take long.
  let storage: StorageWorker
  /// Syncs and names groups of small files, which wait for no part file.
  let smallStorage: StorageWorker
  let publisher = Publisher()
  /// The small files that no worker has written yet.
  let backlog = SmallBacklog()
  let blocks = BlockPool()
  let smallBlocks = SmallBlockPool()
  private let hashers: [HashWorker]
  private let isHashingStopped = StopFlag()
  private var threads: [WorkerThread] = []
  private var next = 0

  /// - Parameter groupLimit: small files that are synced and named together at most.
  init(syncs: Bool, groupLimit: Int) {
    let (storage, smallStorage) = (
      StorageWorker(replies: replies, publisher: publisher, syncs: syncs, groupLimit: groupLimit),
      StorageWorker(replies: replies, publisher: publisher, syncs: syncs, groupLimit: groupLimit)
    )
    let (replies, publisher, backlog) = (replies, publisher, backlog)
    let (blocks, smallBlocks, isHashingStopped) = (blocks, smallBlocks, isHashingStopped)
    hashers = (0..<2).map { _ in
      HashWorker(
        replies: replies, storage: smallStorage, publisher: publisher, backlog: backlog, blocks: blocks,
        smallBlocks: smallBlocks, syncs: syncs, isStopped: isHashingStopped)
    }
    self.storage = storage
    self.smallStorage = smallStorage
  }

  /// - Returns: false if the system has no more threads; `stop` ends those that run.
  func start() -> Bool {
    for worker in [storage, smallStorage] {
      guard let thread = WorkerThread({ worker.run() }) else { return false }
      threads.append(thread)
    }
    for hasher in hashers {
      guard let thread = WorkerThread({ hasher.run() }) else { return false }
      threads.append(thread)
    }
    return true
  }

  /// Ends all hashing of part files and of existing files, without answers. Small files still get their names.
  func stopHashing() { isHashingStopped.set() }

  /// Waits until all jobs are done and the threads have ended, or until an order not to wait. The threads end all the
  /// same, when a sync that is under way is done.
  func stop(hearing inbox: EngineInbox) {
    for hasher in hashers { hasher.jobs.post(.end) }
    let haveEnded = threads.dropFirst(2).allSatisfy { $0.join { inbox.wait(for: $0) } }
    for worker in [storage, smallStorage] { worker.jobs.post(.end) }
    if haveEnded { _ = threads.prefix(2).allSatisfy { $0.join { inbox.wait(for: $0) } } }
  }

  /// The thread that hashes this item's content; the same one for each call.
  func hasher(of item: ItemHandle) -> Mailbox<HashJob> { hashers[item.number % hashers.count].jobs }

  /// The thread that hashes this piece. All share the pieces of a file.
  func hasher(of piece: PieceCheck) -> Mailbox<HashJob> { hashers[piece.index % hashers.count].jobs }

  /// The next hash thread in turn.
  func nextHasher() -> Mailbox<HashJob> {
    next = (next + 1) % hashers.count
    return hashers[next].jobs
  }

  /// Has all waiting small files named now.
  func hurry() {
    for hasher in hashers { hasher.jobs.post(.hurry) }
  }
}
