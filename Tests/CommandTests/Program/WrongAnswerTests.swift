import Glibc
import TestSupport
import Testing

/// Answers that contradict the known version. The file is always of one version or absent.
@Suite(.waiting) struct `Contradictory answers` {
  private let place: Workplace
  private let tag = (name: "ETag", value: "\"\(mediumFile.tag)\"")

  init() throws { place = try Workplace() }

  /// Kills the program after about a third of the file is recorded.
  private func runThird(_ server: ScriptedServer, _ arguments: [String] = [], file: String = "/f") throws {
    let before = server.bodyBytesSent
    let program = try SpawnedProgram(place.invocation(arguments + [server.url(file)]))
    #expect(eventually { server.bodyBytesSent >= before + 2_000_000 || !program.isRunning })
    pause(seconds: 0.6)
    program.kill()
    let result = program.wait()
    #expect(result.signal == 9, "\(result.told)")
    #expect(place.names.contains("f.swiftget-part"))
  }

  /// Checks that the file is right, or absent with a failure status.
  private func expectRightOrAbsent(_ result: ProgramResult, _ content: Content = mediumFile) {
    if result.status == 0 {
      #expect(place.holds("f", content), "\(result.told)")
    } else {
      #expect(!place.names.contains("f"), "\(result.told)")
    }
  }

  private static func bounds(_ range: String) -> Range<Int64> {
    let bounds = range.dropFirst(6).split(separator: "-").compactMap { Int64($0) }
    return bounds[0]..<(bounds.count > 1 ? bounds[1] + 1 : mediumFile.byteCount)
  }

  enum Fragment: CaseIterable { case contentRange, sameTag, otherTag, noTag, chunked }

  @Test(arguments: Fragment.allCases)
  func `a fragment under status 200 is never the file`(fragment: Fragment) throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let server = try ScriptedServer { [tag] request in
      guard let range = request.rangeHeader.map(Self.bounds) else { return service.steps(for: request) }
      let body = mediumFile.bytes(in: range)
      switch fragment {
      case .contentRange:
        let told = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(mediumFile.byteCount)"
        return [.respond(200, headers: [tag, ("Content-Range", told)], body: body)]
      case .sameTag: return [.respond(200, headers: [tag], body: body)]
      case .otherTag: return [.respond(200, headers: [("ETag", "\"fragment\"")], body: body)]
      case .noTag: return [.respond(200, body: body)]
      case .chunked:
        let head = responseHead(200, [tag, ("Transfer-Encoding", "chunked")])
        return [.send(head), .sendBody(Body(mediumFile, range, isChunked: true))]
      }
    }
    try runThird(server)
    service.change { $0.bytesPerSecondOfServer = nil }
    let result = try place.run(server.url("/f"))
    // The answer to a plain GET is right, so the file can be downloaded.
    #expect(result.status == 0 && place.holds("f", mediumFile) && place.names == ["f"], "\(result.told)")
  }

  @Test(arguments: ["application/json", "text/html", "text/plain"])
  func `an error page with status 200 never replaces an identified version`(type: String) throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let page = Content.text(String(repeating: "{\"error\":\"busy\"}\n", count: 256))
    let isBusy = Locked(false)
    let server = try ScriptedServer { request in
      guard isBusy.withLock({ $0 }) else { return service.steps(for: request) }
      let head = responseHead(200, [("Content-Type", type), ("Transfer-Encoding", "chunked")])
      return [.send(head), .sendBody(Body(page, isChunked: true))]
    }
    try runThird(server)
    isBusy.withLock { $0 = true }
    let busy = try place.run("-t", "3", server.url("/f"))
    #expect(busy.status == 7 && !place.names.contains("f"), "\(busy.told)")
    #expect(place.names.contains("f.swiftget-part"), "what was there is kept")
    isBusy.withLock { $0 = false }
    service.change { $0.bytesPerSecondOfServer = nil }
    let before = server.bodyBytesSent
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(server.bodyBytesSent - before < 5_500_000, "it goes on")
  }

  @Test(arguments: [403, 416])
  func `if ranges are refused, one plain GET is used`(status: Int) throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let server = try ScriptedServer { request in
      request.rangeHeader == nil ? service.steps(for: request) : [.respond(status)]
    }
    try runThird(server)
    service.change { $0.bytesPerSecondOfServer = nil }
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile) && place.names == ["f"], "\(result.told)")
    #expect(server.requests.count < 12, "\(server.requests.count)")
  }

  @Test(arguments: ["data.he5", "data"])
  func `a login page of another host is not taken for a file that is none`(name: String) throws {
    let login = try ScriptedServer { _ in
      [.respond(200, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array("<h1>Log in</h1>".utf8))]
    }
    let target = login.url("/login").replacing("127.0.0.1", with: "localhost")
    let server = try ScriptedServer { _ in [.respond(302, headers: [("Location", target)])] }
    let result = try place.run(server.url("/" + name))
    let isFile = name.contains(".")
    #expect(result.status == (isFile ? 8 : 0) && place.names == (isFile ? [] : [name]), "\(result.told)")
    #expect(result.errorText.contains(isFile ? "--accept-html" : "login page"), "\(result.told)")
    let accepted = try place.run("--accept-html", "--if-exists", "replace", server.url("/" + name))
    #expect(accepted.status == 0 && place.holds(name, .text("<h1>Log in</h1>")), "\(accepted.told)")
  }

  @Test func `a coded body is not resumed`() throws {
    // The coded body is shorter and has the same entity tag.
    let service = FileService(["/f": mediumFile]) {
      $0.bytesPerSecondOfServer = 4e6
      $0.contentEncoding = "gzip"
    }
    let server = try ScriptedServer(service)
    try runThird(server)
    service.change {
      $0.bytesPerSecondOfServer = nil
      $0.contentEncoding = nil
    }
    let before = server.bodyBytesSent
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(server.bodyBytesSent - before >= mediumFile.byteCount, "from zero")
  }

  // MARK: Digests

  private func field(_ content: Content, _ algorithm: String = "sha256") throws -> (name: String, value: String) {
    let hex = try content.hexDigest(algorithm)
    let bytes = stride(from: 0, to: hex.count, by: 2).map { offset in
      let start = hex.index(hex.startIndex, offsetBy: offset)
      return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)!
    }
    return ("Repr-Digest", "\(algorithm == "sha256" ? "sha-256" : "sha-512")=:\(base64(bytes)):")
  }

  @Test(arguments: [false, true])
  func `a digest from the server in the first run counts in the second`(isTold: Bool) throws {
    // Only the digest distinguishes the versions: no validators, equal lengths.
    let digest = try field(mediumFile)
    let service = FileService(["/f": mediumFile]) {
      $0.entityTag = .none
      $0.lastModified = nil
      $0.extraHeaders = [digest]
      $0.bytesPerSecondOfServer = 4e6
    }
    let server = try ScriptedServer(service)
    try runThird(server)
    service.change {
      $0.bytesPerSecondOfServer = nil
      $0.replacements = ["/f": otherMediumFile]
      $0.changesAfter = .requests(0)
      if !isTold { $0.extraHeaders = [] }
    }
    let result = try place.run(server.url("/f"))
    // If the server still claims the old digest, its content is wrong.
    #expect(result.status == (isTold ? 9 : 0), "\(result.told)")
    expectRightOrAbsent(result, otherMediumFile)
  }

  @Test func `bytes of two mirrors that were combined because of a claimed digest must match it in the next run`()
    throws
  {
    let digest = try field(mediumFile)
    let told = FileService(["/f": mediumFile]) {
      $0.extraHeaders = [digest]
      $0.bytesPerSecondOfServer = 1e6
    }
    let first = try ScriptedServer(told)
    let second = try ScriptedServer(FileService(["/f": otherMediumFile]) { $0.bytesPerSecondOfServer = 1e6 })
    let program = try SpawnedProgram(place.invocation(["--mirror", second.url("/f"), first.url("/f")]))
    #expect(eventually { min(first.bodyBytesSent, second.bodyBytesSent) >= 1_000_000 || !program.isRunning })
    pause(seconds: 0.6)
    program.kill()
    _ = program.wait()
    #expect(place.names.contains("f.swiftget-part"))
    told.change {
      $0.extraHeaders = []
      $0.bytesPerSecondOfServer = nil
    }
    let result = try place.run(first.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
  }

  @Test func `bytes that were kept because of a checksum must match it in the next run`() throws {
    let service = FileService(["/f": mediumFile]) {
      $0.entityTag = .none
      $0.lastModified = nil
      $0.bytesPerSecondOfServer = 4e6
    }
    let server = try ScriptedServer(service)
    try runThird(server, ["--checksum", "sha256:\(try mediumFile.hexDigest())"])
    service.change {
      $0.bytesPerSecondOfServer = nil
      $0.replacements = ["/f": otherMediumFile]
      $0.changesAfter = .requests(0)
    }
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", otherMediumFile), "\(result.told)")
    #expect(!result.errorText.contains("verified"), "\(result.told)")
  }

  @Test func `two mirrors are not combined when the claimed digest is missing`() throws {
    let digest = try field(mediumFile)
    let good = FileService(["/f": mediumFile]) {
      $0.extraHeaders = [digest]
      $0.cutAfter = 2_500_000
    }
    let first = try ScriptedServer { request in
      request.connectionIndex == 0 && request.indexOnConnection == 0 ? good.steps(for: request) : [.reset]
    }
    let second = try ScriptedServer(FileService(["/f": otherMediumFile]) { $0.ignoresRanges = true })
    let result = try place.run("-t", "2", "--mirror", second.url("/f"), first.url("/f"))
    expectRightOrAbsent(result, otherMediumFile)
  }

  @Test func `a digest of another algorithm in a later answer verifies nothing`() throws {
    let service = FileService(["/f": mediumFile]) { $0.cutAfter = 2_500_000 }
    let digests = [try field(mediumFile), try field(otherMediumFile, "sha512")]
    let server = try ScriptedServer { request in
      service.change { $0.extraHeaders = [request.index == 0 ? digests[0] : digests[1]] }
      return service.steps(for: request)
    }
    let result = try place.run("-x", "1", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(result.errorText.contains("sha256 verified (told by the server)"), "\(result.told)")
    #expect(try place.attribute("user.swiftget.verified", of: "f")?.hasPrefix("sha512") != true)
  }

  @Test func `a resumed stream must match the server's digest`() throws {
    let digest = try field(otherMediumFile)
    let service = FileService(["/f": mediumFile]) { $0.ignoresRanges = true }
    let server = try ScriptedServer { request in
      service.change {
        $0.extraHeaders = request.index == 0 ? [digest] : []
        $0.cutAfter = request.index == 0 ? 2_500_000 : nil
      }
      return service.steps(for: request)
    }
    let result = try place.run("-o", "-", server.url("/f"))
    #expect(result.status == 9, "\(result.told)")
  }

  @Test func `a digest in a 206 counts`() throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let server = try ScriptedServer(service)
    try runThird(server)
    let wrong = try field(otherMediumFile)
    service.change {
      $0.bytesPerSecondOfServer = nil
      $0.extraHeaders = [wrong]
    }
    let result = try place.run("-x", "1", server.url("/f"))
    #expect(result.status == 9 && !place.names.contains("f"), "\(result.told)")
  }

  @Test func `only a digest from outside verifies`() throws {
    let server = try ScriptedServer { _ in
      [.send(responseHead(200, [])), .sendBody(Body(mediumFile)), .close]
    }
    let result = try place.run("--progress", "json", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(result.outputText.contains("\"digest\":null"), "\(result.outputText)")
    #expect(try place.attribute("user.shatag.sha256", of: "f") == nil)
    #expect(try place.attribute("user.swiftget.verified", of: "f")?.hasPrefix("whole-transfer") == true)
  }

  @Test func `a file that is kept unread is not reported as verified`() throws {
    let digest = "sha256:" + (try mediumFile.hexDigest())
    try place.directory.write("f", "something else")
    symlink("nowhere", place.directory.path("g"))
    for name in ["f", "g"] {
      let result = try place.run(
        "-v", "--if-exists", "keep", "--checksum", digest, "-o", name, "http://127.0.0.1:9/f")
      #expect(result.status == 0 && !result.errorText.contains("verified"), "\(result.told)")
    }
  }

  // MARK: Updates

  @Test func `an update keeps a newer local file`() throws {
    let server = try ScriptedServer { request in
      // Compares for equality only, as nginx does.
      FileService(["/f": .text("the server's")]) { $0.lastModified = ("Wed, 01 Jan 2025 10:00:00 GMT", "") }
        .steps(
          for: request.header("If-Modified-Since") == "Wed, 01 Jan 2025 10:00:00 GMT"
            ? request : request.unconditional)
    }
    try place.directory.write("f", "newer, and mine")
    let result = try place.run("-N", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", .text("newer, and mine")), "\(result.told)")
    setModificationTime(place.directory.path("f"), 1_700_000_000)
    let older = try place.run("-N", server.url("/f"))
    #expect(older.status == 0 && place.holds("f", .text("the server's")), "\(older.told)")
  }

  @Test func `an interrupted update is resumed`() throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let server = try ScriptedServer(service)
    try place.directory.write("f", "old")
    setModificationTime(place.directory.path("f"), 1_600_000_000)
    try runThird(server, ["-N"])
    #expect(place.holds("f", .text("old")), "it stays until then")
    service.change { $0.bytesPerSecondOfServer = nil }
    let before = server.bodyBytesSent
    let result = try place.run("-N", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile) && place.names == ["f"], "\(result.told)")
    #expect(server.bodyBytesSent - before < 5_500_000, "\(server.bodyBytesSent - before)")
    let again = try place.run("-N", server.url("/f"))
    #expect(again.status == 0 && server.requests.last?.header("If-None-Match") == tag.value, "\(again.told)")
  }

  @Test func `an update detects a change within one second by the entity tag`() throws {
    let service = FileService(["/f": .text("first")]) { $0.lastModified?.second = "Wed, 01 Jan 2025 10:00:00 GMT" }
    let server = try ScriptedServer(service)
    #expect(try place.run("-N", server.url("/f")).status == 0)
    service.change {
      $0.replacements = ["/f": .text("other")]
      $0.changesAfter = .requests(0)
    }
    let result = try place.run("-N", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", .text("other")), "\(result.told)")
  }
}

private func setModificationTime(_ path: String, _ seconds: Int) {
  var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
  #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
}

private func base64(_ bytes: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var text = ""
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = Array(bytes[start..<min(start + 3, bytes.count)])
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for index in 0..<4 {
      text.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : "=")
    }
  }
  return text
}
