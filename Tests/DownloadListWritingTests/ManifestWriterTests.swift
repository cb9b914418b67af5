import DownloadCore
import DownloadJSON
import DownloadListWriting
import DownloadMetalink
import TestSupport
import Testing

@Suite struct `Manifests that are written` {
  private static let seeds: Range<UInt64> = 0..<300
  private static let base = Location(scheme: .https, host: "example.org", port: 443, path: "/a%20b", query: "secret")

  @Test(arguments: [false, true])
  func `as checksum lines are read again`(isTagged: Bool) throws {
    let algorithms: [DigestAlgorithm] = isTagged ? DigestAlgorithm.allCases : [.sha256, .md5, .sha512]
    for seed in Self.seeds {
      let files = RandomFiles(seed: seed, algorithms: algorithms, isText: false, hasControls: true).files
      let text = text(ChecksumListWriter(isTagged: isTagged), files)
      let parser = LineListParser(format: .checksums, defaultAlgorithm: nil, bareName: nil)
      let found = try entries(text, parser).map { Line($0.name ?? [], $0.digests) }
      #expect(found == files.flatMap { file in file.digests.map { Line(file.name, [$0]) } }, "seed \(seed)")
    }
  }

  private struct Line: Equatable {
    let name: [UInt8]
    let digests: [ContentDigest]

    init(_ name: [UInt8], _ digests: [ContentDigest]) {
      self.name = name
      self.digests = digests
    }
  }

  @Test func `as a Metalink are read again`() throws {
    for seed in Self.seeds {
      let files = RandomFiles(
        seed: seed, algorithms: [.sha256, .sha1], isText: true, hasControls: false, hasPieces: true
      ).files.filter { WrittenFormat.metalink.refusal(of: $0.name) == nil }
      let text = text(MetalinkWriter(base: FileURLs(base: Self.base)), files)
      if files.isEmpty { continue }
      let found = try entries(text, MetalinkParser(MetalinkPreferences()))
      #expect(found.map(\.out) == files.map(\.name), "seed \(seed)")
      #expect(found.map(\.size) == files.map(\.length) && found.map(\.digests) == files.map(\.digests))
      #expect(found.map(\.pieces) == files.map(\.pieces))
      for entry in found { #expect(entry.urls[0].starts(with: "https://example.org/a%20b/".utf8)) }
      #expect(!String(decoding: text, as: UTF8.self).contains("secret"))
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `as JSON are read again`(isLines: Bool, hasBase: Bool) throws {
    for seed in Self.seeds {
      let files = RandomFiles(seed: seed, algorithms: DigestAlgorithm.allCases, isText: true, hasControls: true).files
      let urls = FileURLs(base: hasBase ? Self.base : nil)
      let text = text(JSONListWriter(base: urls, isLines: isLines), files)
      let rules = ColumnRules(allowsReferences: !hasBase)
      let parser: any ListParser = isLines ? JSONLinesParser(rules) : JSONDocumentParser(rules)
      let found = try entries(text, parser)
      #expect(found.map(\.out) == files.map(\.name) && found.map(\.size) == files.map(\.length), "seed \(seed)")
      #expect(found.map { Set($0.digests) } == files.map { Set($0.digests) }, "seed \(seed)")
      for (entry, file) in zip(found, files) {
        #expect(PercentEncoding.decoded(entry.urls[0]).suffix(file.name.count).elementsEqual(file.name), "seed \(seed)")
        #expect(!hasBase || entry.urls[0].starts(with: "https://example.org/a%20b/".utf8))
      }
    }
  }

  @Test func `have references whose first segment is no scheme`() throws {
    let file = HashedFile(name: Array("a:b/c".utf8), length: 0, digests: [])
    let text = String(decoding: text(JSONListWriter(base: FileURLs(base: nil), isLines: true), [file]), as: UTF8.self)
    #expect(text.contains(#""url": "./a:b/c""#))
  }

  @Test func `refuse names that they cannot hold`() {
    func refusals(_ name: [UInt8]) -> [WrittenFormat: NameRefusal] {
      Dictionary(
        uniqueKeysWithValues: WrittenFormat.allCases.compactMap { format in
          format.refusal(of: name).map { (format, $0) }
        })
    }
    #expect(refusals([0x61, 0xff]) == [.metalink: .notUTF8, .json: .notUTF8, .jsonl: .notUTF8, .bagit: .notUTF8])
    #expect(refusals([0x61, 0x0a]) == [.metalink: .controlCharacter])
    #expect(refusals(Array("a\u{ffff}".utf8)) == [.metalink: .notXML])
    #expect(refusals(Array("日 &<".utf8)).isEmpty)
  }

  @Test func `refuse algorithms that a reader could not tell apart or does not know`() {
    #expect(WrittenFormat.gnu.refusal(of: [.sha256, .md5, .sha3_256]) == .ambiguous(.sha256, .sha3_256))
    #expect(WrittenFormat.gnu.refusal(of: [.blake2b, .sha512]) == .ambiguous(.blake2b, .sha512))
    #expect(WrittenFormat.gnu.refusal(of: [.md5, .sha1, .sha224, .sha256, .sha384, .sha512]) == nil)
    #expect(WrittenFormat.metalink.refusal(of: [.sha256, .blake2b]) == .unnamed(.blake2b))
    #expect(WrittenFormat.bsd.refusal(of: DigestAlgorithm.allCases) == nil)
  }

  @Test func `have pieces of a power of two, not too many`() {
    #expect(PieceLength.of(fileLength: 4 << 20) == nil && PieceLength.of(fileLength: 0) == nil)
    #expect(PieceLength.of(fileLength: (4 << 20) + 1) == 1 << 20)
    #expect(PieceLength.of(fileLength: 2048 << 20) == 1 << 20)
    #expect(PieceLength.of(fileLength: (2048 << 20) + 1) == 2 << 20)
    #expect((Int64.max - 1) / PieceLength.of(fileLength: .max)! < 2048)
  }
}

extension PercentEncoding {
  /// Independent of the encoder.
  fileprivate static func decoded(_ text: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%"),
        let byte = UInt8(String(decoding: text[index + 1...index + 2], as: UTF8.self), radix: 16)
      {
        decoded.append(byte)
        index += 3
      } else {
        decoded.append(text[index])
        index += 1
      }
    }
    return decoded
  }
}
