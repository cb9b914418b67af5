import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Checksum lists` {
  static let md5 = String(repeating: "0123456789abcdef", count: 2)

  @Test func `every line except comments and blank lines is a file`() {
    let list = ReadList("# x\n\(Self.md5)  a\r\n\nMD5 (b) = \(Self.md5)\n  # y\n\(Self.md5)  https://c/d\n", .checksums)
    #expect(list.errors == [])
    #expect(list.names == ["a", "b", nil])
    #expect(list.urls == [[], [], ["https://c/d"]])
    #expect(list.digests == Array(repeating: ["md5:\(Self.md5)"], count: 3))
    #expect(list.entries.map(\.lineNumber) == [2, 4, 6])
  }

  @Test func `a default algorithm applies to all lines`() {
    let hex = String(repeating: Self.md5, count: 4)
    #expect(ReadList("\(hex)  a", .checksums, defaultAlgorithm: .blake2b).digests == [["blake2b:\(hex)"]])
  }

  @Test func `a digest alone belongs to the file that the list is named after`() throws {
    let hex = String(repeating: Self.md5, count: 2)
    for text in [hex, " \(hex.uppercased()) "] {
      let line = try ChecksumLine(Array(text.utf8)[...], bareName: Array("a b".utf8))
      #expect(line.digest.text == "sha256:\(hex)" && line.name == Array("a b".utf8))
      #expect(ListDetector.format(of: "\n\(text)\n".utf8) == .checksums)
    }
    let blake = try ChecksumLine(Array("\(hex)\(hex)".utf8)[...], defaultAlgorithm: .blake2b, bareName: [0x61])
    #expect(blake.digest.algorithm == .blake2b)
    #expect(ReadList(hex, .checksums).errors.map(\.problem) == [.missingName])
    // Words and numbers are no digests.
    for text in ["add", "12345678", hex.dropLast() + ""] {
      #expect(ListDetector.format(of: "\(text)\n".utf8) == .urlList)
    }
  }

  @Test func `an error does not affect other lines`() {
    let list = ReadList("\(Self.md5)  a\nx\n\(Self.md5)  b\n", .checksums)
    #expect(list.errors.map(\.lineNumber) == [2])
    #expect(list.names == ["a", "b"])
  }

  @Test func `the armour of a signed message is removed`() {
    let list = ReadList(
      """
      -----BEGIN PGP SIGNED MESSAGE-----
      Hash: SHA256

      # Fedora
      \(Self.md5)  a
      - -rf (is a name) no checksum
      - \(Self.md5)  -rf
      -----BEGIN PGP SIGNATURE-----

      iQIzBAEBCAAdFiEE
      =abcd
      -----END PGP SIGNATURE-----
      \(Self.md5)  after

      """, .checksums)
    #expect(list.names == ["a", "-rf", "after"])
    #expect(list.errors.map(\.lineNumber) == [6])
  }

  @Test(arguments: [
    "-----BEGIN PGP SIGNED MESSAGE-----\nHash: x\n", "-----BEGIN PGP SIGNED MESSAGE-----\n\n\(md5)  a\n",
    "-----BEGIN PGP SIGNED MESSAGE-----\n\n\(md5)  a\n-----BEGIN PGP SIGNATURE-----\n",
  ])
  func `a truncated signed message is an error`(text: String) {
    let list = ReadList(text, .checksums)
    #expect(list.errors.map(\.problem) == [.unfinishedSignature])
  }

  @Test func `a detached signature is not a list`() {
    let list = ReadList("-----BEGIN PGP SIGNATURE-----\n", .checksums)
    #expect(list.errors.map(\.problem) == [.signature])
  }

  // MARK: As distributions publish them

  @Test func `a comment names the algorithm of what is below it`() {
    let hex = String(repeating: Self.md5, count: 4)
    let list = ReadList(
      "# BLAKE2B HASH\n\(hex)  a\n# sha512 sums are elsewhere\n\(hex)  d\n# SHA512 HASH\n\(hex)  a\n\(hex)  b\n# sha512 is not meant here\n# MD5\n\(Self.md5)  c\n",
      .checksums)
    #expect(
      list.digests == [
        ["blake2b:\(hex)"], ["blake2b:\(hex)"], ["sha512:\(hex)"], ["sha512:\(hex)"], ["md5:\(Self.md5)"],
      ])
    #expect(list.errors == [])
  }

  @Test func `a Manifest of Gentoo has files to download, and others`() {
    let hex = String(repeating: Self.md5, count: 4)
    let text = "DIST a-1.tar.xz 12 BLAKE2B \(hex) SHA512 \(hex) WHIRLPOOL 0\nEBUILD a-1.ebuild 3 BLAKE2B \(hex)\n"
    #expect(ListDetector.format(of: text.utf8) == .checksums)
    let list = ReadList(text, .checksums)
    #expect(list.names == ["a-1.tar.xz"] && list.entries[0].size == 12 && list.errors == [])
    #expect(list.digests == [["blake2b:\(hex)", "sha512:\(hex)"]])
    #expect(ReadList("DIST a 1 SHA512\n", .checksums).errors.count == 1)
    #expect(ReadList("DIST a 1 X 0\n", .checksums).errors.map(\.problem) == [.unknownAlgorithm([0x58])])
    #expect(ReadList("DIST a 1 MD5 0\n", .checksums).errors.map(\.problem) == [.malformedDigest(.md5)])
  }

  @Test func `a distinfo has sizes and a time`() {
    let text = "TIMESTAMP = 1700000000\nMD5 (a b) = \(Self.md5)\nSIZE (a b) = 7\nSize (c) = 8 bytes\n"
    #expect(ListDetector.format(of: text.utf8) == .checksums)
    let list = ReadList(text, .checksums)
    #expect(list.names == ["a b", "a b", "c"] && list.entries.map(\.size) == [nil, 7, 8] && list.errors == [])
    #expect(list.digests == [["md5:\(Self.md5)"], [], []])
    #expect(ReadList("SIZE (a) = x\n", .checksums).errors.count == 1)
  }

  /// A line as distributions write them: the file that it is about, with the digests, or nil where it is passed over.
  private static func randomLine(
    _ number: Int, _ section: inout String, _ generator: inout SeededGenerator
  ) -> (text: String, file: (name: String, size: Int64?, digests: Set<String>)?, isCounted: Bool, isWrong: Bool) {
    let long = String(repeating: String(number % 10), count: 128)
    let name = "f-\(number).tar.xz"
    switch Int.random(in: 0..<9, using: &generator) {
    case 0:
      return (
        "DIST \(name) \(number) BLAKE2B \(long) X 00 SHA512 \(long)",
        (name, Int64(number), ["blake2b:\(long)", "sha512:\(long)"]), false, false
      )
    case 1:
      return (
        "\(["AUX", "EBUILD", "DATA", "IGNORE"].randomElement(using: &generator)!) \(name) 1 SHA512 \(long)", nil, true,
        false
      )
    case 2:
      return (
        ["TIMESTAMP = 1700000000", "TIMESTAMP 2026-11-28T00:00:00Z"].randomElement(using: &generator)!, nil, true, false
      )
    case 3: return ("SIZE (\(name)) = \(number)", (name, Int64(number), []), false, false)
    case 4: return ("BLAKE2b (\(name)) = \(long)", (name, nil, ["blake2b:\(long)"]), false, false)
    case 5:
      section = ["blake2b", "sha512"].randomElement(using: &generator)!
      return ("# \(section.uppercased()) HASH", nil, false, false)
    case 6:
      return (
        ["DIST \(name) x SHA512 \(long)", "DIST \(name) 1 SHA512 \(long)0", "SIZE (\(name)) = -1", "\(long)0  \(name)"]
          .randomElement(using: &generator)!, nil, false, true
      )
    default: return ("\(long)  \(name)", (name, nil, ["\(section):\(long)"]), false, false)
    }
  }

  @Test func `every line of a distribution is a file, passed over or wrong`() {
    let isFruitful = Fuzz.run { generator, seed in
      var section = "sha512"
      let lines = (0..<Int.random(in: 1...12, using: &generator)).map {
        Self.randomLine($0, &section, &generator)
      }
      var parser = LineListParser(format: .checksums)
      let text = lines.map(\.text).joined(separator: "\n")
      let list = ParsedList(Array(text.utf8), parser, partSize: Int.random(in: 1...400, using: &generator))
      let files = lines.compactMap(\.file)
      #expect(list.entries.map { String(decoding: $0.name ?? [], as: UTF8.self) } == files.map(\.name), "seed \(seed)")
      #expect(list.entries.map(\.size) == files.map(\.size), "seed \(seed)")
      #expect(list.digests.map(Set.init) == files.map(\.digests), "seed \(seed)")
      #expect(list.errors.count == lines.count(where: \.isWrong), "seed \(seed)")
      Array(text.utf8).withUnsafeBytes { parser.append($0) }
      parser.end()
      while true { do { if try parser.next() == nil { break } } catch {} }
      #expect(parser.passedCount == lines.count(where: \.isCounted), "seed \(seed)")
      return !files.isEmpty
    }
    #expect(isFruitful)
  }
}
