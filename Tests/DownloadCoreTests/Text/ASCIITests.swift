import Testing

@testable import DownloadCore

@Suite struct `ASCII` {
  @Test func `only letters are folded`() {
    #expect(Array("ETAG".utf8).equals(folded: "etag"))
    #expect(!Array("etag\r".utf8).equals(folded: "etag-"))
    #expect(!Array("A\u{0d}B".utf8).equals(folded: "a-b"))
    #expect(!Array("eta".utf8).starts(withFolded: "etag"))
  }

  @Test(arguments: [("", ""), (" \t", ""), (" a b\t", "a b"), ("a", "a")])
  func `blanks at the ends are trimmed`(text: String, trimmed: String) {
    #expect(String(decoding: Array(text.utf8).trimmed, as: UTF8.self) == trimmed)
  }

  @Test func `text for messages is lower-case, printable and short`() {
    #expect(Array("GZip\u{1b}é".utf8).loweredPrintable == "gzip???")
    #expect(Array(String(repeating: "A", count: 100).utf8).loweredPrintable.count == 64)
  }
}
