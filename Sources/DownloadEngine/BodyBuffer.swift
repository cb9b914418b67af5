internal import DownloadCore

/// Memory of fixed capacity. One thread uses it at a time; the hand-over has to order the accesses.
final class MemoryBlock: @unchecked Sendable {
  let memory: UnsafeMutableRawBufferPointer

  init(byteCount: Int) { memory = .allocate(byteCount: byteCount, alignment: 4096) }

  deinit { memory.deallocate() }
}

/// A block of memory whose first `count` bytes are content.
struct FilledBlock: Sendable {
  let block: MemoryBlock
  let count: Int

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: block.memory[..<count]) }
}

/// Blocks on their way between the loop, which fills them, and the threads that read them.
final class BlockPool: Sendable {
  private struct State {
    var idle: [MemoryBlock] = []
    var lentCount = 0
  }

  private let state = Lock(State())
  /// The number of blocks that readers may hold. Beyond it, hash workers read the bytes back from the file.
  private static let lentLimit = 8

  /// The number of blocks that readers hold.
  var lentCount: Int { state.withLock { $0.lentCount } }

  /// Whether one more block may be handed to a reader.
  var hasRoom: Bool { lentCount < Self.lentLimit }

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

  var capacity: Int { block.memory.count }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: block.memory[..<count]) }

  mutating func reserve(_ capacity: Int) {
    block = MemoryBlock(byteCount: capacity)
    count = 0
  }

  /// Requires an empty buffer.
  mutating func grow(to capacity: Int) { reserve(capacity) }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, let target = block.memory.baseAddress else { return }
    (target + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  mutating func removeAll() { count = 0 }

  /// Empties the buffer and gives it another block.
  /// - Returns: the previous block with its content.
  mutating func replaceBlock(_ other: MemoryBlock) -> FilledBlock {
    defer {
      block = other
      count = 0
    }
    return FilledBlock(block: block, count: count)
  }
}
