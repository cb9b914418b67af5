import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import FileStore
@testable import Transport

@Suite struct `A body sink` {
  private func sink() throws -> BodySink {
    let location = Location(scheme: .http, host: "h", port: 80, path: "/f", query: nil)
    let request = DownloadRequest(item: 0, mirrors: [MirrorURL(location: location)], target: .listed([[65]]))
    let order = TransferOrder(
      id: TransferID(number: 1), item: 0, mirror: 0, location: location, asked: .whole, purpose: .content,
      condition: nil, isSegment: false)
    let item = ActiveItem(request: request, destination: .stream(try StreamTarget.standardOutput()), now: .zero)
    return BodySink(item: item, exchange: Exchange(order: order, now: .zero))
  }

  /// What was written, which one body does from front to back.
  private struct Stored {
    var start: Int64?
    var bytes: [UInt8] = []
  }

  /// Gives the sink a piece as the engine does, and writes what it has collected into `stored`.
  private func give(_ piece: [UInt8], to sink: BodySink, _ stored: inout Stored) throws -> Bool {
    var index = 0
    while true {
      switch piece.withUnsafeBytes({ sink.take($0, from: index, now: .zero) }) {
      case .all: return true
      case .ended: return false
      case .flushFirst(let rest):
        try #require(sink.buffer.count > 0, "an empty buffer that is full would be flushed forever")
        try flush(sink, &stored)
        index = rest
      }
    }
  }

  private func flush(_ sink: BodySink, _ stored: inout Stored) throws {
    if sink.buffer.count > 0 {
      let next = (stored.start ?? sink.bufferStart) + Int64(stored.bytes.count)
      try #require(sink.bufferStart == next, "a gap, or bytes written twice")
      stored.start = stored.start ?? sink.bufferStart
      stored.bytes += sink.buffer.bytes
    }
    sink.flushed()
    #expect(sink.buffer.count == 0)
  }

  /// Any slice of any body, in any pieces, with any skip, and an end that may come nearer meanwhile: what is stored is
  /// the wanted slice, each byte once and in its place.
  @Test func `stores just the wanted slice`() throws {
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

      let sink = try sink()
      sink.begin(.store(at: at, skip: skip, end: end), contentLength: isLengthKnown ? length : nil)
      var stored = Stored()
      var reached = end.map { min($0, at + length) } ?? at + length
      var position = 0
      var goesOn = true
      while goesOn, position < body.count {
        let count = min(body.count - position, Int(number(1...(isBig ? 70_000 : 700))))
        goesOn = try give(Array(body[position..<position + count]), to: sink, &stored)
        position += count
        if number(0...9) == 0 { try flush(sink, &stored) }
        if number(0...19) == 0 {
          let nearer = at + number(0...length)
          sink.setEnd(nearer)
          end = min(end ?? .max, nearer)
          // What has come already is right where it is.
          reached = min(reached, max(nearer, sink.offset))
        }
      }
      try flush(sink, &stored)
      let wanted = at + skip..<max(at + skip, reached)
      #expect(stored.bytes == content.bytes(in: wanted), "seed \(seed)")
      #expect(wanted.isEmpty || stored.start == wanted.lowerBound, "seed \(seed)")
      // Ended early only for an end; and an end before the body's own is always noticed.
      if !goesOn { #expect(end != nil && sink.offset >= end!, "seed \(seed)") }
      if let end, end < at + length, position >= body.count || !goesOn { #expect(sink.isCut, "seed \(seed)") }
    }
  }

  @Test func `collects small pieces to large ones and begins small`() throws {
    let small = try sink()
    small.begin(.store(at: 0, skip: 0, end: nil), contentLength: 1000)
    #expect(small.buffer.capacity == 1000)
    let sink = try sink()
    sink.begin(.store(at: 0, skip: 0, end: nil), contentLength: nil)
    #expect(sink.buffer.capacity == BodySink.bufferByteCount)
    var stored = Stored()
    let piece = [UInt8](repeating: 1, count: 16 << 10)
    for _ in 0..<16 { #expect(try give(piece, to: sink, &stored)) }
    #expect(stored.bytes.isEmpty && sink.buffer.count == 256 << 10)
    #expect(try give([2], to: sink, &stored))
    #expect(stored.bytes.count == 256 << 10 && sink.bufferStart == 256 << 10 && sink.buffer.count == 1)
  }

  @Test func `remembers since when its oldest byte waits`() throws {
    let sink = try sink()
    sink.begin(.store(at: 0, skip: 0, end: nil), contentLength: 10)
    #expect(sink.bufferedSince == .distantFuture)
    let first = Instant(nanoseconds: 5)
    for time in [first, Instant(nanoseconds: 9)] {
      guard case .all = [UInt8](repeating: 0, count: 3).withUnsafeBytes({ sink.take($0, from: 0, now: time) }) else {
        Issue.record("not taken")
        return
      }
      #expect(sink.bufferedSince == first)
    }
    sink.flushed()
    #expect(sink.bufferedSince == .distantFuture && sink.bufferStart == 6)
  }

  @Test func `reads an unwanted body only as far as the connection is worth it`() throws {
    let sink = try sink()
    #expect(sink.drain(64 << 10) == .taken)
    #expect(sink.drain(1) == .stop)
  }

  @Test func `lets a body that ends at the wanted end come to its own end`() throws {
    let sink = try sink()
    var stored = Stored()
    sink.begin(.store(at: 100, skip: 0, end: 110), contentLength: 10)
    #expect(try give([UInt8](repeating: 0, count: 10), to: sink, &stored), "its connection is kept")
    #expect(!sink.isCut)
  }
}
