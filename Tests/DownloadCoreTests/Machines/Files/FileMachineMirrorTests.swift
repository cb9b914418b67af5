import Testing

@testable import DownloadCore

/// One file with several mirrors.
@Suite struct `Mirrors of one file` {
  static let length: Int64 = 64 << 20

  /// Starts both mirrors: `a` from the start, `b` on the returned range.
  private func together(
    digests: [ContentDigest] = [], tag: String? = "v", of complete: Int64 = length,
    _ change: (inout RunSettings) -> Void = { _ in }
  ) throws -> (trace: FileTrace, range: Range<Int64>) {
    let trace = FileTrace(hosts: ["a", "b"], digests: digests, change)
    trace.head(0, 200, length: Self.length)
    _ = trace.take()
    trace.serve([0: 1_000_000], until: { $0.contains { $0.hasPrefix("get 1 b/f") } })
    guard case .range(let range)? = trace.run.file(0)?.machine.active.last?.asked else {
      throw Absent()
    }
    _ = trace.take()
    trace.head(1, 206, range: range.lowerBound..<min(range.upperBound, complete), of: complete, tag: tag)
    return (trace, range)
  }

  private struct Absent: Error {}

  @Test func `the second mirror gets a range as soon as the rate of the first is known`() throws {
    let (trace, range) = try together()
    #expect(trace.take() == ["adopt \(Self.length)", "end 0 at \(range.lowerBound)"])
    #expect(range.lowerBound > 0 && range.upperBound < Self.length)
    #expect(trace.run.file(0)?.machine.mirrors.validators.allSatisfy { $0 != nil } == true)
  }

  @Test func `the length of a range is proportional to the mirror's rate`() throws {
    let (trace, _) = try together()
    trace.serve([0: 8_000_000, 1: 800_000], milliseconds: 2000)
    var longest = [Int64(0), 0]
    trace.serve([0: 8_000_000, 1: 800_000], milliseconds: 2000) { _ in false }
    for transfer in trace.run.file(0)!.machine.active {
      guard case .range(let range) = transfer.asked else { continue }
      longest[transfer.mirror] = max(longest[transfer.mirror], range.upperBound - range.lowerBound)
    }
    #expect((4...14).contains(Double(longest[0]) / Double(longest[1])), "\(longest)")
  }

  @Test func `with one connection only one mirror is used`() {
    let trace = FileTrace(hosts: ["a", "b"]) { $0.file.maxConnections = 1 }
    trace.head(0, 200, length: Self.length)
    _ = trace.take()
    trace.serve([0: 1_000_000], milliseconds: 2000)
    #expect(trace.take().isEmpty)
  }

  @Test func `a mirror whose version cannot be compared waits, with a single notice`() throws {
    let (trace, _) = try together(tag: "w")
    trace.ended(1, .stopped)
    #expect(trace.take() == [])
    #expect(trace.notices == [.mirrorDisagrees(FileTrace.location("b"))])
    trace.serve([0: 1_000_000], milliseconds: 2000)
    #expect(!trace.take().contains { $0.contains("b/f") })
    // It replaces the first mirror and starts over.
    trace.ended(0, .failed(.status(404)))
    for transfer in trace.run.file(0)!.machine.active { trace.ended(transfer.id.number, .failed(.status(404))) }
    #expect(trace.take().contains { $0.hasSuffix("b/f all") } || trace.run.file(0)?.machine.currentMirror == 1)
  }

  @Test func `without an entity tag or digest one mirror supplies everything, and the other starts from zero`() {
    let trace = FileTrace(hosts: ["a", "b"])
    trace.head(0, 200, length: Self.length, tag: nil) { $0.lastModified = 50 }
    trace.serve([0: 1_000_000], milliseconds: 2000)
    #expect(!trace.take().contains { $0.contains("b/f") })
    for transfer in trace.run.file(0)!.machine.active { trace.ended(transfer.id.number, .failed(.status(404))) }
    // Its answer shows nothing that the recorded bytes could be compared with.
    guard let first = trace.run.file(0)?.machine.active.first, first.mirror == 1 else {
      Issue.record("the other is not asked: \(trace.take())")
      return
    }
    if case .range(let range) = first.asked {
      trace.head(first.id.number, 206, range: range, of: Self.length, tag: nil) { $0.lastModified = 50 }
      trace.ended(first.id.number, .stopped)
    }
    guard let plain = trace.run.file(0)?.machine.active.first else { return }
    let disposition = trace.head(plain.id.number, 200, length: Self.length, tag: nil) { $0.lastModified = 50 }
    #expect(disposition == .store(at: 0, skip: 0, end: Self.length) && trace.take().contains("discard"))
  }

  @Test func `with an expected digest entity tags need not agree`() throws {
    let (trace, range) = try together(digests: [FileTrace.digest], tag: "w")
    #expect(trace.take().contains("end 0 at \(range.lowerBound)"))
  }

  @Test func `a different length is another version even with a digest`() throws {
    for digests in [[], [FileTrace.digest]] {
      let (trace, _) = try together(digests: digests, of: Self.length + 1)
      trace.ended(1, .stopped)
      #expect(trace.take() == [] && trace.notices.count == 1)
    }
  }

  @Test func `after a mismatch mirrors are used one at a time`() throws {
    let trace = FileTrace(hosts: ["a", "b"], digests: [FileTrace.digest])
    trace.head(0, 200, length: Self.length)
    trace.serve([0: 1_000_000], until: { $0.contains { $0.hasPrefix("get 1 b/f") } })
    guard case .range(let range)? = trace.run.file(0)?.machine.active.last?.asked else { throw Absent() }
    trace.head(1, 206, range: range, of: Self.length)
    trace.advanced(1, range.upperBound)
    trace.ended(1)
    trace.serve([0: 40_000_000, 1: 40_000_000])
    #expect(trace.run.file(0)?.machine.isConcluding == true)
    _ = trace.take()
    trace.mismatched(FileTrace.digest)
    let id = try #require(trace.run.file(0)?.machine.active.first?.id.number)
    trace.head(id, 200, length: Self.length)
    // Whether or not its first bytes are recorded.
    for _ in 0..<8 {
      trace.run.received(TransferID(number: id), byteCount: 25_000)
      trace.wait(milliseconds: 25)
    }
    let mirror = trace.run.file(0)!.machine.currentMirror
    #expect(trace.run.file(0)?.machine.active.allSatisfy { $0.mirror == mirror } == true)
    trace.serve([mirror: 1_000_000], milliseconds: 2000)
    let hosts = Set(trace.run.file(0)!.machine.active.map(\.mirror))
    #expect(hosts.count == 1)
  }

  @Test func `with a digest a mirror whose file keeps changing is left for another`() {
    let trace = FileTrace(hosts: ["a", "b"], digests: [FileTrace.digest])
    for id in 0...VersionState.changeLimit {
      trace.head(id, 200, length: Self.length + Int64(id), tag: "v\(id)")
      trace.ended(id, .failed(.reset("x")))
      trace.wait(milliseconds: 60_000)
    }
    let words = trace.take()
    #expect(!words.contains { $0.hasPrefix("fail") }, "\(words)")
  }

  @Test func `a mirror that fails for good is left with one notice, and the other continues`() throws {
    let (trace, _) = try together()
    _ = trace.take()
    trace.ended(1, .failed(.tlsVerification("expired")))
    #expect(trace.notices == [.leavingMirror(FileTrace.location("b"), .tlsVerification("expired"))])
    trace.serve([0: 1_000_000], milliseconds: 1000)
    #expect(!trace.take().contains { $0.contains("b/f") || $0.hasPrefix("fail") })
  }

  @Test func `a mirror that refuses further transfers and breaks the one it serves is given a pause`() {
    let trace = FileTrace { $0.file.tries = 1 }
    trace.head(0, 200, length: 1 << 30)
    trace.serve([0: 1_000_000], length: 1 << 30, until: { $0.contains { $0.hasPrefix("get 3 ") } })
    for id in 1...3 {
      trace.head(id, 408)
      trace.ended(id)
    }
    _ = trace.take()
    trace.ended(0, .failed(.stalled))
    #expect(trace.take() == [])
    trace.wait(milliseconds: 60_000)
    #expect(trace.take().contains { $0.hasPrefix("get 4 ") })
  }

  @Test func `a mirror far slower than the other is left, and the other fetches its range`() throws {
    let (trace, _) = try together()
    trace.serve([0: 4_000_000, 1: 40_000], milliseconds: 2500)
    #expect(trace.notices.isEmpty)
    _ = trace.take()
    trace.serve([0: 4_000_000, 1: 40_000], milliseconds: 1000)
    #expect(trace.notices == [.leavingSlowMirror(FileTrace.location("b"))])
    #expect(trace.take().contains { $0.hasPrefix("stop") })
    #expect(trace.run.governor(of: FileTrace.location("b").origin)?.active == 0)
    trace.serve([0: 40_000_000])
    #expect(trace.run.file(0)?.machine.isConcluding == true)
  }

  @Test func `a mirror that takes a request and never answers is left`() throws {
    let trace = FileTrace(hosts: ["a", "b"])
    trace.head(0, 200, length: 1 << 30)
    trace.serve([0: 10_000_000], length: 1 << 30, milliseconds: 4000)
    #expect(trace.notices.isEmpty && trace.run.file(0)!.machine.active.contains { $0.mirror == 1 })
    trace.serve([0: 10_000_000], length: 1 << 30, milliseconds: 3000)
    #expect(trace.notices == [.leavingSlowMirror(FileTrace.location("b"))])
    #expect(!trace.run.file(0)!.machine.active.contains { $0.mirror == 1 })
  }

  @Test func `a slow mirror is used again if no other is left`() throws {
    let (trace, _) = try together()
    trace.serve([0: 4_000_000, 1: 40_000], milliseconds: 4000)
    #expect(trace.run.file(0)?.machine.mirrors[1].isLaggard == true)
    _ = trace.take()
    for transfer in trace.run.file(0)!.machine.active {
      trace.ended(transfer.id.number, .failed(.tlsVerification("expired")))
    }
    #expect(trace.take().contains { $0.contains("b/f") })
  }

  @Test func `a slow mirror that came back is not left again`() {
    let length: Int64 = 1 << 30
    let trace = FileTrace(hosts: ["a", "b", "c"])
    trace.head(0, 200, length: length)
    trace.serve([0: 10_000_000, 1: 40_000, 2: 10_000_000], length: length, milliseconds: 8000)
    #expect(trace.notices == [.leavingSlowMirror(FileTrace.location("b"))])
    trace.serve([0: 40_000, 2: 10_000_000], length: length, milliseconds: 8000)
    #expect(trace.notices == ["b", "a"].map { .leavingSlowMirror(FileTrace.location($0)) })
    for transfer in trace.run.file(0)!.machine.active {
      trace.ended(transfer.id.number, .failed(.tlsVerification("expired")))
    }
    trace.serve([0: 10_000_000, 1: 10_000_000], length: length, milliseconds: 2000)
    _ = trace.take()
    trace.serve([0: 40_000, 1: 10_000_000], length: length, milliseconds: 8000)
    #expect(!trace.take().contains { $0.hasPrefix("stop") })
    #expect(trace.run.file(0)!.machine.active.contains { $0.mirror == 0 } && trace.notices.count == 3)
  }

  @Test func `if only lengths differ, the first mirror's version counts`() {
    for expectedLength in [nil, Self.length] {
      let trace = FileTrace(hosts: ["a", "b"], expectedLength: expectedLength)
      trace.head(0, 500, length: 0)
      trace.ended(0)
      trace.head(1, 200, length: Self.length)
      _ = trace.take()
      trace.serve([1: 1_000_000], until: { $0.contains { $0.contains("a/f") } })
      guard let transfer = trace.run.file(0)?.machine.active.first(where: { $0.mirror == 0 }),
        case .range(let range) = transfer.asked
      else {
        Issue.record("the first is not asked again")
        return
      }
      trace.head(transfer.id.number, 206, range: range, of: Self.length - 5, tag: "w")
      _ = trace.take()
      trace.ended(transfer.id.number, .stopped)
      let said = trace.take()
      // A plain GET shows whether it really has another version.
      let isAsked = said.last?.hasSuffix("a/f all") == true
      #expect(isAsked == (expectedLength == nil), "\(said) \(trace.notices)")
      guard isAsked, let plain = trace.run.file(0)?.machine.active.first else { continue }
      trace.head(plain.id.number, 200, length: Self.length - 5, tag: "w")
      trace.ended(plain.id.number, .stopped)
      let then = trace.take()
      #expect(then.contains("discard") && then.last?.hasSuffix("a/f all") == true, "\(then)")
    }
  }

  @Test(arguments: [404, 410, 403, 416, 200])
  func `if a further range is refused, the first answer brings what no other transfer brings`(status: Int) throws {
    let trace = FileTrace { $0.file.maxConnections = 2 }
    trace.head(0, 200, length: Self.length)
    trace.serve([0: 8_000_000], until: { $0.contains { $0.hasPrefix("get 1 ") } })
    guard case .range(let range)? = trace.run.file(0)?.machine.active.last?.asked else { throw Absent() }
    trace.head(1, 206, range: range, of: Self.length)
    #expect(trace.take().contains("end 0 at \(range.lowerBound)"))
    trace.advanced(1, range.upperBound)
    trace.ended(1, .stopped)
    trace.wait(milliseconds: 25)
    guard case .range(let next)? = trace.run.file(0)?.machine.active.last?.asked else { throw Absent() }
    #expect(next.lowerBound == range.upperBound)
    _ = trace.take()
    trace.head(2, status, length: status == 200 ? Self.length : 0)
    trace.ended(2, status == 200 ? .stopped : .complete(digest: nil))
    #expect(trace.take() == ["end 0 at \(Self.length)"])
    // One more range is asked for when the file has grown.
    let position = try #require(trace.run.file(0)?.machine.active.first?.position)
    trace.advanced(0, position + 65_535)
    trace.wait(milliseconds: 25)
    #expect(trace.take() == [])
    trace.advanced(0, position + 65_536)
    trace.wait(milliseconds: 25)
    #expect(trace.take().contains { $0.hasPrefix("get 3 ") })
  }

  @Test func `a transfer that crawls goes on where no range could replace it`() throws {
    for isInDoubt in [false, true] {
      let trace = FileTrace { $0.file.maxConnections = 4 }
      trace.head(0, 200, length: Self.length)
      trace.serve([0: 8_000_000], until: { $0.contains { $0.hasPrefix("get 3 ") } })
      if isInDoubt {
        guard case .range(let range)? = trace.run.file(0)?.machine.active.last?.asked else { throw Absent() }
        trace.head(3, 206, range: range, of: Self.length, tag: nil)
        trace.ended(3, .stopped)
      }
      // Without a validator an answer may be of any version: ranges wait for a plain GET.
      #expect(trace.run.file(0)?.machine.mirrors[0].ranges.isAvoided == isInDoubt)
      _ = trace.take()
      for _ in 0..<80 {
        for transfer in trace.run.file(0)!.machine.active {
          trace.step(transfer, byteCount: transfer.id.number == 1 ? 100 : 20_000, Self.length)
        }
        trace.wait(milliseconds: 25)
      }
      let said = trace.take()
      #expect(said.contains { $0.hasPrefix("end 1 ") } == !isInDoubt, "\(said)")
      #expect(said.contains { $0.hasPrefix("get ") } == !isInDoubt, "\(said)")
    }
  }

  @Test func `a mirror that answers ranges with a refusal or the whole now and then is asked for them again`() {
    // Whole answers break off after 60 %; one answer to a range is wrong.
    for status in [200, 416, 403] {
      let trace = FileTrace { $0.file.maxConnections = 1 }
      trace.head(0, 200, length: 1_000_000)
      trace.advanced(0, 600_000)
      trace.ended(0, .failed(.shortBody))
      trace.wait(milliseconds: 60_000)
      #expect(trace.take().last == "get 1 a/f 600000-999999")
      trace.head(1, status, length: status == 200 ? 1_000_000 : 0)
      if status == 200 {
        trace.ended(1, .failed(.shortBody))
      } else {
        trace.ended(1)
        #expect(trace.take().last == "get 2 a/f all")
        trace.head(2, 200, length: 1_000_000)
        trace.ended(2, .failed(.shortBody))
      }
      trace.wait(milliseconds: 60_000)
      #expect(trace.take().last?.hasSuffix("a/f 600000-999999") == true, "\(status)")
    }
  }

  @Test func `a mirror that refuses ranges does not affect the others`() throws {
    let trace = FileTrace(hosts: ["a", "b", "c"])
    trace.head(0, 200, length: Self.length)
    trace.serve([0: 1_000_000], until: { $0.contains { $0.contains("c/f") } })
    let others = trace.run.file(0)!.machine.active.filter { $0.mirror > 0 }
    trace.head(others[0].id.number, 200, length: Self.length)
    trace.ended(others[0].id.number, .stopped)
    guard case .range(let range) = others[1].asked else { throw Absent() }
    let disposition = trace.head(others[1].id.number, 206, range: range, of: Self.length)
    #expect(disposition == .store(at: range.lowerBound, skip: 0, end: range.upperBound))
    #expect(trace.run.file(0)?.machine.mirrors[others[0].mirror].ranges.isAvoided == true)
    #expect(trace.run.file(0)?.machine.mirrors[others[1].mirror].ranges.areRefused == false)
  }
}

extension FileTrace {
  /// Serves the requests of these mirrors at the given rates, in bytes per second for all transfers of a mirror. Stops
  /// when the time has passed or `isEnough` holds for the actions.
  func serve(
    _ rates: [Int: Int64], length: Int64 = `Mirrors of one file`.length, milliseconds: Int64 = 5000,
    until isEnough: ([String]) -> Bool = { _ in false }
  ) {
    for _ in 0..<milliseconds / 25 {
      for (mirror, rate) in rates {
        let transfers = run.file(0)?.machine.active.filter { $0.mirror == mirror } ?? []
        for transfer in transfers { step(transfer, byteCount: rate / 40 / Int64(transfers.count), length) }
      }
      wait(milliseconds: 25)
      if isEnough(said) { return }
    }
  }

  fileprivate func step(_ transfer: ActiveTransfer, byteCount: Int64, _ length: Int64) {
    if case .range(let range) = transfer.asked, transfer.stage == .awaitingHead {
      head(transfer.id.number, 206, range: range, of: length)
    }
    guard let transfer = run.file(0)?.machine.active.first(where: { $0.id == transfer.id }) else { return }
    let offset = min(transfer.position + byteCount, transfer.end)
    run.received(transfer.id, byteCount: offset - transfer.position)
    advanced(transfer.id.number, offset)
    if offset == transfer.end { ended(transfer.id.number, .stopped) }
  }
}
