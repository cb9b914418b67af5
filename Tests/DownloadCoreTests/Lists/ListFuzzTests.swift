import TestSupport
import Testing

@testable import DownloadCore

/// No input traps, and every entry satisfies the rules of `ListEntry`.
@Suite struct `Lists with random input` {
  static let hex = String(repeating: "0123456789abcdef", count: 4)
  static let samples = [
    "\u{feff}https://a/1\thttps://b/1#sha256=\(hex)\n  out=x\n  checksum=sha-256=\(hex)\n  header=A: b\nhttps://c/2\n",
    "# x\n\(hex)  a\n\\\(hex) *b\\nc\nSHA256 (d) = \(hex)\n",
    "-----BEGIN PGP SIGNED MESSAGE-----\nHash: x\n\n\(hex)  a\n-----BEGIN PGP SIGNATURE-----\nx\n"
      + "-----END PGP SIGNATURE-----\n",
  ]
  static let alphabet = Array("\t\n\r =#()*\\-:/.0fg&?@\0".utf8)

  @Test func `entries are valid`() {
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(Self.samples.randomElement(using: &generator)!.utf8), alphabet: Self.alphabet)
      let detected = ListDetector.format(of: bytes)
      let other = LineListParser.formats.randomElement(using: &generator)!
      let isLines = LineListParser.formats.contains(detected)
      let format = isLines && Bool.random(using: &generator) ? detected : other
      let lineCount = bytes.count { $0 == 0x0a } + 1
      let list = ReadList(bytes: bytes, format)
      let partSize = Int.random(in: 1...40, using: &generator)
      #expect(ReadList(bytes: bytes, format, partSize: partSize) == list, "seed \(seed)")
      var lastLine = 0
      for entry in list.entries {
        #expect(lastLine < entry.lineNumber && entry.lineNumber <= lineCount, "seed \(seed)")
        lastLine = entry.lineNumber
        #expect(entry.urls.isEmpty != (entry.name == nil), "seed \(seed)")
        #expect(entry.name?.isEmpty != true && entry.out?.isEmpty != true, "seed \(seed)")
        #expect(Set(entry.digests.map(\.algorithm)).count == entry.digests.count, "seed \(seed)")
        let texts = entry.urls + entry.headers + [entry.out, entry.directory].compactMap { $0 }
        #expect(!texts.contains { $0.contains { $0 < 0x20 || $0 == 0x7f } } || format == .checksums, "seed \(seed)")
        #expect(entry.urls.allSatisfy { $0.contains("://".utf8) }, "seed \(seed)")
      }
      for error in list.errors {
        #expect(error.lineNumber <= lineCount, "seed \(seed)")
      }
      return !list.entries.isEmpty
    }
    #expect(isFruitful)
  }
}
