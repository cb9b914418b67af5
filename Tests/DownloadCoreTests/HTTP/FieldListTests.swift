import Testing

@testable import DownloadCore

@Suite struct `Field lists` {
  @Test(arguments: [
    ("", []), (" , ,", []), ("a", ["a"]), (" a , b,c ", ["a", "b", "c"]), ("a=\"x, y\", b", ["a=\"x, y\"", "b"]),
    ("\"a\\\", b\", c", ["\"a\\\", b\"", "c"]), ("\"a, b", ["\"a, b"]), ("\"a\\", ["\"a\\"]),
  ])
  func `commas separate elements except in quotes`(value: String, expected: [String]) {
    #expect(FieldList.elements(of: Array(value.utf8)).map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test(arguments: [
    ("Basic realm=\"x\"", ["basic"]), ("Negotiate", ["negotiate"]), ("NTLM TlRMTVNTUAAB=", ["ntlm"]),
    ("Digest realm=\"a, b\", nonce = \"c\", qop=auth, Basic realm=\"d\"", ["digest", "basic"]),
    ("Basic, Bearer", ["basic", "bearer"]), ("", []), ("=", []), ("realm=\"x\"", []),
  ])
  func `challenges are distinguished from their parameters`(value: String, expected: [String]) {
    #expect(FieldList.challengeSchemes(of: Array(value.utf8)) == expected)
  }
}
