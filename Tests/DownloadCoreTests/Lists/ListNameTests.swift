import Testing

@testable import DownloadCore

@Suite struct `The name of a list` {
  @Test(
    arguments: [
      ("SHA256SUMS", nil, nil), ("dir/B2SUMS", .blake2b, nil), ("a.iso.sha256", nil, "a.iso"),
      ("/x.d/a.MD5SUM", nil, "a"), ("a.b2", nil, "a"), ("x.blake2b", .blake2b, "x"),
      ("files.sha3-256", .sha3_256, "files"), ("SHA3-512SUMS", .sha3_512, nil), ("a.sha3_384", .sha3_384, "a"),
      ("SHA3-224SUMS", .sha3_224, nil), ("BLAKE2SSUMS", .blake2s, nil), ("x.blake2s", .blake2s, "x"),
      (".sha256", nil, nil), ("list.txt", nil, nil), ("", nil, nil), ("a.sum", nil, nil),
    ] as [(String, DigestAlgorithm?, String?)])
  func `tells the algorithm and the file of a bare digest`(path: String, algorithm: DigestAlgorithm?, bareName: String?)
  {
    let name = ListName(path: Array(path.utf8))
    #expect(name.algorithm == algorithm)
    #expect(name.bareName == bareName.map { Array($0.utf8) })
  }

  @Test func `does not end with what tells how the list is compressed`() {
    let name = ListName(path: Array("d/a.iso.SHA512.gz".utf8), suffix: ".gz")
    #expect(name.bareName == Array("a.iso".utf8))
    // The file's own end stays, and so does that of a list that is not compressed.
    #expect(ListName(path: Array("a.gz.md5".utf8), suffix: ".gz").bareName == Array("a.gz".utf8))
    #expect(ListName(path: Array("a.md5.gz".utf8)).bareName == nil)
    #expect(ListName(path: Array("z".utf8), suffix: ".gz").bareName == nil)
  }
}
