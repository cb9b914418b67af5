import Testing

@testable import DownloadCore

@Suite struct `Form of JSON lists` {
  @Test(arguments: [
    (#"{"url":"https://a"}"#, ListFormat.jsonl), ("\u{feff}\n {\"url\":\"}\\\"\"}\n\n{\"url\":1}\n", .jsonl),
    ("{\"a\":1}\n{\"a\":2}\n", .jsonl), (#"{"version":1,"files":[{"url":"a"}]}"#, .json),
    ("{\n\"version\": 1, \"files\": []\n}\n", .json), (#"{"url":"a","resources":[]}"#, .json), ("{\"a\":1}\n", .json),
    (#"{"out":"files","url":"a"}"#, .jsonl), ("[{\"url\":\"a\"}]", .json), ("[]", .json), ("[\n {", .json),
    ("{", .json),
    (#"{"url":"a"#, .jsonl), ("{\"a\":\"\\\"{\"}\n{\"a\":2}\n", .jsonl),
    // What is no JSON: other lists that begin with a bracket.
    ("[section]\nhttps://a/b\n", .urlList), ("[::1]\n", .urlList), ("https://a/{b}\n", .urlList),
  ])
  func `brackets and keys determine it`(text: String, format: ListFormat) {
    #expect(ListDetector.format(of: text.utf8) == format)
  }

  @Test func `with columns, a single object is a document`() {
    #expect(ListDetector.format(of: #"{"siblings":[{"a":1}]}"#.utf8, hasColumns: true) == .json)
    #expect(ListDetector.format(of: #"{"url":"a"}"#.utf8, hasColumns: true) == .json)
    #expect(ListDetector.format(of: "{\"url\":1}\n{\"url\":2}\n".utf8, hasColumns: true) == .jsonl)
  }

  @Test func `a first line that is longer than what is examined still tells its keys`() {
    let long = String(repeating: "a", count: ListBeginning.byteCount)
    #expect(ListDetector.format(of: "{\"url\":\"u\",\"x-a\":\"\(long)".utf8) == .jsonl)
    #expect(ListDetector.format(of: "{\"version\":1,\"files\":[{\"url\":\"\(long)".utf8) == .json)
  }
}
