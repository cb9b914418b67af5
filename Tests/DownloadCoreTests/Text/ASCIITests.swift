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

  @Test(arguments: [0, 7, 10, -1, 1_700_000_000, .max, .min] as [Int64])
  func `numbers are appended as Swift writes them, with zeros up to a width`(number: Int64) {
    for digits in 1...20 {
      var text = Array("x".utf8)
      text.append(decimal: number, digits: digits)
      let magnitude = String(number.magnitude)
      let zeros = String(repeating: "0", count: max(0, digits - magnitude.count))
      #expect(String(decoding: text, as: UTF8.self) == "x" + (number < 0 ? "-" : "") + zeros + magnitude)
    }
  }

  @Test func `text for messages is lower-case, printable and short`() {
    #expect(Array("GZip\u{1b}é".utf8).loweredPrintable == "gzip???")
    #expect(Array(String(repeating: "A", count: 100).utf8).loweredPrintable.count == 64)
  }
}
