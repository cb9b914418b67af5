import DownloadCore
import JSONLists
import ManifestWriting
import Metalink
import TestSupport
import Testing

@Suite struct `Parts of lists` {
  private static let seeds: Range<UInt64> = 0..<400

  /// A format: texts of it by their seeds, and its parser.
  struct Format: CustomTestStringConvertible {
    let name: String
    let text: @Sendable (UInt64) -> [UInt8]
    let parser: @Sendable () -> any ManifestParser

    var testDescription: String { name }

    init(
      _ name: String, _ text: @escaping @Sendable (inout RandomLists) -> [UInt8],
      _ parser: @escaping @Sendable () -> any ManifestParser
    ) {
      self.name = name
      self.text = { seed in
        var lists = RandomLists(seed: seed)
        return text(&lists)
      }
      self.parser = parser
    }
  }

  private static let formats = [
    Format("aria2", { $0.aria2() }, { LineListParser(format: .aria2, keepsText: true) }),
    Format("checksums", { $0.checksums() }, { LineListParser(format: .checksums) }),
    Format("csv", { $0.table() }, { TableParser(ColumnRules()) }),
    Format("pooch", { $0.pooch() }, { PoochParser(ColumnRules()) }),
    Format("fetch", { $0.fetch() }, { BagFetchListParser() }),
    Format("jsonl", { $0.jsonLines() }, { JSONLinesParser(ColumnRules()) }),
    Format("json", { $0.json() }, { JSONDocumentParser(ColumnRules()) }),
    Format("metalink", { $0.metalink() }, { MetalinkParser(MetalinkPreferences()) }),
  ]

  private struct Original {
    let entry: ManifestEntry
    let text: EntryText
  }

  /// All entries with their texts, given the list in parts of some bytes.
  private static func originals(_ list: [UInt8], _ parser: any ManifestParser, step: Int) throws -> [Original] {
    var parser = parser
    var found: [Original] = []
    func read() throws {
      while let entry = try parser.next() {
        found.append(Original(entry: entry, text: parser.text ?? EntryText([], .metalink)))
      }
    }
    for start in stride(from: 0, to: list.count, by: step) {
      list[start..<min(start + step, list.count)].withUnsafeBytes { parser.append($0) }
      try read()
    }
    parser.end()
    try read()
    return found
  }

  private static func list(_ originals: [Original], reason: [UInt8]) -> [UInt8]? {
    guard let frame = originals.first?.text.frame else { return nil }
    let writer = FailedListWriters.writer(frame)
    var text = writer.beginning + writer.remark(Array("-- > a --- remark -".utf8))
    for (index, original) in originals.enumerated() {
      guard original.text.frame == frame,
        let entry = writer.text(
          of: FailedEntry(
            text: original.text.bytes, original.entry, name: Array("näme--".utf8), reason: reason),
          isFirst: index == 0)
      else { return nil }
      text += entry
    }
    return text + writer.end
  }

  private static func withoutLine(_ entry: ManifestEntry) -> ManifestEntry {
    var entry = entry
    entry.lineNumber = 0
    return entry
  }

  @Test(arguments: formats) func `are lists of the same entries, with their reasons`(format: Format) throws {
    var generator = SeededGenerator(seed: 7)
    var partCount = 0
    for seed in Self.seeds {
      let list = format.text(seed)
      let originals = try Self.originals(list, format.parser(), step: .random(in: 1...200, using: &generator))
      let part = originals.filter { _ in Bool.random(using: &generator) }
      if part.isEmpty { continue }
      partCount += 1
      let reason = Array("an \"odd\" reason, with; a\ttab\u{7} and -->".utf8.filter { $0 >= 0x20 })
      let text = try #require(Self.list(part, reason: reason), "seed \(seed)")
      let found = try Self.originals(text, format.parser(), step: .random(in: 1...200, using: &generator))
      #expect(
        found.map(\.entry).map(Self.withoutLine) == part.map(\.entry).map(Self.withoutLine),
        "seed \(seed): \(String(decoding: text, as: UTF8.self))")
      #expect(String(decoding: text, as: UTF8.self).contains("reason, with;"), "seed \(seed)")
      // A part of the part is the same again: reasons replace each other.
      let again = try #require(Self.list(found, reason: reason), "seed \(seed)")
      #expect(again == text, "seed \(seed): \(String(decoding: again, as: UTF8.self))")
    }
    #expect(partCount > 100)
  }

  @Test func `are as long as readers of tables allow`() throws {
    let field = String(repeating: "x", count: 60_000)
    let header = "url," + (0..<17).map { "c\($0)" }.joined(separator: ",") + "\n"
    let list = header + "http://h/a," + (0..<17).map { _ in field }.joined(separator: ",") + "\n"
    let found = try Self.originals(Array(list.utf8), TableParser(ColumnRules()), step: 1 << 20)
    let text = try #require(Self.list(found, reason: Array(repeating: UInt8(ascii: "y"), count: 40_000)))
    #expect(try Self.originals(text, TableParser(ColumnRules()), step: 1 << 20).count == 1)
  }

  @Test func `of the command line are URLs, or entries of aria2 with mirrors`() throws {
    func location(_ path: String) -> Location {
      Location(scheme: .https, host: "h", port: 443, path: path, query: nil)
    }
    let digests = [
      ContentDigest(.md5, Array(repeating: 1, count: 16))!, ContentDigest(.blake2b, Array(repeating: 2, count: 64))!,
    ]
    for mirrorCount in 1...3 {
      let mirrors = (0..<mirrorCount).map { MirrorURL(location: location("/\($0)"), userinfo: $0 == 0 ? "u:p" : nil) }
      let request = DownloadRequest(task: 0, mirrors: mirrors, target: .listed([[0x78]]), digests: digests)
      let found = try entries(FailedLines.lines(of: request), LineListParser(format: .urlList))
      #expect(found.count == 1 && found[0].digests == digests && found[0].urls.count == mirrorCount)
      #expect(found[0].urls[0].elementsEqual("https://u:p@h/0".utf8))
    }
  }
}
