internal import DownloadCore
internal import DownloadFiles

/// Blocks for small bodies, which the loop fills and the workers write to files.
///
/// The workers give them back and the loop uses them again: where one thread frees what another has allocated, both wait
/// for the allocator's lock.
final class SmallBlockPool: Sendable {
  /// The capacities of the blocks.
  private static let sizes = [2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10]
  /// Idle blocks of each size: more than a batch of small files, and little memory.
  private static let mostIdle = 64

  /// By the index in `sizes`.
  private let idle = Lock([[MemoryBlock]](repeating: [], count: sizes.count))

  /// A block with at least `byteCount` bytes. Below the largest size it has at most twice as many, or 2 KiB.
  func take(byteCount: Int) -> MemoryBlock {
    guard let index = Self.sizes.firstIndex(where: { $0 >= byteCount }) else {
      return MemoryBlock(byteCount: byteCount)
    }
    return idle.withLock { $0[index].popLast() } ?? MemoryBlock(byteCount: Self.sizes[index])
  }

  /// Takes back blocks, of any size, that nobody else uses any more.
  func giveBack(_ blocks: [MemoryBlock]) {
    idle.withLock {
      for block in blocks {
        guard let index = Self.sizes.firstIndex(of: block.memory.count), $0[index].count < Self.mostIdle else {
          continue
        }
        $0[index].append(block)
      }
    }
  }
}
