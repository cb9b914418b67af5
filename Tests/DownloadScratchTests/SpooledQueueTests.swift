import DownloadFiles
import TestSupport
import Testing

@testable import DownloadScratch

@Suite struct `A queue that is spooled to a file` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func queue() -> SpooledQueue { SpooledQueue(beside: Array(directory.path("queue").utf8)) }

  private func text(_ number: Int) -> [UInt8] {
    // With lengths from nothing to more than a block.
    let length = number % 997 == 0 ? 100_000 : number % 50
    return Array("\(number):".utf8) + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)
  }

  @Test func `gives texts in order`() throws {
    let queue = queue()
    #expect(try queue.next() == nil)
    for number in 0..<20_000 { try queue.add(text(number)) }
    for number in 0..<20_000 { #expect(try queue.next() == text(number)) }
    #expect(try queue.next() == nil)
    try queue.add([])
    #expect(try queue.next() == [] && queue.next() == nil)
    #expect(directory.names().isEmpty)
  }

  @Test func `gives texts in order while others come`() throws {
    let queue = queue()
    var random = SeededGenerator(seed: 3)
    var (added, taken) = (0, 0)
    while taken < 30_000 {
      for _ in 0..<Int.random(in: 0...400, using: &random) where added < 30_000 {
        try queue.add(text(added))
        added += 1
      }
      for _ in 0..<Int.random(in: 0...400, using: &random) where taken < added {
        #expect(try queue.next() == text(taken))
        taken += 1
      }
      if taken == added { #expect(try queue.next() == nil) }
    }
  }

  @Test func `holds little in memory`() throws {
    let queue = queue()
    let text = [UInt8](repeating: 7, count: 300)
    for _ in 0..<100_000 { try queue.add(text) }
    #expect(queue.memoryByteCount <= SpooledQueue.blockByteCount + 400)
    for _ in 0..<1000 { #expect(try queue.next() == text) }
    #expect(queue.memoryByteCount <= 2 * SpooledQueue.blockByteCount + 800)
  }

  @Test func `makes no file for a few texts, and says where it cannot make one`() throws {
    let queue = SpooledQueue(beside: Array("/proc/none/queue".utf8))
    for number in 0..<100 { try queue.add(Array("\(number)".utf8)) }
    #expect(try queue.next() == Array("0".utf8))
    let block = [UInt8](repeating: 1, count: SpooledQueue.blockByteCount)
    try queue.add(block)
    #expect(throws: FileFailure.self) { try queue.add(block) }
    for number in 1..<100 { #expect(try queue.next() == Array("\(number)".utf8)) }
    #expect(try queue.next() == block && queue.next() == nil)
  }
}
