/// Memory of fixed capacity. One thread uses it at a time; the hand-over has to order the accesses.
package final class MemoryBlock: @unchecked Sendable {
  package let memory: UnsafeMutableRawBufferPointer

  package init(byteCount: Int) {
    // Pages matter where large blocks are copied. glibc before 2.38 never reuses a freed block for one with a larger
    // alignment, so the heap would grow with blocks that come and go with each file.
    let alignment = byteCount < 256 << 10 ? MemoryLayout<UInt>.alignment : 4096
    memory = .allocate(byteCount: byteCount, alignment: alignment)
  }

  deinit { memory.deallocate() }
}

/// A block of memory whose first `count` bytes are content.
package struct FilledBlock: Sendable {
  package let block: MemoryBlock
  package let count: Int

  package init(block: MemoryBlock, count: Int) {
    self.block = block
    self.count = count
  }

  package static let empty = FilledBlock(block: MemoryBlock(byteCount: 0), count: 0)

  /// A block that is full.
  package init(copying bytes: some Collection<UInt8>) {
    block = MemoryBlock(byteCount: bytes.count)
    count = bytes.count
    block.memory.copyBytes(from: bytes)
  }

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: block.memory[..<count]) }
}
