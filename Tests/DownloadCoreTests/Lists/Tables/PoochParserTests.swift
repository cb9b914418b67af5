import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `pooch registries` {
  private static let md5 = Tables.md5
  private static let sha256 = Tables.sha256

  private func parsed(_ text: String, _ rules: ColumnRules = ColumnRules()) -> ParsedList {
    ParsedList(Array(text.utf8), PoochParser(rules))
  }

  @Test func `a line is a name, a hash and perhaps a URL`() {
    let list = parsed(
      """
      # comment

      c137.csv \(Self.sha256.uppercased())
        data/cronen.csv   md5:\(Self.md5)\thttps://h/some/dir/cronen.csv
      "file with spaces.txt" sha256:\(Self.sha256) 'https://h/it''s'
      a\\ b'"'"'" sha256:\(Self.sha256)
      """)
    #expect(list.errors == [] && list.entries.map(\.lineNumber) == [3, 4, 5, 6])
    #expect(list.urls == [[], ["https://h/some/dir/cronen.csv"], ["https://h/its"], []])
    #expect(list.outs == [nil, "data/cronen.csv", "file with spaces.txt", nil])
    let names = list.entries.map { $0.name.map { String(decoding: $0, as: UTF8.self) } }
    #expect(names == ["c137.csv", nil, nil, "a b\"'"])
    #expect(
      list.digests == [["sha256:\(Self.sha256)"], ["md5:\(Self.md5)"]] + [
        ["sha256:\(Self.sha256)"], ["sha256:\(Self.sha256)"],
      ])
  }

  @Test func `invalid lines are refused, and hide no other ones`() {
    let list = parsed(
      """
      a
      a \(Self.md5)
      a xxh128:\(Self.md5)
      a sha256:\(Self.md5)
      a md5:\(Self.md5) https://h/a b
      a md5:\(Self.md5) h/a
      'a md5:\(Self.md5)
      a md5:\(Self.md5) \\
      '' md5:\(Self.md5)
      b md5:\(Self.md5)
      """)
    #expect(list.entries.map(\.lineNumber) == [10] && list.errors.map(\.lineNumber) == Array(1...9))
    #expect(
      list.errors.map(\.problem) == [
        .notRegistryLine, .malformedDigest(.sha256), .unknownAlgorithm(Array("xxh128".utf8)), .malformedDigest(.sha256),
        .notRegistryLine, .table(.notURL(Array("h/a".utf8))), .notRegistryLine, .notRegistryLine, .missingName,
      ])
  }

  @Test(arguments: [
    ("a.csv \(sha256)\n", ListFormat.pooch), ("# x\n'a b' md5:\(md5)\n", .pooch),
    ("a sha256:\(sha256) https://h/a\n", .pooch), ("url\tsha256:\(sha256)\n", .pooch),
    ("a \(md5)\n", .urlList), ("a crc32:01234567\n", .urlList), ("a b c\n", .urlList),
    ("https://h/a \(sha256)\n", .urlList), ("\(sha256) a\n", .checksums), ("\(sha256)  sha256:\(sha256)\n", .checksums),
    ("https://h/a\na \(sha256)\n", .urlList), ("SHA256 (a) = \(sha256)\n", .checksums),
  ])
  func `a name with a hash behind it makes a registry`(text: String, format: ListFormat) {
    #expect(ListDetector.format(of: text.utf8) == format)
  }

  @Test func `random input traps nowhere and gives valid entries`() {
    let sample = Array(
      "# x\na.csv \(Self.sha256)\n'b c' md5:\(Self.md5) https://h/b\n\"d\\\"\" sha256:\(Self.sha256)\ne\\ f md5:\(Self.md5)\n"
        .utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(sample, alphabet: Array("\t\n\r '\"\\:#/\0a0".utf8))
      let list = ParsedList(bytes, PoochParser(ColumnRules()))
      let partSize = Int.random(in: 1...40, using: &generator)
      #expect(ParsedList(bytes, PoochParser(ColumnRules()), partSize: partSize) == list, "seed \(seed)")
      for entry in list.entries {
        #expect(entry.urls.isEmpty != (entry.name == nil) && entry.name?.isEmpty != true, "seed \(seed)")
        #expect(!entry.digests.isEmpty && entry.urls.allSatisfy { $0.contains("://".utf8) }, "seed \(seed)")
      }
      return !list.entries.isEmpty
    }
    #expect(isFruitful)
  }
}
