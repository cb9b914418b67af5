internal import DownloadCore

/// Memory of fixed capacity; one thread's at a time, which whoever hands it over sees to.
final class MemoryBlock: @unchecked Sendable {
  let memory: UnsafeMutableRawBufferPointer

  init(byteCount: Int) { memory = .allocate(byteCount: byteCount, alignment: 4096) }

  deinit { memory.deallocate() }
}

/// A block and how much of it, from the front, is content.
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
  /// So many may be with their readers; whoever finds no more room leaves the bytes to be read from the file.
  private static let lentLimit = 8

  /// Blocks that their readers have.
  var lentCount: Int { state.withLock { $0.lentCount } }

  /// Whether one more block may be handed to a reader.
  var hasRoom: Bool { lentCount < Self.lentLimit }

  /// A block in place of one that a reader gets.
  func take(byteCount: Int) -> MemoryBlock {
    state.withLock {
      $0.lentCount += 1
      if let last = $0.idle.last, last.memory.count == byteCount { return $0.idle.removeLast() }
      return MemoryBlock(byteCount: byteCount)
    }
  }

  /// The reader is done with it.
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

  /// Only while empty.
  mutating func grow(to capacity: Int) { reserve(capacity) }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, let target = block.memory.baseAddress else { return }
    (target + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  mutating func removeAll() { count = 0 }

  /// Empty again, on another block.
  /// - Returns: the one it had.
  mutating func replaceBlock(_ other: MemoryBlock) -> FilledBlock {
    defer {
      block = other
      count = 0
    }
    return FilledBlock(block: block, count: count)
  }
}
