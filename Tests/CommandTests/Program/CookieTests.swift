import Glibc
import TestSupport
import Testing

/// Runs with `--load-cookies` and `--save-cookies`.
@Suite(.waiting) struct `Cookies of a run` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private static func line(_ host: String, _ path: String, _ name: String) -> String {
    "\(host)\tFALSE\t\(path)\tFALSE\t0\t\(name)\tS3CR3T\n"
  }

  private func permissions(_ name: String) -> UInt32 {
    var status = stat()
    return lstat(place.directory.path(name), &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  /// Redirects to `/f` and sets cookies; `/f` needs the one of the session.
  private func loginServer(_ content: Content = .text("content")) throws -> ScriptedServer {
    let service = FileService(["/f": content])
    return try ScriptedServer { request in
      if request.path == "/login" {
        return [
          .respond(
            302,
            headers: [
              ("Set-Cookie", "sid=S3CR3T; Path=/; HttpOnly"), ("Set-Cookie", "kept=1; Path=/; Max-Age=1000"),
              ("Location", "/f"),
            ])
        ]
      }
      let isKnown = request.header("Cookie")?.contains("sid=S3CR3T") == true
      return isKnown ? service.steps(for: request) : [.respond(403)]
    }
  }

  @Test func `go to the host and path that their file names, and are never shown`() throws {
    let service = FileService(["/x/f": .text("1"), "/y/g": .text("2")])
    let server = try ScriptedServer(service)
    try place.directory.write(
      "jar",
      Self.line("127.0.0.1", "/", "all") + Self.line("127.0.0.1", "/x", "x") + Self.line("example.org", "/", "other"))
    let result = try place.run("-v", "-j1", "--load-cookies", "jar", server.url("/x/f"), server.url("/y/g"))
    #expect(result.status == 0 && !result.errorText.contains("S3CR3T"), "\(result.told)")
    let fields = Dictionary(server.requests.map { ($0.path, $0.header("Cookie")) }, uniquingKeysWith: { $1 })
    #expect(fields == ["/x/f": "x=S3CR3T; all=S3CR3T", "/y/g": "all=S3CR3T"])
  }

  @Test func `set by a redirect are sent to its target, saved, and read by curl and the next run`() throws {
    let server = try loginServer()
    let first = try place.run("-v", "--save-cookies", "jar", "-o", "f", server.url("/login"))
    #expect(first.status == 0 && place.holds("f", .text("content")), "\(first.told)")
    #expect(!first.errorText.contains("S3CR3T") && permissions("jar") == 0o600 && place.names == ["f", "jar"])
    #expect(try place.text("jar").hasPrefix("# Netscape HTTP Cookie File\n"))

    let second = try place.run("--load-cookies", "jar", "--save-cookies", "jar", "-o", "g", server.url("/f"))
    #expect(second.status == 0 && place.holds("g", .text("content")), "\(second.told)")
    let curl = try runProgram(
      "/usr/bin/curl", ["-sf", "--noproxy", "*", "-b", place.directory.path("jar"), server.url("/f")])
    #expect(curl.status == 0 && curl.outputText == "content")
    let fields = server.requests.map { Set($0.header("Cookie")?.split(separator: "; ").map(String.init) ?? []) }
    let both: Set = ["sid=S3CR3T", "kept=1"]
    #expect(fields == [[], both, both, both])

    // Without the options a cookie goes no further than the file whose redirect set it.
    let chain = try place.run("-o", "h", "-j", "1", server.url("/login"))
    #expect(chain.status == 0 && place.holds("h", .text("content")) && place.names == ["f", "g", "h", "jar"])
    #expect(try place.run("-o", "i", server.url("/f")).status == 8)
  }

  @Test func `are sent with each segment`() throws {
    let server = try loginServer(mediumFile)
    let result = try place.run("-x4", "-k", "256k", "-b", "", "-o", "f", server.url("/login"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    let requests = server.requests.filter { $0.path == "/f" }
    #expect(requests.allSatisfy { $0.header("Cookie")?.contains("sid=S3CR3T") == true })
  }

  @Test func `of a session that has expired end the file soon`() throws {
    let content = mediumFile
    let service = FileService(["/f": content]) { $0.cutAfter = 2_000_000 }
    // The first answer breaks off, and then nobody knows the session.
    let server = try ScriptedServer { request in
      if request.path == "/login" {
        return [.respond(302, headers: [("Set-Cookie", "sid=1; Path=/"), ("Location", "/f")])]
      }
      return request.index < 2 ? service.steps(for: request) : [.respond(403)]
    }
    for path in ["/login", "/f"] {
      let result = try place.run("-b", "", "-x4", "-o", "x", server.url(path))
      #expect(result.status == 8, "\(result.told)")
    }
    #expect(server.requests.count < 40, "\(server.requests.count) requests")
  }

  @Test func `are saved by a run that fails or is interrupted`() throws {
    let failing = try ScriptedServer { _ in [.respond(404, headers: [("Set-Cookie", "a=1; Path=/")])] }
    #expect(try place.run("--save-cookies", "jar", failing.url("/f")).status == 8)
    #expect(try place.text("jar").contains("\ta\t1\n"))

    let stalling = try ScriptedServer { _ in
      [.send("HTTP/1.1 200 OK\r\nSet-Cookie: b=2\r\nContent-Length: 10\r\n\r\nx"), .stall(nil)]
    }
    let program = try place.start("--save-cookies", "jar", stalling.url("/f"))
    #expect(eventually { stalling.bytesSent > 50 })
    pause(seconds: 0.3)
    program.kill(SIGINT)
    let result = program.wait()
    #expect(result.status == 130, "\(result.told)")
    #expect(try place.text("jar").contains("\tb\t2\n"))
  }

  /// Serves a list, its signature and its files; sets a cookie with the list, which all else needs.
  private func listServer(_ list: String) throws -> ScriptedServer {
    let files = FileService(["/a": .text("content of a"), "/b": .text("content of b")])
    return try ScriptedServer { request in
      if request.path == "/SHA256SUMS" {
        let cookies = ["sid=S3CR3T; Path=/; HttpOnly", "empty=; Path=/", "kept=1; Path=/; Max-Age=1000"]
        return [.respond(200, headers: cookies.map { ("Set-Cookie", $0) }, body: Array(list.utf8))]
      }
      guard request.header("Cookie")?.contains("sid=S3CR3T") == true else { return [.respond(403)] }
      if request.path == "/SHA256SUMS.minisig" {
        return [.respond(200, body: Array(SignatureSamples.Minisign.signature.utf8))]
      }
      return files.steps(for: request)
    }
  }

  @Test func `that a list's server sets are kept for its signature and its files`() throws {
    let server = try listServer(SignatureSamples.list)
    let arguments = ["-v", "-i", server.url("/SHA256SUMS"), "--verify-signature", SignatureSamples.Minisign.keyLine]
    let result = try place.run(place.invocation(["--save-cookies", "jar"] + arguments))
    #expect(result.status == 0 && place.holds("a", .text("content of a")), "\(result.told)")
    #expect(!result.errorText.contains("S3CR3T"))
    #expect(server.requests.first?.header("Cookie") == nil)
    for request in server.requests.dropFirst() {
      let fields = request.header("Cookie")?.split(separator: "; ").map(String.init) ?? []
      #expect(Set(fields) == ["sid=S3CR3T", "empty=", "kept=1"], "\(request.path)")
    }
    for cookie in ["\tsid\tS3CR3T\n", "\tkept\t1\n"] { #expect(try place.text("jar").contains(cookie)) }
    // Without the options nothing is kept.
    #expect(try place.run(place.invocation(arguments + ["-d", "x"])).status == 8 && !place.names.contains("x"))
  }

  @Test func `that a list's server sets go to no other host`() throws {
    let other = try ScriptedServer(FileService(["/f": .text("content")]))
    let server = try listServer("http://localhost:\(other.port)/f\n")
    let result = try place.run("-b", "", "-i", server.url("/SHA256SUMS"))
    #expect(result.status == 0 && place.holds("f", .text("content")), "\(result.told)")
    #expect(other.requests.count == 1 && other.requests[0].header("Cookie") == nil)
  }

  @Test func `that a list's server sets are saved if the list fails, and a jar that fails starts nothing`() throws {
    let failing = try ScriptedServer { _ in [.respond(404, headers: [("Set-Cookie", "a=1; Path=/")])] }
    #expect(try place.run("--save-cookies", "jar", "-i", failing.url("/list")).status == 8)
    #expect(try place.text("jar").contains("\ta\t1\n"))

    try place.directory.makeDirectory("jars")
    let directory = place.directory.path("jars")
    let server = try ScriptedServer { _ in
      rmdir(directory)
      return [.respond(200, body: Array("/f\n".utf8))]
    }
    let result = try place.run("--save-cookies", "jars/jar", "-i", server.url("/list"))
    #expect(result.status == 3 && server.requests.count == 1, "\(result.told)")
    #expect(result.errorText.contains("cannot save the cookies to jars/jar"), "\(result.told)")
  }

  @Test func `that cannot be saved make the run fail, and the files stay`() throws {
    try place.directory.makeDirectory("jars")
    let service = FileService(["/f": .text("content")])
    let directory = place.directory.path("jars")
    let server = try ScriptedServer { request in
      // After the start, which looks at the directory.
      rmdir(directory)
      return service.steps(for: request)
    }
    let result = try place.run("-q", "--save-cookies", "jars/jar", server.url("/f"))
    #expect(result.status == 3 && place.holds("f", .text("content")), "\(result.told)")
    #expect(result.errorText == "swiftget: cannot save the cookies to jars/jar: No such file or directory\n")
  }

  @Test func `replace a link, and nothing else's file`() throws {
    try place.directory.write("elsewhere", "mine")
    #expect(symlink("elsewhere", place.directory.path("jar")) == 0)
    let server = try loginServer()
    #expect(try place.run("--save-cookies", "jar", "-o", "f", server.url("/login")).status == 0)
    #expect(try place.text("elsewhere") == "mine" && place.text("jar").contains("kept"))
  }

  @Test func `in files that are no use are refused before anything starts`() throws {
    let server = try loginServer()
    try place.directory.write("page", "<html>")
    for arguments in [
      ["--load-cookies", "none"], ["--load-cookies", "."], ["--load-cookies", "page"], ["--save-cookies", "none/jar"],
      ["--save-cookies", "."], ["--save-cookies", "/dev/null"], ["-b", "none"], ["--cookie-jar", "none/jar"],
    ] {
      let result = try place.run(place.invocation(arguments + [server.url("/f")]))
      #expect(result.status == 2 && result.errorText.contains(arguments[1]), "\(result.told)")
    }
    #expect(server.requests.isEmpty && place.names == ["page"])
  }
}
