import Testing

@testable import DownloadCore

@Suite struct `Retry-After` {
  @Test(arguments: [
    ("0", Duration.zero), ("120", .seconds(120)), (" 5 ", .seconds(5)), ("1.2", .seconds(2)), ("3.0", .seconds(3)),
    ("9223372036854775807", RetryAfter.maximum), ("99999999999999999999999999", RetryAfter.maximum),
  ])
  func `seconds are accepted up to the maximum`(text: String, expected: Duration) {
    #expect(RetryAfter.parse(text.utf8, dateNow: 0) == expected)
  }

  @Test func `a date gives the delay until then`() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT".utf8
    #expect(RetryAfter.parse(date, dateNow: 784_111_777 - 90) == .seconds(90))
    #expect(RetryAfter.parse(date, dateNow: 784_111_777 + 90) == .zero)
    #expect(RetryAfter.parse(date, dateNow: .max) == .zero)
    #expect(RetryAfter.parse(date, dateNow: .min) == RetryAfter.maximum)
  }

  @Test(arguments: ["", "-1", "soon", "1s", "0x10", "1 2", "Sun, 06 Nov 1994"])
  func `any other value is ignored`(text: String) {
    #expect(RetryAfter.parse(text.utf8, dateNow: 0) == nil)
  }
}
