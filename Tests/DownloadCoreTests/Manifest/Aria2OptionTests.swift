import Testing

@testable import DownloadCore

@Suite struct `aria2 options` {
  @Test(arguments: [
    ("out", Aria2Option.out), ("dir", .directory), ("checksum", .checksum), ("header", .header), ("referer", .referer),
    ("user-agent", .userAgent), ("split", .ignored), ("use-head", .ignored), ("min-split-size", .ignored),
  ])
  func `known names are recognized`(name: String, option: Aria2Option) throws {
    #expect(try Aria2Option(name: Array(name.utf8)[...]) == option)
  }

  @Test(arguments: ["http-proxy", "all-proxy-passwd", "http-user", "x"])
  func `what may not be passed over is refused`(name: String) {
    #expect(throws: ListProblem.unknownOption(name)) { try Aria2Option(name: Array(name.utf8)[...]) }
  }

  @Test func `what does not look like a name may be a secret`() {
    #expect(throws: ListProblem.unknownOption(nil)) { try Aria2Option(name: Array("Cookie: a".utf8)[...]) }
  }

  @Test(arguments: [("out=x", true), ("max-tries=", true), ("=x", false), ("out", false), ("http://a?b=c", false)])
  func `an option looks like name=value`(text: String, isOne: Bool) {
    #expect(Aria2Option.isOne(Array(text.utf8)[...]) == isOne)
  }
}
