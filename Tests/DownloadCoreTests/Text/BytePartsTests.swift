import Testing

@testable import DownloadCore

@Suite struct `Byte parts` {
  @Test(arguments: [("", []), ("//", []), ("a", ["a"]), ("/a//b/", ["a", "b"])])
  func `parts are the bytes between separators`(text: String, parts: [String]) {
    let found = Array(text.utf8)[...].parts(separatedBy: UInt8(ascii: "/"))
    #expect(found.map { String(decoding: $0, as: UTF8.self) } == parts)
  }
}
