import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import DownloadLists
@testable import DownloadScratch
@testable import DownloadWords

@Suite struct `Stored requests` {
  private let directory: TemporaryDirectory
  private let names = RandomNames(isText: false, hasControls: true)

  init() throws { directory = try TemporaryDirectory() }

  /// One that puts all but the last bytes into a file.
  private func spool() -> StoredRequests {
    StoredRequests(TemporaryStores(directory: Array(directory.path.utf8), memoryLimit: 1))
  }

  // MARK: Drawn requests

  private func request(_ generator: inout SeededGenerator) -> FileRequest {
    var request = FileRequest(
      task: TaskID(UInt64.random(in: 0...(.max), using: &generator)),
      mirrors: Self.list(1...3, &generator) { Self.mirror(&$0) },
      target: target(&generator),
      digests: Self.list(0...2, &generator) { Self.digest(.allCases.randomElement(using: &$0)!, &$0) },
      pieces: Self.list(0...1, &generator) { Self.pieces(&$0) }.first,
      expectedLength: Self.list(0...1, &generator) { Int64(Self.number(&$0)) }.first,
      headers: Self.list(0...3, &generator) { Self.text(&$0) },
      source: Self.list(0...1, &generator) { SourceLine(list: Self.text(&$0), number: Self.number(&$0)) }.first)
    request.isNamedByAnswer = .random(using: &generator)
    request.isNamedByNetwork = .random(using: &generator)
    request.hasUnknownDigest = .random(using: &generator)
    request.isOutside = .random(using: &generator)
    request.isNamedByUser = .random(using: &generator)
    request.group = GroupID(.random(in: .min ... .max, using: &generator))
    request.priority = Self.number(&generator)
    return request
  }

  private static func list<Element>(
    _ counts: ClosedRange<Int>, _ generator: inout SeededGenerator, _ draw: (inout SeededGenerator) -> Element
  ) -> [Element] {
    (0..<Int.random(in: counts, using: &generator)).map { _ in draw(&generator) }
  }

  private static func number(_ generator: inout SeededGenerator) -> Int {
    [0, 1, -1, .min, .max, Int.random(in: .min...(.max), using: &generator)].randomElement(using: &generator)!
  }

  private static func text(_ generator: inout SeededGenerator) -> String {
    ["", "list", "X: y", "a\u{0}b\n\"\\", "e\u{301}", "日本", String(repeating: "long", count: 300)]
      .randomElement(using: &generator)!
  }

  private static func mirror(_ generator: inout SeededGenerator) -> MirrorURL {
    let location = Location(
      scheme: Bool.random(using: &generator) ? .http : .https,
      host: ["h", "[::1]", "a.example"].randomElement(using: &generator)!,
      port: .random(in: 0...(.max), using: &generator), path: "/" + text(&generator),
      query: list(0...1, &generator) { text(&$0) }.first)
    return MirrorURL(location: location, userinfo: list(0...1, &generator) { text(&$0) }.first)
  }

  private func target(_ generator: inout SeededGenerator) -> TargetChoice {
    let name = names.next(&generator) ?? [0xff, 0x0a]
    return [
      .path(name), .listed([name]), .listed([name, [0xc3], []]), .standardOutput, .inherited(3), .descriptor(.max),
    ].randomElement(using: &generator)!
  }

  private static func digest(_ algorithm: DigestAlgorithm, _ generator: inout SeededGenerator) -> ContentDigest {
    ContentDigest(algorithm, (0..<algorithm.byteCount).map { _ in .random(in: 0...255, using: &generator) })!
  }

  private static func pieces(_ generator: inout SeededGenerator) -> PieceHashes {
    let algorithm = DigestAlgorithm.allCases.randomElement(using: &generator)!
    return PieceHashes(
      length: .random(in: 1...(.max), using: &generator), digests: list(1...40, &generator) { digest(algorithm, &$0) })!
  }

  // MARK: Their text

  @Test func `have all that there is of a request`() {
    let location = Location(scheme: .http, host: "h", port: 80, path: "/", query: nil)
    let request = FileRequest(task: 0, mirrors: [MirrorURL(location: location)], target: .standardOutput)
    // A new property has to be stored, and to be drawn above. A request with settings of its own is not stored.
    #expect(Swift.Mirror(reflecting: request).children.count == 16)
    #expect(Swift.Mirror(reflecting: request.mirrors[0]).children.count == 2)
    #expect(Swift.Mirror(reflecting: location).children.count == 3)
  }

  @Test func `are read from their text, and from nothing else`() {
    for round in 0..<max(1, Fuzz.rounds / 20) {
      var generator = SeededGenerator(seed: Fuzz.seed &+ UInt64(round))
      let request = request(&generator)
      let text = request.storedText
      let read = FileRequest(storedText: text)
      // Equal strings may have other bytes.
      #expect(read == request && read?.storedText == text, "round \(round)")
      let count = Int.random(in: 0..<text.count, using: &generator)
      #expect(FileRequest(storedText: Array(text[..<count])) == nil, "round \(round)")
      #expect(FileRequest(storedText: text + [0]) == nil, "round \(round)")
      // It may be one, too.
      _ = FileRequest(storedText: generator.mutate(text, alphabet: [0, 1, 4, 0xff]))
    }
    let empty = FileRequest(task: 0, mirrors: [], target: .standardOutput)
    #expect(FileRequest(storedText: empty.storedText) == nil)
  }

  // MARK: Their file

  @Test(arguments: [1, 20_000, 200_000]) func `are read in any order while others come`(memoryLimit: Int) throws {
    var generator = SeededGenerator(seed: UInt64(memoryLimit))
    let spool = StoredRequests(TemporaryStores(directory: Array(directory.path.utf8), memoryLimit: memoryLimit))
    for _ in 0..<3 {
      var kept: [(place: Int64, request: FileRequest)] = []
      for _ in 0..<300 {
        let request = request(&generator)
        kept.append((try spool.append(request), request))
        guard let earlier = kept.randomElement(using: &generator) else { continue }
        #expect(try spool.read(at: earlier.place) == earlier.request)
      }
      for (place, request) in kept { #expect(try spool.read(at: place) == request) }
      #expect(Set(kept.map(\.place)).count == kept.count)
      spool.removeAll()
      for (place, _) in kept { #expect(throws: Failure.self) { try spool.read(at: place) } }
    }
    #expect(directory.names().isEmpty)
  }

  @Test func `are not read from other places`() throws {
    let spool = spool()
    var generator = SeededGenerator(seed: 1)
    let places = Set(try (0..<20).map { _ in try spool.append(request(&generator)) })
    for place in -20...Int64(spool.store.byteCount + 20) where !places.contains(place) {
      #expect(throws: Failure.self) { try spool.read(at: place) }
    }
    for place in [.min, .max, .max - 11] as [Int64] {
      #expect(throws: Failure.self) { try spool.read(at: place) }
    }
  }

  @Test func `are not read where a byte is damaged`() throws {
    let spool = spool()
    var generator = SeededGenerator(seed: 2)
    let request = request(&generator)
    let place = try spool.append(request)
    for offset in 0..<spool.store.byteCount {
      let byte = spool.store.read(offset..<offset + 1)
      spool.store.replace(at: offset, with: [byte[0] ^ 0x80])
      let error = #expect(throws: Failure.self) { try spool.read(at: place) }
      #expect(error?.message.hasPrefix("the lists need a temporary file in \(directory.path): cannot read") == true)
      spool.store.replace(at: offset, with: byte)
    }
    #expect(try spool.read(at: place) == request)
  }

  @Test func `tell that there is no room for them`() throws {
    let spool = spool()
    var generator = SeededGenerator(seed: 3)
    let requests = (0..<1000).map { _ in request(&generator) }
    let first = try spool.append(requests[0])
    FaultTable.withFaults([Fault(.pwrite, persists: true, .failure(ENOSPC))]) {
      let error = #expect(throws: Failure.self) { for request in requests { _ = try spool.append(request) } }
      #expect(
        error
          == Failure(
            .localIO,
            "the lists need a temporary file in \(directory.path): cannot write it: No space left on device",
            hint: "set TMPDIR to a writable directory with free space"))
    }
    #expect(throws: Failure.self) { try spool.read(at: first) }
    #expect(throws: Failure.self) { try spool.append(requests[0]) }
    spool.removeAll()
    #expect(throws: Failure.self) { try spool.append(requests[0]) }
  }

  @Test func `take little room`() throws {
    let spool = StoredRequests(TemporaryStores(directory: Array(directory.path.utf8)))
    func request(_ number: Int) -> FileRequest {
      let location = Location(
        scheme: .https, host: "host\(number % 7).example.org", port: 443,
        path: "/data/2026/release-3/file-\(number).tar.gz", query: nil)
      return FileRequest(
        task: TaskID(position: number), mirrors: [MirrorURL(location: location)],
        target: .listed([Array("file-\(number).tar.gz".utf8)]),
        digests: [ContentDigest(.sha256, repeating: UInt8(truncatingIfNeeded: number))], expectedLength: Int64(number),
        source: SourceLine(list: "SHA256SUMS", number: number + 1))
    }
    let places = try (0..<10_000).map { try spool.append(request($0)) }
    #expect(spool.store.byteCount < 10_000 * 300)
    for (number, place) in places.enumerated() { #expect(try spool.read(at: place) == request(number)) }
    #expect(directory.names().isEmpty)
  }
}
