internal import DownloadCore
internal import DownloadFiles

/// Has a worker hash a part file behind the writer, if a digest is expected.
///
/// idle ──follow──► following ──finish, forget──► idle
struct HashFeed {
  private let worker: WorkerPort<HashJob>
  /// The offset up to which the worker has been told to hash; nil while it is idle.
  private(set) var position: Int64?
  /// The algorithms that the worker was told to compute last.
  private var algorithms: [DigestAlgorithm] = []
  /// Whether the worker may have something of the item.
  private var hasWork = false

  /// The bytes per wake-up of the worker: few enough to be in the CPU cache still.
  private static let step: Int64 = 1 << 20

  /// - Parameter worker: the only worker that hashes this item's content.
  init(worker: WorkerPort<HashJob>) { self.worker = worker }

  var isFollowing: Bool { position != nil }

  /// Starts at the beginning of the part file. Does nothing if the worker follows already or `algorithms` is empty.
  mutating func follow(_ part: PartFile, _ algorithms: [DigestAlgorithm], of item: ItemHandle, contiguousEnd: Int64) {
    guard !algorithms.isEmpty, !isFollowing else { return }
    hasWork = true
    worker.post(.follow(item, part, algorithms))
    position = 0
    self.algorithms = algorithms
    advance(to: contiguousEnd, of: item)
  }

  /// The part file is complete below `end`.
  mutating func advance(to end: Int64, of item: ItemHandle) {
    guard let position, end - position >= Self.step else { return }
    self.position = end
    worker.post(.advance(item, to: end))
  }

  /// Has bytes hashed from the buffer that they arrived in, which saves reading them back.
  mutating func hash(_ block: FilledBlock, at offset: Int64, of item: ItemHandle) {
    position = offset + Int64(block.count)
    worker.post(.block(item, block, at: offset))
  }

  /// The content is complete: the worker answers with the digests.
  mutating func finish(_ part: PartFile, _ algorithms: [DigestAlgorithm], of item: ItemHandle, completeLength: Int64) {
    // A digest that became known late is not being computed yet.
    if !Set(self.algorithms).isSuperset(of: algorithms) { position = nil }
    follow(part, algorithms, of: item, contiguousEnd: completeLength)
    worker.post(.finish(item, completeLength: completeLength))
    position = nil
  }

  /// Stops hashing.
  mutating func forget(_ item: ItemHandle) {
    guard hasWork else { return }
    worker.post(.forget(item))
    position = nil
    hasWork = false
  }
}
