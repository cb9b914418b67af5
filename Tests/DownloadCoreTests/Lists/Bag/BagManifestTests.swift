import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Manifests of bags` {
  private static let md5 = BagText.md5
  private static let payload = BagManifestParser(BagText.name("manifest-md5.txt"))

  @Test(arguments: [
    ("manifest-md5.txt", BagPath.Area.payload, "md5", DigestAlgorithm?.some(.md5)),
    ("manifest-SHA256.txt", .payload, "sha256", .sha256), ("tagmanifest-sha-512.txt", .tags, "sha-512", .sha512),
    ("manifest-sha3256.txt", .payload, "sha3256", .sha3_256),
    ("manifest-sha3_256.txt", .payload, "sha3_256", .sha3_256),
    ("manifest-blake2b.txt", .payload, "blake2b", .blake2b),
    ("manifest-blake2b512.txt", .payload, "blake2b512", .blake2b),
    ("manifest-tiger.txt", .payload, "tiger", nil),
  ])
  func `have the algorithm in their names`(
    text: String, area: BagPath.Area, algorithmName: String, algorithm: DigestAlgorithm?
  ) {
    let name = BagText.name(text)
    #expect(name.area == area && name.algorithmName == algorithmName && name.algorithm == algorithm)
  }

  @Test(arguments: [
    "manifest-.txt", "manifest-md5", "Manifest-md5.txt", "manifest.txt", "bag-info.txt", "x/manifest-md5.txt",
  ])
  func `are no other files`(name: String) {
    #expect(BagManifestName(Array(name.utf8)) == nil)
  }

  @Test func `list a digest and a name on each line`() {
    let file = ParsedBagFile(
      "\(Self.md5)  data/a\r\n\n# comment\n\(Self.md5.uppercased())\t \tdata/b c\n \(Self.md5) *./data/d*\n\(Self.md5) data/e",
      Self.payload)
    #expect(file.errors == [] && file.elements.map(\.lineNumber) == [1, 4, 5, 6])
    #expect(file.elements.map { String($0.path.key) } == ["data/a", "data/b c", "data/d*", "data/e"])
    #expect(file.elements.allSatisfy { $0.digest?.text == "md5:\(Self.md5)" })
  }

  @Test func `invalid lines are refused, and hide no other ones`() {
    let file = ParsedBagFile(
      """
      \(Self.md5)
      data/a
      \(Self.md5.dropLast())x  data/a
      \(Self.md5)00  data/a
      \(Self.md5)  ../a
      \(Self.md5)  bagit.txt
      \(Self.md5)  *
      \(Self.md5)  data/b
      """, Self.payload)
    #expect(file.elements.map(\.lineNumber) == [8] && file.errors.map(\.lineNumber) == Array(1...7))
    #expect(
      file.problems == [
        .bag(.notManifestLine), .bag(.notManifestLine), .bag(.notManifestLine), .malformedDigest(.md5),
        .bag(.invalidName(Array("../a".utf8), .leavesDirectory)), .bag(.outsidePayload(Array("bagit.txt".utf8))),
        .bag(.notManifestLine),
      ])
  }

  @Test func `of unknown algorithms list names only`() {
    let file = ParsedBagFile("abc  data/a\nxyz  data/b\n", BagManifestParser(BagText.name("manifest-tiger.txt")))
    #expect(file.elements.count == 1 && file.elements[0].digest == nil && file.problems == [.bag(.notManifestLine)])
  }

  @Test func `for tag files list what is not below data`() {
    let parser = BagManifestParser(BagText.name("tagmanifest-md5.txt"))
    let file = ParsedBagFile("\(Self.md5) bagit.txt\n\(Self.md5) m/x\n\(Self.md5) data/x\n\(Self.md5) ~/x\n", parser)
    #expect(file.elements.map { String($0.path.key) } == ["bagit.txt", "m/x"])
    #expect(
      file.problems == [.bag(.insidePayload(Array("data/x".utf8))), .bag(.homeDirectory(Array("~/x".utf8)))])
  }

  @Test func `of random bytes trap nowhere and give valid lines`() {
    let sample = Array("\(Self.md5)  data/a%25\n\(Self.md5) *data/b/c%0A\r\n# x\n\(Self.md5)\t./data/d\n".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(sample, alphabet: Array("\t\n\r *#%/.~\0ad0".utf8))
      let file = ParsedBagFile(bytes, Self.payload)
      let parts = ParsedBagFile(bytes, Self.payload, partSize: Int.random(in: 1...40, using: &generator))
      #expect(parts.elements == file.elements && parts.errors == file.errors, "seed \(seed)")
      for line in file.elements {
        #expect(line.digest?.algorithm == .md5 && line.path.key.starts(with: "data/".utf8), "seed \(seed)")
        #expect(!line.path.key.contains(0), "seed \(seed)")
      }
      return !file.elements.isEmpty
    }
    #expect(isFruitful)
  }
}
