import Testing

@testable import DownloadCore

@Suite struct `A plain URL` {
  private func parts(_ text: String) -> [String]? {
    Array(text.utf8).withUnsafeBytes { bytes in
      PlainURL(bytes).map { url in
        let ends = [0, url.pathStart, url.nameStart, url.pathEnd, bytes.count]
        return zip(ends, ends.dropFirst()).map { String(decoding: bytes[$0..<$1], as: UTF8.self) }
      }
    }
  }

  @Test(arguments: [
    ("http://h/", ["http://h", "/", "", ""]), ("https://h:1/a/b.iso", ["https://h:1", "/a/", "b.iso", ""]),
    ("http://h/dir/", ["http://h", "/dir/", "", ""]), ("x-y://h/a", ["x-y://h", "/", "a", ""]),
    ("http://u:p@h/a", ["http://u:p@h", "/", "a", ""]), ("http://h/a?b", ["http://h", "/", "a", "?b"]),
    ("http://h/a~_!$&'()*+,-.;:@=9Z", ["http://h", "/", "a~_!$&'()*+,-.;:@=9Z", ""]),
    ("http://h/a?b/c?d%2F=&x=%", ["http://h", "/", "a", "?b/c?d%2F=&x=%"]),
    // What libcurl says of the authority is not asked here.
    ("http://h%/a", ["http://h%", "/", "a", ""]), ("http://[::1]:x/a", ["http://[::1]:x", "/", "a", ""]),
  ])
  func `has parts`(text: String, parts: [String]) {
    #expect(self.parts(text) == parts)
  }

  @Test(arguments: [
    "", "h", "/a", "http:", "http:/h/a", "http:///h/a", "http://h", "http://h?a", "http://h?a/b", "http://h#a/b",
    "://h/a",
    "1http://h/a", " http://h/a", "a b://h/a", "http://h/a#", "http://h/a?", "http://h/a?b#c", "http://h/a b",
    "http://h/a?b c", "http://h//a", "http://h/a//", "http://h/.", "http://h/../a", "http://h/.a", "http://h/a/.b/c",
    "http://h/%41", "http://h/a\\b", "http://h/a[1]", "http://h/ä", "http://h/a\t", "http://h/a\r", "http://h/a\0",
    "http://h/a\u{7f}", "http://h x/a", "http://h\tx/a",
    "http://h\u{7f}/a", "http://h/a^", "http://h/a?\"", "http://h/a?ä",
  ])
  func `is no other URL`(text: String) {
    #expect(parts(text) == nil)
  }
}
