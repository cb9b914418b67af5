import Testing

@testable import DownloadCore

@Suite struct `Digest fields` {
  /// The SHA-256 of `{"hello": "world"}` and a line feed, from RFC 9530 appendix B.
  static let sha256 = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
  static let sha512 =
    "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="
  static let strong256 = ContentDigest(
    .sha256, hex: "44aff4ab2d7c325052567 5a08f0cfa9591168cffe51791c5f5bbc417c15a6c38".utf8.filter { $0 != 0x20 })!

  @Test func `Repr-Digest is a dictionary of byte sequences`() {
    let value = "sha-256=:\(Self.sha256):,  sha-512=:\(Self.sha512):;w=1"
    let digests = DigestFields.representationDigest(Array(value.utf8))
    #expect(digests.map(\.algorithm) == [.sha256, .sha512])
    #expect(digests.first == Self.strong256)
  }

  @Test func `the last of several members with one name counts`() {
    let zeros = String(repeating: "A", count: 43) + "="
    let value = "sha-256=:\(zeros):, sha-256=:\(Self.sha256):"
    #expect(DigestFields.representationDigest(Array(value.utf8)) == [Self.strong256])
  }

  @Test(arguments: [
    "", "sha-256", "sha-256=", "sha-256=::", "sha-256=:AAAA:", "unixsum=:AAAA:", "sha-256=\(sha256)",
    "sha-256=:\(sha256)", "sha-256=:\(sha256):x", "sha-256=\":\(sha256):\"",
  ])
  func `a malformed member is ignored`(value: String) {
    #expect(DigestFields.representationDigest(Array(value.utf8)) == [])
  }

  @Test func `Digest names algorithms in either case`() {
    let value = "SHA-256=\(Self.sha256),md5=1B2M2Y8AsgTpgAmY7PhCfg==, crc32c=AAAA, sha=!"
    let digests = DigestFields.instanceDigest(Array(value.utf8))
    #expect(digests.map(\.text) == [Self.strong256.text, "md5:d41d8cd98f00b204e9800998ecf8427e"])
  }

  @Test func `Content-MD5 is base64 of 16 bytes`() {
    #expect(
      DigestFields.contentMD5(Array(" 1B2M2Y8AsgTpgAmY7PhCfg== ".utf8))?.hex == "d41d8cd98f00b204e9800998ecf8427e")
    #expect(DigestFields.contentMD5(Array("d41d8cd98f00b204e9800998ecf8427e".utf8)) == nil)
  }
}
