import DownloadCore
import Testing

@testable import DownloadJSON

@Suite struct `JSON Lines` {
  @Test func `an entry may have every key`() throws {
    let list = ReadJSON.lines(Samples.full)
    let entry = try #require(list.entries.first)
    #expect(list.errors == [] && list.urls == [["https://h/1", "https://m/1"]] && list.outs == ["sub/é"])
    #expect(entry.size == 123 && list.digests == [["sha256:\(Samples.sha256)", "md5:\(Samples.md5)"]])
    #expect(entry.headers.map { String(decoding: $0, as: UTF8.self) } == ["Accept: a/b", "X-E: ", "X-E: 2"])
    #expect(entry.directory == Array("/d".utf8) && entry.isUntrusted)
    #expect(entry.pieces?.length == 100 && entry.pieces?.digests.map(\.hex) == [Samples.sha256, Samples.otherSHA256])
  }

  @Test func `valid entries are accepted, each with its line`() {
    let list = ReadJSON.lines("\u{feff}" + Samples.valid.joined(separator: "\r\n\n"))
    #expect(list.errors == [] && list.lineNumbers == Samples.valid.indices.map { $0 * 2 + 1 })
  }

  @Test func `invalid entries are refused, and hide no other ones`() {
    for (text, problem) in Samples.invalid + Samples.invalidForParser {
      let list = ReadJSON.lines("\n\(text)\n{\"url\":\"https://h/2\"}\n")
      #expect(list.errors == [ListError(lineNumber: 2, problem)], "\(text.prefix(100))")
      #expect(list.urls == [["https://h/2"]] && list.lineNumbers == [3], "\(text.prefix(100))")
    }
  }

  @Test func `bytes that are no UTF-8, and NUL bytes, are refused`() {
    let bad = Array(#"{"url":"https://h/"#.utf8) + [0xff] + Array("\"}\n".utf8)
    #expect(ReadJSON(bad, JSONLinesParser(ColumnRules())).problems == [.json(.syntax(.invalidUTF8))])
    #expect(ReadJSON.lines("{\"url\":\0}\n").problems == [.nulByte])
    #expect(ReadJSON([0xff, 0xfe, 0x7b, 0], JSONLinesParser(ColumnRules())).problems.first == .utf16)
  }

  @Test func `lines have a limit of their own`() {
    let limit = JSONLinesParser.maximumLineByteCount
    let frame = #"{"url":"https://h/1","x-a":""}"#
    let fits = frame.dropLast(2) + String(repeating: "a", count: limit - frame.utf8.count) + "\"}\n"
    #expect(ReadJSON(Array(fits.utf8), JSONLinesParser(ColumnRules())).urls == [["https://h/1"]])
    let list = ReadJSON(Array((" " + fits + "{\"url\":\"https://h/2\"}").utf8), JSONLinesParser(ColumnRules()))
    #expect(list.problems == [.json(.lineTooLong(limit: limit))] && list.urls == [["https://h/2"]])
  }

  @Test func `columns lead into records of any form`() throws {
    let rules = try ReadJSON.rules(columns: "url=links.self,out=key,size=size,md5=checksum")
    let list = ReadJSON.lines(
      """
      {"key":"a","size":1,"checksum":"md5:\(Samples.md5)","links":{"self":"https://h/a"}}
      {"key":"b","size":"2","checksum":null,"links":{"self":["https://h/b","https://m/b"]},"type":"x"}
      {"key":"c","links.self":"https://h/c"}
      {"key":"d"}
      {"key":["e"],"links":{"self":"https://h/e"}}
      """, rules)
    #expect(list.urls == [["https://h/a"], ["https://h/b", "https://m/b"], ["https://h/c"]])
    #expect(list.outs == ["a", "b", "c"] && list.entries.map(\.size) == [1, 2, nil])
    #expect(list.digests == [["md5:\(Samples.md5)"], [], []])
    #expect(
      list.errors == [
        ListError(lineNumber: 4, .json(.missingKey(Array("links.self".utf8)))),
        ListError(lineNumber: 5, .json(.wrongType(key: Array("key".utf8), expected: .text))),
      ])
    #expect(ReadJSON.lines("{}", try ReadJSON.rules(columns: "url=1")).problems == [.json(.numberedColumn(1))])
  }
}
