import Testing

@testable import DownloadCore

@Suite struct `aria2 options` {
  @Test(arguments: [
    ("out", Aria2Option.out), ("dir", .directory), ("checksum", .checksum), ("header", .header), ("referer", .referer),
    ("user-agent", .userAgent), ("split", .ignored), ("use-head", .ignored), ("min-split-size", .ignored),
    ("gid", .ignored), ("bt-max-peers", .ignored), ("lowest-speed-limit", .ignored),
    ("no-want-digest-header", .ignored),
    ("Split", .ignored),
  ])
  func `known names are recognized`(name: String, option: Aria2Option) throws {
    #expect(try Aria2Option(name: Array(name.utf8)[...], value: Array("x".utf8)[...]) == option)
  }

  private static let guarded = [
    ("allow-overwrite", "true"), ("conditional-get", "true"), ("dry-run", "true"), ("follow-metalink", "mem"),
    ("follow-torrent", "true"), ("hash-check-only", "true"), ("http-accept-gzip", "true"), ("no-netrc", "true"),
    ("no-proxy", "example.org"), ("parameterized-uri", "true"), ("pause", "true"), ("proxy-method", "tunnel"),
    ("remove-control-file", "true"), ("pause", "TRUE"), ("pause", "yes"),
  ]

  @Test(arguments: guarded)
  func `what changes who is asked, with what, or whether is refused`(name: String, value: String) throws {
    #expect(throws: ListProblem.unknownOption(name)) {
      try Aria2Option(name: Array(name.utf8)[...], value: Array(value.utf8)[...])
    }
    let harmless = name == "no-proxy" ? "" : name == "proxy-method" ? "get" : "False"
    for value in [harmless, ""] {
      #expect(try Aria2Option(name: Array(name.utf8)[...], value: Array(value.utf8)[...]) == .ignored)
    }
  }

  @Test func `a fresh copy is asked for`() throws {
    #expect(try Aria2Option(name: Array("http-no-cache".utf8)[...], value: Array("true".utf8)[...]) == .noCache)
    #expect(try Aria2Option(name: Array("http-no-cache".utf8)[...], value: Array("false".utf8)[...]) == .ignored)
  }

  @Test(arguments: [
    "http-proxy", "all-proxy-passwd", "http-user", "select-file", "index-out", "enable-rpc", "x", "-",
  ])
  func `what may not be passed over is refused`(name: String) {
    #expect(throws: ListProblem.unknownOption(name)) { try Aria2Option(name: Array(name.utf8)[...], value: []) }
  }

  @Test func `what does not look like a name may be a secret`() {
    #expect(throws: ListProblem.unknownOption(nil)) { try Aria2Option(name: Array("Cookie: a".utf8)[...], value: []) }
  }

  @Test(arguments: [("out=x", true), ("max-tries=", true), ("=x", false), ("out", false), ("http://a?b=c", false)])
  func `an option looks like name=value`(text: String, isOne: Bool) {
    #expect(Aria2Option.isOne(Array(text.utf8)[...]) == isOne)
  }
}
