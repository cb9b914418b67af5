import Testing

@testable import DownloadCore

/// Traces of one file whose bodies end without proof, and whose ranges are of no use.
@Suite struct `Ends and ranges of no worth` {
  typealias Trace = `One file's decisions`.Trace

  static let digest = `One file's decisions`.digest

  private func closeDelimited(_ trace: Trace, _ id: Int, _ count: Int64, _ ending: TransferEnding) {
    trace.head(id, 200, tag: nil) { $0.connectionCloses = true }
    trace.advanced(id, count)
    trace.ended(id, ending)
  }

  @Test func `an end that nobody vouches for is none, however often it comes`() {
    let trace = Trace { $0.tries = 3 }
    _ = trace.take()
    for id in 0..<3 {
      closeDelimited(trace, id, 5000, .unauthenticatedEnd(digest: nil))
      trace.wait(milliseconds: 2000)
    }
    // The first brings something new, the others the same again.
    closeDelimited(trace, 3, 5000, .unauthenticatedEnd(digest: nil))
    let said = trace.take()
    #expect(!said.contains { $0.hasPrefix("conclude") || $0.hasPrefix("confirm") }, "\(said)")
    #expect(said.last == "fail network", "\(said)")
  }

  @Test func `a proper end is confirmed, and the confirmation's end counts as well`() {
    let found = ContentDigest(.sha256, Array(repeating: 1, count: 32))!
    let trace = Trace()
    _ = trace.take()
    closeDelimited(trace, 0, 5000, .complete(digest: nil))
    #expect(trace.take() == ["adopt ?", "confirm 1 a/f all"])
    trace.head(1, 200, tag: nil) { $0.connectionCloses = true }
    trace.ended(1, .unauthenticatedEnd(digest: found))
    #expect(trace.take() == [])
    trace.wait(milliseconds: 2000)
    #expect(trace.take() == ["confirm 2 a/f all"])
    trace.head(2, 200, tag: nil) { $0.connectionCloses = true }
    trace.ended(2, .complete(digest: found))
    #expect(trace.take().last?.hasPrefix("conclude 5000") == true)
  }

  @Test func `a digest, a length, or whoever does not care judges an end that nobody vouches for`() {
    let digest = Trace(digests: [Self.digest])
    closeDelimited(digest, 0, 5000, .unauthenticatedEnd(digest: nil))
    #expect(digest.take().last == "conclude 5000 1")
    let careless = Trace { $0.allowsUnconfirmed = true }
    closeDelimited(careless, 0, 5000, .unauthenticatedEnd(digest: nil))
    #expect(careless.take().last == "conclude 5000 0")
    for (count, isWhole) in [(Int64(5000), true), (4999, false)] {
      let length = Trace(expectedLength: 5000)
      closeDelimited(length, 0, count, .unauthenticatedEnd(digest: nil))
      #expect((length.take().last == "confirm 1 a/f all") == isWhole, "\(count)")
    }
  }

  /// A file whose first answer goes on while its ranges bring one byte each.
  @Test func `ranges that bring next to nothing are tried one at a time, and then no more`() {
    let trace = Trace { $0.tries = 3 }
    let length: Int64 = 64 << 20
    trace.head(0, 200, length: length)
    var asked: [Range<Int64>] = []
    var next = 1
    var mostAtOnce = 0
    var offset: Int64 = 0
    for _ in 0..<2000 {
      offset += 20_000
      trace.control { run, _, actions in run.received(TransferID(number: 0), byteCount: 20_000) }
      trace.advanced(0, offset)
      trace.wait(milliseconds: 10)
      let active = trace.run.file(0)?.machine.active.filter { $0.id.number >= next } ?? []
      mostAtOnce = asked.isEmpty ? mostAtOnce : max(mostAtOnce, active.count)
      for transfer in active {
        guard case .range(let range) = transfer.asked else { continue }
        asked.append(range)
        trace.head(transfer.id.number, 206, range: range, of: length)
        trace.advanced(transfer.id.number, range.lowerBound + 1)
        trace.ended(transfer.id.number, .failed(.shortBody))
        next = transfer.id.number + 1
      }
    }
    #expect(!asked.isEmpty && asked.count <= 16 + 3, "\(asked.count) ranges")
    #expect(mostAtOnce <= 1, "\(mostAtOnce) at once after the first burst")
  }
}
