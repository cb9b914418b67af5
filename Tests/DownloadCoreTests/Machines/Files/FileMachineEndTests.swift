import TestSupport
import Testing

@testable import DownloadCore

/// Bodies whose end is not confirmed, and ranges that bring no progress.
@Suite struct `Unconfirmed ends and fruitless ranges` {
  private func closeDelimited(_ trace: FileTrace, _ id: Int, _ count: Int64, _ ending: TransferEnding) {
    trace.head(id, 200, tag: nil) { $0.connectionCloses = true }
    trace.advanced(id, count)
    trace.ended(id, ending)
  }

  @Test func `a close-delimited body is fetched twice, unless --allow-unconfirmed is set`() {
    let trace = FileTrace()
    trace.head(0, 200) { $0.connectionCloses = true }
    trace.advanced(0, 700)
    trace.ended(0)
    #expect(trace.take() == ["get 0 a/f all", "adopt ?", "confirm 1 a/f all"])
    let disposition = trace.head(1, 200) { $0.connectionCloses = true }
    #expect(disposition == .hash)
    trace.ended(1, .complete(digest: ContentDigest(.sha256, repeating: 1)))
    #expect(trace.take() == ["conclude 700 1"])

    let trusting = FileTrace { $0.file.allowsUnconfirmed = true }
    trusting.head(0, 200) { $0.connectionCloses = true }
    trusting.advanced(0, 700)
    trusting.ended(0)
    #expect(trusting.take().last == "conclude 700 0")

    // A chunked body confirms its own end.
    let chunked = FileTrace()
    chunked.head(0, 200) { $0.isChunked = true }
    chunked.advanced(0, 700)
    chunked.ended(0)
    #expect(chunked.take().last == "conclude 700 0")
  }

  private func overHTTP2(_ head: inout ResponseHead) { head.version = .http2 }

  @Test func `over HTTP/2 a body without a length is requested over HTTP/1.1, whose chunks prove the end`() {
    let trace = FileTrace()
    #expect(trace.head(0, 200, overHTTP2) == .stop)
    trace.ended(0, .stopped)
    #expect(trace.take() == ["get 0 a/f all", "get 1 a/f all over HTTP/1.1"])
    trace.head(1, 200) { $0.isChunked = true }
    trace.advanced(1, 700)
    trace.ended(1)
    #expect(trace.take() == ["adopt ?", "conclude 700 0"])
  }

  @Test func `a host without HTTP/1.1 is believed after a second fetch`() {
    let trace = FileTrace()
    trace.head(0, 200, overHTTP2)
    trace.ended(0, .stopped)
    // The driver found that only HTTP/2 is spoken.
    #expect(trace.head(1, 200, overHTTP2) == .store(at: 0, skip: 0, end: nil))
    trace.advanced(1, 700)
    trace.ended(1)
    #expect(trace.take().last == "confirm 2 a/f all over HTTP/1.1")
    #expect(trace.head(2, 200, overHTTP2) == .hash)
    trace.ended(2, .complete(digest: ContentDigest(.sha256, repeating: 1)))
    #expect(trace.take() == ["conclude 700 1"])
  }

  @Test func `over HTTP/2 a length, a digest, pieces or --allow-unconfirmed make the first answer good`() {
    let hash = PieceHashes(length: 700, digests: [FileTrace.digest])
    let traces = [
      FileTrace(digests: [FileTrace.digest]), FileTrace(pieces: hash), FileTrace { $0.file.allowsUnconfirmed = true },
    ]
    for trace in traces { #expect(trace.head(0, 200, overHTTP2) == .store(at: 0, skip: 0, end: nil)) }
    #expect(FileTrace().head(0, 200, length: 700, overHTTP2) == .store(at: 0, skip: 0, end: 700))
    let disposition = FileTrace().head(0, 200) {
      overHTTP2(&$0)
      $0.representationDigests = [FileTrace.digest]
    }
    #expect(disposition == .store(at: 0, skip: 0, end: nil), "the server claims a digest")
  }

  @Test func `a refusal over HTTP/1.1 after an answer over HTTP/2 is told as that`() {
    for status in [403, 404, 410, 451] {
      let trace = FileTrace()
      trace.head(0, 200, overHTTP2)
      trace.ended(0, .stopped)
      trace.head(1, status, length: 0)
      trace.ended(1)
      #expect(trace.take().last == "fail serverRefused")
      let fault = TransferFault.refusedOverHTTP1(status: status)
      #expect(trace.failure?.cause == .transfer(fault, at: FileTrace.location("a"), attempts: 0))
    }
  }

  @Test func `bodies that differ are fetched again, also where the first one came twice, and told as what they are`() {
    let (cut, whole) = (UInt8(1), ContentDigest(.sha256, repeating: 2))
    let trace = FileTrace { $0.file.tries = 9 }
    for id in [0, 2, 4] {
      closeDelimited(trace, id, 700, .complete(digest: nil))
      closeDelimited(trace, id + 1, 0, .complete(digest: whole))
      #expect(trace.take().last == "conclude 700 1")
      trace.mismatched(whole, .confirmation, actual: cut)
      let said = trace.take()
      #expect(said.contains { $0.hasPrefix("get") } == (id < 4), "\(said)")
      if id == 4 { #expect(said.last == "set aside integrity", "\(said)") }
    }
  }

  @Test func `a second fetch without a digest confirms nothing`() {
    let trace = FileTrace()
    trace.head(0, 200, tag: nil) { $0.connectionCloses = true }
    trace.advanced(0, 5000)
    trace.ended(0, .complete(digest: nil))
    #expect(trace.take().last == "confirm 1 a/f all")
    trace.head(1, 200, tag: nil) { $0.connectionCloses = true }
    trace.ended(1, .complete(digest: nil))
    #expect(trace.take().last?.hasPrefix("fail") == true)
  }

  @Test func `an unauthenticated end never completes a file, however often it occurs`() {
    let trace = FileTrace { $0.file.tries = 3 }
    _ = trace.take()
    for id in 0..<3 {
      closeDelimited(trace, id, 5000, .unauthenticatedEnd(digest: nil))
      trace.wait(milliseconds: 2000)
    }
    // The first body is progress, the others repeat it.
    closeDelimited(trace, 3, 5000, .unauthenticatedEnd(digest: nil))
    let said = trace.take()
    #expect(!said.contains { $0.hasPrefix("conclude") || $0.hasPrefix("confirm") }, "\(said)")
    #expect(said.last == "fail network", "\(said)")
  }

  @Test func `a close-delimited body is confirmed by a second fetch, whose end must be authenticated`() {
    let found = ContentDigest(.sha256, repeating: 1)
    let trace = FileTrace()
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

  @Test func `a digest, a length or --allow-unconfirmed accepts an unauthenticated end`() {
    let digest = FileTrace(digests: [FileTrace.digest])
    closeDelimited(digest, 0, 5000, .unauthenticatedEnd(digest: nil))
    #expect(digest.take().last == "conclude 5000 1")
    let unconfirmed = FileTrace { $0.file.allowsUnconfirmed = true }
    closeDelimited(unconfirmed, 0, 5000, .unauthenticatedEnd(digest: nil))
    #expect(unconfirmed.take().last == "conclude 5000 0")
    for (count, isWhole) in [(Int64(5000), true), (4999, false)] {
      let length = FileTrace(expectedLength: 5000)
      closeDelimited(length, 0, count, .unauthenticatedEnd(digest: nil))
      #expect((length.take().last == "confirm 1 a/f all") == isWhole, "\(count)")
    }
  }

  /// A file whose first answer continues while its ranges bring one byte each.
  @Test func `ranges without progress are tried one at a time, then not at all`() {
    let trace = FileTrace { $0.file.tries = 3 }
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
