import Testing

@testable import DownloadCore

@Suite struct `Content codings` {
  @Test(arguments: [
    ("gzip", "a.gz", true), ("x-gzip", "d/a.TGZ", true), ("gzip", "a.tar.gz", true), ("br", "a.js.br", true),
    ("zstd", "a.zst", true), ("zstd, gzip", "a.gz", true), ("gzip, zstd", "a.gz", false), ("gzip", "a", false),
    ("gzip", "gz", false), ("gzip", "a.csv", false), ("gzip", "a.br", false), ("deflate", "a.gz", false),
    ("gzip", "a.gz/b", false),
  ])
  func `have names of their own`(coding: String, name: String, isUsual: Bool) {
    #expect(ContentCoding.isUsual(coding, for: Array(name.utf8)) == isUsual)
  }
}
