import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `What manifests of a bag list` {
  private static let md5 = BagText.md5
  private static let sha256 = BagText.sha256

  /// - Parameter files: names that exist.
  private func name(_ listing: BagListing, _ index: Int, files: [String] = []) -> String {
    String(listing.name(at: index) { files.contains(String($0)) })
  }

  private func index(_ listing: BagListing, _ name: String, files: [String] = []) -> Int? {
    listing.index(ofFile: Array(name.utf8)) { files.contains(String($0)) }
  }

  @Test func `are files with the digests of every manifest`() throws {
    let listing = try BagText.listing([
      ("manifest-md5.txt", "\(Self.md5)  data/a\n\n\(Self.md5)  data/b\n"),
      ("manifest-tiger.txt", "0123  data/c\n0123  data/a\n"),
      ("manifest-sha256.txt", "\(Self.sha256)  data/d\n\(Self.sha256)  data/a\n"),
    ])
    #expect((0..<listing.count).map { name(listing, $0) } == ["data/a", "data/b", "data/c", "data/d"])
    #expect(listing.digests(at: 0).map(\.text) == ["md5:\(Self.md5)", "sha256:\(Self.sha256)"])
    #expect(listing.digests(at: 1).map(\.text) == ["md5:\(Self.md5)"] && listing.digests(at: 2).isEmpty)
    #expect(listing.digests(at: 3).map(\.text) == ["sha256:\(Self.sha256)"])
    #expect(listing.place(of: 1)?.line == 3 && listing.place(of: 3)?.line == 1)
    #expect(listing.place(of: 2).map { String($0.manifest) } == "manifest-tiger.txt")
    #expect(listing.manifestWithout(0) == nil)
    #expect(listing.manifestWithout(1)?.algorithmName == "tiger" && listing.manifestWithout(2)?.algorithmName == "md5")
    #expect(listing.manifests.map(\.algorithmName) == ["md5", "tiger", "sha256"])
    #expect(index(listing, "data/d") == 3 && index(listing, "data/e") == nil)
  }

  @Test func `is listed once in version 1, and never with two digests`() throws {
    let twice = [("manifest-md5.txt", "\(Self.md5)  data/a\n\(Self.md5)  ./data/a\n")]
    #expect(throws: BagProblem.repeatedName(Array("data/a".utf8), line: 1)) { try BagText.listing(twice) }
    #expect(try BagText.listing(twice, allowsRepeats: true).count == 1)
    let different = [("manifest-md5.txt", "\(Self.md5)  data/a\n\(BagText.otherMD5)  data/a\n")]
    for allowsRepeats in [false, true] {
      #expect(throws: BagProblem.contradictoryDigests(Array("data/a".utf8), line: 1)) {
        try BagText.listing(different, allowsRepeats: allowsRepeats)
      }
    }
    let lineBreaks = [("manifest-md5.txt", "\(Self.md5)  data/a%0A\n\(Self.md5)  data/a%0a\n")]
    #expect(throws: BagProblem.repeatedName(Array("data/a\n".utf8), line: 1)) { try BagText.listing(lineBreaks) }
  }

  @Test func `has percent signs decoded, unless only the written name is there`() throws {
    let listing = try BagText.listing([("manifest-md5.txt", "\(Self.md5)  data/a%25b\n\(Self.md5)  data/c%0A\n")])
    #expect(name(listing, 0) == "data/a%b" && name(listing, 1) == "data/c\n")
    #expect(name(listing, 0, files: ["data/a%25b"]) == "data/a%25b")
    #expect(name(listing, 0, files: ["data/a%25b", "data/a%b"]) == "data/a%b")
    #expect(index(listing, "data/a%b") == 0 && index(listing, "data/a%25b") == nil)
    #expect(index(listing, "data/a%25b", files: ["data/a%25b"]) == 0)
    #expect(index(listing, "data/c\n") == 1 && index(listing, "data/c%0A") == nil)
  }

  @Test func `never takes the name of another file`() throws {
    let listing = try BagText.listing([("manifest-md5.txt", "\(Self.md5)  data/%25\n\(Self.md5)  data/%2525\n")])
    #expect(name(listing, 0, files: ["data/%25"]) == "data/%" && name(listing, 1, files: ["data/%25"]) == "data/%25")
    #expect(index(listing, "data/%25", files: ["data/%25"]) == 1)
  }

  @Test func `has percent signs as written if one of them is not encoded`() throws {
    let listing = try BagText.listing([("manifest-md5.txt", "\(Self.md5)  data/a%25b\n\(Self.md5)  data/50%\n")])
    #expect(name(listing, 0) == "data/a%25b" && name(listing, 1) == "data/50%")
    #expect(index(listing, "data/a%25b") == 0 && index(listing, "data/a%b") == nil && index(listing, "data/50%") == 1)
  }

  @Test func `is found for fetch.txt whichever of the two encodes percent signs`() throws {
    func found(_ manifest: String, _ fetch: String) throws -> Int? {
      let listing = try BagText.listing([("manifest-md5.txt", "\(Self.md5)  \(manifest)\n")])
      return listing.index(of: try BagPath(Array(fetch.utf8)[...], in: .payload))
    }
    #expect(try found("data/50%25", "data/50%25") == 0 && found("data/50%", "data/50%") == 0)
    #expect(try found("data/50%25", "data/50%") == 0 && found("data/50%", "data/50%25") == 0)
    #expect(try found("data/50%25", "data/50") == nil && found("data/a", "data/b") == nil)
  }

  @Test func `of random names are those of a dictionary`() throws {
    for seed in 0..<40 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let listing = BagListing()
      var expected: [[UInt8]: [String: String]] = [:]
      for algorithm in ["md5", "sha1"] {
        let manifest = BagText.name("manifest-\(algorithm).txt")
        listing.begin(manifest)
        for line in 1...200 {
          let name = "data/\(Int.random(in: 0..<150, using: &generator))"
          let bytes = (0..<manifest.algorithm!.byteCount).map { _ in UInt8.random(in: 0...1, using: &generator) }
          let digest = ContentDigest(manifest.algorithm!, bytes)!
          let element = BagManifestLine(
            lineNumber: line, path: try BagPath(Array(name.utf8)[...], in: .payload), digest: digest)
          let known = expected[Array(name.utf8), default: [:]][algorithm]
          let problem: BagProblem?
          do throws(BagProblem) {
            try listing.add(element, allowsRepeats: true)
            problem = nil
          } catch {
            problem = error
          }
          #expect((problem == nil) == (known == nil || known == digest.text), "seed \(seed)")
          if known == nil { expected[Array(name.utf8), default: [:]][algorithm] = digest.text }
        }
      }
      #expect(listing.count == expected.count, "seed \(seed)")
      for index in 0..<listing.count {
        let name = listing.name(at: index) { _ in false }
        #expect(Set(listing.digests(at: index).map(\.text)) == Set(expected[name]!.values), "seed \(seed)")
        #expect(listing.index(ofFile: name) { _ in false } == index, "seed \(seed)")
      }
    }
  }
}
