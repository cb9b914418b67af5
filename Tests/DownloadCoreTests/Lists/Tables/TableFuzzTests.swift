import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Tables with random input` {
  static let samples = [
    "\u{feff}url,out,md5,size,mirror\r\nhttps://a/1,\"x,\"\"y\",\(Tables.md5),12,https://b/1\r\n\"https://a/2\",,,,\r\n",
    "url;checksum;name\nhttps://a/1;sha256:\(Tables.sha256);a\nhttps://a/2;;\"b\nc\"\n",
    "run\tfastq_ftp\tfastq_md5\tfastq_bytes\nE\ta/1;a/2\t\(Tables.md5);\(Tables.otherMD5)\t1;2\nF\t\t\t\n",
    "id\tfilename\tmd5\tsize\tstate\na-b\tx.bam\t\(Tables.md5)\t1\tok\nc-d\ty.bam\t\t\t\n",
  ]
  static let alphabet = Array("\t\n\r ,;:\"#/.0fg%-\0{}".utf8)

  @Test func `entries are valid and independent of parting`() throws {
    let choices = [
      ColumnRules(), try Tables.rules(scheme: "http"), try Tables.rules(columns: "url=1,md5=3,out=2"),
      try Tables.rules(template: "https://a/{1}/{2}"), try Tables.rules(allowsReferences: true),
      try Tables.rules(columns: "url=fastq_ftp,size=fastq_bytes"),
    ]
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(Self.samples.randomElement(using: &generator)!.utf8), alphabet: Self.alphabet)
      let rules = choices.randomElement(using: &generator)!
      let separator: UInt8? = Bool.random(using: &generator) ? nil : 0x09
      let list = ParsedList(bytes, TableParser(rules, separator: separator))
      let partSize = Int.random(in: 1...40, using: &generator)
      #expect(
        ParsedList(bytes, TableParser(rules, separator: separator), partSize: partSize) == list, "seed \(seed)")
      _ = ListDetector.format(of: bytes, hasColumns: Bool.random(using: &generator))
      let lineCount = bytes.count { $0 == 0x0a } + 1
      var lastLine = 0
      for entry in list.entries {
        #expect(lastLine <= entry.lineNumber && entry.lineNumber <= lineCount, "seed \(seed)")
        lastLine = entry.lineNumber
        #expect(!entry.urls.isEmpty && entry.name == nil && entry.out?.isEmpty != true, "seed \(seed)")
        #expect(entry.size ?? 0 >= 0, "seed \(seed)")
        #expect(Set(entry.digests.map(\.algorithm)).count == entry.digests.count, "seed \(seed)")
        #expect(!entry.urls.contains { $0.contains { $0 < 0x20 || $0 == 0x7f } }, "seed \(seed)")
        #expect(rules.allowsReferences || entry.urls.allSatisfy { $0.contains("://".utf8) }, "seed \(seed)")
        #expect(entry.urls.allSatisfy { !$0.isEmpty && !$0.contains(UInt8(ascii: "#")) }, "seed \(seed)")
      }
      for error in list.errors { #expect((1...lineCount).contains(error.lineNumber), "seed \(seed)") }
      return !list.entries.isEmpty
    }
    #expect(isFruitful)
  }
}
