import Testing

@testable import DownloadCore

@Suite struct `Byte cursor` {
  @Test func `what is not found leaves the position`() {
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
  func `numbers past the maximum are none`(text: String, value: Int64?) {
    #expect(Int64(digits: Array(text.utf8)) == value)
    var cursor = ByteCursor(text.utf8)
    #expect(cursor.number() == value)
  }

  @Test func `only letters are folded`() {
    #expect(Array("ETAG".utf8).equals(folded: "etag"))
    #expect(!Array("etag\r".utf8).equals(folded: "etag-"))
    #expect(!Array("A\u{0d}B".utf8).equals(folded: "a-b"))
    #expect(!Array("eta".utf8).starts(withFolded: "etag"))
  }

  @Test(arguments: [("", []), ("//", []), ("a", ["a"]), ("/a//b/", ["a", "b"])])
  func `parts lie between separators`(text: String, parts: [String]) {
    let found = Array(text.utf8)[...].parts(separatedBy: UInt8(ascii: "/"))
    #expect(found.map { String(decoding: $0, as: UTF8.self) } == parts)
  }

  @Test(arguments: [("", ""), (" \t", ""), (" a b\t", "a b"), ("a", "a")])
  func `blanks at the ends are trimmed`(text: String, trimmed: String) {
    #expect(String(decoding: Array(text.utf8).trimmed, as: UTF8.self) == trimmed)
  }

  @Test func `words for people are lower-case, printable and short`() {
    #expect(Array("GZip\u{1b}é".utf8).loweredPrintable == "gzip???")
    #expect(Array(String(repeating: "A", count: 100).utf8).loweredPrintable.count == 64)
  }
}
