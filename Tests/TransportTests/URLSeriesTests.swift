import DownloadCore
import TestSupport
import Testing

@testable import Transport

@Suite struct `URLs of a list` {
  private func outcome(_ parse: () throws(URLParser.Failure) -> URLParser.Parsed) -> String {
    do throws(URLParser.Failure) {
      let parsed = try parse()
      let location = parsed.location
      return "\(location.origin.text) \(location.path) ?\(location.query ?? "none") \(parsed.userinfo ?? "nobody")"
    } catch {
      return "\(error)"
    }
  }

  @Test func `are parsed alike one by one and as a series`() {
    var taken = 0
    for round in 0..<100 {
      // A new series each time, because a series keeps state.
      let seed = Fuzz.seed &+ UInt64(round)
      var generator = URLGenerator(seed: seed)
      var series = URLSeries()
      for _ in 0..<max(1, Fuzz.rounds / 100) {
        let text = generator.next()
        let alone = outcome { () throws(URLParser.Failure) in try URLParser.parse(text) }
        let inSeries = outcome { () throws(URLParser.Failure) in try series.parse(text) }
        #expect(inSeries == alone, "seed \(seed): \(String(decoding: text, as: UTF8.self).debugDescription)")
        if alone.hasPrefix("http") { taken += 1 }
      }
    }
    #expect(taken * 20 > Fuzz.rounds)
  }

  @Test(arguments: [
    // The query begins before the first slash of the path.
    ["http://h?id=/x", "http://h?id=/y"], ["http://h?a/b", "http://h?a/c"], ["http://h#a/b", "http://h#a/c"],
    // libcurl skips an additional slash, so the host follows it.
    ["http:///h/x", "http:///other/y"], ["http:///h/x", "http:///h/y"], ["http:/h/x", "http:/other/y"],
    ["http://u:p@h/x", "http://u:q@h/x"], ["http://bücher.example/x", "http://bücher.example/y"],
    ["http://h/x", "http://h:80/x", "http://h.evil/x", "http://h@evil/x"],
  ])
  func `are not confused with URLs of the same start`(urls: [String]) throws {
    var series = URLSeries()
    for url in urls {
      let (alone, inSeries) = (try URLParser.parse(url.utf8), try series.parse(Array(url.utf8)))
      #expect(inSeries.location == alone.location && inSeries.userinfo == alone.userinfo, "\(url)")
    }
  }
}
