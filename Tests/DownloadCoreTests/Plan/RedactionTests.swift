import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Redaction of secrets` {
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test(arguments: [
    ("http://u:secret@h/f", "http://…@h/f"), ("http://secret@h/f", "http://…@h/f"), ("u:secret@h/f", "…@h/f"),
    ("http://u:secret?x@h/", "http://…@h/"), ("http://u:sec/ret@h/", "http://…@h/"),
    ("http://u:sec#ret@h/", "http://…@h/"), ("http://u:sec ret@h/", "http://…@h/"),
    ("http://u:secret@x@h/", "http://…@h/"), ("http://u:secret", "http://u:…"), ("http:///u:secret", "http:///u:…"),
    ("u:secret", "u:…"), ("http://h/f?secret", "http://h/f?…"), ("http://h/f#secret", "http://h/f#…"),
    ("http://h?secret/x", "http://h?…"), ("http://h:8080/f", "http://h:8080/f"),
    ("http://[::1]:80/f", "http://[::1]:80/f"),
    ("http://[::1]:secret/f", "http://[::1]:…"), ("http://h/a:b", "http://h/a:b"), ("not a url", "not a url"), ("", ""),
  ])
  func `a URL loses userinfo, query and fragment`(url: String, shown: String) {
    #expect(Self.text(Redaction.url(url.utf8)) == shown)
    #expect(Self.text(Redaction.url(shown.utf8)) == shown, "once more")
  }

  @Test(arguments: [
    ("5X", "5X"), ("08:00,2X", "08:00,2X"), ("h:0:a", "h:0:a"), ("http://u:secret", "http://u:…"),
    ("u:secret@h", "…@h"), ("x?secret", "x?…"), ("https://u:secret@h/x?secret", "https://…@h/x?…"),
  ])
  func `an argument is treated as a URL only if it begins like one`(argument: String, shown: String) {
    #expect(Self.text(Redaction.argument(argument.utf8)) == shown)
  }

  @Test(arguments: [
    ("header=Authorization: secret", "header=…"), ("Authorization: Bearer secret", "Authorization:…"),
    ("a/b", "a/b"), ("https:/a", "https:/a"), ("name:", "name:"), ("x=", "x="), ("u:secret@h: x=secret", "…@h:…"),
  ])
  func `a line loses its value`(line: String, shown: String) {
    #expect(Self.text(Redaction.line(line.utf8)) == shown)
  }

  @Test(arguments: [
    ("http://h/f: connection refused", "http://h/f: connection refused"),
    ("leaving http://h/@scope/a@1: too slow", "leaving http://h/@scope/a@1: too slow"),
    ("http://h/f?…: the server answered 404", "http://h/f?…: the server answered 404"),
    ("http://u:secret@h/@x?secret, then", "http://…@h/@x?…, then"),
    ("Unsupported proxy scheme for 'foo://u:se'c ret@h'", "Unsupported proxy scheme for 'foo://…@h'"),
    ("Unsupported proxy syntax in 'u:secret@h'", "Unsupported proxy syntax in '…@h'"),
    ("the server's and the user's a@b", "the server's and the user's a@b"),
    ("URLs begin with https:// or http://", "URLs begin with https:// or http://"),
    ("'a' is not 'b'", "'a' is not 'b'"), ("(http://u:secret@h)", "(http://…@h)"), ("x://", "x://"), ("'", "'"),
    ("", ""),
  ])
  func `URLs within a message are redacted`(words: String, shown: String) {
    #expect(Redaction.words(words) == shown)
    #expect(Redaction.words(shown) == shown, "once more")
  }

  @Test func `a quoted known secret is removed, even if it is cut`() {
    let proxy = "u:se'cret/" + String(repeating: "x", count: 300)
    #expect(Redaction.words("bad 'u:secret'", quoting: ["u:secret"]) == "bad 'u:…'")
    #expect(Redaction.words("bad '\(proxy.prefix(200))", quoting: ["other", proxy]) == "bad '…")
    #expect(Redaction.words("it's 'fine'", quoting: [proxy, ""]) == "it's 'fine'")
  }

  @Test func `random input never traps, and redaction is idempotent`() {
    let samples = [
      "http://u:p@h:80/a?b#c", "'foo://u:p@h'", "x=y: z", "http://[::1]:x/", "//u@h", "it's \"q\" at http://a@b, c",
    ]
    let alphabet = Array("@:/?#'\"[]=…. a1".utf8)
    var generator = SeededGenerator(seed: Fuzz.seed)
    for _ in 0..<Fuzz.rounds {
      let bytes = generator.mutate(Array(samples.randomElement(using: &generator)!.utf8), alphabet: alphabet)
      let text = String(decoding: bytes, as: UTF8.self)
      let words = Redaction.words(text)
      #expect(Redaction.words(words) == words, "\(text.debugDescription)")
      // A redacted line is cut and may look like a broken URL.
      _ = Redaction.line(bytes)
      for redact in [Redaction.url, Redaction.argument] as [(Array<UInt8>) -> [UInt8]] {
        let shown = redact(bytes)
        #expect(redact(shown) == shown, "\(text.debugDescription)")
      }
      let shown = Redaction.url(bytes)
      let at = shown.lastIndex(of: UInt8(ascii: "@"))
      #expect(at.map { Self.text(Array(shown[..<$0])).hasSuffix("…") } ?? true, "\(text.debugDescription)")
    }
  }
}
