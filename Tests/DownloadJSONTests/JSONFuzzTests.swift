import DownloadCore
import TestSupport
import Testing

@testable import DownloadJSON

@Suite struct `JSON lists with random input` {
  static let samples =
    [
      Samples.valid.joined(separator: "\n"),
      "{\"version\":1,\n\"files\":[\n\(Samples.full),\n{\"url\":\"https://h/2\"}]}",
      "{\"resources\":[{\"path\":\"a\",\"hash\":\"\(Samples.md5)\",\"bytes\":1},\n{\"path\":\"https://h/b\"}]}",
      "[{\"url\":\"https://h/1\",\"n\":{\"o\":\"x\",\"s\":12}},\n{\"url\":[\"https://h/2\"]}]",
    ]
  static let alphabet = Array("\"{}[]:,\\u0n1-.e \n\t\0#x".utf8)

  @Test func `entries are valid and independent of parting`() throws {
    let choices = [
      ColumnRules(), ColumnRules(), try ReadJSON.rules(columns: "url=url,out=n.o,size=n.s"),
      try ReadJSON.rules(template: "https://a/{n.o}"), try ReadJSON.rules(columns: "url=files.url", scheme: "http"),
    ]
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(Self.samples.randomElement(using: &generator)!.utf8), alphabet: Self.alphabet)
      let rules = choices.randomElement(using: &generator)!
      let parsers: [any ListParser] = [JSONDocumentParser(rules), JSONLinesParser(rules)]
      let parser = parsers.randomElement(using: &generator)!
      let list = ReadJSON(bytes, parser)
      #expect(ReadJSON(bytes, parser, partSize: Int.random(in: 1...40, using: &generator)) == list, "seed \(seed)")
      _ = ListDetector.format(of: bytes, hasColumns: Bool.random(using: &generator))
      let lineCount = bytes.count { $0 == 0x0a } + 1
      var lastLine = 0
      for entry in list.entries {
        #expect(lastLine <= entry.lineNumber && entry.lineNumber <= lineCount, "seed \(seed)")
        lastLine = entry.lineNumber
        #expect(entry.urls.isEmpty != (entry.name == nil), "seed \(seed)")
        #expect(entry.name?.isEmpty != true && entry.out?.isEmpty != true && entry.size ?? 0 >= 0, "seed \(seed)")
        #expect(Set(entry.digests.map(\.algorithm)).count == entry.digests.count, "seed \(seed)")
        #expect(!(entry.urls + entry.headers).contains { $0.contains { $0 < 0x20 || $0 == 0x7f } }, "seed \(seed)")
        #expect(entry.urls.allSatisfy { $0.contains("://".utf8) }, "seed \(seed)")
      }
      for error in list.errors { #expect((1...lineCount).contains(error.lineNumber), "seed \(seed)") }
      return !list.entries.isEmpty
    }
    #expect(isFruitful)
  }
}
