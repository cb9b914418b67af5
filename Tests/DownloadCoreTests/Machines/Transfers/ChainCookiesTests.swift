import DownloadCore
import TestSupport
import Testing

@Suite struct `Cookies of redirects` {
  private func location(_ host: String, _ path: String = "/", _ scheme: Location.Scheme = .https) -> Location {
    Location(scheme: scheme, host: host, port: scheme.usualPort, path: path, query: nil)
  }

  private func cookies(_ values: String..., from host: String = "a.example", path: String = "/x/y") -> ChainCookies {
    var cookies = ChainCookies()
    cookies.take(values.map { Array($0.utf8) }, from: location(host, path), unixTime: 1000)
    return cookies
  }

  private func field(
    _ cookies: ChainCookies, _ host: String = "a.example", _ path: String = "/x/z", _ scheme: Location.Scheme = .https,
    at unixTime: Int64 = 1000
  ) -> String? {
    cookies.field(for: location(host, path, scheme), unixTime: unixTime).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `are for the host that set them, or for its domain`() {
    #expect(field(cookies("a=1")) == "a=1" && field(cookies("a=1"), "b.a.example") == nil)
    #expect(field(cookies("a=1"), "other.example") == nil && field(cookies("a=1"), "xa.example") == nil)
    for domain in ["a.example", ".A.Example"] {
      let shared = cookies("a=1; Domain=\(domain)", from: "b.a.example")
      #expect(field(shared, "a.example") == "a=1" && field(shared, "c.a.example") == "a=1")
      #expect(field(shared, "xa.example") == nil && field(shared, "example") == nil)
    }
    for domain in ["example", "other.example", "b.a.example", "."] {
      let isOwn = domain == "."
      #expect((field(cookies("a=1; Domain=\(domain)")) != nil) == isOwn, "\(domain)")
    }
    #expect(field(cookies("a=1; Domain=0.0.1", from: "127.0.0.1"), "127.0.0.1") == nil)
    #expect(field(cookies("a=1; Domain=127.0.0.1", from: "127.0.0.1"), "127.0.0.1") == "a=1")
    #expect(field(cookies("a=1", from: "[::1]"), "[::1]") == "a=1")
  }

  @Test func `are for their path and scheme`() {
    #expect(field(cookies("a=1")) == "a=1" && field(cookies("a=1"), "a.example", "/xy/z") == nil)
    #expect(field(cookies("a=1"), "a.example", "/x") == "a=1" && field(cookies("a=1"), "a.example", "/") == nil)
    #expect(field(cookies("a=1; Path=/"), "a.example", "/") == "a=1")
    #expect(field(cookies("a=1; path=/q/"), "a.example", "/q/r") == "a=1")
    #expect(field(cookies("a=1; path=/q/"), "a.example", "/q") == nil)
    #expect(field(cookies("a=1; SECURE; HttpOnly")) == "a=1")
    #expect(field(cookies("a=1; secure"), "a.example", "/x/z", .http) == nil)
    #expect(field(cookies("a=1"), "a.example", "/x/z", .http) == "a=1")
  }

  @Test func `expire, replace each other and are removed`() {
    #expect(field(cookies("a=1; Max-Age=10"), at: 1009) == "a=1" && field(cookies("a=1; Max-Age=10"), at: 1010) == nil)
    #expect(field(cookies("a=1; Expires=Thu, 01 Jan 1970 00:20:00 GMT"), at: 1199) == "a=1")
    #expect(field(cookies("a=1; Expires=Thu, 01-Jan-1970 00:20:00 GMT"), at: 1200) == nil)
    #expect(field(cookies("a=1", "a=2", "b=3")) == "a=2; b=3")
    for end in ["Max-Age=0", "max-age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"] {
      #expect(field(cookies("a=1", "b=2", "a=; \(end)")) == "b=2", "\(end)")
    }
    #expect(field(cookies("a=1; Max-Age=99999999999999999999"), at: 1_000_000) == "a=1")
    // The longer path comes first.
    #expect(field(cookies("a=1; Path=/", "b=2; Path=/x", "c=3; Path=/x")) == "b=2; c=3; a=1")
  }

  @Test func `have a form and a size`() {
    #expect(
      field(cookies(" a = 1 2 ;;")) == "a=1 2" && field(cookies("a=")) == "a=" && field(cookies("a=b=c")) == "a=b=c")
    for text in ["", "a", "=1", "; a=1", "a=\u{1}", "a=1; Path=/\u{7f}"] {
      #expect(field(cookies(text)) == nil, "\(text)")
    }
    let longest = String(repeating: "v", count: ChainCookies.mostCookieBytes - 1)
    #expect(field(cookies("a" + "=" + longest)) == "a=" + longest && field(cookies("aa" + "=" + longest)) == nil)
    var many = ChainCookies()
    many.take(
      (0..<100).map { Array("n\($0)=\(String(repeating: "v", count: 400))".utf8) }, from: location("a", "/"),
      unixTime: 0)
    let bytes = many.field(for: location("a", "/"), unixTime: 0)?.count ?? 0
    #expect((7000...8190).contains(bytes), "\(bytes)")
  }
}
