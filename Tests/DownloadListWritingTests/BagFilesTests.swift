import DownloadCore
@testable import DownloadListWriting
import Testing

@Suite struct `The tag files of a bag` {
  private static let digest = ContentDigest(.sha256, Array(repeating: 0xab, count: 32))!
  private static let second = ContentDigest(.sha3_256, Array(repeating: 0xcd, count: 32))!

  private func bag(_ names: [String]) -> [String: String] {
    let files = names.map { HashedFile(name: Array($0.utf8), length: 5, digests: [Self.digest, Self.second]) }
    let bag = BagFiles(files: files, algorithms: [.sha256, .sha3_256], date: "2026-01-31") { _ in
      [Self.digest, Self.second]
    }
    return Dictionary(
      uniqueKeysWithValues: bag.tagFiles.map {
        (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.content, as: UTF8.self))
      })
  }

  @Test func `name the payload, and each other`() {
    let bag = bag(["a", "d/b"])
    #expect(bag["bagit.txt"] == "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    #expect(bag["bag-info.txt"] == "Bagging-Date: 2026-01-31\nPayload-Oxum: 10.2\n")
    #expect(bag["manifest-sha256.txt"] == "\(Self.digest.hex)  data/a\n\(Self.digest.hex)  data/d/b\n")
    #expect(bag["manifest-sha3256.txt"]?.contains("\(Self.second.hex)  data/a\n") == true)
    for name in ["bagit.txt", "bag-info.txt", "manifest-sha256.txt", "manifest-sha3256.txt"] {
      #expect(bag["tagmanifest-sha256.txt"]?.contains("\(Self.digest.hex)  \(name)\n") == true)
    }
    #expect(bag.count == 6)
  }

  @Test func `encode LF, CR and percent signs only`() {
    #expect(bag(["a\nb\rc%d\te"])["manifest-sha256.txt"]?.contains("  data/a%0Ab%0Dc%25d\te\n") == true)
  }

  @Test func `end with the declaration`() {
    let bag = BagFiles(files: [], algorithms: [.md5], date: "") { _ in [] }
    #expect(bag.tagFiles.last?.name == BagFiles.declaration)
  }
}
