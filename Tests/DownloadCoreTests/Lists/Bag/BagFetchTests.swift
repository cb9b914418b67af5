import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `fetch.txt of bags` {
  @Test func `has a URL, a length and a name on each line`() {
    let file = ParsedBagFile(
      "https://h/a 12 data/a\r\n\nhttp://h/b%20c\t-  data/b c\n# x\nhttps://h/d#md5=\(BagText.md5) 0 ./data/d%0A\n",
      BagFetchParser())
    #expect(file.errors == [] && file.elements.map(\.lineNumber) == [1, 3, 5])
    #expect(file.elements.map { String($0.url) } == ["https://h/a", "http://h/b%20c", "https://h/d"])
    #expect(file.elements.map(\.length) == [12, nil, 0])
    #expect(file.elements.map { String($0.path.key) } == ["data/a", "data/b c", "data/d\n"])
    #expect(file.elements[2].digests.map(\.text) == ["md5:\(BagText.md5)"])
  }

  @Test func `invalid lines are refused, and hide no other ones`() {
    let file = ParsedBagFile(
      """
      https://h/a 12
      https://h/a
      h/a 12 data/a
      https://h/a 12k data/a
      https://h/a 9223372036854775808 data/a
      https://h/a -1 data/a
      https://h/a - a
      https://h/a - data/../../a
      https://h/\u{1}a - data/a
      https://h/a 9223372036854775807 data/a
      """, BagFetchParser())
    #expect(file.elements.map(\.length) == [.max] && file.errors.map(\.lineNumber) == Array(1...9))
    #expect(
      file.problems == [
        .bag(.notFetchLine), .bag(.notFetchLine), .notURL(Array("h/a".utf8)), .bag(.notLength(Array("12k".utf8))),
        .bag(.notLength(Array("9223372036854775808".utf8))), .bag(.notLength(Array("-1".utf8))),
        .bag(.outsidePayload(Array("a".utf8))),
        .bag(.invalidName(Array("data/../../a".utf8), .leavesDirectory)), .controlCharacter,
      ])
  }

  @Test func `is a list without its bag, too`() {
    let list = ParsedList(
      Array("https://h/a 12 data/50%25/a%0Ab\nhttps://h/b - data/b\nx\n".utf8), BagFetchListParser())
    #expect(list.urls == [["https://h/a"], ["https://h/b"]] && list.outs == ["data/50%/a\nb", "data/b"])
    #expect(list.entries.map(\.size) == [12, nil] && list.entries.allSatisfy(\.hasEncodedLineBreaks))
    #expect(list.errors.map(\.lineNumber) == [3])
  }

  @Test(arguments: [
    ("https://h/a 12 data/a\n", ListFormat.bagit), ("\n# x\nhttps://h/a\t-\tdata/a b\n", .bagit),
    ("https://h/a 12 a\n", .urlList), ("https://h/a 12\n", .urlList), ("https://h/a x data/a\n", .urlList),
    ("h/a 12 data/a\n", .urlList), ("https://h/a\nhttps://h/a 12 data/a\n", .urlList),
    ("https://h/a 12 data/../a\n", .urlList), ("https://h/a\thttps://h/b\n", .aria2),
  ])
  func `is recognized if it can be nothing else`(text: String, format: ListFormat) {
    #expect(ListDetector.format(of: text.utf8) == format)
  }

  @Test func `of random bytes traps nowhere and gives valid lines`() {
    let sample = Array(
      "https://h/a 12 data/a%25\nhttp://h/b - data/b c\r\n#\nhttps://h/c#md5=\(BagText.md5)\t0\tdata/c\n".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(sample, alphabet: Array("\t\n\r -#%/.~\0ad09".utf8))
      let file = ParsedBagFile(bytes, BagFetchParser())
      let parts = ParsedBagFile(bytes, BagFetchParser(), partSize: Int.random(in: 1...40, using: &generator))
      #expect(parts.elements == file.elements && parts.errors == file.errors, "seed \(seed)")
      for line in file.elements {
        #expect(line.length ?? 0 >= 0 && line.path.key.starts(with: "data/".utf8), "seed \(seed)")
        #expect(line.url.contains("://".utf8) && !line.url.contains { $0 <= 0x20 || $0 == 0x23 }, "seed \(seed)")
      }
      return !file.elements.isEmpty
    }
    #expect(isFruitful)
  }
}
