import Testing

@testable import DownloadStore

@Suite struct `Name of a session` {
  @Test(arguments: ["a", "default", "A.b_c-9", "0", String(repeating: "x", count: 64), "a.."])
  func `is taken`(text: String) { #expect(SessionName(text)?.text == text) }

  @Test(arguments: ["", ".", "..", "-a", "_a", "a/b", "a b", "ä", "a\n", String(repeating: "x", count: 65)])
  func `is refused`(text: String) { #expect(SessionName(text) == nil) }

  @Test func `says where the session is`() throws {
    let name = try #require(SessionName("night"))
    func directory(_ variables: [String: String]) -> String? {
      name.directory { variables[$0].map { Array($0.utf8) } }.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(directory(["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/swiftget/night")
    #expect(directory(["XDG_STATE_HOME": "s", "HOME": "/h"]) == "/h/.local/state/swiftget/night")
    #expect(directory(["HOME": "/h"]) == "/h/.local/state/swiftget/night")
    #expect(directory(["HOME": ""]) == nil)
  }
}
