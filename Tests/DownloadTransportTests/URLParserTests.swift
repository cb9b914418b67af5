import DownloadCore
import Glibc
import TestSupport
@testable import DownloadTransport
import Testing

@Suite(.waiting) struct `A URL` {
  private func parse(_ text: String) throws(URLParser.Fault) -> MirrorURL {
    try URLParser.parse(text.utf8)
  }

  private func resolve(_ reference: String, against base: String) throws -> String {
    try URLParser.resolve(reference.utf8, against: parse(base).location).location.text
  }

  @Test func `is parsed into its parts`() throws {
    let parsed = try parse("https://Example.ORG:8443/a/b.iso?sig=1&x=%20#part")
    #expect(
      parsed.location
        == Location(scheme: .https, host: "example.org", port: 8443, path: "/a/b.iso", query: "sig=1&x=%20"))
    #expect(parsed.userinfo == nil)
    #expect(parsed.location.text == "https://example.org:8443/a/b.iso?sig=1&x=%20")
  }

  @Test(arguments: [
    ("http://example.org", "http://example.org/"), ("HTTP://example.org/A", "http://example.org/A"),
    ("http://example.org:80/", "http://example.org/"), ("https://example.org:443/", "https://example.org/"),
    ("https://example.org:80/", "https://example.org:80/"), ("http://example.org:65535/", "http://example.org:65535/"),
    ("http://example.org?q", "http://example.org/?q"), ("http://example.org#f", "http://example.org/"),
    ("http://example.org/a#f?q", "http://example.org/a"), ("http://example.org/a?q#f", "http://example.org/a?q"),
    ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"), ("http://[::1]:8080/a", "http://[::1]:8080/a"),
    ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"),
    ("http://[fe80::1%25eth0]/a", "http://[fe80::1%25eth0]/a"),
    // Like curl and browsers.
    ("http:///example.org/a", "http://example.org/a"),
  ])
  func `has a normal form`(text: String, form: String) throws {
    let location = try parse(text).location
    #expect(location.text == form)
    // The text for libcurl is parsed back to the same URL.
    #expect(try parse(location.text).location == location)
  }

  @Test(arguments: ["http://0x7f%61a/", "http://1%32/", "http://0x7f.%31/", "http://127.0.0.%31/", "http://h%61st/%31"])
  func `with escapes in its host is parsed back to the same URL or refused`(text: String) throws {
    guard let location = try? parse(text).location else { return }
    #expect(try parse(location.text).location == location)
  }

  @Test(arguments: [
    ("http://h/a b", "/a%20b"), ("http://h/a%20b", "/a%20b"), ("http://h/ä", "/%c3%a4"), ("http://h/%C3%A4", "/%C3%A4"),
    ("http://h/%2e%2e/x", "/%2e%2e/x"), ("http://h/a%2Fb", "/a%2Fb"), ("http://h/a//b", "/a//b"),
    ("http://h/a/../b/./c", "/b/c"), ("http://h/100%", "/100%"),
  ])
  func `keeps escapes and escapes forbidden characters`(text: String, path: String) throws {
    #expect(try parse(text).location.path.lowercased() == path.lowercased())
  }

  @Test(arguments: [
    ("http://www.åäö.se/ü", "www.xn--4cab6c.se"), ("http://b%C3%BCcher.example/", "xn--bcher-kva.example"),
    ("http://BÜCHER.example:8080/", "xn--bcher-kva.example"), ("http://１２７.0.0.1/", "127.0.0.1"),
    ("http://faß.example/", "xn--fa-hia.example"),
  ])
  func `may have a host in any script, which becomes ASCII`(text: String, host: String) throws {
    let location = try parse(text).location
    #expect(location.host == host)
    #expect(try parse(location.text).location == location)
  }

  @Test func `has the same host in every locale`() async {
    await #expect(processExitsWith: .success) {
      for locale in ["C", "POSIX", "C.UTF-8"] {
        setlocale(LC_ALL, locale)
        guard try URLParser.parse("http://www.åäö.se/".utf8).location.host == "www.xn--4cab6c.se" else { exit(1) }
        guard
          try URLParser.resolve("//åäö.se/".utf8, against: URLParser.parse("http://h/".utf8).location)
            .location.host == "xn--4cab6c.se"
        else { exit(1) }
      }
      exit(0)
    }
  }

  @Test(arguments: ["http://-ü.example/", "http://x\u{200e}.example/", "http://ü\u{301}\u{2028}.example/"])
  func `with a host that IDNA forbids is refused`(text: String) {
    #expect(throws: URLParser.Fault.invalidInternationalHost) { try parse(text) }
  }

  @Test(arguments: [
    "http://a\u{2100}.example/", "http://good.example\u{ff0f}.evil.example/", "http://a\u{ff1f}.example/",
    "http://a\u{ff03}b.example/", "http://a\u{ff20}b.example/",
  ])
  func `whose host would contain a delimiter in ASCII is refused`(text: String) {
    #expect(throws: URLParser.Fault.invalidInternationalHost) { try parse(text) }
  }

  @Test func `with a host of bytes that are not UTF-8 is refused`() {
    #expect(throws: URLParser.Fault.self) { try URLParser.parse(Array("http://a".utf8) + [0xff, 0xe4, 0x2f]) }
  }

  @Test(arguments: [256, 65_535, 65_536, 70_000])
  func `with a host that is too long is refused`(length: Int) {
    let host = String(repeating: "a", count: length)
    #expect(throws: URLParser.Fault.hostTooLong) { try parse("http://\(host)/") }
    #expect(throws: URLParser.Fault.hostTooLong) { try resolve("//\(host)/", against: "http://h/") }
  }

  @Test func `may have the longest host`() throws {
    let host = String(repeating: "a", count: 255)
    #expect(try parse("http://\(host)/").location.host == host)
  }

  @Test(arguments: [
    ("http://me:secret@h/", "me:secret"), ("http://me@h/", "me"), ("http://me:@h/", "me:"),
    ("http://:secret@h/", ":secret"), ("http://m%3Ae@h/", "m:e:"),
    ("http://m%40e:s%3Ae%2Fcret@h/", "m@e:s:e/cret"), ("http://me:a:b@h/", "me:a:b"),
  ])
  func `loses its credentials`(text: String, userinfo: String) throws {
    let parsed = try parse(text)
    #expect(parsed.userinfo == userinfo)
    #expect(parsed.location.text == "http://h/")
  }

  @Test(arguments: ["http://m%00e:x@h/", "http://me:x%0d%0ay@h/", "http://m%7fe:x@h/"])
  func `with control characters in its credentials is refused`(text: String) {
    #expect(throws: URLParser.Fault.malformed) { try parse(text) }
  }

  @Test(arguments: ["ftp://h/f", "file:///etc/passwd", "gopher://h/", "scp://h/f", "unknown://h/f"])
  func `of another scheme is refused with the scheme's name`(text: String) {
    let scheme = String(text.prefix { $0 != ":" })
    #expect(throws: URLParser.Fault.unsupportedScheme(scheme)) { try parse(text) }
    #expect(throws: URLParser.Fault.unsupportedScheme(scheme)) { try resolve(text, against: "http://h/") }
  }

  @Test(arguments: [
    "", " ", "example.org/f", "/f", "http:", "http:/", "://h/", "h ttp://h/", "http://h:65536/", "http://h:-1/",
    "http://h:8x/", "http://h:99999999999999999999/", "http://[::1", "http://[fe80::1%25a:b]/", "http://[zz]/",
    "http://[::1]x/", "http://h/\u{1}",
    "http://h/a\r\nHost: x", "http://h/a\nb", "http://h\u{7f}/", "javascript:alert(1)", "mailto:a@b",
  ])
  func `that is invalid is refused`(text: String) {
    #expect(throws: URLParser.Fault.self) { try parse(text) }
  }

  @Test(arguments: ["http://", "http://:80/", "http://me@/", "http://a b/", "http://a<b/"])
  func `without a usable host is refused`(text: String) {
    #expect(throws: URLParser.Fault.self) { try parse(text) }
  }

  @Test func `with a NUL is refused, not cut`() {
    #expect(throws: URLParser.Fault.malformed) { try parse("http://h/a\u{0}b") }
    #expect(throws: URLParser.Fault.malformed) { try parse("http://good.example\u{0}.bad.example/") }
    #expect(throws: URLParser.Fault.malformed) { try resolve("/a\u{0}b", against: "http://h/") }
  }

  @Test func `with bytes that are not UTF-8 is escaped byte by byte`() throws {
    let parsed = try URLParser.parse(Array("http://h/a".utf8) + [0xff, 0xe4])
    #expect(parsed.location.path.lowercased() == "/a%ff%e4")
  }

  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
    ("//g/x", "http://g/x"), ("?y", "http://a/b/c/d?y"), ("g?y", "http://a/b/c/g?y"), ("g#s", "http://a/b/c/g"),
    ("g?y#s", "http://a/b/c/g?y"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../../g", "http://a/g"),
    ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
    ("https://other:8443/z", "https://other:8443/z"), ("http://u:p@other/z", "http://other/z"),
  ])
  func `resolves a reference according to RFC 3986`(reference: String, wanted: String) throws {
    #expect(try resolve(reference, against: "http://a/b/c/d?q") == wanted)
  }

  @Test(arguments: [
    ("//other/x", "https://other/x"), ("/x y", "https://h:8443/x%20y"), ("/ü", "https://h:8443/%c3%bc"),
    ("/a/\t\t\tb", "https://h:8443/a/b"),
  ])
  func `passes scheme and port to relative references`(reference: String, wanted: String) throws {
    #expect(try resolve(reference, against: "https://h:8443/a").lowercased() == wanted)
  }

  @Test(
    arguments: [
      ("http://h:1", true), ("h:1", true), ("ftp.example:8080", true), ("socks5h://me:secret@h", true),
      ("HTTPS://h", true), ("[::1]:80", true), ("http://[::1", false), ("http://h:99999", false), ("foo://h:1", false),
      ("http://", false), ("http://a b/", false), ("%zz://x", false),
    ])
  func `may be that of a proxy`(text: String, isProxy: Bool) {
    #expect(URLParser.isProxy(text) == isProxy)
  }

  @Test func `of random bytes never traps and means the same when read again`() throws {
    let samples = [
      "https://me:pw@example.org:8443/a/b?c=d#e", "http://[fe80::1%25eth0]:80/%41?x", "http://bücher.example/ä b",
      "//h/../x?#", "../..//g;x=1/../y",
    ]
    let alphabet = Array(":/?#[]@!$&'()*+,;=%25.\\ \u{0}\u{7f}0aZ\r\n\u{fc}".utf8)
    let base = try parse("http://a/b/c?d").location
    let wasUseful = try Fuzz.run { generator, seed in
      let sample = Array(samples.randomElement(using: &generator)!.utf8)
      let text = generator.mutate(sample, alphabet: alphabet)
      guard let location = try? URLParser.resolve(text, against: base).location else { return false }
      let again = try? URLParser.parse(location.text.utf8).location
      try #require(again == location, "seed \(seed): \(location.text) is read again as \(again?.text ?? "nothing")")
      return true
    }
    #expect(wasUseful)
  }
}
