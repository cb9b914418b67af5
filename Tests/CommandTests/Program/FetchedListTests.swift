import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `Running lists from URLs` {
  private let place: Workplace
  private static let a = Content.generated(seed: 61, byteCount: 50_000)
  private static let b = Content.text("b\n")

  init() throws { place = try Workplace() }

  private static func sums(_ names: String = "ab") throws -> String {
    "\(try a.hexDigest())  \(names.first!)\n\(try b.hexDigest()) *sub/\(names.last!)\n"
  }

  /// The files of a list in `/dir`, and lists.
  private func service(
    _ lists: [String: Content], _ configure: (inout FileService.Behaviour) -> Void = { _ in }
  ) -> FileService {
    let files: [String: Content] = ["/dir/a": Self.a, "/dir/sub/b": Self.b]
    return FileService(files.merging(lists) { _, list in list }, configure)
  }

  private func hasBoth(_ directory: String = "out") -> Bool {
    place.holds("\(directory)/a", Self.a) && place.holds("\(directory)/sub/b", Self.b)
  }

  // MARK: What is downloaded

  @Test func `names are found beside the list, whatever its query`() throws {
    let server = try ScriptedServer(service(["/dir/SHA256SUMS": .text(try Self.sums())]))
    let result = try place.run("-d", "out", "-i", server.url("/dir/SHA256SUMS?version=1"))
    #expect(result.status == 0 && hasBoth(), "\(result.told)")
    #expect(place.names == ["out"] && place.directory.names(in: "out") == ["a", "sub"])
    #expect(server.requests.map(\.target).sorted() == ["/dir/SHA256SUMS?version=1", "/dir/a", "/dir/sub/b"])
    #expect(!result.errorText.contains("SHA256SUMS"), "\(result.told)")
  }

  @Test func `names are found beside the list's final URL, or below the base URL`() throws {
    let other = try ScriptedServer(service(["/dir/SUMS": .text(try Self.sums())]))
    let server = try ScriptedServer(service([:]) { $0.redirects = ["/latest": other.url("/dir/SUMS")] })
    let result = try place.run("-v", "-d", "out", "-i", server.url("/latest"))
    #expect(result.status == 0 && hasBoth(), "\(result.told)")
    #expect(server.requests.count == 1 && other.requests.count == 3)
    #expect(
      result.errorText.contains(
        "swiftget: downloaded the list \(server.url("/latest")), 140 B; its names lead to \(other.url("/dir/"))\n"),
      "\(result.told)")
    let based = try place.run("-d", "again", "-i", server.url("/latest"), "--base-url", server.url("/dir"))
    #expect(based.status == 0 && hasBoth("again"), "\(based.told)")
    #expect(server.requests.count == 4)
  }

  @Test func `every format is read, and references are resolved`() throws {
    let digest = try Self.a.hexDigest()
    let lists: [(String, String)] = [
      ("urls", "a#sha256=\(digest)\nsub/b\n"), ("aria2", "/dir/a\n checksum=sha-256=\(digest)\n./sub/b\n dir=sub\n"),
      ("csv", "url,out,sha256\na,a,\(digest)\nsub/b,sub/b,\n"),
      (
        "jsonl",
        "{\"url\": \"a\", \"checksum\": \"sha256:\(digest)\"}\n{\"url\": \"../dir/sub/b\", \"out\": \"sub/b\"}\n"
      ),
      ("pooch", "a \(digest)\nsub/b \(try Self.b.hexDigest())\n"),
    ]
    for (format, list) in lists {
      let server = try ScriptedServer(service(["/dir/list": .text(list)]))
      let result = try place.run("-d", format, "-i", server.url("/dir/list"))
      #expect(result.status == 0 && place.holds("\(format)/a", Self.a), "\(format): \(result.told)")
      let name = format == "urls" ? "b" : "sub/b"
      #expect(place.holds("\(format)/\(name)", Self.b), "\(format)")
      #expect(server.requests.count == 3)
    }
  }

  @Test(
    arguments: [
      (.gzip, nil), (.gzip, "gzip"), (.gzip, "x-gzip"), (.xz, nil), (.zstd, nil), (.zstd, "zstd"),
    ] as [(Compressor, String?)])
  func `a compressed list is read, its coding named or not`(compressor: Compressor, coding: String?) throws {
    let list = compressor.compressed(try Self.sums())
    let files = service([:])
    let server = try ScriptedServer { request in
      guard request.path == "/dir/SUMS" else { return files.steps(for: request) }
      return [.respond(200, headers: coding.map { [("Content-Encoding", $0)] } ?? [], body: list)]
    }
    let result = try place.run("-d", "out", "-i", server.url("/dir/SUMS"))
    #expect(result.status == 0 && hasBoth(), "\(result.told)")
  }

  @Test func `several lists, local ones and URLs are one run`() throws {
    let server = try ScriptedServer(
      service(["/dir/one": .text("\(try Self.a.hexDigest())  a\n"), "/dir/two": .text("sub/b\n"), "/c": Self.b]))
    try place.directory.write("local", "\(server.url("/dir/a"))\n  out=d\n")
    let result = try place.run(
      "-i", server.url("/dir/one"), "-i", "local", "-i", server.url("/dir/two"), server.url("/c"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["a", "b", "c", "d", "local"])
    #expect(result.errorText.contains("4 files downloaded"))
  }

  @Test func `a list of a bare digest is named by its URL`() throws {
    let list = Content.text("\(try Self.a.hexDigest())\n")
    let server = try ScriptedServer(service(["/dir/f": list]) { $0.redirects = ["/x/a.sha256": "/dir/f"] })
    let result = try place.run("-i", server.url("/x/a.sha256"))
    #expect(result.status == 0 && place.holds("a", Self.a), "\(result.told)")
  }

  @Test func `a list with a digest behind its URL is verified`() throws {
    let sums = Content.text(try Self.sums())
    let server = try ScriptedServer(service(["/dir/SUMS": sums]))
    let url = server.url("/dir/SUMS")
    #expect(try place.run("-d", "out", "-i", "\(url)#sha256=\(try sums.hexDigest())").status == 0)
    let wrong = try place.run("-d", "other", "-i", "\(url)#sha256=\(String(repeating: "0", count: 64))")
    #expect(wrong.status == 9 && !place.names.contains("other"), "\(wrong.told)")
    #expect(wrong.errorText.contains("swiftget: cannot download the list \(url): the sha256 is "), "\(wrong.told)")
  }

  @Test func `nginx serves lists, plain and compressed`() throws {
    let server = try RealServer.nginx()
    try server.serve("dir/a", Self.a)
    try server.serve("dir/sub/b", Self.b)
    try server.serve("dir/SUMS", .text(try Self.sums()))
    try server.serve("dir/SUMS.xz", .bytes(Compressor.xz.compressed(try Self.sums())))
    for name in ["SUMS", "SUMS.xz"] {
      let result = try place.run("-d", name, "-i", server.url("/dir/\(name)"))
      #expect(result.status == 0 && hasBoth(name), "\(result.told)")
    }
  }

  // MARK: Faults

  @Test(arguments: [(404, 8), (401, 6), (503, 4)] as [(Int, Int32)])
  func `a list that is refused starts nothing`(answer: Int, status: Int32) throws {
    let server = try ScriptedServer { _ in [.respond(answer)] }
    let result = try place.run("-t", "2", "-d", "out", "-i", server.url("/SUMS?key=secret"), server.url("/a"))
    #expect(result.status == status && place.names.isEmpty, "\(result.told)")
    let message = "swiftget: cannot download the list \(server.url("/SUMS")): the server returned \(answer)"
    #expect(result.errorText.contains(message), "\(result.told)")
    #expect(!result.errorText.contains("secret") && server.requests.allSatisfy { $0.path == "/SUMS" })
  }

  @Test func `all lists that fail are named`() throws {
    let server = try ScriptedServer(service(["/dir/SUMS": .text(try Self.sums())]))
    let refusing = try RefusingPort()
    let result = try place.run(
      "-t", "1", "-i", server.url("/absent"), "-i", server.url("/dir/SUMS"), "-i", refusing.url("/SUMS"))
    #expect(result.status == 8 && place.names.isEmpty, "\(result.told)")
    #expect(result.errorText.contains(server.url("/absent")) && result.errorText.contains(refusing.url("/SUMS")))
  }

  @Test func `a failed attempt is repeated`() throws {
    let server = try ScriptedServer(
      service(["/dir/SUMS": .text(try Self.sums())]) { $0.failFirst = (2, 503, []) })
    let result = try place.run("-d", "out", "-i", server.url("/dir/SUMS"))
    #expect(result.status == 0 && hasBoth(), "\(result.told)")
  }

  /// Long lists, so that a part of one is on disk when the connection is cut.
  @Test(arguments: [true, false], [true, false])
  func `a cut list is completed, or begun again`(hasValidators: Bool, isChunked: Bool) throws {
    let comments = (0..<100_000).map { "# line \($0 &* 7_919)\n" }.joined()
    let list = Content.text(try Self.sums() + comments)
    let cuts = Locked(0)
    let files = service(["/dir/SUMS": list]) {
      $0.framing = isChunked ? .chunked : .contentLength
      if !hasValidators {
        $0.entityTag = .none
        $0.lastModified = nil
        $0.ignoresRanges = true
      }
    }
    let cutting = service(["/dir/SUMS": list]) {
      $0.framing = isChunked ? .chunked : .contentLength
      $0.cutAfter = 1_000_000
      if !hasValidators {
        $0.entityTag = .none
        $0.lastModified = nil
        $0.ignoresRanges = true
      }
    }
    let server = try ScriptedServer { request in
      guard request.path == "/dir/SUMS" else { return files.steps(for: request) }
      let number = cuts.withLock { cuts in
        cuts += 1
        return cuts
      }
      return (number <= 2 ? cutting : files).steps(for: request)
    }
    let result = try place.run("-d", "out", "-i", server.url("/dir/SUMS"))
    #expect(result.status == 0 && hasBoth(), "\(result.told)")
    #expect(server.requests.count { $0.path == "/dir/SUMS" } >= 2)
  }

  @Test func `a list that changes while it is downloaded is one version`() throws {
    let padding = (0..<100_000).map { "# line \($0 &* 7_919)\n" }.joined()
    let second = Content.text(try Self.sums() + padding)
    let first = Content.text(try Self.sums("xy") + padding + "# end\n")
    let server = try ScriptedServer(
      service(["/dir/SUMS": first]) {
        $0.cutAfter = 1_000_000
        $0.changesAfter = .requests(1)
        $0.replacements = ["/dir/SUMS": second]
      })
    let result = try place.run("-t", "20", "-d", "out", "-i", server.url("/dir/SUMS"))
    #expect(result.status == 0 && hasBoth(), "\(result.told)")
  }

  @Test(arguments: [
    "<!DOCTYPE html>\n<html><body>Please log in</body></html>\n", "\n  <html>\n", "<?xml version=\"1.0\"?>\n<rss/>\n",
  ])
  func `a page instead of a list is told`(page: String) throws {
    let server = try ScriptedServer(service(["/dir/SUMS": .text(page)]))
    for format in [[], ["--input-format", "checksums"]] {
      let result = try place.run(place.invocation(format + ["-i", server.url("/dir/SUMS")]))
      #expect(result.status == 2 && place.names.isEmpty, "\(result.told)")
      #expect(
        result.errorText.hasPrefix("swiftget: \(server.url("/dir/SUMS")): the list looks like HTML or XML\nhint: "),
        "\(result.told)")
      #expect(result.errorText.split(separator: "\n").count == 2)
    }
  }

  @Test func `a coding that cannot be read is told`() throws {
    let server = try ScriptedServer(service(["/dir/SUMS": .text("x")]) { $0.contentEncoding = "br" })
    let result = try place.run("-i", server.url("/dir/SUMS"))
    #expect(result.status == 7 && result.errorText.contains("Content-Encoding br"), "\(result.told)")
  }

  @Test func `lines are told with the list's URL`() throws {
    let server = try ScriptedServer(service(["/dir/SUMS": .text("\(try Self.sums())no sum\n")]))
    let result = try place.run("-i", server.url("/dir/SUMS?key=secret"))
    #expect(result.status == 2 && server.requests.count == 1, "\(result.told)")
    #expect(result.errorText.contains("swiftget: \(server.url("/dir/SUMS")):3: "), "\(result.told)")
    #expect(!result.errorText.contains("secret"))
  }

  @Test(arguments: [("ftp://127.0.0.1/SUMS", "ftp is not supported"), ("file:///etc/passwd", "file is not supported")])
  func `a URL of another scheme is refused`(url: String, reason: String) throws {
    let result = try place.run("-i", url)
    #expect(result.status == 2 && result.errorText.contains(reason), "\(result.told)")
    #expect(try place.run("--check", "-i", "https://example.org/SUMS").status == 2)
  }

  @Test func `the longest file that is allowed is no limit for a list`() throws {
    let list = String(repeating: "# a comment\n", count: 1000) + "\(try Self.b.hexDigest())  sub/b\n"
    let server = try ScriptedServer(service(["/dir/SUMS": .text(list)]))
    let result = try place.run("-d", "out", "--max-filesize", "1000", "-i", server.url("/dir/SUMS"))
    #expect(result.status == 0 && place.holds("out/sub/b", Self.b), "\(result.told)")
  }

  @Test func `a redirect to another scheme is refused`() throws {
    let server = try ScriptedServer(service([:]) { $0.redirects = ["/SUMS": "file:///etc/passwd"] })
    let result = try place.run("-i", server.url("/SUMS"))
    #expect(result.status != 0 && result.errorText.contains("redirect refused"), "\(result.told)")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal ends the download of a list`(signal: Int32, status: Int32) throws {
    let server = try ScriptedServer { _ in [.stall(nil)] }
    let program = try place.start("-i", server.url("/SUMS"))
    #expect(eventually { !server.requests.isEmpty })
    let sent = monotonicSeconds()
    program.kill(signal)
    let result = program.wait()
    #expect(result.status == status && monotonicSeconds() - sent < 15, "\(result.told)")
    #expect(result.errorText.contains("interrupted") && place.names.isEmpty, "\(result.told)")
  }

  /// A pipe without a writer blocks outside the loop that handles signals.
  @Test func `a signal ends the reading of the lists behind it`() throws {
    #if THREAD_SANITIZER
      // ThreadSanitizer delays signals until `open` returns.
      return print("not run under ThreadSanitizer")
    #else
      try expectEndOfReading()
    #endif
  }

  private func expectEndOfReading() throws {
    let server = try ScriptedServer(service(["/dir/SUMS": .text(try Self.sums())]))
    #expect(mkfifo(place.directory.path("pipe"), 0o600) == 0)
    let program = try place.start("-v", "-i", server.url("/dir/SUMS"), "-i", "pipe")
    #expect(eventually { program.errorSoFar.contains("downloaded the list") })
    pause(seconds: 0.3)
    program.kill(SIGINT)
    let result = program.wait()
    #expect(result.status == 130 && server.requests.count == 1, "\(result.told)")
  }
}
