import Testing

@testable import DownloadCore

/// One file whose server names further mirrors.
@Suite struct `Mirrors that a server names` {
  static let length: Int64 = 64 << 20
  private static let strong = ContentDigest(.sha256, repeating: 1)
  private static let weak = ContentDigest(.md5, repeating: 1)

  private static func mirror(_ host: String, priority: Int = 5, country: String? = nil) -> LinkedMirror {
    LinkedMirror(FileTrace.location(host), priority: priority, country: country)
  }

  private static let mirrors = [mirror("b"), mirror("c")]

  private func joined(_ trace: FileTrace) -> [String] { trace.take().filter { $0.hasPrefix("join") } }

  /// - Parameter claims: of the server's first answer.
  private func started(
    _ claims: [ContentDigest] = [strong], digests: [ContentDigest] = [], links: [LinkedMirror] = mirrors,
    _ change: (inout RunSettings) -> Void = { _ in }
  ) -> FileTrace {
    let trace = FileTrace(digests: digests, change)
    trace.head(0, 200, length: Self.length, links: links) { $0.representationDigests = claims }
    return trace
  }

  /// Serves from `a` until `b` is asked, and answers for it.
  /// - Returns: the range.
  private func ask(_ trace: FileTrace) throws -> (id: Int, range: Range<Int64>) {
    _ = trace.take()
    trace.serve([0: 1_000_000], until: { $0.contains { $0.contains(" b/f ") } })
    let transfer = trace.run.file(0)!.machine.active.last!
    guard case .range(let range) = transfer.asked else { throw Absent() }
    return (transfer.id.number, range)
  }

  private struct Absent: Error {}

  // MARK: Whether they join

  @Test func `join if a strong digest is claimed or given`() {
    #expect(joined(started()) == ["join b c"])
    #expect(joined(started([], digests: [Self.strong])) == ["join b c"])
    #expect(joined(started([])) == [])
    #expect(joined(started([Self.weak])) == [])
    #expect(joined(started([], digests: [Self.weak])) == [])
  }

  @Test func `join by country, then by priority, then in order, twenty at most`() {
    let some = [
      Self.mirror("b", priority: 9), Self.mirror("c", priority: 2, country: "fr"), Self.mirror("d", priority: 2),
      Self.mirror("e", priority: 7, country: "de"), Self.mirror("f", priority: 1, country: "de"),
    ]
    #expect(joined(started(links: some) { $0.file.countries = ["de", "fr"] }) == ["join f e c d b"])
    #expect(joined(started(links: some)) == ["join f c d e b"])
    let many = (0..<50).map { Self.mirror("m\($0)") }
    #expect(joined(started(links: many)) == ["join " + (0..<20).map { "m\($0)" }.joined(separator: " ")])
  }

  @Test func `join once, and not under a URL that the file has`() {
    let trace = started(links: [Self.mirror("a"), Self.mirror("b"), Self.mirror("b")])
    #expect(joined(trace) == ["join b"])
  }

  @Test func `without encryption join only for a given digest`() {
    let plain = [LinkedMirror(Location(scheme: .http, host: "p", port: 80, path: "/f", query: nil))]
    #expect(joined(started(links: plain)) == [])
    #expect(joined(started([], digests: [Self.strong], links: plain)) == ["join p"])
  }

  @Test func `in a redirect join when the content is answered`() {
    let trace = FileTrace()
    trace.head(0, 302, length: 0, redirectTo: "t", links: Self.mirrors)
    trace.ended(0)
    #expect(joined(trace) == [])
    trace.head(1, 200, length: Self.length) { $0.representationDigests = [Self.strong] }
    #expect(joined(trace) == ["join b c"])
  }

  @Test func `of an interrupted download join if its record has a strong digest`() throws {
    let known = Representation(
      completeLength: Self.length, validators: Validators(entityTag: EntityTag(parsing: "\"v\"".utf8)))
    for digest in [Self.strong, Self.weak] {
      let trace = FileTrace(
        beginning: .resume(
          known, done: ByteRangeSet([0..<1_000_000]), mirror: 0, expectedDigests: [ExpectedDigest(digest, .server)]))
      let active = trace.run.file(0)?.machine.active.first?.asked
      guard case .range(let range)? = active else { throw Absent() }
      trace.head(0, 206, range: range, of: Self.length, links: Self.mirrors)
      #expect(joined(trace) == (digest == Self.strong ? ["join b c"] : []))
    }
  }

  // MARK: What they may bring

  @Test func `bring ranges, whatever their entity tag`() throws {
    let trace = started()
    let (id, range) = try ask(trace)
    #expect(trace.head(id, 206, range: range, of: Self.length, tag: "other") != .stop)
    #expect(trace.notices.isEmpty && trace.run.file(0)?.machine.activeCount ?? 0 > 1)
  }

  @Test func `leave where they answer with another version, a claim that differs, or the whole`() throws {
    let other = ContentDigest(.sha256, repeating: 2)
    for answer in 0..<4 {
      let trace = started(links: [Self.mirror("b")])
      let (id, range) = try ask(trace)
      switch answer {
      case 0: trace.head(id, 206, range: range.lowerBound..<range.upperBound, of: Self.length + 1)
      case 1: trace.head(id, 206, range: range, of: Self.length) { $0.representationDigests = [other] }
      case 2: trace.head(id, 200, length: Self.length)
      default: trace.head(id, 416, length: 0)
      }
      trace.ended(id, .stopped)
      let machine = trace.run.file(0)!.machine.mirrors
      #expect(!machine[1].isLeft && machine[0].isLeft, "answer \(answer)")
      #expect(trace.notices.isEmpty && !trace.take().contains("discard"), "answer \(answer)")
    }
  }

  @Test func `name no further ones`() throws {
    let trace = started()
    let (id, range) = try ask(trace)
    trace.head(id, 206, range: range, of: Self.length, links: [Self.mirror("evil")])
    #expect(joined(trace) == [])
  }

  @Test func `leave when the file changes, and so does what they brought`() throws {
    let trace = started()
    let (id, range) = try ask(trace)
    trace.head(id, 206, range: range, of: Self.length)
    trace.advanced(id, range.lowerBound + 100_000)
    trace.ended(0, .failed(.reset("")))
    _ = trace.take()
    trace.wait(milliseconds: 60_000)
    // The server has another version; its answer to a range is followed by a plain GET.
    let other = ContentDigest(.sha256, repeating: 2)
    let first = trace.run.file(0)!.machine.active.first { $0.mirror == 0 }!.id.number
    trace.head(first, 200, length: Self.length + 5, tag: "w") { $0.representationDigests = [other] }
    trace.ended(first, .stopped)
    trace.wait(milliseconds: 60_000)
    if let plain = trace.run.file(0)!.machine.active.first(where: { $0.mirror == 0 && $0.asked == .whole }) {
      trace.head(plain.id.number, 200, length: Self.length + 5, tag: "w") { $0.representationDigests = [other] }
    }
    #expect(trace.take().contains("discard"))
    let mirrors = trace.run.file(0)!.machine.mirrors
    #expect(mirrors.indices.dropFirst().allSatisfy { !mirrors[$0].isLeft })
  }

  /// The server that named them is not left for them.
  @Test(arguments: [[], [strong]])
  func `leave for good when the content does not match`(given: [ContentDigest]) {
    let length: Int64 = 1000
    let trace = FileTrace(digests: given)
    trace.head(0, 200, length: length, links: Self.mirrors) { $0.representationDigests = [Self.strong] }
    trace.advanced(0, length)
    trace.ended(0)
    _ = trace.take()
    trace.mismatched(Self.strong)
    var mirrors = trace.run.file(0)!.machine.mirrors
    #expect(mirrors[0].isLeft && !mirrors[1].isLeft && !mirrors[2].isLeft)
    trace.head(1, 200, length: length, links: [Self.mirror("d")]) { $0.representationDigests = [Self.strong] }
    #expect(joined(trace) == [])
    mirrors = trace.run.file(0)!.machine.mirrors
    #expect(mirrors.count == 3)
  }

  /// Nothing is recorded, so nothing is discarded, but the length says that the new version is not wanted.
  @Test func `do not outlive the version when the server that named them is left`() throws {
    let trace = started(links: [Self.mirror("b")]) { $0.file.maxFilesize = Self.length }
    trace.ended(0, .failed(.reset("")))
    let first = try #require(trace.run.file(0)?.machine.active.first)
    #expect(first.mirror == 1 && first.asked != .whole)
    trace.ended(first.id.number, .failed(.reset("")))
    trace.wait(milliseconds: 60_000)
    let second = try #require(trace.run.file(0)?.machine.active.first)
    #expect(second.mirror == 0)
    _ = trace.take()
    trace.head(second.id.number, 200, length: Self.length + 5, tag: "w")
    trace.ended(second.id.number, .stopped)
    let said = trace.take()
    #expect(said.last?.hasPrefix("fail ") == true && !said.contains { $0.hasPrefix("get ") }, "\(said)")
  }

  @Test func `go on alone when the server that named them is gone`() throws {
    let trace = started([Self.strong], links: [Self.mirror("b")]) { $0.file.tries = 1 }
    let (id, range) = try ask(trace)
    trace.head(id, 206, range: range, of: Self.length)
    trace.advanced(id, range.lowerBound + 100_000)
    trace.ended(0, .failed(.status(404)))
    #expect(trace.run.file(0)?.machine.phase == .running)
  }
}
