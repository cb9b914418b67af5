import Testing

@testable import DownloadCore

@Suite struct `HTTP dates` {
  /// The examples of RFC 9110 section 5.6.7.
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun, 6 Nov 1994 08:49:37 GMT", " sun, 06 nov 1994 08:49:37 gmt ", "Mon, 06-Nov-1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 -0000", "Sun, 06 Nov 1994 10:19:37 +0130",
    "Sat, 05 Nov 1994 23:49:37 -0900",
  ])
  func `all three forms give the same time`(text: String) {
    #expect(HTTPDate.parse(text.utf8) == 784_111_777)
  }

  @Test(arguments: [
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
    ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
    ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
  ])
  func `a written date is parsed back to the same time`(text: String, seconds: Int64) {
    #expect(HTTPDate.parse(text.utf8) == seconds)
    #expect(HTTPDate.format(seconds) == text)
  }

  @Test func `a leap second counts as the first second of the next minute`() {
    #expect(HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT".utf8) == 1_483_228_800)
  }

  @Test(arguments: [("Sunday, 06-Nov-69 08:49:37 GMT", 2069), ("Sunday, 06-Nov-70 08:49:37 GMT", 1970)])
  func `years of two digits are between 1970 and 2069`(text: String, year: Int) throws {
    let seconds = try #require(HTTPDate.parse(text.utf8))
    #expect(HTTPDate.format(seconds).contains(" \(year) "))
  }

  @Test(arguments: [
    "", "0", "Sun", "Sun,", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 06 Nov 1994 08:49:37 +000", "Sun, 06 Nov 1994 08:49:37 +0060", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
    "Sun, 30 Feb 2024 08:49:37 GMT", "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 199 08:49:37 GMT",
    "Sun, 06 Nov 19944 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
    "Sun Nov 6 08:49:37 94", "Sun Nov 06 08:49:37 1994 GMT",
  ])
  func `an invalid date is rejected`(text: String) {
    #expect(HTTPDate.parse(text.utf8) == nil)
  }

  @Test func `times outside the format's range are clamped`() {
    #expect(HTTPDate.format(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
    #expect(HTTPDate.format(.min) == "Mon, 01 Jan 0001 00:00:00 GMT")
  }
}
