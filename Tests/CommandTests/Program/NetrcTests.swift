import DownloadCore
import Glibc
import TestSupport
import Testing

/// What servers get of a netrc file.
@Suite(.waiting) struct `Passwords of netrc files` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let files: [String: Content] = [
    "/f": .text("content"), "/list": .text("/f\n"), "/list.minisig": .text("x"),
  ]

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(Self.files))
  }

  /// `name:password` of each request; nil for none.
  private func received(_ server: ScriptedServer) -> [String?] {
    server.requests.map { request in
      request.header("Authorization").map { field in
        guard field.hasPrefix("Basic "), let text = Base64.decode(field.dropFirst(6).utf8) else { return field }
        return String(decoding: text, as: UTF8.self)
      }
    }
  }

  private func named(_ userinfo: String) -> String { server.url("/f").replacing("://", with: "://\(userinfo)@") }

  /// The same server under another name.
  private func local(_ server: ScriptedServer, _ path: String = "/f") -> String {
    server.url(path).replacing("127.0.0.1", with: "localhost")
  }

  private func write(_ lines: String...) throws {
    try place.directory.write("n", lines.map { $0 + "\n" }.joined())
  }

  /// With `--netrc-file n`, and without files of the user.
  private func run(_ arguments: [String], config: String? = nil, home: String? = nil) throws -> ProgramResult {
    let existing = arguments.contains("--spider") ? [] : ["--if-exists", "replace"]
    var arguments = ["-4", "-t", "1"] + existing + arguments
    if let config {
      try place.directory.write("config", config)
      arguments += ["--config", "config"]
    }
    var invocation = try place.invocation(arguments)
    invocation.environment["HOME"] = home ?? place.directory.path("no-home")
    let result = try place.run(invocation)
    for secret in ["S3CR3T", "UzNDUjNU"] {
      #expect(!(result.outputText + result.errorText).contains(secret), "\(result.told)")
    }
    return result
  }

  // MARK: What libcurl 7.88 does wrong

  @Test func `are sent under their own names only`() throws {
    try write("machine 127.0.0.1 login other password S3CR3T", "machine 127.0.0.1 login me password mine")
    for arguments in [
      [named("me")], ["-u", "me", server.url("/f")], [named("none")], ["-u", "none", server.url("/f")],
    ] {
      let result = try run(["-v", "--netrc-file", "n"] + arguments)
      #expect(result.status == 0, "\(result.told)")
    }
    #expect(received(server) == ["me:mine", "me:mine", "none:", "none:"])
  }

  @Test func `are found before a second entry of the host, and may begin with a number sign`() throws {
    try write("machine 127.0.0.1", "login me", "machine 127.0.0.1 login you password #S3CR3T # yours")
    #expect(try run(["--netrc-file", "n", server.url("/f")]).status == 0)
    #expect(try run(["--netrc-file", "n", named("you")]).status == 0)
    try write("default login any password x#S3CR3T", "machine 127.0.0.1 password \"S3CR3T \\\"\" login you")
    #expect(try run(["--netrc-file", "n", server.url("/f")]).status == 0)
    #expect(try run(["--netrc-file", "n", local(server)]).status == 0)
    #expect(received(server) == ["me:", "you:#S3CR3T", "you:S3CR3T \"", "any:x#S3CR3T"])
  }

  @Test(arguments: [
    ("machine h login a password S3CR3T", "S3CR3T", "line 3: a word is none of machine, default, "),
    ("machine h password \"S3CR3T", "", "line 2: a quotation does not end"),
    ("machine h password \"S3CR3T\"S3CR3T", "", "line 2: text follows a quotation"),
    ("machine h login S3CR3T password", "", "line 2: 'password' has no value"),
    ("password S3CR3T", "", "line 2: 'password' belongs to no machine"),
    ("machine h login S3CR3T login S3CR3T", "", "line 2: a machine has a second 'login'"),
    ("machine h password S3CR3T\u{1}", "", "line 2: a control character"),
    ("machine h password " + String(repeating: "S3CR3T", count: 3000), "", "line 2: a word has more than 16384 bytes"),
  ])
  func `are not sent from a file that is wrong`(line: String, next: String, words: String) throws {
    try write("# a file", line, next)
    let host = "[host other.example]\nnetrc-file = n\n"
    for (arguments, config) in [
      (["--netrc-file", "n"], nil), (["--netrc-file", "n", "--dry-run"], nil),
      (["--netrc-file", "n", "--spider"], nil),
      ([], host),
    ] as [([String], String?)] {
      let result = try run(["-v"] + arguments + [server.url("/f")], config: config)
      #expect(result.status == 2 && result.errorText.contains("--netrc-file: n, \(words)"), "\(result.told)")
      #expect(result.errorText.contains("hint: "))
    }
    try place.directory.makeDirectory("home")
    try place.directory.write("home/.netrc", try place.text("n"))
    let usual = try run(["--netrc", server.url("/f")], home: place.directory.path("home"))
    #expect(usual.status == 2 && usual.errorText.contains("home/.netrc, \(words)"), "\(usual.told)")
    #expect(usual.errorText.contains("swiftget: --netrc: ") && server.requests.isEmpty)
  }

  // MARK: Which file is read

  @Test func `are those of the user's own file, if there is one`() throws {
    #expect(try run(["--netrc", server.url("/f")]).status == 0)
    #expect(try run(["--netrc", server.url("/f")], home: "/dev/null").status == 0)
    try place.directory.makeDirectory("home")
    try place.directory.write("home/.netrc", "machine 127.0.0.1 login me password mine\n")
    #expect(try run(["--netrc", server.url("/f")], home: place.directory.path("home")).status == 0)
    #expect(try run([server.url("/f")], home: place.directory.path("home")).status == 0)
    #expect(received(server) == [nil, nil, "me:mine", nil])
    let other = try run(["--netrc", server.url("/f")], home: place.directory.path("home/.netrc"))
    #expect(other.status == 0 && received(server).last == .some(nil), "\(other.told)")
    unlink(place.directory.path("home/.netrc"))
    try place.directory.makeDirectory("home/.netrc")
    let directory = try run(["--netrc", server.url("/f")], home: place.directory.path("home"))
    #expect(directory.status == 2 && directory.errorText.contains("--netrc: cannot read "), "\(directory.told)")
  }

  @Test func `are read once, also from a pipe, and never without end`() throws {
    let script = """
      mkfifo p; printf 'machine 127.0.0.1 login me password mine\\n' > p &
      exec "$0" -4 --config config "$@"
      """
    try place.directory.write("config", "netrc-file = p\n[host 127.0.0.1]\nnetrc-file = p\n")
    let result = try runProgram(
      "/bin/sh", ["-c", script, try swiftgetPath(), server.url("/f"), "-o", "g"], directory: place.directory.path)
    #expect(result.status == 0 && received(server) == ["me:mine"], "\(result.told)")
    let endless = try run(["--netrc-file", "/dev/zero", server.url("/f")])
    #expect(endless.status == 2 && endless.errorText.contains("/dev/zero is too large for a netrc file"))
    for file in ["none", "."] {
      let missing = try run(["--netrc-file", file, server.url("/f")])
      #expect(missing.status == 2 && missing.errorText.contains("--netrc-file: cannot read \(file): "))
    }
    #expect(server.requests.count == 1)
  }

  @Test func `stay in files that the run does not write`() throws {
    try write("machine 127.0.0.1 login me password mine")
    for option in ["--log", "--report"] {
      let result = try run([option, "n", server.url("/f")], config: "[host x]\nnetrc-file = n\n")
      #expect(result.status == 2 && result.errorText.contains("\(option) and --netrc-file name the same file"))
    }
    #expect(try place.text("n").hasPrefix("machine ") && server.requests.isEmpty)
  }

  // MARK: Who gets them

  @Test func `go to no origin that only the network named`() throws {
    try write("machine 127.0.0.1 login me password mine", "machine localhost login me password S3CR3T")
    let foreign = try ScriptedServer(FileService(Self.files))
    let first = try ScriptedServer(
      FileService(["/list": .text("\(local(foreign))\n"), "/b": .text("b")]) {
        $0.redirects = ["/f": local(foreign), "/g": "http://me@localhost:\(foreign.port)/f"]
      })
    for arguments in [
      [first.url("/f")], [first.url("/g")], ["-i", first.url("/list")], ["--spider", first.url("/f")],
    ] {
      let result = try run(["-v", "--netrc-file", "n"] + arguments)
      #expect(result.status == 0, "\(result.told)")
    }
    #expect(first.requests.count == 4 && received(first).allSatisfy { $0 == "me:mine" })
    #expect(foreign.requests.count == 4 && received(foreign).allSatisfy { $0 == nil })
    // Nor does a section name a server.
    let section = "[host localhost]\nnetrc-file = n\n"
    #expect(try run([first.url("/f")], config: section).status == 0)
    #expect(received(first).last == .some(nil) && received(foreign).last == .some(nil))
    // The user names it, as a mirror, in a list or on the command line.
    try place.directory.write("list", "\(local(foreign))\n")
    for arguments in [["--mirror", local(foreign), first.url("/none")], ["-i", "list"], [local(foreign)]] {
      #expect(try run(["--netrc-file", "n"] + arguments).status == 0)
      #expect(received(foreign).last == "me:S3CR3T")
    }
  }

  /// As NASA's Earthdata login does it: a redirect to the machine that knows the user, and back.
  @Test func `go to their machine over https, wherever the request comes from`() throws {
    let keeper = try RealServer.nginx {
      $0.speaksTLS = true
      $0.directives = """
        location = /login { if ($http_authorization != "Basic bWU6UzNDUjNU") { return 401; } return 200 "content"; }
        location = /f { return 200 "[$http_authorization]"; }
        """
    }
    let first = try ScriptedServer(
      FileService(["/list": .text("\(keeper.url("/f"))\n")]) { $0.redirects = ["/f": keeper.url("/login")] })
    let host = keeper.url("/").dropFirst("https://".count).prefix { $0 != ":" }
    try write("machine \(host) login me password S3CR3T", "machine other.example login you password yours")
    let trust = ["--cacert", try TestAuthority.shared().authorityPath, "-v"]
    let redirected = try run(trust + ["--netrc-file", "n", "-u", "other:x", "-H", "Cookie: x", first.url("/f")])
    #expect(redirected.status == 0 && place.holds("f", .text("content")), "\(redirected.told)")
    // A list of another server names it.
    #expect(try run(trust + ["--netrc-file", "n", "-i", first.url("/list")]).status == 0)
    #expect(place.holds("f", .text("[Basic bWU6UzNDUjNU]")))
    // `default` names no machine, and an entry without a password has none.
    for entry in ["default login me password S3CR3T", "machine \(host) login me", "machine \(host)"] {
      try write(entry, "machine 127.0.0.9 login me password S3CR3T", "default login me password S3CR3T")
      let refused = try run(trust + ["--netrc-file", "n", first.url("/f")])
      #expect(refused.status == 6 && refused.errorText.contains("redirected to https://\(host):"), "\(refused.told)")
      #expect(refused.errorText.contains("'machine \(host)' in "), "\(refused.told)")
    }
  }

  @Test func `go with lists, signatures and questions`() throws {
    try write("machine 127.0.0.1 login me password mine")
    try place.directory.write("key", SignatureSamples.Minisign.key)
    let list = ["--netrc-file", "n", "-i", server.url("/list")]
    #expect(try run(list).status == 0 && received(server) == ["me:mine", "me:mine"])
    #expect(try run(list + ["--verify-signature", "key"]).status == 2)
    #expect(server.requests.map(\.path).suffix(2) == ["/list", "/list.minisig"])
    #expect(try run(["--netrc-file", "n", "--spider", server.url("/f")]).status == 0)
    #expect(received(server) == Array(repeating: "me:mine", count: 5))
  }

  @Test func `count less than those of the command line, the URL and sections`() throws {
    try write("machine 127.0.0.1 login me password mine", "machine 127.0.0.1 login you password yours")
    try place.directory.write("other", "machine 127.0.0.1 login she password hers\n")
    let netrc = ["--netrc-file", "n"]
    #expect(try run(netrc + ["-u", "me:x", server.url("/f")]).status == 0)
    #expect(try run(netrc + ["-u", "me:x", named("you:")]).status == 0)
    #expect(try run(netrc + ["-u", "me:x", named("you")]).status == 0)
    let config = "netrc-file = n\nuser = you\n[host 127.*]\nnetrc-file = other\n"
    #expect(try run([server.url("/f")], config: config).status == 0)
    #expect(try run([server.url("/f")], config: config + "user = she\n").status == 0)
    #expect(try run(netrc + [server.url("/f")], config: config + "user = me\n").status == 0)
    #expect(received(server) == ["me:x", "you:", "you:yours", "you:", "she:hers", "me:mine"])
  }

  @Test func `are not for proxies`() throws {
    try write("machine 127.0.0.1 login me password S3CR3T", "machine files.example login you password yours")
    let proxy = try ScriptedServer { _ in [.respond(200, body: [0x78])] }
    let result = try run([
      "--netrc-file", "n", "--proxy", "http://127.0.0.1:\(proxy.port)", "http://files.example/f", "http://b.example/f",
      "-d", "t", "--output-template", "{host}",
    ])
    #expect(result.status == 0, "\(result.told)")
    #expect(Set(received(proxy)) == ["you:yours", nil])
    #expect(proxy.requests.count == 2 && proxy.requests.allSatisfy { $0.header("Proxy-Authorization") == nil })
  }

  @Test func `that do not fit are told from missing ones, without a second request`() throws {
    try write("machine 127.0.0.1 login me password mine")
    let guarded = try ScriptedServer { _ in
      [.respond(401, headers: [("WWW-Authenticate", "Digest realm=\"x\", nonce=\"y\", qop=\"auth\"")])]
    }
    let missing = try run(["--netrc-file", "n", local(guarded)])
    #expect(missing.status == 6 && missing.errorText.contains("give credentials"), "\(missing.told)")
    #expect(guarded.requests.count == 1)
    let wrong = try run(["--netrc-file", "n", guarded.url("/f")])
    #expect(wrong.status == 6 && wrong.errorText.contains("refused the user name and password"), "\(wrong.told)")
    #expect(wrong.errorText.contains("netrc"))
  }
}
