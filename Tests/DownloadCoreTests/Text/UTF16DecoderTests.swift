import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `UTF-16` {
  private static func encoded(_ text: String, isLittleEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 255)]
      return isLittleEndian ? bytes.reversed() : bytes
    }
  }

  /// The text; nil where there is none.
  private func decoded(_ bytes: [UInt8], partSize: Int) -> String? {
    guard var decoder = UTF16Decoder(beginning: bytes) else { return nil }
    var text: [UInt8] = []
    do {
      for start in stride(from: 0, to: bytes.count, by: partSize) {
        try bytes[start..<min(start + partSize, bytes.count)].withUnsafeBytes { part in
          try decoder.decode(part, into: &text)
        }
      }
      try decoder.end()
    } catch { return nil }
    return String(validating: text, as: UTF8.self)
  }

  @Test func `of either byte order becomes UTF-8, whatever its parts`() {
    let text = "\u{feff}a\r\nä€\u{10000}𝄞\u{10ffff}"
    for isLittleEndian in [true, false] {
      let bytes = Self.encoded(text, isLittleEndian: isLittleEndian)
      for partSize in [1, 2, 3, 100] { #expect(decoded(bytes, partSize: partSize) == text) }
    }
  }

  @Test(
    arguments: [
      [0xff, 0xfe, 0x00, 0xd8], [0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00], [0xff, 0xfe, 0x00, 0xdc], [0xff, 0xfe, 0x61],
      [0xfe, 0xff, 0xd8, 0x00, 0xd8, 0x00],
    ] as [[UInt8]])
  func `without a surrogate or half of a unit is refused`(bytes: [UInt8]) {
    #expect(UTF16Decoder(beginning: bytes) != nil && decoded(bytes, partSize: 1) == nil)
  }

  @Test func `is known by its mark, and XML is left alone`() {
    #expect(UTF16Decoder(beginning: Self.encoded("ab", isLittleEndian: true)) == nil)
    for isLittleEndian in [true, false] {
      #expect(UTF16Decoder(beginning: Self.encoded("\u{feff}<a", isLittleEndian: isLittleEndian)) == nil)
    }
    #expect(UTF16Decoder(beginning: [0xff]) == nil && UTF16Decoder(beginning: [0xff, 0xfe]) != nil)
  }

  @Test func `random texts survive`() {
    let isFruitful = Fuzz.run { generator, seed in
      var text = "\u{feff}"
      for _ in 0..<20 {
        guard let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10ffff, using: &generator)) else { continue }
        text.unicodeScalars.append(scalar)
      }
      let bytes = Self.encoded(text, isLittleEndian: Bool.random(using: &generator))
      guard UTF16Decoder(beginning: bytes) != nil else { return false }
      #expect(decoded(bytes, partSize: Int.random(in: 1...9, using: &generator)) == text, "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }
}
