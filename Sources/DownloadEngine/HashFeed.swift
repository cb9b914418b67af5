internal import DownloadCore
internal import FileStore

/// Has a worker hash a part file behind the writing, where a digest will be asked for.
///
/// idle ──follow──► following ──finish, forget──► idle
struct HashFeed {
  private let worker: Mailbox<HashJob>
  /// The worker was told of everything below this offset; nil while it is idle.
  private(set) var position: Int64?
  /// What the worker computed last.
  private var algorithms: [DigestAlgorithm] = []

  /// The worker is woken for so many bytes, which are still in the cache then.
  private static let step: Int64 = 1 << 20

  /// - Parameter worker: hashes this item's content, and no other worker does.
  init(worker: Mailbox<HashJob>) { self.worker = worker }

  var isFollowing: Bool { position != nil }

  /// Begins at the start of the part file, unless the worker follows already or nothing is to be computed.
  mutating func follow(
    _ part: PartFile, _ algorithms: [DigestAlgorithm], of version: ItemVersion, contiguousEnd: Int64
  ) {
    guard !algorithms.isEmpty, !isFollowing else { return }
    worker.post(.follow(version, part, algorithms))
    position = 0
    self.algorithms = algorithms
    advance(to: contiguousEnd, of: version)
  }

  /// Everything below `end` is in the part file.
  mutating func advance(to end: Int64, of version: ItemVersion) {
    guard let position, end - position >= Self.step else { return }
    self.position = end
    worker.post(.advance(version, to: end))
  }

  /// Has recorded bytes hashed out of the buffer they came in, which spares reading them back.
  mutating func hash(_ block: FilledBlock, at offset: Int64, of version: ItemVersion) {
    position = offset + Int64(block.count)
    worker.post(.block(version, block, at: offset))
  }

  /// All is there: the worker answers with the digests.
  mutating func finish(
    _ part: PartFile, _ algorithms: [DigestAlgorithm], of version: ItemVersion, completeLength: Int64
  ) {
    // A digest that became known late finds nobody computing it yet.
    if !Set(self.algorithms).isSuperset(of: algorithms) { position = nil }
    follow(part, algorithms, of: version, contiguousEnd: completeLength)
    worker.post(.finish(version, completeLength: completeLength))
    position = nil
  }

  /// The content is no longer wanted.
  mutating func forget(item: Int) {
    guard isFollowing else { return }
    worker.post(.forget(item: item))
    position = nil
  }
}
