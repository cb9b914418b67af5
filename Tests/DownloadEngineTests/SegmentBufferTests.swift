import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles
@testable import DownloadTransport

@Suite(.waiting) struct `Segment buffer` {
  private let pool = SmallBlockPool()

  /// The written bytes, in order.
  private struct Stored {
    var start: Int64?
    var bytes: [UInt8] = []
  }

  /// Passes a chunk to the buffer like the engine, and writes its content to `stored`.
  private func give(_ piece: [UInt8], to buffer: inout SegmentBuffer, _ stored: inout Stored) throws -> Bool {
    var index = 0
    while true {
      switch piece.withUnsafeBytes({ buffer.take($0, from: index, now: .zero) }) {
      case .all: return true
      case .ended: return false
      case .flushFirst(let rest):
        try #require(buffer.collected.count > 0, "an empty buffer that is full would be flushed forever")
        try flush(&buffer, &stored)
        index = rest
      }
    }
  }

  private func flush(_ buffer: inout SegmentBuffer, _ stored: inout Stored) throws {
    if buffer.collected.count > 0 {
      let next = (stored.start ?? buffer.start) + Int64(stored.bytes.count)
      try #require(buffer.start == next, "a gap, or bytes written twice")
      stored.start = stored.start ?? buffer.start
      stored.bytes += buffer.collected.bytes
    }
    buffer.flushed()
    #expect(buffer.collected.count == 0)
  }

  /// For random bodies, chunks, skips and moving ends, the stored bytes are exactly the wanted slice.
  @Test func `stores exactly the wanted slice`() throws {
    for round in 0..<1500 {
      let seed = UInt64(round) &+ 77
      var random = SeededGenerator(seed: seed)
      func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
      let isBig = round % 100 == 0
      let length = isBig ? number(500_000...900_000) : number(0...3000)
      let at = number(0...5000)
      let skip = number(0...3) == 0 ? number(0...length) : 0
      let isLengthKnown = number(0...2) > 0
      var end: Int64? = number(0...2) == 0 ? at + skip + number(0...length) : nil
      let content = Content.generated(seed: seed, byteCount: at + length)
      let body = content.bytes(in: at..<at + length)

      var buffer = SegmentBuffer()
      buffer.begin(at: at, skip: skip, end: end, contentLength: isLengthKnown ? length : nil, pool)
      var stored = Stored()
      var reached = end.map { min($0, at + length) } ?? at + length
      var position = 0
      var goesOn = true
      while goesOn, position < body.count {
        let count = min(body.count - position, Int(number(1...(isBig ? 70_000 : 700))))
        goesOn = try give(Array(body[position..<position + count]), to: &buffer, &stored)
        position += count
        if number(0...9) == 0 { try flush(&buffer, &stored) }
        if number(0...19) == 0 {
          let moved = at + number(0...length)
          // An end that the body has reached stays.
          let isPassed = end.map { buffer.offset >= $0 && moved > $0 } ?? false
          buffer.setEnd(moved)
          if !isPassed {
            end = moved
            // Stored bytes are right.
            reached = min(at + length, max(moved, buffer.offset))
          }
        }
      }
      try flush(&buffer, &stored)
      let wanted = at + skip..<max(at + skip, reached)
      #expect(stored.bytes == content.bytes(in: wanted), "seed \(seed)")
      #expect(wanted.isEmpty || stored.start == wanted.lowerBound, "seed \(seed)")
      // It ends early only at the wanted end, and always at a wanted end before that of the body.
      if !goesOn { #expect(end != nil && buffer.offset >= end!, "seed \(seed)") }
      if let end, end < at + length, position >= body.count || !goesOn { #expect(Bool(buffer.isCut), "seed \(seed)") }
    }
  }

  @Test func `collects small chunks into large ones and starts small`() throws {
    var small = SegmentBuffer()
    small.begin(at: 0, skip: 0, end: nil, contentLength: 1000, pool)
    #expect(small.collected.capacity == 1000)
    var buffer = SegmentBuffer()
    buffer.begin(at: 0, skip: 0, end: nil, contentLength: nil, pool)
    #expect(buffer.collected.capacity == SegmentBuffer.byteCount)
    var stored = Stored()
    let piece = [UInt8](repeating: 1, count: 16 << 10)
    for _ in 0..<16 { #expect(try give(piece, to: &buffer, &stored)) }
    #expect(stored.bytes.isEmpty && buffer.collected.count == 256 << 10)
    #expect(try give([2], to: &buffer, &stored))
    #expect(stored.bytes.count == 256 << 10 && buffer.start == 256 << 10 && buffer.collected.count == 1)
  }

  @Test func `knows the age of its oldest byte`() throws {
    var buffer = SegmentBuffer()
    buffer.begin(at: 0, skip: 0, end: nil, contentLength: 10, pool)
    #expect(buffer.collectedSince == .distantFuture)
    let first = Instant(nanoseconds: 5)
    for time in [first, Instant(nanoseconds: 9)] {
      guard case .all = [UInt8](repeating: 0, count: 3).withUnsafeBytes({ buffer.take($0, from: 0, now: time) }) else {
        Issue.record("not taken")
        return
      }
      #expect(buffer.collectedSince == first)
    }
    buffer.flushed()
    #expect(buffer.collectedSince == .distantFuture && buffer.start == 6)
  }

  @Test func `reads a body that ends at the wanted end to its end`() throws {
    var buffer = SegmentBuffer()
    var stored = Stored()
    buffer.begin(at: 100, skip: 0, end: 110, contentLength: 10, pool)
    #expect(try give([UInt8](repeating: 0, count: 10), to: &buffer, &stored), "its connection is kept")
    let isCut = buffer.isCut
    #expect(!isCut)
  }
}
