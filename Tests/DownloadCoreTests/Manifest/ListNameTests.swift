import Testing

@testable import DownloadCore

@Suite struct `The name of a list` {
  @Test(
    arguments: [
      ("SHA256SUMS", nil, nil), ("dir/B2SUMS", .blake2b, nil), ("a.iso.sha256", nil, "a.iso"),
      ("/x.d/a.MD5SUM", nil, "a"), ("a.b2", nil, "a"), ("x.blake2b", .blake2b, "x"),
      ("files.sha3-256", .sha3_256, "files"),
      (".sha256", nil, nil), ("list.txt", nil, nil), ("", nil, nil), ("a.sum", nil, nil),
    ] as [(String, DigestAlgorithm?, String?)])
  func `tells the algorithm and the file of a bare digest`(path: String, algorithm: DigestAlgorithm?, bareName: String?)
  {
    let name = ListName(path: Array(path.utf8))
    #expect(name.algorithm == algorithm)
    #expect(name.bareName == bareName.map { Array($0.utf8) })
  }
}
