import Glibc
import TestSupport
import Testing

/// Names from Content-Disposition fields, and directories from URLs.
@Suite(.waiting) struct `Names from servers and URLs` {
  private let place: Workplace
  private static let small = Content.text("0123456789")
  private static let other = Content.text("abcdefghij")

  init() throws { place = try Workplace() }

  private static let option = "--content-disposition"

  /// - Parameter names: a name by the query of the URL; others get no field.
  private func server(_ content: Content, suggesting names: [String: String]) throws -> (ScriptedServer, FileService) {
    let service = FileService(["/get": content, "/other": Self.other])
    let server = try ScriptedServer { request in
      let query = request.target.split(separator: "?").dropFirst().first.map(String.init) ?? ""
      guard let name = names[query] else { return service.steps(for: request) }
      let field = "Content-Disposition: attachment; filename=\"\(name)\"\r\n"
      return service.steps(for: request).map { Self.inserting(field, in: $0) }
    }
    return (server, service)
  }

  /// Inserts a field behind the status line.
  private static func inserting(_ field: String, in step: Step) -> Step {
    guard case .send(let bytes) = step, bytes.starts(with: "HTTP/1.1".utf8), let end = bytes.firstIndex(of: 10) else {
      return step
    }
    return .send(Array(bytes[...end] + Array(field.utf8) + bytes[(end + 1)...]))
  }

  @Test func `the answer names the file, and the next run keeps it`() throws {
    let (server, _) = try server(Self.small, suggesting: ["id=1": "../../e/pass wd"])
    let result = try place.run(Self.option, server.url("/get?id=1"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["pass wd"] && place.holds("pass wd", Self.small))
    #expect(result.errorText.contains("pass wd"), "\(result.errorText)")
    let second = try place.run("--progress", "json", Self.option, server.url("/get?id=1"))
    #expect(second.status == 0 && second.outputText.contains("\"kept\""), "\(second.outputText)")
    #expect(place.names == ["pass wd"])
  }

  @Test(arguments: [["--name-from", "last-url"], ["--trust-server-names"]])
  func `the URL to which redirects lead names the file`(arguments: [String]) throws {
    let service = FileService(["/files/real.bin": Self.small, "/plain": Self.other, "/.hidden": Self.other])
    let server = try ScriptedServer { request in
      switch request.target {
      case "/latest": [.respond(302, headers: [("Location", "/moved")])]
      case "/moved": [.respond(302, headers: [("Location", "/files/real.bin?token=1")])]
      case "/sly": [.respond(302, headers: [("Location", "/.hidden")])]
      case "/up": [.respond(302, headers: [("Location", "/files/%2e%2e%2freal.bin")])]
      case "/files/%2e%2e%2freal.bin": [.respond(200, body: Array("up".utf8))]
      default: service.steps(for: request)
      }
    }
    let result = try place.run(
      place.invocation(arguments + ["latest", "plain", "sly", "up"].map { server.url("/\($0)") }))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["___real.bin", "_hidden", "plain", "real.bin"], "\(place.names)")
    #expect(place.holds("real.bin", Self.small))
    // What exists under such a name is not replaced.
    try place.directory.write("real.bin", "mine")
    let again = try place.run(place.invocation(arguments + [server.url("/latest")]))
    #expect(again.status != 0, "\(again.told)")
    #expect(try place.text("real.bin") == "mine")
    let usual = try place.run("-d", "t", "--name-from", "url", server.url("/latest"))
    #expect(usual.status == 0 && place.directory.names(in: "t") == ["latest"], "\(usual.told)")
  }

  @Test func `without the option, or with -o, the field is ignored`() throws {
    let (server, _) = try server(Self.small, suggesting: ["id=1": "x"])
    #expect(try place.run(server.url("/get?id=1")).status == 0)
    #expect(try place.run(Self.option, "-o", "mine", server.url("/get?id=1")).status == 0)
    #expect(place.names == ["get", "mine"])
  }

  @Test func `without a usable field the URL names the file`() throws {
    let (server, _) = try server(Self.small, suggesting: ["id=1": "", "id=2": "..", "id=3": "x.swiftget"])
    #expect(try place.run(Self.option, "-d", "1", server.url("/get?id=1")).status == 0)
    #expect(try place.run(Self.option, "-d", "2", server.url("/get?id=2")).status == 0)
    #expect(try place.run(Self.option, "-d", "3", server.url("/get?id=3")).status == 0)
    #expect(fileExists(place.directory.path("1/get")) && fileExists(place.directory.path("2/__")))
    #expect(fileExists(place.directory.path("3/get")))
  }

  @Test func `a file that is there is not overwritten`() throws {
    let (server, _) = try server(Self.small, suggesting: ["id=1": "x"])
    try place.directory.write("x", "my own words")
    let result = try place.run(Self.option, server.url("/get?id=1"))
    #expect(result.status == 9, "\(result.told)")
    #expect(place.names == ["x"] && place.holds("x", .text("my own words")))
    let replaced = try place.run(Self.option, "--if-exists", "replace", server.url("/get?id=1"))
    #expect(replaced.status == 0 && place.holds("x", Self.small), "\(replaced.told)")
  }

  @Test(arguments: [[], ["-N"], ["--checksum"]], ["my own words", "0123456789", "9876543210"])
  func `a file that did not come from the URL is not replaced`(options: [String], text: String) throws {
    let (server, _) = try server(Self.small, suggesting: ["id=1": "x"])
    try place.directory.write("x", text)
    // Older than the server's.
    #expect(utimes(place.directory.path("x"), [timeval(tv_sec: 9, tv_usec: 0), timeval(tv_sec: 9, tv_usec: 0)]) == 0)
    let arguments = options == ["--checksum"] ? options + ["sha256:\(try Self.small.hexDigest())"] : options
    let result = try place.run(place.invocation([Self.option] + arguments + [server.url("/get?id=1")]))
    #expect(place.names == ["x"] && place.holds("x", .text(text)), "\(result.told)")
    // One of equal length is kept, as elsewhere, if no digest contradicts.
    let isKept = text == "0123456789" || text.utf8.count == 10 && options != ["--checksum"]
    #expect((result.status == 0) == isKept && (isKept || result.errorText.contains("hint: ")), "\(result.told)")
  }

  @Test func `a file that came from the URL is replaced by a newer one`() throws {
    let (server, service) = try server(Self.small, suggesting: ["id=1": "x"])
    #expect(try place.run(Self.option, "-N", server.url("/get?id=1")).status == 0)
    service.change {
      $0.replacements = ["/get": Self.other]
      $0.changesAfter = .requests(0)
    }
    let result = try place.run(Self.option, "-N", server.url("/get?id=1"))
    #expect(result.status == 0 && place.holds("x", Self.other), "\(result.told)")
  }

  @Test func `the unfinished file of another URL is not replaced`() throws {
    let (server, service) = try server(mediumFile, suggesting: ["id=1": "x"])
    service.change { $0.bytesPerSecondOfServer = 4e6 }
    let program = try place.start("-o", "x", server.url("/get?id=2"))
    #expect(eventually { server.bodyBytesSent >= 2_000_000 || !program.isRunning })
    program.kill()
    #expect(program.wait().signal == 9)
    service.change {
      $0.bytesPerSecondOfServer = nil
      $0.redirects = ["/else": "/get?id=1"]
    }
    let result = try place.run(Self.option, server.url("/else"))
    #expect(result.status == 3 && result.errorText.contains("another unfinished download"), "\(result.told)")
    #expect(place.names == ["x.swiftget", "x.swiftget-part"])
    let next = try place.run("-v", "-o", "x", server.url("/get?id=2"))
    #expect(next.status == 0 && next.errorText.contains("resuming") && place.names == ["x"], "\(next.told)")
  }

  @Test func `URLs that differ in their queries are different files`() throws {
    let (server, _) = try server(Self.small, suggesting: ["id=1": "one", "id=2": "two"])
    let result = try place.run(Self.option, server.url("/get?id=1"), server.url("/get?id=2"), server.url("/get?id=2"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["one", "two"])
  }

  @Test func `a second file of one name fails, be its length the same`() throws {
    let (server, _) = try server(Self.small, suggesting: ["id=1": "x", "id=2": "x"])
    let result = try place.run("-j", "1", Self.option, server.url("/get?id=1"), server.url("/other?id=2"))
    #expect(result.status == 3 && result.errorText.contains("already has this name"), "\(result.told)")
    #expect(place.names == ["x"] && place.holds("x", Self.small))
  }

  @Test func `a name that a list gives is not given twice`() throws {
    let (server, _) = try server(Self.small, suggesting: ["id=1": "x"])
    try place.directory.write("list", "\(server.url("/other"))\n  out=x\n\(server.url("/get?id=1"))\n")
    let result = try place.run("-j", "1", Self.option, "-i", "list")
    #expect(result.status == 3, "\(result.told)")
    #expect(place.names == ["list", "x"] && place.holds("x", Self.other))
  }

  @Test func `an interrupted file goes on under its name`() throws {
    let (server, service) = try server(mediumFile, suggesting: ["id=1": "image.iso"])
    service.change { $0.bytesPerSecondOfServer = 4e6 }
    let program = try place.start(Self.option, server.url("/get?id=1"))
    #expect(eventually { server.bodyBytesSent >= 2_000_000 || !program.isRunning })
    pause(seconds: 0.6)
    program.kill()
    #expect(program.wait().signal == 9)
    #expect(place.names == ["image.iso.swiftget", "image.iso.swiftget-part"])
    service.change { $0.bytesPerSecondOfServer = nil }
    let result = try place.run("-v", Self.option, server.url("/get?id=1"))
    #expect(result.status == 0 && place.holds("image.iso", mediumFile), "\(result.told)")
    #expect(result.errorText.contains("resuming"), "\(result.errorText)")
    #expect(place.names == ["image.iso"])
  }

  @Test func `redirects and errors name nothing`() throws {
    let (server, service) = try server(Self.small, suggesting: ["": "wrong", "id=1": "right"])
    service.change { $0.redirects = ["/other": "/get?id=1"] }
    let result = try place.run(Self.option, server.url("/other"))
    #expect(result.status == 0 && place.names == ["right"], "\(result.told)")
    #expect(try place.run(Self.option, server.url("/none")).status == 8)
    #expect(place.names == ["right"])
  }

  @Test func `the directories of a URL are made`() throws {
    let service = FileService(["/pub/a/f": Self.small, "/pub/b/f": Self.other])
    let server = try ScriptedServer(service)
    let host = "127.0.0.1:\(server.port)"
    let urls = [server.url("/pub/a/f"), server.url("/pub/b/f")]
    #expect(try place.run(place.invocation(["--force-directories"] + urls)).status == 0)
    #expect(place.holds("\(host)/pub/a/f", Self.small) && place.holds("\(host)/pub/b/f", Self.other))
    #expect(
      try place.run(place.invocation(["--force-directories", "-nH", "--cut-dirs=1", "-d", "t"] + urls)).status == 0)
    #expect(place.holds("t/a/f", Self.small) && place.holds("t/b/f", Self.other))
    #expect(place.names == [host, "t"])
  }

  @Test func `a template names the files of URLs and lists`() throws {
    let service = FileService(["/pub/a/f.gz": Self.small, "/pub/b/f.gz": Self.other])
    let server = try ScriptedServer(service)
    let host = "127.0.0.1:\(server.port)"
    let urls = [server.url("/pub/a/f.gz"), server.url("/pub/b/f.gz")]
    #expect(try place.run(place.invocation(["--output-template", "{host}/{path}/{n}.{ext}"] + urls)).status == 0)
    #expect(place.holds("\(host)/pub/a/1.gz", Self.small) && place.holds("\(host)/pub/b/2.gz", Self.other))
    // The names of a checksum list, and the same files checked.
    try place.directory.write(
      "sums", "\(try Self.small.hexDigest())  a/f.gz\n\(try Self.other.hexDigest())  b/f.gz\n")
    let options = ["--output-template={path}_{name}", "-d", "t", "-i", "sums", "--base-url", server.url("/pub/")]
    #expect(try place.run(place.invocation(options)).status == 0)
    #expect(place.holds("t/pub/a_f.gz", Self.small) && place.holds("t/pub/b_f.gz", Self.other))
    #expect(try place.run(place.invocation(options + ["--check"])).status == 0)
    // out= in a list gives {name}; dir= stays.
    try place.directory.write("list", "\(urls[0])\n out=x/new.name\n dir=sub\n")
    #expect(try place.run("-i", "list", "-d", "u", "--output-template", "{ext}-{stem}").status == 0)
    #expect(place.holds("u/sub/name-new", Self.small))
  }

  @Test func `a template may begin with a directory that a URL does not have`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("f")]))
    let result = try place.run("--output-template", "{path}/{name}", server.url("/f"))
    #expect(result.status == 0 && place.names == ["f"], "\(result.told)")
  }

  @Test func `a template that gives two files one name is refused`() throws {
    let server = try ScriptedServer(FileService(["/a/f": Self.small, "/b/f": Self.other]))
    let result = try place.run("--output-template", "x-{name}", server.url("/a/f"), server.url("/b/f"))
    #expect(result.status == 2 && result.errorText.contains("would both be written to x-f"), "\(result.told)")
    #expect(server.requests.isEmpty && place.names.isEmpty)
  }

  @Test(arguments: [
    (["--output-template", "{0}"], "'0' is not a field"), (["--output-template", "{size}"], "no column for {size}"),
    (["--output-template", "{name"], "counterpart"),
    (["--output-template", "x"], "names all files alike"), (["--output-template", "/x/{name}"], "begins with a slash"),
    (["--output-template", "../{name}"], "'..'"), (["--output-template", "{n}", "-o", "x"], "contradicts --output\n"),
    (["--output-template", "{n}", "--content-disposition"], "contradicts --content-disposition"),
    (["--output-template", "{n}", "--name-from", "last-url"], "contradicts --name-from"),
    (["--name-from", "server"], "url, last-url"),
    (["--output-template", "{n}", "--force-directories"], "contradicts --force-directories"),
    (["--output-template", "{n}", "--strip-components=1"], "contradicts --strip-components"),
  ])
  func `a template is refused with a remedy`(arguments: [String], words: String) throws {
    let result = try place.run(place.invocation(arguments + ["http://127.0.0.1:9/a"]))
    #expect(result.status == 2 && result.errorText.contains(words), "\(result.told)")
  }

  @Test func `a check of a list without URLs cannot fill in fields of the URL`() throws {
    try place.directory.write("sums", "\(try Self.small.hexDigest())  f\n")
    let result = try place.run("--check", "-i", "sums", "--output-template", "{host}/{name}")
    #expect(result.status == 2 && result.errorText.contains("--base-url"), "\(result.told)")
    #expect(!result.errorText.contains("localhost"), "\(result.told)")
    #expect(try place.run("--check", "-i", "sums", "--output-template", "x-{name}").status == 9)
  }
}
