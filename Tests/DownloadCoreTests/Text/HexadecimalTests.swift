import Testing

@testable import DownloadCore

@Suite struct `Hexadecimal digits` {
  @Test func `every byte is written and read back in either case`() {
    let bytes = [UInt8](0...255)
    let text = Hexadecimal.text(bytes)
    #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
    #expect(Hexadecimal.bytes(text.utf8, byteCount: 256) == bytes)
    #expect(Hexadecimal.bytes(text.uppercased().utf8, byteCount: 256) == bytes)
    var upper: [UInt8] = []
    Hexadecimal.append(0xaf, isUppercase: true, to: &upper)
    #expect(upper == Array("AF".utf8))
  }

  @Test func `no other byte is a digit`() {
    for byte in UInt8.min ... .max {
      let value = Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
      #expect(Hexadecimal.value(of: byte) == value)
      #expect(Hexadecimal.bytes([byte, 0x31], byteCount: 1) == value.map { [$0 << 4 | 1] })
      #expect(Hexadecimal.bytes([0x31, byte], byteCount: 1) == value.map { [0x10 | $0] })
    }
  }

  @Test(arguments: ["", "0", "012", "01234", "0g12", "01 2", "-012"])
  func `any text but the hexadecimal form of two bytes is rejected`(text: String) {
    #expect(Hexadecimal.bytes(text.utf8, byteCount: 2) == nil)
  }

  @Test(arguments: [
    ("0", 0), ("fF", 255), ("0123456789abcdef", 0x0123_4567_89ab_cdef), ("ffffffffffffffff", UInt64.max), ("", nil),
    ("x", nil), ("00000000000000000", nil),
  ])
  func `a number has at most sixteen digits`(text: String, number: UInt64?) {
    #expect(Hexadecimal.number(Array(text.utf8)[...]) == number)
  }
}
