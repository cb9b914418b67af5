import DownloadCore
import TestSupport
@testable import Transport
import Testing

/// Whatever a list or a `Location` header holds: no trap, and a URL that is taken means one thing.
@Suite struct `URLs and garbage` {
  private static let samples = [
    "https://Example.ORG:8443/a/b.iso?sig=1&x=%20#part", "http://me:s%65cret@h/../x", "http://[2001:DB8::1]:80/a",
    "http://[fe80::1%25eth0]/a", "//h2/x?y", "../z#f", "?q", "http://0x7f.1/",
  ]
  private static let alphabet = Array(":/?#[]@%20.-\\ \t\r\n\0xX".utf8)

  @Test func `what is taken has one form, without secrets, that means the same when read again`() throws {
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
        // What becomes a header must not be able to end its line.
        #expect(parsed?.userinfo?.utf8.contains { $0 < 0x20 || $0 == 0x7f } != true, "seed \(seed)")
        #expect(!location.withoutQuery.contains("?"), "seed \(seed)")
      }
      return isTaken
    }
    #expect(isFruitful)
  }
}
