import TestSupport
import Testing

@testable import DownloadCore

/// Text before the checksums of a list.
@Suite struct `Text before checksums` {
  private static let md5 = String(repeating: "0123456789abcdef", count: 2)

  /// `CHECKSUMS.md5` of Slackware, reduced.
  private static let slackware = """
    These are the MD5 message digests for the files in this directory.
    If you want to test your files, use 'md5sum' and compare the values to
    the ones listed here.

    To test all these files, use this command:

    tail +13 CHECKSUMS.md5 | md5sum --check | less

    'md5sum' can be found in the GNU coreutils package on ftp.gnu.org in
    /pub/gnu, or at any GNU mirror site.

    MD5 message digest                Filename
    \(md5)  ./ANNOUNCE.15_0
    \(md5)  ./BOOTING.TXT

    """

  private func parsed(_ text: String, partSize: Int = .max) -> (list: ParsedList, passed: Int) {
    let count = ChecksumPreamble.lineCount(in: text.utf8)
    func parser() -> LineListParser { LineListParser(format: .checksums, preambleLineCount: count) }
    var counting = parser()
    Array(text.utf8).withUnsafeBytes { counting.append($0) }
    counting.end()
    while true { do { if try counting.next() == nil { break } } catch {} }
    return (ParsedList(Array(text.utf8), parser(), partSize: partSize), counting.passedCount)
  }

  @Test func `is passed over and counted`() {
    for text in [Self.slackware, Self.slackware.replacing("\n", with: "\r\n"), "\u{feff}" + Self.slackware] {
      #expect(ListDetector.format(of: text.utf8) == .checksums)
      let (list, passed) = parsed(text, partSize: 7)
      #expect(list.entries.map(\.lineNumber) == [13, 14] && list.errors == [] && passed == 8)
      #expect(list.entries.map(\.name) == [Array("ANNOUNCE.15_0".utf8), Array("BOOTING.TXT".utf8)])
    }
  }

  @Test func `may be signed, and go on in comments`() {
    let text = """
      -----BEGIN PGP SIGNED MESSAGE-----
      Hash: SHA256

      Release 1
      # \(Self.md5)
      MD5 (a) = \(Self.md5)
      -----BEGIN PGP SIGNATURE-----
      x
      -----END PGP SIGNATURE-----

      """
    let (list, passed) = parsed(text)
    #expect(list.entries.map(\.lineNumber) == [6] && list.errors == [] && passed == 1)
  }

  @Test(arguments: [
    // A damaged checksum, one of an unknown length, and one in base64.
    "0123456789xbcdef0123456789abcdef  a", "0123456789  a", "a sha256-R0oyMjEyMzQ1Njc4OTBhYmNkZWZnaGlqa2xtbm8=",
    "https://h/a", "  https://h/a", "<html>", "a\u{1}b",
  ])
  func `has nothing that may be meant as an entry`(line: String) {
    for text in ["x\n\(line)\n\(Self.md5)  a\n", "\(line)\nx\n\(Self.md5)  a\n"] {
      #expect(ChecksumPreamble.lineCount(in: text.utf8) == 0)
      #expect(!parsed(text).list.errors.isEmpty)
    }
  }

  @Test func `has at most 200 lines, and half of what follows are checksums`() {
    func count(_ text: String) -> Int { ChecksumPreamble.lineCount(in: text.utf8) }
    #expect(count(String(repeating: "x\n", count: 200) + "\(Self.md5)  a\n") == 200)
    #expect(count(String(repeating: "x\n", count: 201) + "\(Self.md5)  a\n") == 0)
    #expect(count("x\n\(Self.md5)  a\ny\n") == 1)
    #expect(count("x\n\(Self.md5)  a\ny\nz\n") == 0)
    // A digest alone says nothing about a file.
    #expect(count("x\n\(Self.md5)\n") == 0 && count("\(Self.md5)  a\nx\n") == 0 && count("x\n") == 0)
  }

  @Test func `every line is an entry, text, or wrong`() {
    let isFruitful = Fuzz.run { generator, seed in
      var lines: [String] = []
      var expected = (entries: 0, passed: 0, errors: 0)
      for _ in 0..<Int.random(in: 0...5, using: &generator) {
        lines.append(["some text", "", "# x"].randomElement(using: &generator)!)
        if lines.last == "some text" { expected.passed += 1 }
      }
      lines.append("\(Self.md5)  a")
      expected.entries = 1
      for _ in 0..<Int.random(in: 0...20, using: &generator) {
        lines.append(["\(Self.md5)  b", "\(Self.md5) *c", "", "wrong"].randomElement(using: &generator)!)
        if lines.last == "wrong" { expected.errors += 1 } else if lines.last != "" { expected.entries += 1 }
      }
      if expected.errors > expected.entries { expected = (expected.entries, 0, expected.errors + expected.passed) }
      let (list, passed) = parsed(
        lines.joined(separator: "\n") + "\n", partSize: Int.random(in: 1...99, using: &generator))
      #expect((list.entries.count, passed, list.errors.count) == expected, "seed \(seed)")
      return expected.passed > 0
    }
    #expect(isFruitful)
  }
}
