import Testing

@testable import DownloadCore

@Suite struct `Percent-encoding` {
  @Test(arguments: [
    ("", "", ""), ("a%20b", "a b", "a b"), ("%41%4a%4A", "AJJ", "AJJ"), ("%2541", "%41", "%41"), ("%", nil, "%"),
    ("%4", nil, "%4"), ("%zz%41", nil, "%zzA"), ("%%41", nil, "%A"),
  ])
  func `escapes are decoded once`(text: String, strict: String?, kept: String) {
    let bytes = Array(("x" + text).utf8).dropFirst()
    #expect(PercentEncoding.decode(bytes) == strict.map { Array($0.utf8) })
    #expect(PercentEncoding.decodeKeepingInvalid(bytes) == Array(kept.utf8))
  }

  @Test func `a segment keeps the characters of a path and nothing else`() {
    var text: [UInt8] = []
    PercentEncoding.append(segment: Array("aZ09-._~!$&'()*+,;=:@ /?#%\"ü".utf8) + [0], to: &text)
    #expect(String(decoding: text, as: UTF8.self) == "aZ09-._~!$&'()*+,;=:@%20%2F%3F%23%25%22%C3%BC%00")
  }
}
