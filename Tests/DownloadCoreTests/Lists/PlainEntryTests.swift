import TestSupport
import Testing

@testable import DownloadCore

/// A list whose plain entries are skipped where the closure returns true.
private struct SkippedList {
  enum Item {
    case plain(name: [UInt8], authority: [UInt8]?, DigestAlgorithmSet)
    case entry(ListEntry)
  }

  var items: [Item] = []
  var errors: [ListError] = []
  /// The number of plain entries, skipped or not.
  var offeredCount = 0

  init(_ bytes: [UInt8], _ parser: any ListParser, partSize: Int = .max, skipping: () -> Bool = { true }) {
    var parser = parser
    var rest = bytes[...]
    while !rest.isEmpty {
      rest.prefix(partSize).withUnsafeBytes { parser.append($0) }
      rest = rest.dropFirst(partSize)
      readAll(&parser, skipping)
    }
    parser.end()
    readAll(&parser, skipping)
  }

  private mutating func readAll(_ parser: inout any ListParser, _ skipping: () -> Bool) {
    while true {
      do throws(ListError) {
        let entry = try parser.next { plain in
          offeredCount += 1
          guard skipping() else { return false }
          items.append(.plain(name: Array(plain.name), authority: plain.authority.map(Array.init), plain.algorithms))
          return true
        }
        guard let entry else { return }
        items.append(.entry(entry))
      } catch {
        errors.append(error)
      }
    }
  }

  var skippedNames: [String] {
    items.compactMap { if case .plain(let name, _, _) = $0 { String(decoding: name, as: UTF8.self) } else { nil } }
  }
}

@Suite struct `Plain entries` {
  private static let hex = String(repeating: "0123456789abcdef", count: 4)

  private func parser(_ format: ListFormat) -> any ListParser {
    format == .csv || format == .tsv ? TableParser(ColumnRules()) : LineListParser(format: format)
  }

  private func skipped(_ text: String, _ format: ListFormat) -> [String] {
    SkippedList(Array(text.utf8), parser(format)).skippedNames
  }

  // MARK: Which they are

  @Test func `a line of a URL list is one if it has one URL and no directory`() {
    let list = """
      http://h/first
      http://h/a
      http://h/b?q=1\r
      http://h/c
        out=x
      http://h/d
      # comment
      http://h/e

      http://h/f\thttp://h/g
      http://h/h#sha256=\(Self.hex)
      http://h/dir/
      http://h/i.swiftget
      http://h/j
      http://h/last
      """
    #expect(skipped(list, .urlList) == ["first", "a", "b", "x", "d", "e", "h", "j", "last"])
  }

  @Test func `a line of a checksum list is one if its name is valid`() {
    let digest = Self.hex
    let list = """
      \(digest)  first
      \(digest)  a
      \(digest) *sub/b c
      \(digest) d
      \(digest)\te
      \(digest)  ././f
      \(digest.prefix(32).uppercased())  .gh
      \(digest)  h\r
       \(digest)  indented
      \\\(digest)  escaped
      \(digest)  .
      \(digest)  a/../b
      \(digest)  /absolute
      \(digest)  directory/
      \(digest)  http://h/x
      \(digest)   blank
      \(digest)  control\u{1}
      \(digest)  x.swiftget-part
      \(digest)  \(String(repeating: "n", count: 256))
      \(digest.dropLast())  short
      SHA256 (bsd) = \(digest)
      \(digest)  last
      """
    let names = [
      "first", "a", "sub/b c", "d", "e", "f", ".gh", "h", "indented", "escaped", "x", " blank", "bsd", "last",
    ]
    #expect(skipped(list, .checksums) == names)
  }

  @Test func `lines around a signature are none`() {
    let line = "\(Self.hex)  a\n"
    let list =
      "-----BEGIN PGP SIGNED MESSAGE-----\n\(line)\n\(line)\(line)-----BEGIN PGP SIGNATURE-----\n\(line)\(line)"
      + "-----END PGP SIGNATURE-----\n"
    let read = SkippedList(Array(list.utf8), parser(.checksums))
    #expect(read.items.count == 2 && read.errors == [])
  }

  @Test func `a row is one if it is valid and has one URL`() {
    let md5 = Self.hex.prefix(32)
    let list = """
      url,out,size,md5,sha256,md5sum,checksum,mirror
      http://h/a,,,,,,,
      "http://h/b","x,/y",12,\(md5),\(Self.hex),,,
      http://h/1,"a""b",,,,,,
      http://h/2,,x,,,,,
      http://h/3,,,\(md5.dropLast()),,,,
      http://h/4,,,\(md5),,\(md5),,
      http://h/5,,,,,,md5:\(md5),
      http://h/6,,,,,,,http://m/6
      http://h/7#x,,,,,,,
      http://h/8,../x,,,,,,
      http://h/9,,1234567890123456789,,,,,
      http://h/c,,1,,,,,
      """
    #expect(skipped(list, .csv) == ["a", "x,/y", "a\"b", "4", "5", "7", "9", "c"])
  }

  // MARK: What they say

  private static let samples: [(ListFormat, String)] = [
    (.urlList, "http://h/a\nhttp://h/b?c\nhttp://h/d#sha256=\(hex)\n out=x\nhttps://i/d/e.swiftget\nhttp://h/f\n"),
    (
      .aria2,
      "http://h/a\thttp://i/a\n#\nhttp://h/b\n\nhttp://u@h/c\n\tdir=y\nhttp://h/~d\r\nhttp://h/f.swiftget-bad\n"
    ),
    (
      .checksums,
      "\(hex)  a\n\(hex)  ./b/c\n\(hex) *d.txt\n\\\(hex)  e\\\\\n\(hex)  http://h/x\n\(hex)  .f\n\(hex)  g\\h\n"
    ),
    (.checksums, "\(hex)  first\n\(hex.prefix(32))  x/y.d\r\n-----BEGIN PGP SIGNED MESSAGE-----\n\n\(hex)  a\n"),
    (.csv, "url,out,size,md5\nhttp://h/a,,1,\(hex.prefix(32))\nhttp://h/b,\"c\"\"d\",,\nhttp://h/c,\"x,y\",3,\n"),
    (.tsv, "url\tsha256\tmd5\tmirror\nhttp://h/a\t\(hex)\t\t\nhttp://h/b\t\t\(hex.prefix(32))\thttp://i/b\n"),
  ]

  @Test func `skipping them changes neither their order nor anything else`() {
    var offeredCount = 0
    let isFruitful = Fuzz.run { generator, seed in
      let (format, sample) = Self.samples.randomElement(using: &generator)!
      let text = Array((sample + sample).utf8)
      let isMutated = Bool.random(using: &generator)
      let bytes = isMutated ? generator.mutate(text, alphabet: Array("\t\n\r ,\"#?/:.-\\@%~0fxtdp\0".utf8)) : text
      let whole = ParsedList(bytes, parser(format))
      let partSize = Bool.random(using: &generator) ? .max : Int.random(in: 1...99, using: &generator)
      let list = SkippedList(bytes, parser(format), partSize: partSize) {
        Int.random(in: 0..<4, using: &generator) > 0
      }
      offeredCount += list.offeredCount
      #expect(list.errors == whole.errors, "seed \(seed)")
      guard list.items.count == whole.entries.count else {
        Issue.record("seed \(seed): \(list.items.count) entries for \(whole.entries.count)")
        return false
      }
      for (item, entry) in zip(list.items, whole.entries) {
        switch item {
        case .entry(let other): #expect(other == entry, "seed \(seed)")
        case .plain(let name, let authority, let algorithms):
          expectSame(name, authority, algorithms, entry, "seed \(seed): \(String(decoding: name, as: UTF8.self))")
        }
      }
      return list.items.contains { if case .plain = $0 { true } else { false } }
    }
    #expect(isFruitful && offeredCount > 0)
  }

  private func expectSame(
    _ name: [UInt8], _ authority: [UInt8]?, _ algorithms: DigestAlgorithmSet, _ entry: ListEntry, _ place: Comment
  ) {
    #expect((try? TargetName.checked(name)).map { Array($0.joined(separator: [0x2f])) } == name, place)
    #expect(entry.digests.allSatisfy { algorithms.contains(DigestAlgorithmSet($0.algorithm)) }, place)
    #expect(entry.directory == nil && entry.pieces == nil && entry.headers.isEmpty, place)
    guard let authority else {
      #expect(entry.name == name && entry.urls.isEmpty && entry.out == nil, place)
      return
    }
    #expect(entry.name == nil && entry.urls.count == 1 && !entry.hasEncodedLineBreaks, place)
    guard let url = entry.urls.first else { return }
    let plain = url.withUnsafeBytes { PlainURL($0) }
    #expect(plain.map { Array(url[..<$0.pathStart]) } == authority, place)
    let path = plain.map { String(decoding: url[$0.pathStart..<$0.pathEnd], as: UTF8.self) } ?? ""
    #expect((entry.out ?? TargetName.fromURLPath(path)) == name, place)
  }

  @Test func `a closure that returns false gets each of them as an entry`() {
    for (format, sample) in Self.samples {
      let list = SkippedList(Array(sample.utf8), parser(format), skipping: { false })
      #expect(list.skippedNames == [] && list.offeredCount > 0)
      #expect(list.items.count == ParsedList(Array(sample.utf8), parser(format)).entries.count)
    }
  }
}
