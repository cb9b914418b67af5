import Testing

@testable import DownloadCore

@Suite struct `Range planner` {
  private static let length: Int64 = 8 << 20
  private static let location = Location(scheme: .https, host: "a", port: 443, path: "/f", query: nil)

  private var settings: FileSettings {
    var settings = RunSettings()
    settings.file.minSplitSize = 64 << 10
    return settings.file
  }

  private func planner() -> RangePlanner { RangePlanner(pieces: nil, settings: settings) }

  private func context(_ planner: RangePlanner, at now: Instant = .zero) -> RangePlanner.Context {
    var version = VersionState(digests: [], hasPieces: false, settings: settings)
    let known = Representation(completeLength: Self.length, validators: Validators())
    var mirrors = MirrorSet([Self.location], probe: ConcurrencyProbe(initial: 1, maximum: 4, now: .zero))
    let answer = Answer(ResponseHead(status: 200), to: .whole, unixTime: 0)
    version.adopt(known, answer, keepsContent: false, of: &mirrors[0])
    return RangePlanner.Context(0, of: mirrors, version, now: now)!
  }

  private func assign(_ id: Int, _ asked: AskedContent, end: Int64, _ planner: inout RangePlanner) {
    let order = TransferOrder(
      id: TransferID(number: id), item: 0, mirror: 0, location: Self.location, asked: asked, purpose: .content,
      condition: nil, isSegment: true)
    planner.assign(order, end: end, now: .zero)
  }

  @Test func `ranges that are neither recorded nor assigned are free`() {
    var planner = planner()
    #expect(planner.next(context(planner))?.range == 0..<Self.length)
    planner.resume(ByteRangeSet([0..<1000, 5000..<6000]))
    #expect(planner.next(context(planner))?.range == 1000..<5000)
    assign(0, .range(1000..<5000), end: 5000, &planner)
    #expect(planner.next(context(planner))?.range == 6000..<Self.length)
  }

  @Test func `an answered range ends the segment before it, and ends where a later one has started`() {
    var planner = planner()
    var actions: [RunAction] = []
    assign(0, .whole, end: Self.length, &planner)
    planner.wholeBegan(0, kept: 0, completeLength: Self.length)
    assign(1, .range(4 << 20..<Self.length), end: Self.length, &planner)
    let end = planner.rangeBegan(
      TransferID(number: 1), 4 << 20..<Self.length, completeLength: Self.length, &actions)
    #expect(end == Self.length && actions == [.setEnd(TransferID(number: 0), end: 4 << 20)])
    assign(2, .range(2 << 20..<6 << 20), end: 6 << 20, &planner)
    let other = planner.rangeBegan(TransferID(number: 2), 2 << 20..<6 << 20, completeLength: Self.length, &actions)
    #expect(other == 4 << 20)
  }

  @Test func `an answer whose bytes are already recorded is not used`() {
    var planner = planner()
    var actions: [RunAction] = []
    planner.resume(ByteRangeSet([0..<1000]))
    assign(0, .range(0..<1000), end: 1000, &planner)
    let end = planner.rangeBegan(TransferID(number: 0), 0..<1000, completeLength: Self.length, &actions)
    #expect(end == nil && planner.active[0].stage == .judged(.useless) && planner.hurryCount == 1)
  }

  @Test func `an answer without recorded bytes is used, whatever was fetched twice of an earlier version`() {
    var planner = planner()
    var actions: [RunAction] = []
    planner.resume(ByteRangeSet([0..<100_000]))
    assign(0, .range(50_000..<Self.length), end: Self.length, &planner)
    let end = planner.rangeBegan(
      TransferID(number: 0), 50_000..<Self.length, completeLength: Self.length, &actions)
    #expect(end == Self.length)
    planner.contentDiscarded()
    assign(1, .range(0..<1000), end: 1000, &planner)
    let shorter = planner.rangeBegan(TransferID(number: 1), 0..<1000, completeLength: 1 << 20, &actions)
    #expect(shorter == 1000 && planner.active[1].stage == .receiving)
  }

  @Test func `a short rest that another mirror takes over counts as a race if its transfer has brought nothing`() {
    let other = Location(scheme: .https, host: "b", port: 443, path: "/f", query: nil)
    var mirrors = MirrorSet([Self.location, other], probe: ConcurrencyProbe(initial: 1, maximum: 4, now: .zero))
    for (mirror, byteCount) in [(0, Int64(1000)), (1, 1_000_000)] {
      mirrors[mirror].meter.received(byteCount)
      mirrors[mirror].meter.observed(connections: 1, roundTrip: .milliseconds(1), span: 1)
    }
    let length: Int64 = 1 << 20
    let rest = length - 80_000..<length
    var version = VersionState(digests: [], hasPieces: false, settings: settings)
    let validators = Validators(entityTag: EntityTag(parsing: "\"v\"".utf8))
    let known = Representation(completeLength: length, validators: validators)
    let answer = Answer(ResponseHead(status: 200), to: .whole, unixTime: 0)
    version.adopt(known, answer, keepsContent: false, of: &mirrors[0])
    let context = RangePlanner.Context(1, of: mirrors, version, now: .zero + .milliseconds(25))!
    var planner = planner()
    planner.resume(ByteRangeSet([0..<rest.lowerBound]))
    var actions: [RunAction] = []
    assign(0, .range(rest), end: length, &planner)
    _ = planner.rangeBegan(TransferID(number: 0), rest, completeLength: length, &actions)
    #expect(planner.next(context) == RangePlanner.Segment(range: rest, role: .race))
    planner.received(TransferID(number: 0), byteCount: 5000)
    #expect(planner.next(context)?.role != .race)
  }

  @Test func `repeated bytes are new, but no progress until a restart is counted`() {
    var planner = planner()
    assign(0, .whole, end: Self.length, &planner)
    planner.wholeBegan(0, kept: 0, completeLength: Self.length)
    let first = planner.advanced(0, to: 5000)
    #expect(first == (5000, 5000))
    planner.contentDiscarded()
    planner.wholeBegan(0, kept: 0, completeLength: Self.length)
    let again = planner.advanced(0, to: 6000)
    #expect(again == (6000, 1000))
    planner.contentDiscarded()
    planner.progressCountsAnew()
    planner.wholeBegan(0, kept: 0, completeLength: Self.length)
    let anew = planner.advanced(0, to: 6000)
    #expect(anew == (6000, 6000))
  }

  @Test func `a transfer ends once others have recorded its rest`() {
    var planner = planner()
    var actions: [RunAction] = []
    assign(0, .range(0..<1000), end: 1000, &planner)
    assign(1, .whole, end: Self.length, &planner)
    _ = planner.rangeBegan(TransferID(number: 0), 0..<1000, completeLength: Self.length, &actions)
    planner.wholeBegan(1, kept: 0, completeLength: Self.length)
    _ = planner.advanced(1, to: 1000)
    planner.endBeaten(by: 1, &actions)
    #expect(actions == [.setEnd(TransferID(number: 0), end: 0)])
  }
}
