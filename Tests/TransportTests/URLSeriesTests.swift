import DownloadCore
import TestSupport
import Testing

@testable import Transport

@Suite struct `URLs of a list` {
  /// What stands in lists, and what comes close to it without being the same to libcurl.
  private static let beginnings = [
    "http://a.example", "http://A.example", "https://a.example:8443", "http://user:pw@a.example", "http://a.example:80",
    "HTTP://a.example", "http://[::1]:8080", "ftp://a.example", "http:/a.example", "a.example",
  ]
  private static let pieces = [
    "/", "//", "a", "b7", "/x", ".", "..", "/..", "/.", "?", "q=1", "#", "%41", "%2F", " ", "@", ":", "_", "-", "~",
    "é",
    "/dir", "/file.iso", "\\", "[", "\u{7}",
  ]

  @Test func `mean the same one by one and as a series`() {
    var random = SeededGenerator(seed: 20_261_121)
    var series = URLSeries()
    var plain = 0
    for _ in 0..<20_000 {
      // Mostly the same beginning as before, so that what is kept of it is used.
      let beginning = Self.beginnings[
        Int.random(in: 0..<4, using: &random) > 0 ? 0 : .random(in: 0..<10, using: &random)]
      var text = beginning
      for _ in 0..<Int.random(in: 0...4, using: &random) { text += Self.pieces.randomElement(using: &random)! }
      let bytes = Array(text.utf8)
      let alone = Result { () throws(URLParser.Failure) in try URLParser.parse(bytes) }
      let inSeries = Result { () throws(URLParser.Failure) in try series.parse(bytes) }
      switch (alone, inSeries) {
      case (.success(let one), .success(let other)):
        #expect(one.location == other.location && one.userinfo == other.userinfo, "\(text)")
        plain += 1
      case (.failure(let one), .failure(let other)): #expect(one == other, "\(text)")
      default: Issue.record("\(text): \(alone) alone, \(inSeries) in a series")
      }
    }
    #expect(plain > 5000)
  }
}
