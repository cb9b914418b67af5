import DownloadCore
import TestSupport
import Testing

@testable import DownloadTransport

@Suite(.waiting) struct `URLs of a list` {
  private func outcome(_ parse: () throws(URLParser.Fault) -> MirrorURL) -> String {
    do throws(URLParser.Fault) {
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
        let alone = outcome { () throws(URLParser.Fault) in try URLParser.parse(text) }
        let inSeries = outcome { () throws(URLParser.Fault) in try series.parse(text) }
        #expect(inSeries == alone, "seed \(seed): \(String(decoding: text, as: UTF8.self).debugDescription)")
        if alone.hasPrefix("http") { taken += 1 }
      }
    }
    #expect(taken * 20 > Fuzz.rounds)
  }

  /// A URL whose path and query mostly have bytes with no meaning in it.
  private func nearlyPlain(_ generator: inout SeededGenerator) -> [UInt8] {
    let authorities = [
      "http://h", "https://a.example:8080", "HTTP://A.Example", "http://u:p@h", "http://u@[::1]:80", "http://0x7f.1",
      "http://bücher.example", "http://h:0", "http://h:65536", "ftp://h", "http://@h", "http://h%61",
      "http://[fe80::1%25e]",
    ]
    let plain = Array("abyzABYZ0189-._~!$&'()*+,;=:@/".utf8)
    let pieces = [
      "?", "#", "%", "%2e", "//", "/.", "/..", "/./", "\\", " ", "é", "|", "\"", "[", "@h/", "://", "?a=%2F",
    ]
    var text = Array(authorities.randomElement(using: &generator)!.utf8)
    if Int.random(in: 0..<20, using: &generator) > 0 { text.append(UInt8(ascii: "/")) }
    for _ in 0..<Int.random(in: 0...24, using: &generator) {
      switch Int.random(in: 0..<100, using: &generator) {
      case 0: text.append(UInt8.random(in: 0...255, using: &generator))
      case 1...4: text += Array(pieces.randomElement(using: &generator)!.utf8)
      default: text.append(plain.randomElement(using: &generator)!)
      }
    }
    return text
  }

  @Test func `are accepted and unchanged where they are plain and begin like an earlier one`() {
    var taken = 0
    var generator = SeededGenerator(seed: Fuzz.seed)
    var series = URLSeries()
    for _ in 0..<Fuzz.rounds {
      let text = nearlyPlain(&generator)
      let shown = "\(String(decoding: text, as: UTF8.self).debugDescription)"
      let alone = outcome { () throws(URLParser.Fault) in try URLParser.parse(text) }
      let plain = text.withUnsafeBytes { PlainURL($0) }
      if let plain, text[..<plain.pathStart].withUnsafeBytes({ series.knows(authority: $0) }) {
        taken += 1
        let path = String(decoding: text[plain.pathStart..<plain.pathEnd], as: UTF8.self)
        let query = text[plain.pathEnd...].dropFirst()
        let parts = " \(path) ?\(query.isEmpty ? "none" : String(decoding: query, as: UTF8.self)) "
        #expect(alone.hasPrefix("http") && alone.contains(parts), "\(shown)")
      }
      #expect(outcome { () throws(URLParser.Fault) in try series.parse(text) } == alone, "\(shown)")
    }
    #expect(taken * 20 > Fuzz.rounds)
  }

  @Test func `have more hosts than a series keeps`() throws {
    var series = URLSeries()
    for round in 0..<3 {
      for host in 0..<200 {
        let url = Array("http://h\(host)/\(round)".utf8)
        #expect(try series.parse(url).location == URLParser.parse(url).location)
      }
    }
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
