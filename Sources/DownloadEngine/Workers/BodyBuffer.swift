internal import DownloadCore
internal import DownloadFiles

/// Blocks on their way between the loop, which fills them, and the threads that read them.
final class BlockPool: Sendable {
  private struct State {
    var idle: [MemoryBlock] = []
    var lentCount = 0
  }

  private let state = Lock(State())
  /// The number of blocks that readers may hold. Beyond it, hash workers read the bytes back from the file.
  private static let lentLimit = 8

  /// Whether one more block may be handed to a reader.
  ///
  /// - Parameter count: blocks that were not handed to readers, but to a writer.
  func hasRoom(besides count: Int) -> Bool { state.withLock { $0.lentCount } - count < Self.lentLimit }

  /// Returns a block to replace one that goes to a reader.
  func take(byteCount: Int) -> MemoryBlock {
    state.withLock {
      $0.lentCount += 1
      if let last = $0.idle.last, last.memory.count == byteCount { return $0.idle.removeLast() }
      return MemoryBlock(byteCount: byteCount)
    }
  }

  /// Takes back a block that a reader has finished with.
  func giveBack(_ block: MemoryBlock) {
    state.withLock {
      $0.lentCount -= 1
      if $0.idle.count < Self.lentLimit { $0.idle.append(block) }
    }
  }
}

/// A block of memory of fixed capacity that is filled from the front.
struct BodyBuffer: ~Copyable {
  private var block = MemoryBlock(byteCount: 0)
  private(set) var count = 0
  /// The maximum of `count`. The block may be larger.
  private(set) var capacity = 0

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: block.memory[..<count]) }

  /// Requires an empty buffer.
  mutating func reserve(_ capacity: Int, _ pool: SmallBlockPool) {
    block = pool.take(byteCount: capacity)
    self.capacity = capacity
  }

  /// Requires an empty buffer.
  mutating func grow(to capacity: Int) {
    block = MemoryBlock(byteCount: capacity)
    self.capacity = capacity
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, let target = block.memory.baseAddress else { return }
    (target + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  mutating func removeAll() { count = 0 }

  /// Empties the buffer.
  ///
  /// - Returns: its content, in a block that is not much larger.
  mutating func takeContent() -> FilledBlock {
    if count == capacity { return replaceBlock(MemoryBlock(byteCount: 0)) }
    defer { count = 0 }
    return FilledBlock(copying: bytes)
  }

  /// Empties the buffer and gives it another block.
  /// - Returns: the previous block with its content.
  mutating func replaceBlock(_ other: MemoryBlock) -> FilledBlock {
    defer {
      block = other
      capacity = other.memory.count
      count = 0
    }
    return FilledBlock(block: block, count: count)
  }
}
