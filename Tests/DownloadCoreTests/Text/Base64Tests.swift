import Testing

@testable import DownloadCore

@Suite struct `Base64 text` {
  /// RFC 4648 section 10.
  @Test(arguments: [
    ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
    ("Zm9vYmFy", "foobar"), ("Zg", "f"), ("Zm8", "fo"),
  ])
  func `text is decoded with and without padding`(text: String, expected: String) {
    #expect(Base64.decode(text.utf8) == Array(expected.utf8))
  }

  @Test func `all 64 characters are decoded`() {
    #expect(Base64.decode("+/+/AZaz09".utf8) == [0xfb, 0xff, 0xbf, 0x01, 0x96, 0xb3, 0xd3])
  }

  @Test(arguments: ["Z", "Zm9vY", "Zg=", "Zg===", "Zm9v=", "=", "Z=g=", "Zm 9v", "Zm9-", "Zm9_", "Zm9v\n"])
  func `text that is not base64 is rejected`(text: String) {
    #expect(Base64.decode(text.utf8) == nil)
  }

  @Test(arguments: ["Zg", "Zm8", "Zh==", "Zv==", "Zm9=", "Zm+=", "Zg=", "Zg==="])
  func `canonical text has its padding and no other unused bits`(text: String) {
    #expect(Base64.decode(text.utf8, isCanonical: true) == nil)
  }

  @Test(arguments: ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmFy"])
  func `canonical text is decoded`(text: String) {
    #expect(Base64.decode(text.utf8, isCanonical: true) == Base64.decode(text.utf8))
    #expect(Base64.decode(text.utf8) != nil)
  }
}
