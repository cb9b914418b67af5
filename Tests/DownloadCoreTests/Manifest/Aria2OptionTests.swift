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

  @Test(arguments: [
    ("http-proxy", "--proxy"), ("all-proxy-passwd", "--proxy"), ("http-user", "--netrc"), ("x", "aria2"),
  ])
  func `options that must not be ignored are refused with a remedy`(name: String, remedy: String) {
    let fault = #expect(throws: ManifestFault.self) { try Aria2Option(name: Array(name.utf8)[...]) }
    #expect(fault?.hint?.contains(remedy) == true)
  }

  @Test(arguments: [("out=x", true), ("max-tries=", true), ("=x", false), ("out", false), ("http://a?b=c", false)])
  func `an option looks like name=value`(text: String, isOne: Bool) {
    #expect(Aria2Option.isOne(Array(text.utf8)[...]) == isOne)
  }
}
