import TestSupport
import Testing

@Suite(.waiting) struct `Credentials and headers` {
  private let place: Workplace
  private let files: [String: Content] = ["/f": .text("content"), "/big": mediumFile]

  init() throws { place = try Workplace() }

  /// Answers only requests with `name:pass word`.
  private func guarded(_ service: FileService) throws -> ScriptedServer {
    try ScriptedServer { request in
      guard request.header("Authorization") == "Basic bmFtZTpwYXNzIHdvcmQ=" else {
        return [.respond(401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])]
      }
      return service.steps(for: request)
    }
  }

  /// Checks that neither output nor files contain a secret.
  private func expectNoSecret(_ secrets: [String], _ result: ProgramResult) throws {
    for secret in secrets {
      #expect(!result.errorText.contains(secret) && !result.outputText.contains(secret), "\(result.told)")
      for name in place.names {
        #expect(!name.contains(secret))
        if name.hasSuffix(".swiftget") { #expect(try !place.text(name).contains(secret), "sidecar of \(name)") }
        for key in ["user.xdg.origin.url", "user.swiftget.verified"] {
          #expect(try !(place.attribute(key, of: name) ?? "").contains(secret))
        }
      }
    }
  }

  @Test func `a password in the URL is used and neither shown nor stored`() throws {
    let server = try guarded(FileService(files))
    let url =
      "http://name:pass%20word@127.0.0.1:\(server.port)/f?token=hidden#sha256=\(try Content.text("content").hexDigest())"
    let result = try place.run("-v", url)
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["f"])
    try expectNoSecret(["pass", "hidden", "bmFtZ"], result)
    #expect(try place.attribute("user.xdg.origin.url", of: "f") == server.url("/f"))
    let json = try Workplace().run("--progress", "json", "-v", url)
    #expect(json.status == 0)
    try expectNoSecret(["pass", "hidden", "bmFtZ"], json)
  }

  @Test func `a failure does not show the password`() throws {
    let server = try ScriptedServer { _ in [.respond(404)] }
    for url in [
      "http://name:pass%20word@127.0.0.1:\(server.port)/f?token=hidden",
      "http://name:passwort@127.0.0.1:x/f?token=hidden",
      "ftp://name:passwort@127.0.0.1/f?token=hidden", "http://name:passwort@[::1/f?token=hidden",
    ] {
      let result = try place.run("-t", "1", "-v", url)
      #expect(result.status == 8 || result.status == 2, "\(result.told)")
      try expectNoSecret(["pass", "hidden"], result)
    }
    let refusing = try RefusingPort()
    let result = try place.run("-t", "2", "-v", "http://name:passwort@127.0.0.1:\(refusing.port)/f?token=hidden")
    #expect(result.status == 4, "\(result.told)")
    try expectNoSecret(["passwort", "hidden"], result)
  }

  @Test func `the sidecar of an interrupted run holds no secret`() throws {
    let server = try guarded(FileService(files) { $0.stallsAfter = 500_000 })
    let program = try place.start(
      "-x", "1",
      "-u", "name:pass word", "-H", "X-Key: sesame", "http://127.0.0.1:\(server.port)/big?token=hidden")
    #expect(eventually { place.names.contains("big.swiftget") && server.bodyBytesSent >= 500_000 })
    pause(seconds: 1.5)
    program.kill()
    let result = program.wait()
    #expect(place.names == ["big.swiftget", "big.swiftget-part"])
    try expectNoSecret(["pass word", "sesame", "hidden", "bmFtZTpw"], result)
    #expect(try place.text("big.swiftget").contains(server.url("/big")))
  }

  @Test func `user and headers are sent only to origins on the command line`() throws {
    let other = try ScriptedServer(FileService(files))
    let first = try ScriptedServer(
      FileService([:]) { $0.redirects = ["/f": other.url("/f"), "/big": other.url("/big")] })
    let result = try place.run(
      "-u", "name:secret", "-H", "X-Key: sesame", "-H", "Authorization: Bearer t0ken", "--referer", "http://r/",
      first.url("/f"), first.url("/big"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("f", files["/f"]!) && place.holds("big", mediumFile))
    #expect(!first.requests.isEmpty && !other.requests.isEmpty)
    for request in first.requests {
      #expect(request.header("X-Key") == "sesame" && request.header("Authorization") == "Bearer t0ken")
    }
    for request in other.requests {
      #expect(request.header("X-Key") == nil && request.header("Authorization") == nil, "\(request.headers)")
    }
  }

  @Test func `another port is another origin, and a mirror is a named origin`() throws {
    let mirror = try ScriptedServer(FileService(files))
    let first = try ScriptedServer { _ in [.respond(404)] }
    #expect(try place.run("-u", "name:secret", "--mirror", mirror.url("/f"), first.url("/f")).status == 0)
    #expect(mirror.requests.allSatisfy { $0.header("Authorization") == "Basic bmFtZTpzZWNyZXQ=" })
  }

  @Test func `what an entry was given stays with it, whatever the command line names besides`() throws {
    let other = try ScriptedServer(FileService(files))
    let first = try ScriptedServer(
      FileService([:]) { $0.redirects = ["/f": other.url("/f"), "/g": other.url("/f?mine")] })
    let login = first.url("/g").replacing("://", with: "://name:secret@")
    try place.directory.write(
      "list",
      """
      \(first.url("/f"))
       out=one
       header=Authorization: Bearer t0ken
       header=Cookie: id=sesame
      \(login)
       out=two
      """)
    let result = try place.run("-i", "list", "-H", "Authorization: Bearer run", other.url("/big"))
    #expect(
      result.status == 0 && place.holds("one", files["/f"]!) && place.holds("two", files["/f"]!), "\(result.told)")
    for request in first.requests where request.path == "/f" {
      #expect(request.headers.filter { $0.name == "Authorization" }.map(\.value) == ["Bearer t0ken"])
      #expect(request.header("Cookie") == "id=sesame")
    }
    #expect(first.requests.count == 2 && !other.requests.isEmpty)
    for request in other.requests {
      #expect(request.header("Authorization") == "Bearer run" && request.header("Cookie") == nil, "\(request.headers)")
    }
  }

  @Test func `each mirror has its own user, also on one server`() throws {
    let server = try ScriptedServer { request in
      switch request.header("Authorization") {
      case "Basic Ym9iOmI=": FileService(["/f": .text("content")]).steps(for: request)
      case nil: [.respond(403)]
      default: [.respond(404)]
      }
    }
    func url(_ userinfo: String) -> String { server.url("/f").replacing("://", with: "://\(userinfo)") }
    let result = try place.run("--mirror", url("bob:b@"), "--mirror", url(""), url("alice:a@"))
    #expect(result.status == 0 && place.holds("f", .text("content")), "\(result.told)")
    let alone = try place.run("--mirror", url("alice:a@"), "-o", "g", url(""))
    #expect(alone.status == 8, "\(alone.told)")
    #expect(
      server.requests.map { $0.header("Authorization") ?? "-" }
        == ["Basic YWxpY2U6YQ==", "Basic Ym9iOmI=", "-", "Basic YWxpY2U6YQ=="])
  }

  @Test func `user information in a redirect to another host is not used`() throws {
    let other = try ScriptedServer(FileService(files))
    let first = try ScriptedServer(FileService([:]) { $0.redirects = ["/f": "http://x:y@127.0.0.1:\(other.port)/f"] })
    let result = try place.run("-v", first.url("/f"))
    #expect(result.status == 0, "\(result.told)")
    #expect(!result.errorText.contains("x:y"))
  }

  @Test func `netrc is used on request`() throws {
    let server = try guarded(FileService(files))
    try place.directory.write("netrc", "machine 127.0.0.1 login name password \"pass word\"\n")
    #expect(try place.run(server.url("/f")).status == 6)
    let result = try place.run("--netrc-file", "netrc", server.url("/f"))
    #expect(result.status == 0, "\(result.told)")
    try expectNoSecret(["pass word"], result)
  }

  @Test func `a name without its password takes it from netrc`() throws {
    let server = try guarded(FileService(files))
    try place.directory.write(
      "netrc", "machine 127.0.0.1 login other password x\nmachine 127.0.0.1 login name password \"pass word\"\n")
    let own = server.url("/f").replacing("://", with: "://name@", maxReplacements: 1)
    let result = try place.run("--netrc-file", "netrc", own)
    #expect(result.status == 0, "\(result.told)")
    let named = try place.run("--netrc-file", "netrc", "-u", "name", "-o", "g", server.url("/f"))
    #expect(named.status == 0, "\(named.told)")
    try expectNoSecret(["pass word"], named)
  }

  @Test func `wrong credentials are refused, missing ones asked for`() throws {
    let server = try guarded(FileService(files))
    let wrong = try place.run("-u", "name:other", server.url("/f"))
    #expect(wrong.status == 6 && wrong.errorText.contains("refused the user name and password"), "\(wrong.told)")
    #expect(!wrong.errorText.contains("give credentials"), "\(wrong.told)")
    let missing = try place.run(server.url("/f"))
    #expect(missing.status == 6 && missing.errorText.contains("give credentials"), "\(missing.told)")
    #expect(server.requests.count == 2)
  }

  @Test func `Apache's Digest is answered for every file`() throws {
    let server = try RealServer.apache { $0.digestRealm = "files" }
    for index in 0..<30 { try server.serve("d/\(index)", .text("content \(index)")) }
    try server.serve("big", Content.generated(seed: 11, byteCount: 20_000_000))
    let urls = (0..<30).map { server.url("/d/\($0)") } + [server.url("/big")]
    let result = try place.run(place.invocation(["-u", "name:pass word"] + urls))
    #expect(result.status == 0 && place.names.count == 31, "\(result.told)")
    #expect(place.holds("big", Content.generated(seed: 11, byteCount: 20_000_000)))
    try expectNoSecret(["pass word"], result)
    // A 401 for the first request and one for each handle's first; libcurl keeps the nonce for the others.
    let refused = try server.requests().count { $0.status == 401 }
    #expect(refused > 0 && refused < 40, "\(refused)")
    try place.directory.write("netrc", "machine 127.0.0.1 login name password \"pass word\"\n")
    let netrc = try place.run("--netrc-file", "netrc", "-u", "name", "-o", "again", server.url("/d/1"))
    #expect(netrc.status == 0 && place.holds("again", .text("content 1")), "\(netrc.told)")
    let wrong = try place.run("-u", "name:wrong", "-o", "wrong", server.url("/d/1"))
    #expect(wrong.status == 6 && wrong.errorText.contains("refused the user name and password"), "\(wrong.told)")
    #expect(!place.names.contains("wrong"))
  }

  @Test func `a redirect from https to http needs a digest`() throws {
    let plain = try ScriptedServer(FileService(files))
    let secure = try RealServer.nginx {
      $0.speaksTLS = true
      $0.directives = "location = /f { return 302 \(plain.url("/f")); }"
    }
    let authority = try TestAuthority.shared().authorityPath
    let result = try place.run("--cacert", authority, secure.url("/f"))
    #expect(result.status != 0 && place.names.isEmpty, "\(result.told)")
    #expect(plain.requests.isEmpty)
    let digest = try files["/f"]!.hexDigest()
    let second = try place.run("--cacert", authority, "--checksum", "sha256:\(digest)", secure.url("/f"))
    #expect(second.status == 0, "\(second.told)")
    #expect(place.holds("f", files["/f"]!))
  }

  @Test func `with --https-only no request goes to http`() throws {
    let plain = try ScriptedServer(FileService(files))
    let secure = try RealServer.nginx {
      $0.speaksTLS = true
      $0.directives = """
        location = /f { return 302 \(plain.url("/f")); }
        location = /g { add_header Link '<\(plain.url("/f"))>; rel=duplicate'; }
        """
    }
    try secure.serve("g", files["/f"]!)
    let digest = try files["/f"]!.hexDigest()
    let start = ["--https-only", "--cacert", try TestAuthority.shared().authorityPath]
    func run(_ words: String...) throws -> ProgramResult { try place.run(place.invocation(start + words)) }
    let redirected = try run("--checksum", "sha256:\(digest)", secure.url("/f"))
    #expect(
      redirected.status == 7 && redirected.errorText.contains("it leads from https to http"), "\(redirected.told)")
    try place.directory.write("list", "\(plain.url("/f"))\n\(secure.url("/g"))\n")
    let lists = try [run(plain.url("/f")), run("-i", "list"), run("-i", plain.url("/list"))]
    for refused in lists {
      #expect(refused.status == 2 && refused.errorText.contains("is not an https URL"), "\(refused.told)")
    }
    #expect(place.names == ["list"])
    // An https URL is enough; other mirrors are left out, whoever names them.
    try place.directory.write(
      "mixed", "\(plain.url("/f"))\t\(secure.url("/g"))\n  out=g\n  checksum=sha-256=\(digest)\n")
    let mixed = try run("-i", "mixed", "-x", "4", "-k", "64K")
    #expect(mixed.status == 0 && place.holds("g", files["/f"]!), "\(mixed.told)")
    #expect(plain.requests.isEmpty, "\(plain.requests.map(\.path))")
    let without = try place.run("--https-only", "--no-https-only", plain.url("/f"))
    #expect(without.status == 0 && !plain.requests.isEmpty, "\(without.told)")
  }

  @Test func `a certificate for another host is told with its names`() throws {
    let server = try RealServer.nginx { $0.speaksTLS = true }
    try server.serve("f", files["/f"]!)
    let result = try place.run(
      "--cacert", try TestAuthority.shared().authorityPath, "-t", "1", "--resolve",
      "other.example:\(server.port):127.0.0.1", "https://other.example:\(server.port)/f")
    #expect(result.status != 0 && place.names.isEmpty, "\(result.told)")
    #expect(result.errorText.contains("the certificate is for localhost, 127.0.0.1, 0:0:0:0:0:0:0:1"), "\(result.told)")
    #expect(result.errorText.contains("check the host name in the URL"), "\(result.told)")
  }

  @Test func `a client certificate is sent to named origins, not to redirect targets`() throws {
    let files = try TemporaryDirectory()
    let client = try TestClient(in: files, password: "S3CR3T:x")
    func secure(_ directives: String) throws -> RealServer {
      try RealServer.nginx {
        $0.speaksTLS = true
        $0.directives = "ssl_verify_client optional_no_ca; \(directives)"
      }
    }
    let other = try secure("location = /f { return 200 \"[$ssl_client_s_dn]\"; }")
    let first = try secure(
      "location = /f { return 302 \(other.url("/f")); } location = /own { return 200 \"[$ssl_client_s_dn]\"; }")
    let options = ["--cacert", try TestAuthority.shared().authorityPath, "-v"]
    let certificate = ["--cert", client.certificatePath + ":S3CR3T:x"]
    let result = try place.run(place.invocation(options + certificate + [first.url("/f"), first.url("/own")]))
    #expect(result.status == 0, "\(result.told)")
    #expect(try place.text("f") == "[]" && place.text("own") == "[CN=\(TestClient.name)]")
    try expectNoSecret(["S3CR3T"], result)
    let wrong = ["--cert", client.certificatePath + ":S3CR3T"]
    let refused = try place.run(place.invocation(options + wrong + ["-t", "1", "-d", "d", first.url("/own")]))
    #expect(refused.status == 5, "\(refused.told)")
    try expectNoSecret(["S3CR3T"], refused)
    // There is no prompt for the password, which OpenSSL would read from the terminal or standard input.
    var invocation = try place.invocation(
      options + ["--cert", client.certificatePath, "-t", "1", "-d", "d", first.url("/own")])
    invocation.input = Array("S3CR3T:x\n".utf8)
    let unasked = try place.run(invocation)
    #expect(unasked.status == 5 && !unasked.errorText.contains("Enter PEM"), "\(unasked.told)")
  }
}
