import TestSupport
import Testing

@testable import DownloadCore

/// A file of 1,000,000 bytes with hashes of its ten pieces.
@Suite struct `Verification of pieces` {
  static let hashes = PieceHashes(length: 100_000, digests: (0..<10).map { digest(UInt8($0)) })!

  static func digest(_ byte: UInt8) -> ContentDigest {
    ContentDigest(.sha1, repeating: byte)
  }

  /// The whole file was received from `a` in one body; no piece is verified.
  private func stored(
    hosts: [String] = ["a", "b"], digests: [ContentDigest] = [], tag: String? = "v"
  ) -> FileTrace {
    let trace = FileTrace(hosts: hosts, digests: digests, pieces: Self.hashes)
    trace.head(0, 200, length: 1_000_000, tag: tag)
    trace.advanced(0, 1_000_000)
    trace.ended(0)
    return trace
  }

  @Test func `a piece is verified as soon as it is complete, and the file concludes after the last one`() {
    let trace = FileTrace(pieces: Self.hashes)
    trace.head(0, 200, length: 1_000_000)
    _ = trace.take()
    trace.advanced(0, 99_999)
    #expect(trace.take() == [])
    trace.advanced(0, 250_000)
    #expect(trace.take() == ["verify 0", "verify 1"])
    trace.advanced(0, 1_000_000)
    trace.ended(0)
    #expect(trace.take() == (2...9).map { "verify \($0)" })
    #expect(trace.checks[9].range == 900_000..<1_000_000)
    for check in trace.checks.dropLast() { trace.verified(check) }
    #expect(trace.run.contiguousEnd(of: 0) == 900_000)
    trace.wait(milliseconds: 100)
    #expect(trace.take() == [])
    trace.verified(trace.checks[9])
    #expect(trace.take() == ["conclude 1000000 0"])
  }

  @Test func `the last piece may be shorter but must exist`() {
    for (length, isRight) in [(900_001, true), (1_000_000, true), (900_000, false), (1_000_001, false)] {
      let trace = FileTrace(pieces: Self.hashes)
      trace.head(0, 200, length: Int64(length))
      trace.advanced(0, Int64(length))
      trace.ended(0)
      let said = trace.take()
      #expect(said.contains("verify 9") == isRight, "\(length): \(said)")
      #expect(said.contains("fail integrity") == !isRight)
      if isRight { #expect(trace.checks.last?.range == 900_000..<Int64(length)) }
    }
    let unknown = FileTrace(pieces: Self.hashes)
    unknown.head(0, 200) { $0.isChunked = true }
    unknown.advanced(0, 950_000)
    #expect(unknown.take() == ["get 0 a/f all", "adopt ?"])
    unknown.ended(0)
    #expect(unknown.take() == (0...9).map { "verify \($0)" })
  }

  @Test func `a wrong piece is fetched again separately, from another mirror`() {
    let trace = stored()
    _ = trace.take()
    for check in trace.checks where check.index != 4 { trace.verified(check) }
    #expect(trace.take() == [])
    trace.wrong(trace.checks[4])
    #expect(trace.take() == ["lose 400000-499999", "get 1 b/f 400000-499999"])
    #expect(trace.run.done(of: 0).gaps(in: 0..<1_000_000) == [400_000..<500_000])
    trace.head(1, 206, range: 400_000..<500_000, of: 1_000_000)
    trace.advanced(1, 500_000)
    trace.ended(1)
    #expect(trace.take() == ["adopt 1000000", "verify 4"])
    trace.verified(trace.checks[10])
    #expect(trace.take() == ["conclude 1000000 0"])
  }

  @Test func `a wrong piece is fetched separately from other missing bytes during other transfers`() {
    let trace = FileTrace(hosts: ["a"], pieces: Self.hashes)
    trace.head(0, 200, length: 1_000_000)
    trace.advanced(0, 350_000)
    trace.wrong(trace.checks[2])
    trace.ended(0, .failed(.reset("x")))
    #expect(trace.take().suffix(2) == ["lose 200000-299999", "get 1 a/f 200000-299999"])
    trace.head(1, 206, range: 200_000..<300_000, of: 1_000_000)
    trace.advanced(1, 300_000)
    trace.ended(1)
    #expect(trace.take() == ["verify 2", "get 2 a/f 350000-999999"])
  }

  @Test func `a piece that is wrong three times fails the file`() {
    let trace = stored(hosts: ["a"])
    for check in trace.checks where check.index != 9 { trace.verified(check) }
    for attempt in 1...2 {
      trace.wrong(trace.checks.last!)
      #expect(trace.take().last == "get \(attempt) a/f 900000-999999")
      trace.head(attempt, 206, range: 900_000..<1_000_000, of: 1_000_000)
      trace.advanced(attempt, 1_000_000)
      trace.ended(attempt)
      #expect(trace.take() == ["verify 9"])
    }
    trace.wrong(trace.checks.last!)
    #expect(trace.take() == ["set aside integrity"])
  }

  @Test func `when all pieces of a mirror are wrong, another needs no validators of its version`() {
    let trace = stored()
    for check in trace.checks { trace.wrong(check) }
    guard let transfer = trace.run.file(0)?.machine.active.first else {
      Issue.record("the other mirror is not asked")
      return
    }
    #expect(transfer.mirror == 1)
    // A range was asked for while some pieces were left.
    if transfer.asked != .whole {
      trace.head(transfer.id.number, 200, length: 1_000_000, tag: nil)
      trace.ended(transfer.id.number, .stopped)
      trace.wait(milliseconds: 2000)
    }
    guard let plain = trace.run.file(0)?.machine.active.first else { return }
    #expect(trace.head(plain.id.number, 200, length: 1_000_000, tag: nil) == .store(at: 0, skip: 0, end: 1_000_000))
  }

  @Test func `mirrors take turns at a piece`() {
    let trace = stored(hosts: ["a", "b", "c"])
    for check in trace.checks where check.index != 0 { trace.verified(check) }
    _ = trace.take()
    var hosts = ["a"]
    for _ in 0..<2 {
      trace.wrong(trace.checks.last { $0.index == 0 }!)
      let transfer = trace.run.file(0)!.machine.active[0]
      hosts.append(transfer.location.host)
      trace.head(transfer.id.number, 206, range: 0..<100_000, of: 1_000_000)
      trace.advanced(transfer.id.number, 100_000)
      trace.ended(transfer.id.number)
    }
    #expect(Set(hosts) == ["a", "b", "c"])
  }

  @Test func `a wrong piece of two mirrors is fetched from the one without earlier wrong pieces`() throws {
    var ledger = PieceLedger(Self.hashes, mirrorCount: 2)
    let done = ByteRangeSet([0..<1_000_000])
    ledger.recorded([300_000..<450_000], by: 1)
    ledger.recorded([450_000..<600_000], by: 0)
    let checks = ledger.checks(in: 300_000..<600_000, done: done, completeLength: 1_000_000)
    try #require(checks.map(\.index) == [3, 4, 5])
    #expect(ledger.wasWrong(checks[1]) == 0, "bytes of two mirrors prove nothing")
    let piece: Range<Int64> = 400_000..<500_000
    #expect(ledger.firstGap(of: [piece], for: 1, others: [0], active: []) == piece, "no mirror is a suspect")
    ledger.recorded([400_000..<450_000], by: 1)
    ledger.recorded([450_000..<500_000], by: 0)
    #expect(ledger.wasWrong(checks[0]) == 1)
    let again = try #require(ledger.checks(in: piece, done: done, completeLength: 1_000_000).first)
    #expect(ledger.wasWrong(again) == 0)
    #expect(ledger.firstGap(of: [piece], for: 1, others: [0], active: []) == nil)
    #expect(ledger.firstGap(of: [piece], for: 0, others: [1], active: []) == piece)
  }

  @Test func `a wrong piece has a single source, also while the mirror that began it has brought nothing`() throws {
    var ledger = PieceLedger(Self.hashes, mirrorCount: 2)
    let done = ByteRangeSet([0..<100_000])
    ledger.recorded([0..<50_000], by: 0)
    ledger.recorded([50_000..<100_000], by: 1)
    _ = ledger.wasWrong(try #require(ledger.checks(in: 0..<1, done: done, completeLength: 1_000_000).first))
    let order = TransferOrder(
      id: TransferID(number: 0), item: 0, mirror: 0, location: FileTrace.location("a"), asked: .range(0..<50_000),
      purpose: .content, isSegment: true)
    let active = [ActiveTransfer(order, end: 50_000, startedAt: .zero)]
    let gap: Range<Int64> = 50_000..<100_000
    #expect(ledger.firstGap(of: [gap], for: 1, others: [0], active: []) == gap)
    #expect(ledger.firstGap(of: [gap], for: 1, others: [0], active: active) == nil)
    #expect(ledger.firstGap(of: [gap], for: 0, others: [1], active: active) == gap)
  }

  @Test func `a mirror that supplies one piece wrong three times is bad, although others of it are right`() throws {
    var ledger = PieceLedger(Self.hashes, mirrorCount: 2)
    ledger.recorded([0..<200_000], by: 0)
    for attempt in 1...3 {
      let checks = ledger.checks(in: 0..<200_000, done: ByteRangeSet([0..<200_000]), completeLength: 1_000_000)
      #expect(ledger.badMirrors.isEmpty, "before attempt \(attempt)")
      for check in checks where check.index == 1 { _ = ledger.wasRight(check) }
      _ = ledger.wasWrong(try #require(checks.first { $0.index == 0 }))
      ledger.recorded([0..<100_000], by: 0)
    }
    #expect(ledger.badMirrors == [0])
  }

  @Test func `restarts of a mirror that keeps changing do not count against the next one`() throws {
    let trace = FileTrace(hosts: ["a", "b"], pieces: Self.hashes)
    // Each answer of the first mirror is of another version than the one before.
    func length(_ id: Int) -> Int64 { 950_000 + Int64(id % 2) }
    var changeCount = 0
    var last: BodyDisposition?
    for id in 0..<100 where last == nil {
      let active = trace.run.file(0)?.machine.active ?? []
      guard let transfer = active.first(where: { $0.id.number == id }) else { continue }
      switch (transfer.mirror, transfer.asked) {
      case (0, .whole):
        trace.head(id, 200, length: length(id), tag: "\(id)")
        trace.advanced(id, 10_000)
        changeCount += 1
        trace.ended(id, .failed(.reset("x")))
      case (0, let asked):
        trace.head(id, 206, range: asked.start..<length(id), of: length(id), tag: "\(id)")
        trace.ended(id, .stopped)
      case (_, .whole): last = trace.head(id, 200, length: 999_990, tag: "b")
      case (_, let asked):
        trace.head(id, 206, range: asked.start..<950_000, of: 999_990, tag: "b")
        trace.ended(id, .stopped)
      }
      trace.wait(milliseconds: 60_000)
    }
    #expect(changeCount > VersionState.changeLimit && last == .store(at: 0, skip: 0, end: 999_990), "\(trace.take())")
  }

  @Test func `failures of bytes of two mirrors count after a few of them`() throws {
    var ledger = PieceLedger(Self.hashes, mirrorCount: 2)
    let done = ByteRangeSet([0..<1_000_000])
    var counts: [Int?] = []
    for _ in 0..<5 {
      ledger.recorded([0..<50_000], by: 0)
      ledger.recorded([50_000..<100_000], by: 1)
      counts.append(
        ledger.wasWrong(try #require(ledger.checks(in: 0..<1, done: done, completeLength: 1_000_000).first)))
    }
    #expect(counts == [0, 0, 0, 1, 2])
  }

  /// Whatever the ledger knows, some mirror may fill the first gap: a file whose mirrors leave it to each other would
  /// wait for ever.
  @Test func `one of the mirrors may always fill a piece that was wrong`() {
    for seed in UInt64(1)...2000 {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 1...4, using: &random)
      var ledger = PieceLedger(Self.hashes, mirrorCount: count)
      var done = ByteRangeSet()
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let start = Int64.random(in: 0..<20, using: &random) * 50_000
        let range = start..<min(start + Int64.random(in: 1...4, using: &random) * 50_000, 1_000_000)
        ledger.recorded(done.gaps(in: range), by: Int.random(in: 0..<count, using: &random))
        done.insert(range)
        for check in ledger.checks(in: range, done: done, completeLength: 1_000_000) {
          if Bool.random(using: &random) {
            _ = ledger.wasRight(check)
          } else if ledger.wasWrong(check) != nil {
            done.remove(check.range)
          }
        }
        let gaps = done.gaps(in: 0..<1_000_000)
        let able = (0..<count).filter { mirror in
          ledger.firstGap(of: gaps, for: mirror, others: (0..<count).filter { $0 != mirror }, active: []) != nil
        }
        #expect(gaps.isEmpty || !able.isEmpty, "seed \(seed)")
      }
    }
  }

  /// `a` pauses after a fault, and `b` breaks while it brings a piece again that it supplied wrong.
  @Test func `a piece that was wrong waits for a mirror that is not suspected`() {
    let trace = FileTrace(hosts: ["a", "b"], pieces: Self.hashes)
    trace.head(0, 500, length: 0)
    trace.ended(0)
    #expect(trace.take().last == "get 1 b/f all")
    trace.head(1, 200, length: 1_000_000)
    trace.advanced(1, 170_000)
    trace.wrong(trace.checks[0])
    trace.ended(1, .failed(.reset("x")))
    // The first piece is a's; the second one is not suspected.
    #expect(trace.take().last == "get 2 b/f 170000-999999")
    trace.ended(2, .failed(.reset("x")))
    trace.wait(milliseconds: 5000)
    #expect(trace.take().contains("get 3 a/f 0-99999"))
  }

  /// - Parameters:
  ///   - tag: what the mirror with the wanted length sends.
  @Test(arguments: [("v", true), ("v", false), (nil, true), (nil, false)])
  func `mirrors whose length is refuted by the last piece are left for one with another length`(
    tag: String?, servesRanges: Bool
  ) {
    let trace = FileTrace(hosts: ["a", "b"], pieces: Self.hashes)
    func answerRange(_ transfer: Int) {
      if servesRanges {
        trace.head(transfer, 206, range: 900_000..<950_000, of: 1_000_000, tag: tag)
      } else {
        trace.head(transfer, 200, length: 1_000_000, tag: tag)
      }
      trace.ended(transfer, .stopped)
    }
    trace.head(0, 200, length: 950_000)
    trace.advanced(0, 950_000)
    trace.ended(0)
    for check in trace.checks where check.index != 9 { trace.verified(check) }
    _ = trace.take()
    trace.wrong(trace.checks.last!)
    #expect(trace.take().last == "get 1 b/f 900000-949999")
    answerRange(1)
    var transfer = 2
    var start = trace.take().last { $0.hasPrefix("get ") }
    while start?.contains(" a/f ") == true, transfer < 20 {
      trace.head(transfer, 206, range: 900_000..<950_000, of: 950_000)
      trace.advanced(transfer, 950_000)
      trace.ended(transfer)
      trace.wrong(trace.checks.last!)
      transfer += 1
      start = trace.take().last { $0.hasPrefix("get ") }
    }
    #expect(trace.run.file(0)?.machine.mirrors[0].standing == .expelled(.wrongContent))
    if start == "get \(transfer) b/f 900000-949999" {
      answerRange(transfer)
      transfer += 1
      start = trace.take().last
    }
    #expect(start == "get \(transfer) b/f all")
    trace.head(transfer, 200, length: 1_000_000, tag: tag)
    trace.advanced(transfer, 1_000_000)
    trace.ended(transfer)
    for check in trace.checks.suffix(10) { trace.verified(check) }
    #expect(trace.take().last == "conclude 1000000 0")
  }

  @Test func `the check of each of many recorded pieces costs the same`() throws {
    let count = 50_000
    let hashes = try #require(PieceHashes(length: 16, digests: (0..<count).map { _ in Self.digest(1) }))
    let length = Int64(count) * 16
    let known = Representation(
      completeLength: length, validators: Validators(entityTag: EntityTag(parsing: "\"v\"".utf8)))
    let trace = FileTrace(pieces: hashes, beginning: .resume(known, done: ByteRangeSet([0..<length]), mirror: 0))
    #expect(trace.checks.count == count)
    #expect(trace.run.file(0)?.machine.pieces?.areAllAsked == true)
    for check in trace.checks {
      #expect(trace.run.file(0)?.machine.pieces?.areAllAsked == true)
      trace.verified(check)
    }
    #expect(trace.take().last == "conclude \(length) 0")
  }

  @Test func `a mirror with only wrong pieces is left with one notice`() {
    let trace = stored()
    _ = trace.take()
    trace.wrong(trace.checks[3])
    trace.wrong(trace.checks[7])
    let leaving = trace.notices.filter { if case .leavingMirror = $0 { true } else { false } }
    #expect(leaving == [.leavingMirror(FileTrace.location("a"), .wrongContent)])
    #expect(trace.run.file(0)?.machine.mirrors[1].isLeft == true)
    // The other one may have another version: it is not asked for a range of the first one's.
    #expect(trace.run.file(0)?.machine.active.map(\.asked) == [.whole])
  }

  @Test func `a mirror with a right piece is kept, and so is the last one`() {
    let trace = stored()
    trace.verified(trace.checks[0])
    for index in [3, 7, 8] { trace.wrong(trace.checks[index]) }
    #expect(!trace.notices.contains { if case .leavingMirror = $0 { true } else { false } })
    let alone = stored(hosts: ["a"])
    for index in [3, 7, 8] { alone.wrong(alone.checks[index]) }
    #expect(alone.run.file(0)?.machine.mirrors[0].isLeft == true && alone.run.file(0)?.machine.phase == .running)
  }

  @Test func `pieces of an earlier run are verified, and no mirror is blamed for them`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let known = Representation(completeLength: 1_000_000, validators: Validators(entityTag: tag))
    let done = ByteRangeSet([0..<250_000, 600_000..<1_000_000])
    let trace = FileTrace(pieces: Self.hashes, beginning: .resume(known, done: done, mirror: 0))
    #expect(trace.checks.map(\.index) == [0, 1, 6, 7, 8, 9])
    #expect(trace.take().last == "get 0 a/f 250000-599999")
    for _ in 0..<5 {
      trace.wrong(trace.checks[1])
      // Only the first check is of bytes that are still stored.
      #expect(trace.run.file(0)?.machine.pieces?.trouble(at: 100_000)?.failureCount == 0)
    }
    #expect(trace.take() == ["lose 100000-199999"])
    // Without a validator, hashes of pieces are enough to resume.
    let bare = Representation(completeLength: 1_000_000, validators: Validators())
    let verified = FileTrace(pieces: Self.hashes, beginning: .resume(bare, done: done, mirror: 0))
    #expect(verified.take().last == "get 0 a/f 250000-599999")
  }

  @Test func `with hashes of pieces, mirrors with different tags are combined`() {
    let trace = stored(tag: nil)
    for check in trace.checks where check.index != 4 { trace.verified(check) }
    trace.wrong(trace.checks[4])
    let disposition = trace.head(1, 206, range: 400_000..<500_000, of: 1_000_000, tag: "other")
    #expect(disposition == .store(at: 400_000, skip: 0, end: 500_000))
  }

  @Test func `a digest of the whole file is compared as well`() {
    let trace = stored(digests: [FileTrace.digest])
    for check in trace.checks { trace.verified(check) }
    #expect(trace.take().last == "conclude 1000000 1")
    trace.mismatched(FileTrace.digest)
    #expect(trace.take().contains("discard"))
    // The checks were of discarded bytes.
    for check in trace.checks { trace.verified(check) }
    #expect(trace.run.file(0)?.machine.pieces?.verified.isEmpty == true)
  }
}

extension FileTrace {
  func verified(_ check: PieceCheck) {
    control { run, _, actions in run.pieceVerified(0, check, &actions) }
  }

  func wrong(_ check: PieceCheck) {
    let actual = `Verification of pieces`.digest(0xff)
    control { run, now, actions in run.pieceMismatched(0, check, actual: actual, now: now, &actions) }
  }
}
