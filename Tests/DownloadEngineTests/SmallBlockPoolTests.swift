import Testing

@testable import DownloadEngine
@testable import DownloadFiles

@Suite struct `Pool of small blocks` {
  @Test(arguments: [0, 1, 2048, 2049, 4096, 5000, 32 << 10]) func `gives little more memory than is wanted`(
    _ byteCount: Int
  ) {
    let given = SmallBlockPool().take(byteCount: byteCount).memory.count
    #expect(given >= byteCount && given <= max(2 * byteCount, 2048))
  }

  @Test func `gives exactly what is wanted beyond its largest size`() {
    let pool = SmallBlockPool()
    let block = pool.take(byteCount: 100_000)
    #expect(block.memory.count == 100_000)
    pool.giveBack([block])
    #expect(pool.take(byteCount: 100_000) !== block)
  }

  @Test func `gives each returned block once, to whoever wants its size`() {
    let pool = SmallBlockPool()
    let (small, large) = (pool.take(byteCount: 4000), pool.take(byteCount: 9000))
    pool.giveBack([small, large])
    #expect(pool.take(byteCount: 1000) !== small)
    #expect(pool.take(byteCount: 3000) === small && pool.take(byteCount: 16 << 10) === large)
    #expect(pool.take(byteCount: 3000) !== small)
  }

  @Test func `keeps few idle blocks`() {
    let pool = SmallBlockPool()
    let blocks = (0..<1000).map { _ in pool.take(byteCount: 2048) }
    pool.giveBack(blocks)
    let known = Set(blocks.map(ObjectIdentifier.init))
    let again = (0..<1000).map { _ in pool.take(byteCount: 2048) }
    #expect((1..<200).contains(again.count { known.contains(ObjectIdentifier($0)) }))
  }

  /// A buffer hands its block over where that is full, and copies where the block is much larger than its content.
  @Test func `a body is handed over without the room that it did not need`() {
    let pool = SmallBlockPool()
    var buffer = SegmentBuffer()
    buffer.begin(at: 0, skip: 0, end: nil, contentLength: 3, pool)
    _ = [UInt8]("abc".utf8).withUnsafeBytes { buffer.take($0, from: 0, now: .zero) }
    let whole = buffer.takeWhole()
    #expect(whole.bytes.elementsEqual("abc".utf8) && buffer.collected.count == 0)
    var open = SegmentBuffer()
    open.begin(at: 0, skip: 0, end: nil, contentLength: nil, pool)
    _ = [UInt8]("abc".utf8).withUnsafeBytes { open.take($0, from: 0, now: .zero) }
    let copied = open.takeWhole()
    #expect(copied.bytes.elementsEqual("abc".utf8) && copied.block.memory.count == 3 && open.collected.count == 0)
  }
}
