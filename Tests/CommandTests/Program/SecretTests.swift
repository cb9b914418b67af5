import TestSupport
import Testing

/// A marked secret in every option and every field of a list is never shown or stored, whatever fails.
@Suite(.waiting) struct `A secret` {
  private let place: Workplace
  private static let secret = "S3CR3T"

  init() throws { place = try Workplace() }

  /// Forms of a URL with a password, for a host and port.
  private static func urls(_ scheme: String, _ authority: String) -> [String] {
    [
      "\(scheme)://u:S3CR3T@\(authority)/f", "\(scheme)://S3CR3T@\(authority)/f",
      "\(scheme)://u:S3CR3T?x@\(authority)/",
      "\(scheme)://u:S3C/S3CR3T@\(authority)/", "\(scheme)://u:x#S3CR3T@\(authority)/", "\(scheme)://u:S3CR3T",
      "\(scheme)://u:S3CR3T@x@\(authority)/", "\(scheme)://u:p S3CR3T@\(authority)/", "\(scheme)://u:S3CR3T@[::/f",
      "\(scheme)://u:S3CR3T'x@\(authority):y/", "\(scheme)://\(authority)/f?sig=S3CR3T",
      "\(scheme):u:S3CR3T@\(authority)",
      "\(scheme):/u:S3CR3T@\(authority)/x", "\(scheme)://u:%00S3CR3T@\(authority)/", "//u:S3CR3T@\(authority)/f",
      "u:S3CR3T@\(authority)/f", "\(scheme)://u:p\tS3CR3T@\(authority)/",
    ]
  }

  private func expectSilence(_ arguments: [String], environment: [String: String] = [:]) throws {
    for style in [[], ["--progress", "json"]] {
      var invocation = try place.invocation(["-v", "-t", "1", "-T", "5"] + style + arguments)
      invocation.environment = environment
      let result = try place.run(invocation)
      let told = "\(arguments) \(environment): \(result.told)\(result.outputText)"
      #expect(result.status != 0, "\(told)")
      #expect(!result.errorText.contains(Self.secret) && !result.outputText.contains(Self.secret), "\(told)")
      for name in place.names {
        #expect(!name.contains(Self.secret), "\(told)")
        if name.hasSuffix(".swiftget") { #expect(try !place.text(name).contains(Self.secret), "\(told)") }
      }
    }
  }

  @Test func `in any form of a failing URL is not shown`() throws {
    let refusing = try RefusingPort()
    let authority = "127.0.0.1:\(refusing.port)"
    for scheme in ["http", "https", "ftp"] {
      for url in Self.urls(scheme, authority) {
        try expectSilence([url])
        if scheme == "http" {
          try expectSilence(["--mirror", url, "http://\(authority)/f"])
          try expectSilence([url, url])
        }
      }
    }
  }

  @Test(arguments: ["--proxy", "http_proxy", "all_proxy", "ALL_PROXY"])
  func `in any form of a failing proxy is not shown`(name: String) throws {
    let refusing = try RefusingPort()
    let authority = "127.0.0.1:\(refusing.port)"
    let long = String(repeating: "S3CR3T", count: 100)
    for scheme in ["http", "foo", "socks5", "https"] {
      for url in Self.urls(scheme, authority) + ["\(scheme)://u:\(long)@\(authority)/", "u:\(long)", "'u:S3CR3T'"] {
        guard !url.contains("%00") else { continue }
        if name == "--proxy" {
          try expectSilence(["--proxy", url, "http://127.0.0.1:\(refusing.port)/f"])
        } else {
          try expectSilence(["http://127.0.0.1:\(refusing.port)/f"], environment: [name: url])
        }
      }
    }
  }

  @Test func `given to the wrong option is not shown`() throws {
    let url = "http://127.0.0.1:9/f"
    for spec in try optionNames() {
      for value in Self.urls("http", "proxy") + ["u:S3CR3T@h", "key=S3CR3T@", "x?S3CR3T"] {
        // A name that the user chooses may be shown, unless it is not a valid file name.
        if ["--dir", "--user-agent", "--referer", "--user", "--header", "--no-proxy"].contains(spec) { continue }
        if spec == "--output", !value.hasPrefix("http://") { continue }
        if spec == "--proxy" { continue }
        try expectUnshown([spec, value, url])
      }
    }
    for arguments in [
      ["--http://u:S3CR3T@h", url], ["--cert", "absent:S3CR3T", "https://127.0.0.1:9/f"], ["--userS3CR3T@", url],
      ["-x", "u:S3CR3T@h", url], ["--limit-rate", "http://u:p S3CR3T@h 1", url], ["-u", "S3CR3T", url],
      ["-H", "S3CR3T", url], ["-H", "Range: S3CR3T", url], ["--netrc=S3CR3T", url], ["-nS3CR3T", url],
      ["--user-agent", "a\nS3CR3T", url], ["-d", "http://u:S3CR3T@h/", url],
    ] {
      try expectUnshown(arguments)
    }
  }

  /// Fails before the first request or not at all, because most options accept most values.
  private func expectUnshown(_ arguments: [String]) throws {
    let result = try place.run(place.invocation(["-t", "1", "--connect-timeout", "1"] + arguments))
    #expect(
      !result.errorText.contains(Self.secret) && !result.outputText.contains(Self.secret), "\(arguments) \(result.told)"
    )
  }

  /// The options with an argument.
  private func optionNames() throws -> [String] {
    try place.run("--generate", "fish").outputText.split(separator: "\n").filter {
      $0.contains(" -r") || $0.contains(" -x")
    }
    .compactMap { line in
      let words = line.split(separator: " ")
      return words.firstIndex(of: "-l").map { "--" + words[$0 + 1] }
    }
  }

  @Test func `in an invalid line of a list is not shown`() throws {
    let lines =
      Self.urls("http", "127.0.0.1:9") + [
        "header=Authorization: Bearer S3CR3T", "Authorization: Bearer S3CR3T", "http-passwd=S3CR3T",
        "http://127.0.0.1:9/f\n  Authorization: Bearer S3CR3T", "http://127.0.0.1:9/f\n  header=S3CR3T",
        "http://127.0.0.1:9/f\n  http-passwd=S3CR3T", "http://127.0.0.1:9/f\n  hedder=A: S3CR3T",
        "http://127.0.0.1:9/f\n  out=http://u:S3CR3T@h/", "http://127.0.0.1:9/f\n  checksum=http://u:S3CR3T@h/",
        "http://127.0.0.1:9/f\n  checksum=S3CR3T@x", "http://127.0.0.1:9/f\n  dir=../http://u:S3CR3T@h/",
        "http://127.0.0.1:9/f#sha256=S3CR3T", "<a href=\"http://u:S3CR3T@h/\">", "\u{1}u:S3CR3T@h", "x\u{0}S3CR3T",
        "http://127.0.0.1:9/f\n  S3CR3T",
        "\(String(repeating: "0", count: 64))  ../http://u:S3CR3T@h/x",
        "\\\(String(repeating: "0", count: 64))  a:S3CR3T@h\\q",
        "SHA999 (http://u:S3CR3T@h/f) = 00", "\(String(repeating: "0", count: 63))  http://u:S3CR3T@h/f",
        "\(String(repeating: "0", count: 64))  http://u:S3CR3T/x@h/f",
      ]
    for line in lines {
      for format in [
        [], ["--input-format", "urls"], ["--input-format", "checksums", "--base-url", "http://127.0.0.1:9/"],
      ] {
        try place.directory.write("list", line + "\n")
        try expectSilence(format + ["-i", "list"])
      }
    }
    try expectSilence(["-i", "http://u:S3CR3T@127.0.0.1:9/list"])
    try expectSilence(["-i", "http://u:S3 S3CR3T@127.0.0.1:9/list"])
    try expectSilence(["-i", "list", "--base-url", "http://u:S3CR3T?@127.0.0.1:9/list"])
  }

  @Test func `in the reason of a failure is not recorded`() throws {
    // A directory is named after a URL, and a file is in the way below it.
    let directory = "mirror/http://u:S3CR3T@h"
    for name in ["mirror", "mirror/http:", directory] { try place.directory.makeDirectory(name) }
    try place.directory.write(directory + "/sub", "")
    try place.directory.write("list", "http://127.0.0.1:9/f\n out=sub/f\n")
    let result = try place.run("-d", directory, "-i", "list", "--failed", "failed", "--report", "report")
    let shown = "mirror/http://…@h/sub"
    #expect(result.status == 3 && result.errorText.contains(shown), "\(result.told)")
    let failed = try place.text("failed")
    #expect(failed.contains(shown) && !failed.contains(Self.secret), "\(failed)")
    let error = try ReadReport(place.text("report")).item("sub/f").error
    #expect(error.contains(shown) && !error.contains(Self.secret), "\(error)")
  }

  @Test func `in a server's answer is not redacted as one of the user's, and in a redirect is not shown`() throws {
    for target in Self.urls("http", "127.0.0.1:9") + Self.urls("ftp", "127.0.0.1:9") where !target.contains("\t") {
      let server = try ScriptedServer { _ in [.respond(302, headers: [("Location", target)])] }
      try expectSilence([server.url("/f")])
    }
  }
}
