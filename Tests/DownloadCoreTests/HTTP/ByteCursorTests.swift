import Testing

@testable import DownloadCore

@Suite struct `Byte cursor` {
  @Test func `a failed match leaves the position unchanged`() {
    var cursor = ByteCursor("Bytes 12x".utf8)
    #expect(cursor.skip(UInt8(ascii: "b")) == false)
    #expect(cursor.skip(folding: "bytes 12xy") == false)
    #expect(cursor.number() == nil)
    #expect(cursor.skip(folding: "bytes") == true)
    #expect(cursor.skipSpaces() == 1)
    #expect(cursor.number(digits: 1...1) == nil)
    #expect(cursor.number(digits: 1...2) == 12)
    #expect(cursor.peeked == UInt8(ascii: "x") && !cursor.isAtEnd)
    #expect(cursor.skip(UInt8(ascii: "x")) == true)
    #expect(cursor.peeked == nil && cursor.isAtEnd)
  }

  @Test(arguments: [("0", 0), ("007", 7), ("9223372036854775807", Int64.max), ("9223372036854775808", nil), ("", nil)])
  func `numbers above the maximum are rejected`(text: String, value: Int64?) {
    #expect(Int64(digits: Array(text.utf8)) == value)
    var cursor = ByteCursor(text.utf8)
    #expect(cursor.number() == value)
  }
}
