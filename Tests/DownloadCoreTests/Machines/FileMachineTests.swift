import Testing

@testable import DownloadCore

/// Traces of one file: events in, actions out, told in words.
@Suite struct `One file's decisions` {
  /// A run with one file, its driver's part reduced to words.
  final class Trace {
    var run: RunMachine
    var now = Instant.zero
    private(set) var said: [String] = []
    /// Notices that are shown unasked.
    private(set) var notices: [Remark] = []
    /// Pieces that are to be verified.
    var checks: [PieceCheck] = []

    static func location(_ host: String, path: String = "/f") -> Location {
      Location(scheme: .https, host: host, port: 443, path: path, query: nil)
    }

    init(
      hosts: [String] = ["a"], digests: [ContentDigest] = [], expectedLength: Int64? = nil,
      pieces: PieceHashes? = nil, beginning: FileMachine.Beginning = .fresh,
      _ change: (inout DownloadSettings) -> Void = { _ in }
    ) {
      var settings = DownloadSettings()
      settings.minSplitSize = 64 << 10
      change(&settings)
      run = RunMachine(settings: settings)
      let machine = FileMachine(
        item: 0, mirrors: hosts.map { Self.location($0) }, digests: digests, expectedLength: expectedLength,
        pieces: pieces, settings: run.fileSettings, beginning: beginning, now: .zero)
      var actions: [RunAction] = []
      run.add(machine, now: now, &actions)
      note(actions)
    }

    /// What was said since the last time.
    func take() -> [String] {
      defer { said = [] }
      return said
    }

    private func perform(_ body: (inout RunMachine, Instant, inout [RunAction]) -> Void) {
      var actions: [RunAction] = []
      body(&run, now, &actions)
      note(actions)
    }

    private func note(_ actions: [RunAction]) {
      said += actions.compactMap(Self.word)
      for case .notice(_, let level, let remark) in actions where level != .detail { notices.append(remark) }
      for case .verify(_, let check) in actions { checks.append(check) }
    }

    private static func word(_ action: RunAction) -> String? {
      switch action {
      case .start(let order):
        let what = order.purpose == .confirmation ? "confirm" : "get"
        return
          "\(what) \(order.id.number) \(order.location.host)\(order.location.path) \(order.asked.rangeText ?? "all")"
      case .setEnd(let id, let end): return "end \(id.number) at \(end)"
      case .stop(let id): return "stop \(id.number)"
      case .discardContent: return "discard"
      case .adopt(_, let known): return "adopt \(known.completeLength.map(String.init) ?? "?")"
      case .verify(_, let check): return "verify \(check.index)"
      case .discardRange(_, let range): return "lose \(range.lowerBound)-\(range.upperBound - 1)"
      case .conclude(_, let conclusion): return "conclude \(conclusion.completeLength) \(conclusion.expected.count)"
      case .keep: return "keep"
      case .setAside: return "set aside"
      case .fail(_, let error): return "fail \(error.code)"
      case .withdraw(_, let withdrawal): return "\(withdrawal)"
      case .notice: return nil
      }
    }

    @discardableResult
    func head(
      _ id: Int, _ status: Int, length: Int64? = nil, range: Range<Int64>? = nil, of complete: Int64 = 1000,
      tag: String? = "v", redirectTo: String? = nil, _ change: (inout ResponseHead) -> Void = { _ in }
    ) -> BodyDisposition {
      var head = ResponseHead(status: status)
      head.date = 1000
      head.contentLength = length
      head.entityTag = tag.flatMap { EntityTag(parsing: "\"\($0)\"".utf8) }
      if let range {
        head.contentRange = .satisfied(range, completeLength: complete)
        head.contentLength = range.upperBound - range.lowerBound
      }
      if redirectTo != nil { head.location = [47] }
      change(&head)
      var disposition = BodyDisposition.stop
      perform { run, now, actions in
        disposition = run.headReceived(
          TransferID(number: id), head, redirectTarget: redirectTo.map { Self.location($0, path: "/target") },
          roundTrip: nil, unixTime: 1000, now: now, &actions)
      }
      return disposition
    }

    func advanced(_ id: Int, _ offset: Int64) {
      perform { run, _, actions in
        run.received(TransferID(number: id), byteCount: 1)
        run.advanced(TransferID(number: id), to: offset, &actions)
      }
    }

    func ended(_ id: Int, _ ending: TransferEnding = .complete(digest: nil)) {
      perform { run, now, actions in
        run.transferEnded(TransferID(number: id), ending, now: now, random: 0, &actions)
      }
    }

    func mismatched(_ expected: ContentDigest) {
      let actual = ContentDigest(.md5, Array(repeating: 0, count: 16))!
      perform { run, now, actions in
        run.mismatched(0, expected: ExpectedDigest(expected, .given), actual: actual, now: now, &actions)
      }
    }

    func wait(milliseconds: Int64) {
      now = now + .milliseconds(milliseconds)
      perform { run, now, actions in run.ticked(now: now, &actions) }
    }

    func control(_ body: (inout RunMachine, Instant, inout [RunAction]) -> Void) { perform(body) }
  }

  static let digest = ContentDigest(.md5, Array(repeating: 7, count: 16))!

  @Test func `a small file is one plain request`() {
    let trace = Trace()
    #expect(trace.take() == ["get 0 a/f all"])
    let disposition = trace.head(0, 200, length: 1000)
    #expect(disposition == .store(at: 0, skip: 0, end: 1000))
    trace.advanced(0, 1000)
    trace.ended(0)
    #expect(trace.take() == ["adopt 1000", "conclude 1000 0"])
    #expect(trace.run.transfers.count == 0)
  }

  @Test func `an empty file is whole at once`() {
    let trace = Trace()
    trace.head(0, 200, length: 0)
    trace.ended(0)
    #expect(trace.take() == ["get 0 a/f all", "adopt 0", "conclude 0 0"])
  }

  @Test func `a broken body goes on where it ended`() {
    let trace = Trace()
    trace.head(0, 200, length: 1_000_000)
    trace.advanced(0, 300_000)
    trace.ended(0, .failed(.reset("x")))
    #expect(trace.take() == ["get 0 a/f all", "adopt 1000000", "get 1 a/f 300000-999999"])
    let disposition = trace.head(1, 206, range: 300_000..<1_000_000, of: 1_000_000)
    #expect(disposition == .store(at: 300_000, skip: 0, end: 1_000_000))
    trace.advanced(1, 1_000_000)
    trace.ended(1)
    #expect(trace.take() == ["conclude 1000000 0"])
  }

  @Test func `without a validator a broken body begins again`() {
    let trace = Trace()
    trace.head(0, 200, length: 1_000_000, tag: nil)
    trace.advanced(0, 300_000)
    trace.ended(0, .failed(.shortBody))
    _ = trace.take()
    let disposition = trace.head(1, 200, length: 1_000_000, tag: nil)
    #expect(disposition == .store(at: 0, skip: 0, end: 1_000_000))
    #expect(trace.take() == ["discard", "adopt 1000000"])
    // The same bytes again are no progress: this attempt is followed by a pause.
    trace.advanced(1, 200_000)
    trace.ended(1, .failed(.shortBody))
    #expect(trace.take() == [])
    trace.wait(milliseconds: 499)
    #expect(trace.take() == [])
    trace.wait(milliseconds: 1)
    #expect(trace.take() == ["get 2 a/f all"])
  }

  @Test func `fruitless attempts double their pause, then the file fails`() {
    let trace = Trace { $0.tries = 3 }
    _ = trace.take()
    for (attempt, pause) in [500, 1000].enumerated() {
      trace.ended(attempt, .failed(.stalled))
      trace.wait(milliseconds: Int64(pause) - 1)
      #expect(trace.take() == [])
      trace.wait(milliseconds: 1)
      #expect(trace.take() == ["get \(attempt + 1) a/f all"])
    }
    trace.ended(2, .failed(.stalled))
    #expect(trace.take() == ["fail network"])
  }

  @Test func `a kept connection that was closed is repeated at once, and no attempt`() {
    let trace = Trace { $0.tries = 1 }
    for id in 0..<3 { trace.ended(id, .failed(.keptConnectionClosed)) }
    #expect(trace.take() == (0...3).map { "get \($0) a/f all" })
    trace.ended(3, .failed(.keptConnectionClosed))
    #expect(trace.take() == ["fail network"])
  }

  @Test func `a changed version is fetched from zero, a few times`() {
    let trace = Trace()
    trace.head(0, 200, length: 1_000_000)
    var id = 0
    for version in 0..<5 {
      trace.advanced(id, 300_000)
      trace.ended(id, .failed(.shortBody))
      _ = trace.take()
      trace.head(id + 1, 206, range: 300_000..<1_000_000, of: 1_000_000, tag: "w\(version)")
      trace.ended(id + 1, .stopped)
      // What a range seems to show a plain GET confirms before anything is thrown away.
      #expect(trace.take() == ["get \(id + 2) a/f all"])
      trace.head(id + 2, 200, length: 1_000_000, tag: "x\(version)") { $0.lastModified = Int64(version) }
      #expect(trace.take().first == "discard")
      id += 2
    }
    trace.advanced(id, 300_000)
    trace.ended(id, .failed(.shortBody))
    _ = trace.take()
    trace.head(id + 1, 206, range: 300_000..<1_000_000, of: 1_000_001, tag: "z")
    trace.ended(id + 1, .stopped)
    trace.head(id + 2, 200, length: 1_000_001, tag: "z")
    trace.ended(id + 2, .stopped)
    #expect(trace.take() == ["get \(id + 2) a/f all", "fail integrity"])
  }

  @Test func `a range that seems to show another version costs nothing where a plain GET shows the known one`() {
    let trace = Trace()
    trace.head(0, 200, length: 1_000_000)
    trace.advanced(0, 300_000)
    trace.ended(0, .failed(.shortBody))
    _ = trace.take()
    trace.head(1, 206, range: 300_000..<1_000_000, of: 1_000_000, tag: "w")
    trace.ended(1, .stopped)
    #expect(trace.take() == ["get 2 a/f all"])
    #expect(trace.head(2, 200, length: 1_000_000) == .store(at: 0, skip: 300_000, end: 1_000_000))
    trace.advanced(2, 1_000_000)
    trace.ended(2, .complete(digest: nil))
    #expect(trace.take().last == "conclude 1000000 0")
  }

  @Test func `a server that refuses ranges is asked for the whole`() {
    for status in [403, 416] {
      let trace = Trace()
      trace.head(0, 200, length: 1_000_000)
      trace.advanced(0, 300_000)
      trace.ended(0, .failed(.shortBody))
      trace.head(1, status, length: 0)
      trace.ended(1, .stopped)
      _ = trace.take()
      #expect(trace.head(2, 200, length: 1_000_000) == .store(at: 0, skip: 300_000, end: 1_000_000))
      trace.advanced(2, 600_000)
      trace.ended(2, .failed(.reset("gone")))
      #expect(!trace.take().contains { $0.contains("get") && !$0.hasSuffix("all") }, "no further ranges")
    }
  }

  @Test func `a mirror is not given up for its answers to ranges before it was asked for the whole`() {
    let trace = Trace { $0.tries = 3 }
    trace.head(0, 200, length: 1_000_000)
    trace.advanced(0, 300_000)
    trace.ended(0, .failed(.shortBody))
    for id in 1...3 {
      trace.wait(milliseconds: 20_000)
      trace.head(id, 206, range: 0..<1_000_000, of: 1_000_000)
      trace.ended(id, .stopped)
    }
    trace.wait(milliseconds: 20_000)
    #expect(trace.take().last == "get 4 a/f all")
    trace.head(4, 200, length: 1_000_000)
    trace.advanced(4, 1_000_000)
    trace.ended(4, .complete(digest: nil))
    #expect(trace.take().last == "conclude 1000000 0")
  }

  @Test func `a claimed digest judges what was kept on its strength, whatever later answers claim`() {
    let claim = ContentDigest(.sha256, [UInt8](repeating: 1, count: 32))!
    let other = ContentDigest(.sha512, [UInt8](repeating: 2, count: 64))!
    for laterClaims in [[], [other], [claim, other]] {
      let trace = Trace()
      trace.head(0, 200, length: 1_000_000, tag: nil) { $0.representationDigests = [claim] }
      trace.advanced(0, 300_000)
      trace.ended(0, .failed(.shortBody))
      let disposition = trace.head(1, 200, length: 1_000_000, tag: nil) { $0.representationDigests = laterClaims }
      #expect(disposition == .store(at: 0, skip: 300_000, end: 1_000_000))
      #expect(trace.run.expectedDigests(of: 0) == [ExpectedDigest(claim, .server)])
    }
  }

  @Test func `a second fetch whose digest is not known confirms nothing`() {
    let trace = Trace()
    trace.head(0, 200, tag: nil) { $0.connectionCloses = true }
    trace.advanced(0, 5000)
    trace.ended(0, .complete(digest: nil))
    #expect(trace.take().last == "confirm 1 a/f all")
    trace.head(1, 200, tag: nil) { $0.connectionCloses = true }
    trace.ended(1, .complete(digest: nil))
    #expect(trace.take().last?.hasPrefix("fail") == true)
  }

  @Test func `an update keeps a local file that is as new`() {
    func disposition(_ local: LocalCopy, _ change: @escaping (inout ResponseHead) -> Void) -> [String] {
      let trace = Trace(beginning: .update(local))
      _ = trace.take()
      trace.head(0, 200, length: 1000, tag: "v") {
        $0.lastModified = 500
        change(&$0)
      }
      trace.ended(0, .stopped)
      return trace.take()
    }
    let same = LocalCopy(modified: 500, size: 1000)
    #expect(disposition(same) { _ in } == ["keep"])
    #expect(disposition(LocalCopy(modified: 900, size: 7)) { _ in } == ["keep"], "the local file is newer")
    #expect(disposition(LocalCopy(modified: 499, size: 1000)) { _ in }.first == "adopt 1000")
    #expect(disposition(LocalCopy(modified: 500, size: 7)) { _ in }.first == "adopt 1000", "cut by somebody")
    #expect(disposition(same) { $0.lastModified = nil }.first == "adopt 1000")
    let tagged = LocalCopy(modified: 500, size: 1000, entityTag: EntityTag(parsing: "\"u\"".utf8))
    #expect(disposition(tagged) { _ in }.first == "adopt 1000", "changed within the second")
    let current = LocalCopy(modified: 500, size: 1000, entityTag: EntityTag(parsing: "\"v\"".utf8))
    #expect(disposition(current) { _ in } == ["keep"])
  }

  @Test func `a redirect is followed, forgotten when it expires, and bounded`() {
    let trace = Trace()
    _ = trace.take()
    trace.head(0, 302, length: 0, redirectTo: "b")
    trace.ended(0)
    #expect(trace.take() == ["get 1 b/target all"])
    trace.head(1, 200, length: 1_000_000)
    trace.advanced(1, 300_000)
    trace.ended(1, .failed(.reset("x")))
    #expect(trace.take() == ["adopt 1000000", "get 2 b/target 300000-999999"])
    trace.head(2, 403, length: 10)
    trace.ended(2)
    // An attempt without progress, so it waits; then the original is asked.
    trace.wait(milliseconds: 500)
    #expect(trace.take() == ["get 3 a/f 300000-999999"])
    for hop in 3..<23 {
      trace.head(hop, 302, length: 0, redirectTo: "b\(hop)")
      trace.ended(hop)
    }
    #expect(trace.take().count == 20)
    trace.head(23, 302, length: 0, redirectTo: "c")
    trace.ended(23)
    #expect(trace.take() == ["fail protocolViolation"])
  }

  @Test func `a target whose certificate is refused sends the file back to its URL`() {
    let trace = Trace { $0.tries = 2 }
    _ = trace.take()
    trace.head(0, 302, length: 0, redirectTo: "b")
    trace.ended(0)
    trace.ended(1, .failed(.tlsVerification("expired")))
    trace.wait(milliseconds: 500)
    #expect(trace.take() == ["get 1 b/target all", "get 2 a/f all"])
    // The original's own certificate is final.
    trace.ended(2, .failed(.tlsVerification("expired")))
    #expect(trace.take() == ["fail tls"])
  }

  @Test func `from https down to http only where a digest will judge`() {
    for digests in [[], [Self.digest]] {
      let trace = Trace(digests: digests)
      _ = trace.take()
      var actions: [RunAction] = []
      var head = ResponseHead(status: 302)
      head.location = [47]
      head.contentLength = 0
      let target = Location(scheme: .http, host: "b", port: 80, path: "/t", query: nil)
      _ = trace.run.headReceived(
        TransferID(number: 0), head, redirectTarget: target, roundTrip: nil, unixTime: 0, now: .zero, &actions)
      trace.ended(0)
      #expect(trace.take() == (digests.isEmpty ? ["fail protocolViolation"] : ["get 1 b/t all"]))
    }
  }

  @Test func `a body that its connection ended is fetched twice, unless told otherwise`() {
    let trace = Trace()
    trace.head(0, 200) { $0.connectionCloses = true }
    trace.advanced(0, 700)
    trace.ended(0)
    #expect(trace.take() == ["get 0 a/f all", "adopt ?", "confirm 1 a/f all"])
    let disposition = trace.head(1, 200) { $0.connectionCloses = true }
    #expect(disposition == .hash)
    trace.ended(1, .complete(digest: ContentDigest(.sha256, Array(repeating: 1, count: 32))))
    #expect(trace.take() == ["conclude 700 1"])

    let trusting = Trace { $0.allowsUnconfirmed = true }
    trusting.head(0, 200) { $0.connectionCloses = true }
    trusting.advanced(0, 700)
    trusting.ended(0)
    #expect(trusting.take().last == "conclude 700 0")

    // The end of a chunked body is its own proof.
    let chunked = Trace()
    chunked.head(0, 200) { $0.isChunked = true }
    chunked.advanced(0, 700)
    chunked.ended(0)
    #expect(chunked.take().last == "conclude 700 0")
  }

  @Test func `a second connection takes what is left, and the first ends there`() {
    let trace = Trace { $0.connectionsPerFile = 2 }
    trace.head(0, 200, length: 8 << 20)
    _ = trace.take()
    // A steady megabyte a second: one connection is measured, then a second one is tried.
    var starts: [String] = []
    for tick in 1...20 where starts.isEmpty {
      trace.run.received(TransferID(number: 0), byteCount: 25_000)
      trace.advanced(0, Int64(tick) * 25_000)
      trace.wait(milliseconds: 25)
      starts = trace.take()
    }
    #expect(starts.count == 1)
    let range = trace.run.file(0)!.machine.active.last!.asked
    guard case .range(let asked) = range else { return #expect(Bool(false), "\(range)") }
    trace.head(1, 206, range: asked, of: 8 << 20)
    #expect(trace.take() == ["end 0 at \(asked.lowerBound)"])
    #expect(trace.run.governor(of: Trace.location("a").origin)?.active == 2)
  }

  @Test func `a mismatch fetches again, three times in all`() {
    let trace = Trace(digests: [Self.digest])
    for id in 0..<3 {
      trace.head(id, 200, length: 1000)
      trace.advanced(id, 1000)
      trace.ended(id)
      _ = trace.take()
      trace.mismatched(Self.digest)
      let said = trace.take()
      #expect(said == (id < 2 ? ["discard", "get \(id + 1) a/f all"] : ["set aside", "fail integrity"]))
    }
  }

  @Test func `a mirror whose whole content is denied is left for the other`() {
    let trace = Trace(hosts: ["a", "b"], digests: [Self.digest])
    trace.head(0, 200, length: 1000)
    trace.advanced(0, 1000)
    trace.ended(0)
    _ = trace.take()
    trace.mismatched(Self.digest)
    #expect(trace.take() == ["discard", "get 1 b/f all"])
  }

  @Test func `a mirror of another version waits, and the file goes on with the first`() {
    let trace = Trace(hosts: ["a", "b"])
    trace.head(0, 200, length: 1_000_000)
    trace.advanced(0, 300_000)
    trace.ended(0, .failed(.reset("x")))
    trace.head(1, 500, length: 0)
    trace.ended(1)
    #expect(trace.take() == ["get 0 a/f all", "adopt 1000000", "get 1 a/f 300000-999999", "get 2 b/f 300000-999999"])
    trace.head(2, 206, range: 300_000..<1_000_000, of: 1_000_000, tag: "other")
    trace.ended(2, .stopped)
    #expect(trace.take() == [])
    trace.wait(milliseconds: 500)
    #expect(trace.take() == ["get 3 a/f 300000-999999"])
  }

  @Test func `the length that a list states is held against the first answer`() {
    let trace = Trace(expectedLength: 999)
    trace.head(0, 200, length: 1000)
    trace.ended(0, .stopped)
    #expect(trace.take() == ["get 0 a/f all", "fail integrity"])
  }

  @Test func `the longest size is held against announced and received lengths`() {
    let announced = Trace { $0.maxFilesize = 999 }
    let disposition = announced.head(0, 200, length: 1_000_000)
    #expect(disposition == .stop)
    announced.ended(0, .stopped)
    #expect(announced.take().last == "fail integrity")
    let endless = Trace { $0.maxFilesize = 999 }
    endless.head(0, 200) { $0.isChunked = true }
    endless.advanced(0, 1000)
    #expect(endless.take() == ["get 0 a/f all", "adopt ?", "stop 0", "fail integrity"])
    #expect(endless.run.governor(of: Trace.location("a").origin)?.active == 0)
  }

  @Test func `a record goes on where it was, an unusable one from zero`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let good = Representation(completeLength: 1_000_000, validators: Validators(entityTag: tag))
    let done = ByteRangeSet(CollectionOfOne(Int64(0)..<400_000))
    let trace = Trace(beginning: .resume(good, done: done, mirror: 0))
    #expect(trace.take() == ["get 0 a/f 400000-999999"])
    // The server ignores the range: what is there is skipped.
    let disposition = trace.head(0, 200, length: 1_000_000)
    #expect(disposition == .store(at: 0, skip: 400_000, end: 1_000_000))
    let bare = Representation(completeLength: 1_000_000, validators: Validators(lastModified: 5))
    let unusable = Trace(beginning: .resume(bare, done: done, mirror: 0))
    #expect(unusable.run.file(0)?.machine.didResume == false)
    #expect(unusable.take() == ["get 0 a/f all"])
  }

  @Test func `a record of everything is a conclusion without a request`() {
    let tag = EntityTag(parsing: "\"v\"".utf8)
    let known = Representation(completeLength: 1000, validators: Validators(entityTag: tag, lastModified: 5))
    let done = ByteRangeSet(CollectionOfOne(Int64(0)..<1000))
    let trace = Trace(beginning: .resume(known, done: done, mirror: 0))
    #expect(trace.take() == ["conclude 1000 0"])
    let digest = ContentDigest(.md5, [UInt8](repeating: 1, count: 16))!
    let judged = Trace(digests: [digest], beginning: .resume(known, done: done, mirror: 0))
    #expect(judged.take() == ["conclude 1000 1"])
    // Without a length nobody knows that it is everything.
    let open = Representation(completeLength: nil, validators: Validators(entityTag: tag))
    #expect(Trace(beginning: .resume(open, done: done, mirror: 0)).take() == ["get 0 a/f 1000-"])
    // Another file than the list describes.
    let other = Trace(expectedLength: 999, beginning: .resume(known, done: done, mirror: 0))
    #expect(other.take() == ["discard", "fail integrity"])
  }

  @Test func `a finished file is compared by its length`() {
    let equal = Trace(beginning: .compareLength(1000))
    equal.head(0, 200, length: 1000)
    equal.ended(0)
    #expect(equal.take() == ["get 0 a/f all", "keep"])
    let different = Trace(beginning: .compareLength(1000))
    different.head(0, 200, length: 2000)
    different.ended(0)
    #expect(different.take() == ["get 0 a/f all", "fail integrity"])
  }

  @Test func `a file that is not newer is kept`() {
    let trace = Trace(beginning: .update(LocalCopy(modified: 77, size: 1000)))
    trace.head(0, 304)
    trace.ended(0)
    #expect(trace.take() == ["get 0 a/f all", "keep"])
  }

  @Test func `pause stops, resume goes on from there, cancel ends`() {
    let trace = Trace()
    trace.head(0, 200, length: 1_000_000)
    trace.advanced(0, 300_000)
    _ = trace.take()
    trace.control { run, now, actions in run.command(.item(0), .pause, now: now, &actions) }
    #expect(trace.take() == ["stop 0"])
    trace.wait(milliseconds: 60_000)
    #expect(trace.take() == [])
    trace.control { run, now, actions in run.command(.item(0), .resume, now: now, &actions) }
    #expect(trace.take() == ["get 1 a/f 300000-999999"])
    trace.control { run, now, actions in run.command(.item(0), .cancel, now: now, &actions) }
    #expect(trace.take() == ["stop 1", "cancelled"])
    #expect(trace.run.governor(of: Trace.location("a").origin)?.active == 0)
  }

  @Test func `a dead host fails what waits for it, and others go on`() {
    let trace = Trace(hosts: ["a", "b"]) { $0.tries = 1 }
    trace.ended(0, .failed(.connectRefused))
    #expect(trace.take() == ["get 0 a/f all", "get 1 b/f all"])
    trace.ended(1, .failed(.nameLookup("x")))
    #expect(trace.take() == ["fail network"])
  }

  @Test func `where all transfers of a host stall together, one finds out whether there is a way to it`() {
    let trace = Trace()
    for item in 1..<6 {
      trace.control { run, now, actions in
        let machine = FileMachine(
          item: item, mirrors: [Trace.location("a", path: "/\(item)")], digests: [], expectedLength: nil, pieces: nil,
          settings: run.fileSettings, beginning: .fresh, now: now)
        run.add(machine, now: now, &actions)
      }
    }
    #expect(trace.take() == ["get 0 a/f all", "get 1 a/1 all", "get 2 a/2 all", "get 3 a/3 all"])
    for id in 0..<4 { trace.head(id, 200, length: 1000) }
    trace.wait(milliseconds: 31_000)
    _ = trace.take()
    for id in 0..<4 { trace.ended(id, .failed(.stalled)) }
    #expect(trace.take() == ["get 4 a/4 all"])
    trace.wait(milliseconds: 5_000)
    #expect(trace.take() == [])
    #expect(trace.run.awaitedConnections == [TransferID(number: 4)])
    trace.control { run, now, actions in run.reached(TransferID(number: 4), now: now, &actions) }
    #expect(trace.run.awaitedConnections == [])
    #expect(Set(trace.take().map { $0.split(separator: " ")[2] }).count == 3, "as many as the host may have")
  }
}
