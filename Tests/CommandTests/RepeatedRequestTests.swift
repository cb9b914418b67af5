import DownloadCore
import TestSupport
import Testing

@testable import CommandOptions
@testable import DownloadLists
@testable import DownloadScratch

/// What is kept of requests that have the target of others.
@Suite struct `Requests with one target` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// One that puts all but the last bytes into a file.
  private func stores() -> TemporaryStores { TemporaryStores(directory: Array(directory.path.utf8), memoryLimit: 1) }

  private static func content(_ generator: inout SeededGenerator) -> StatedContent {
    var digests: [ContentDigest] = []
    for algorithm in DigestAlgorithm.allCases.shuffled(using: &generator).prefix(
      Int.random(in: 0...3, using: &generator))
    {
      let bytes = (0..<algorithm.byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
      digests.append(ContentDigest(algorithm, bytes)!)
    }
    let lengths: [Int64?] = [nil, 0, 1, .max, Int64.random(in: 0...(.max), using: &generator)]
    return StatedContent(digests: digests, length: lengths.randomElement(using: &generator)!)
  }

  @Test(arguments: [1, 3, 100]) func `numbers of items are those that were set last`(mostWaiting: Int) {
    for round in 0..<max(1, Fuzz.rounds / 100) {
      var generator = SeededGenerator(seed: Fuzz.seed &+ UInt64(round))
      var numbers = ItemNumbers(mostWaiting: mostWaiting)
      var expected: [Int: Int] = [:]
      let end = Int.random(in: 1...400, using: &generator)
      for step in 0..<Int.random(in: 0...400, using: &generator) {
        // In the order of the items, or in none.
        let item = Bool.random(using: &generator) ? step : Int.random(in: 0..<end, using: &generator)
        let number = Int.random(in: -1...1000, using: &generator)
        numbers.set(item, number)
        expected[item] = number
        #expect(numbers.count == expected.count)
      }
      for item in -1...end + 400 { #expect(numbers[item] == expected[item], "round \(round)") }
    }
  }

  @Test func `the first one is told with all that it says`() throws {
    for round in 0..<max(1, Fuzz.rounds / 100) {
      var generator = SeededGenerator(seed: Fuzz.seed &+ UInt64(round))
      let requests = FirstRequests(stores())
      var first: [[UInt8]: FirstRequests.Request] = [:]
      var alike: [UInt64: FirstRequests.Request] = [:]
      for item in 0..<200 {
        let target = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
          UInt8.random(in: 8...14, using: &generator)
        }
        let request = FirstRequests.Request(
          item: item, sources: Int.random(in: .min...(.max), using: &generator), content: Self.content(&generator),
          place: ["", "list:7", "a list:1", "http://h/x?y", "ü"].randomElement(using: &generator)!, target: target)
        #expect(try requests.earlier(than: request) == first[target])
        let key = UInt64(target.count)
        #expect(try requests.earlier(than: request, alike: key) == alike[key])
        if first[target] == nil { first[target] = request }
        if alike[key] == nil { alike[key] = request }
      }
    }
  }

  @Test func `what they say together is what was said last`() throws {
    for round in 0..<max(1, Fuzz.rounds / 100) {
      var generator = SeededGenerator(seed: Fuzz.seed &+ UInt64(round))
      let contents = MergedContents(stores())
      var expected: [Int: StatedContent] = [:]
      for _ in 0..<200 {
        let item = Int.random(in: 0..<100, using: &generator)
        expected[item] = Self.content(&generator)
        try contents.set(item, expected[item]!)
        let other = Int.random(in: 0..<100, using: &generator)
        #expect(try contents.content(of: other) == expected[other])
      }
    }
  }

  @Test func `a full or missing directory for temporary files is an error`() throws {
    let missing = TemporaryStores(directory: Array("\(directory.path)/none".utf8), memoryLimit: 1)
    let contents = MergedContents(missing)
    func request(_ target: [UInt8]) -> FirstRequests.Request {
      FirstRequests.Request(item: 0, sources: 0, content: StatedContent(), place: "list:1", target: target)
    }
    #expect(throws: Failure.self) {
      for item in 0..<100 { try contents.set(item, StatedContent(length: 1)) }
    }
    #expect(throws: Failure.self) {
      let requests = FirstRequests(TemporaryStores(directory: Array("\(directory.path)/none".utf8), memoryLimit: 1))
      for name in 0..<100 { _ = try requests.earlier(than: request([UInt8(name)])) }
    }
  }

  // MARK: In a list

  /// A line of a JSON list, and what the naive model knows of it.
  private struct Line: Hashable {
    var url: Int
    var out: Int
    var md5: Int?
    var size: Int?

    var text: String {
      var text = "{\"url\": \"http://h/\(url)\", \"out\": \"\(out)\""
      if let md5 { text += ", \"checksum\": \"md5:\(String(repeating: String(md5), count: 32))\"" }
      if let size { text += ", \"size\": \(size)" }
      return text + "}\n"
    }

    /// What both say together; nil where they contradict each other.
    func merged(_ other: Line) -> Line? {
      guard url == other.url, md5 == nil || other.md5 == nil || md5 == other.md5,
        size == nil || other.size == nil || size == other.size
      else { return nil }
      return Line(url: url, out: out, md5: md5 ?? other.md5, size: size ?? other.size)
    }
  }

  /// A list with `--keep-going`: of contradictory lines none is downloaded, equal ones are one.
  @Test func `are merged or refused as in a list that is held in memory`() throws {
    var seen = (merged: 0, refused: 0)
    for round in 0..<max(20, Fuzz.rounds / 20) {
      let seed = Fuzz.seed &+ UInt64(round)
      var generator = SeededGenerator(seed: seed)
      let lines = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
        Line(
          url: Int.random(in: 0...9, using: &generator) == 0 ? 1 : 0, out: Int.random(in: 0...9, using: &generator),
          md5: Bool.random(using: &generator) ? nil : Int.random(in: 0...9, using: &generator) == 0 ? 1 : 0,
          size: Bool.random(using: &generator) ? nil : Int.random(in: 0...9, using: &generator) == 0 ? 1 : 0)
      }
      var firsts: [Int: (item: Int, line: Line)] = [:]
      var refused: Set<Int> = []
      for (item, line) in lines.enumerated() {
        guard let first = firsts[line.out] else {
          firsts[line.out] = (item, line)
          continue
        }
        if let merged = first.line.merged(line) {
          firsts[line.out]!.line = merged
          if merged != first.line { seen.merged += 1 }
        } else {
          refused.formUnion([first.item, item])
          seen.refused += 1
        }
      }
      let expected = firsts.values.filter { !refused.contains($0.item) }.sorted { $0.item < $1.item }

      try directory.write("list.jsonl", lines.map(\.text).joined())
      var invocation = Invocation()
      invocation.lists.inputs = [Array(directory.path("list.jsonl").utf8)]
      invocation.lists.keepsGoing = true
      if lines.isEmpty { continue }
      let list = try RequestList(
        invocation.lists, invocation.naming, for: .download,
        takesSuggestedNames: invocation.settings.target.takesSuggestedNames, notedIn: DecidingInputs())
      let findings = try list.check()
      var items: [Int] = []
      var contents: [StatedContent] = []
      while let request = try list.next() {
        items.append(request.task.position)
        contents.append(request.stated)
      }
      #expect(items == expected.map(\.item), "seed \(seed)")
      #expect(list.itemCount == expected.count, "seed \(seed)")
      #expect((findings.problemCount > 0) == !refused.isEmpty, "seed \(seed)")
      for (content, line) in zip(contents, expected.map(\.line)) {
        let digest = line.md5.flatMap { ContentDigest(text: "md5:" + String(repeating: String($0), count: 32)) }
        #expect(
          content == StatedContent(digests: digest.map { [$0] } ?? [], length: line.size.map(Int64.init)),
          "seed \(seed)")
      }
    }
    #expect(seen.merged > 0 && seen.refused > 0)
  }
}
