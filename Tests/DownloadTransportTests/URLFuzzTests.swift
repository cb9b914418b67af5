import CSwiftGetCurl
import DownloadCore
import TestSupport
@testable import DownloadTransport
import Testing

/// No URL from a list or a `Location` header traps, and an accepted URL is unambiguous.
@Suite(.waiting) struct `URLs with random input` {
  private static let samples = [
    "https://Example.ORG:8443/a/b.iso?sig=1&x=%20#part", "http://me:s%65cret@h/../x", "http://[2001:DB8::1]:80/a",
    "http://[fe80::1%25eth0]/a", "//h2/x?y", "../z#f", "?q", "http://0x7f.1/",
  ]
  private static let alphabet = Array(":/?#[]@%20.-\\ \t\r\n\0xX".utf8)

  @Test func `an accepted URL has one form without secrets that is parsed back to the same URL`() throws {
    let base = try URLParser.parse("https://base.example:8443/d/e?f".utf8).location
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(Self.samples.randomElement(using: &generator)!.utf8), alphabet: Self.alphabet)
      var isTaken = false
      for parsed in [try? URLParser.parse(bytes), try? URLParser.resolve(bytes, against: base)] {
        guard let location = parsed?.location else { continue }
        isTaken = true
        let again = try? URLParser.parse(location.text.utf8)
        #expect(again?.location == location && again?.userinfo == nil, "seed \(seed): \(location.text)")
        #expect(location.path.hasPrefix("/") && !location.host.isEmpty, "seed \(seed)")
        #expect(!location.host.contains("@") && !location.host.contains("/"), "seed \(seed)")
        #expect(!location.text.utf8.contains { $0 <= 0x20 || $0 == 0x7f }, "seed \(seed): \(location.text)")
        // The URL must not contain a line end.
        #expect(parsed?.userinfo?.utf8.contains { $0 < 0x20 || $0 == 0x7f } != true, "seed \(seed)")
        #expect(!location.withoutQuery.contains("?"), "seed \(seed)")
      }
      return isTaken
    }
    #expect(isFruitful)
  }

  /// Parses like a transfer, where libcurl guesses schemes and does not encode.
  @Test func `libcurl parses an accepted URL to the same parts`() throws {
    var taken = 0
    var generator = URLGenerator(seed: Fuzz.seed)
    for _ in 0..<Fuzz.rounds {
      let text = generator.next()
      guard let location = try? URLParser.parse(text).location else { continue }
      taken += 1
      let shown = location.text
      let handle = try #require(curl_url())
      defer { curl_url_cleanup(handle) }
      let flags = UInt32(CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME)
      try #require(curl_url_set(handle, CURLUPART_URL, shown, flags) == CURLUE_OK, "\(shown)")
      func part(_ name: CURLUPart, _ flags: Int32 = 0) -> String? {
        var part: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, name, &part, UInt32(flags)) == CURLUE_OK, let part else { return nil }
        defer { curl_free(part) }
        return String(cString: part)
      }
      #expect(part(CURLUPART_SCHEME) == location.scheme.rawValue, "\(shown)")
      #expect(part(CURLUPART_USER) == nil && part(CURLUPART_PASSWORD) == nil, "\(shown)")
      #expect(part(CURLUPART_FRAGMENT) == nil, "\(shown)")
      #expect(part(CURLUPART_PORT, CURLU_DEFAULT_PORT) == String(location.port), "\(shown)")
      #expect(part(CURLUPART_PATH) == location.path && part(CURLUPART_QUERY) == location.query, "\(shown)")
      let zone = part(CURLUPART_ZONEID).map { "%25" + $0 + "]" }
      let host = part(CURLUPART_HOST) ?? ""
      #expect((zone.map { host.dropLast() + $0 } ?? host) == location.host, "\(shown)")
    }
    #expect(taken * 20 > Fuzz.rounds)
  }
}
