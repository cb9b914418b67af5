import TestSupport
import Testing

@testable import DownloadCore

/// Lists of lines drawn from a seed, each line in one of the ways in which its format can be written.
private struct RandomLists {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func happens(_ oneIn: Int = 2) -> Bool { Int.random(in: 0..<oneIn, using: &generator) == 0 }

  private mutating func name() -> [UInt8] {
    while true {
      if let name = RandomNames(isText: false, hasControls: false).next(&generator) { return name }
    }
  }

  private mutating func hex(_ algorithm: DigestAlgorithm) -> String {
    (0..<algorithm.byteCount * 2).map { _ in ["0", "7", "a", "F"].randomElement(using: &generator)! }.joined()
  }

  private mutating func url() -> String {
    "http://" + ["h", "u:p@h", "i:81"].randomElement(using: &generator)! + "/"
      + ["a", "%20/b", "c?d=e,f;g", "'"].randomElement(using: &generator)!
  }

  /// The lines with ends, blank lines, comments and perhaps a byte order mark among them.
  private mutating func list(_ one: (inout Self) -> [UInt8]) -> [UInt8] {
    var text: [UInt8] = happens(4) ? [0xef, 0xbb, 0xbf] : []
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      if happens(4) { text += Array("# c\n".utf8) }
      if happens(6) { text += Array("\n".utf8) }
      for line in one(&self).split(separator: 0x0a) { text += line + Array((happens(3) ? "\r\n" : "\n").utf8) }
    }
    if happens(4) { text.removeLast() }
    return text
  }

  mutating func aria2() -> [UInt8] {
    list { lists in
      var text = Array((lists.happens(8) ? "  " : "").utf8) + Array(lists.url().utf8)
      if lists.happens(4) { text += Array("\t\(lists.url())".utf8) }
      if lists.happens(3) { text += Array("#sha1=\(lists.hex(.sha1))".utf8) }
      if lists.happens() { text += Array("\n out= x".utf8) + lists.name() }
      if lists.happens(4) { text += Array("\n\tdir=/d".utf8) }
      if lists.happens(4) { text += Array("\n # c\n split=3\n header=X: \"é\"".utf8) }
      if lists.happens(4) { text += Array("\n  checksum=sha-256=\(lists.hex(.sha256))".utf8) }
      return text
    }
  }

  mutating func checksums() -> [UInt8] {
    let isSigned = happens(3)
    let text = list { lists in
      let name = lists.happens(5) ? Array(lists.url().utf8) : lists.name()
      let isEscaped = name.contains(UInt8(ascii: "\\"))
      let escaped = name.flatMap { $0 == UInt8(ascii: "\\") ? [$0, $0] : [$0] }
      let mark = Array((isSigned && lists.happens() ? "- " : "").utf8) + Array((isEscaped ? "\\" : "").utf8)
      return lists.happens()
        ? mark + Array("SHA512 (".utf8) + escaped + Array(") = \(lists.hex(.sha512))".utf8)
        : mark + Array("\(lists.hex(.md5))  ".utf8) + escaped
    }
    guard isSigned else { return text }
    let mark = text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    return Array("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n".utf8) + text[mark...]
      + Array("\n-----BEGIN PGP SIGNATURE-----\n\nx=\n-----END PGP SIGNATURE-----\n".utf8)
  }
}

@Suite struct `Texts of entries` {
  private struct Original {
    var entry: ListEntry
    let text: [UInt8]
  }

  /// All entries with their texts, given the list in parts of some bytes. Lines have no numbers.
  private func originals(_ list: [UInt8], _ format: ListFormat, step: Int) throws -> [Original] {
    var parser = LineListParser(format: format, keepsText: true)
    var found: [Original] = []
    func read() throws {
      while var entry = try parser.next() {
        entry.lineNumber = 0
        found.append(Original(entry: entry, text: try #require(parser.text)))
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

  @Test(arguments: [ListFormat.aria2, .checksums])
  func `are lists of the same entries, with comments between them`(format: ListFormat) throws {
    var generator = SeededGenerator(seed: 7)
    var partCount = 0
    for seed in 0..<400 as Range<UInt64> {
      var lists = RandomLists(seed: seed)
      let list = format == .aria2 ? lists.aria2() : lists.checksums()
      let all = try originals(list, format, step: .random(in: 1...200, using: &generator))
      let part = all.filter { _ in Bool.random(using: &generator) }
      if part.isEmpty { continue }
      partCount += 1
      var text: [UInt8] = []
      for original in part { text += Array("# a: reason\n".utf8) + original.text + [0x0a] }
      let found = try originals(text, format, step: .random(in: 1...200, using: &generator))
      #expect(found.map(\.entry) == part.map(\.entry), "seed \(seed): \(String(decoding: text, as: UTF8.self))")
      #expect(found.map(\.text) == part.map(\.text), "seed \(seed)")
    }
    #expect(partCount > 100)
  }
}
