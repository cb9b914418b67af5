import Testing

@testable import DownloadCore

@Suite struct `Entity tags` {
  @Test(arguments: ["\"a\"", "W/\"a\"", "\"xyz-1:2/3\"", "\"a b\"", "\"\\\"", "\"é\""])
  func `a tag comes out as it went in`(text: String) throws {
    #expect(try #require(EntityTag(parsing: text.utf8)).text == text)
  }

  @Test(arguments: [
    "", "a", "\"", "\"a", "a\"", "\"a\"b", "w/\"a\"", "W/a", "W\"a\"", "W/ \"a\"", "\"\"", "W/\"\"", "\"a\u{0}\"",
    "\"a\u{7f}\"", "\"a\", \"b\"", "*",
  ])
  func `what is no quoted tag is refused`(text: String) {
    #expect(EntityTag(parsing: text.utf8) == nil)
  }

  @Test func `blanks around a tag do not count`() {
    #expect(EntityTag(parsing: " \"a\"\t".utf8)?.opaque == Array("a".utf8))
  }

  @Test func `octets that are not UTF-8 are kept`() throws {
    let tag = try #require(EntityTag(parsing: [0x22, 0xff, 0x80, 0x22]))
    #expect(tag.bytes == [0x22, 0xff, 0x80, 0x22])
    #expect(EntityTag(parsing: tag.bytes) == tag)
  }

  @Test func `a tag of more than 1,024 bytes is none`() {
    let quote = [UInt8(ascii: "\"")]
    #expect(EntityTag(parsing: quote + [UInt8](repeating: 0x61, count: 1024) + quote) != nil)
    #expect(EntityTag(parsing: quote + [UInt8](repeating: 0x61, count: 1025) + quote) == nil)
  }
}
