import Testing

@testable import DownloadCore

@Suite struct `Content ranges` {
  @Test(arguments: [
    ("bytes 0-0/1", ContentRange.satisfied(0..<1, completeLength: 1)),
    ("bytes 42-1233/1234", .satisfied(42..<1234, completeLength: 1234)),
    ("bytes 42-1233/*", .satisfied(42..<1234, completeLength: nil)),
    ("bytes */1234", .unsatisfied(completeLength: 1234)),
    ("bytes */0", .unsatisfied(completeLength: 0)),
    ("BYTES\t 5-9/10 ", .satisfied(5..<10, completeLength: 10)),
    ("bytes 0-9223372036854775806/9223372036854775807", .satisfied(0 ..< .max, completeLength: .max)),
  ])
  func `a valid field is parsed into a half-open range`(text: String, expected: ContentRange) {
    #expect(ContentRange(parsing: text.utf8) == expected)
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes 0-0", "bytes 0-0/", "bytes 5-4/10", "bytes 0-10/10", "bytes -1/10", "bytes 5-/10",
    "bytes */*", "bytes *", "bytes */", "items 0-1/2", "bytes=0-1/2", "bytes0-1/2", "bytes 0-1/2x", "bytes 0-1/-2",
    "bytes 0-9223372036854775807/*", "bytes 0-1/9223372036854775808", "bytes 99999999999999999999-1/2",
    "bytes 0 - 1/2", "bytes 0-1,3-4/10",
  ])
  func `an invalid or inconsistent field is rejected`(text: String) {
    #expect(ContentRange(parsing: text.utf8) == nil)
  }
}
