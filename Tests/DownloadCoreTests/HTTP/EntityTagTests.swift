import Testing

@testable import DownloadCore

@Suite struct `Entity tags` {
  @Test(arguments: ["\"a\"", "W/\"a\"", "\"xyz-1:2/3\"", "\"a b\"", "\"\\\"", "\"é\""])
  func `a parsed tag is written unchanged`(text: String) throws {
    #expect(try #require(EntityTag(parsing: text.utf8)).text == text)
  }

  @Test(arguments: [
    "", "a", "\"", "\"a", "a\"", "\"a\"b", "w/\"a\"", "W/a", "W\"a\"", "W/ \"a\"", "\"\"", "W/\"\"", "\"a\u{0}\"",
    "\"a\u{7f}\"", "\"a\", \"b\"", "*",
  ])
  func `text that is not a quoted tag is rejected`(text: String) {
    #expect(EntityTag(parsing: text.utf8) == nil)
  }

  @Test func `blanks around a tag are ignored`() {
    #expect(EntityTag(parsing: " \"a\"\t".utf8)?.opaque == Array("a".utf8))
  }

  @Test func `octets that are not UTF-8 are kept`() throws {
    let tag = try #require(EntityTag(parsing: [0x22, 0xff, 0x80, 0x22]))
    #expect(tag.bytes == [0x22, 0xff, 0x80, 0x22])
    #expect(EntityTag(parsing: tag.bytes) == tag)
  }

  @Test func `a tag of more than 1,024 bytes is ignored`() {
    let quote = [UInt8(ascii: "\"")]
    #expect(EntityTag(parsing: quote + [UInt8](repeating: 0x61, count: 1024) + quote) != nil)
    #expect(EntityTag(parsing: quote + [UInt8](repeating: 0x61, count: 1025) + quote) == nil)
  }
}
