import TestSupport
import Testing

@Suite(.waiting) struct `Awkward servers` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  // MARK: Bodies of unknown length

  @Test func `a chunked body that ends is complete`() throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile]) { $0.framing = .chunked })
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [false, true])
  func `a chunked body that breaks off is incomplete`(ignoresRanges: Bool) throws {
    let server = try ScriptedServer(
      FileService(["/f": mediumFile]) {
        $0.framing = .chunked
        $0.cutAfter = 1_000_000
        $0.ignoresRanges = ignoresRanges
      })
    let result = try place.run("-t", "3", server.url("/f"))
    // Ranges bring the rest and the length.
    #expect(result.status == (ignoresRanges ? 4 : 0), "\(result.told)")
    #expect(ignoresRanges ? !place.names.contains("f") : place.holds("f", mediumFile))
  }

  /// Each answer is close-delimited and ends after the given number of bytes.
  private func closeDelimited(_ lengths: [Int64]) throws -> ScriptedServer {
    try ScriptedServer { request in
      let length = lengths[min(request.index, lengths.count - 1)]
      return [.send(responseHead(200, [("Connection", "close")])), .sendBody(Body(mediumFile, 0..<length)), .close]
    }
  }

  @Test func `a close-delimited body is accepted if a second one agrees`() throws {
    let server = try closeDelimited([mediumFile.byteCount])
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(server.requests.count == 2)
  }

  @Test func `a truncated close-delimited body is not accepted`() throws {
    let server = try closeDelimited([2_000_000, mediumFile.byteCount])
    let result = try place.run(server.url("/f"))
    if result.status == 0 {
      #expect(place.holds("f", mediumFile))
    } else {
      #expect(result.status == 9 || result.status == 4, "\(result.told)")
      #expect(!place.names.contains("f"))
    }
    let never = try closeDelimited((1...40).map { 100_000 * $0 })
    let second = try Workplace().run("-t", "3", never.url("/g"))
    #expect(second.status == 9 || second.status == 4, "\(second.told)")
    #expect(never.requests.count < 20)
  }

  @Test func `a digest or --allow-unconfirmed accepts the first body`() throws {
    let server = try closeDelimited([mediumFile.byteCount])
    let result = try place.run("--checksum", "sha256:\(try mediumFile.hexDigest())", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(server.requests.count == 1)
    let other = try closeDelimited([mediumFile.byteCount])
    let second = try place.run("--allow-unconfirmed", other.url("/g"))
    #expect(second.status == 0 && place.holds("g", mediumFile), "\(second.told)")
    #expect(other.requests.count == 1)
  }

  @Test func `a body shorter than announced is resumed`() throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile]) { $0.cutAfter = 700_001 })
    // What several connections have under way when segments are divided depends on the machine.
    let result = try place.run("-x", "1", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(server.bodyBytesSent < mediumFile.byteCount * 11 / 10)
    let other = try ScriptedServer(FileService(["/f": mediumFile]) { $0.cutAfter = 700_001 })
    let second = try place.run("-o", "g", other.url("/f"))
    #expect(second.status == 0 && place.holds("g", mediumFile), "\(second.told)")
    #expect(other.bodyBytesSent < mediumFile.byteCount * 2)
  }

  @Test func `a body longer than announced is cut or refused`() throws {
    let server = try ScriptedServer { _ in
      [.send(responseHead(200, [("Content-Length", "5")])), .send("12345and more than announced"), .close]
    }
    let result = try place.run("-t", "2", server.url("/f"))
    if result.status == 0 { #expect(place.holds("f", .text("12345"))) } else { #expect(!place.names.contains("f")) }
  }

  // MARK: Servers under load

  @Test(arguments: [429, 503])
  func `Retry-After is respected`(status: Int) throws {
    let server = try ScriptedServer(
      FileService(["/f": mediumFile]) { $0.failFirst = (1, status, [("Retry-After", "1")]) })
    let started = monotonicSeconds()
    let result = try place.run("--retry-wait", "10", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(monotonicSeconds() - started > 0.9)
  }

  @Test(arguments: [500, 502, 503, 429])
  func `one bad answer to a range does not fail the file`(status: Int) throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfConnection = 3e6 }
    let bad = Locked(false)
    let server = try ScriptedServer { request in
      guard request.rangeHeader != nil,
        bad.withLock({ wasBad in
          defer { wasBad = true }; return !wasBad
        })
      else {
        return service.steps(for: request)
      }
      return [.respond(status, body: Array("busy".utf8))]
    }
    let result = try place.run("-k", "256k", "-x", "3", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(bad.withLock { $0 })
  }

  @Test func `a server that allows two connections gets two and nothing fails`() throws {
    var files: [String: Content] = ["/big": mediumFile]
    for index in 0..<40 { files["/\(index)"] = .generated(seed: UInt64(index), byteCount: 20_000) }
    let server = try ScriptedServer(
      FileService(files) {
        $0.concurrency = (2, .status(503, headers: []))
        $0.latency = .milliseconds(5)
      })
    try place.directory.write("list", files.keys.sorted().map { server.url($0) + "\n" }.joined())
    let result = try place.run("-i", "list", "-d", "out")
    #expect(result.status == 0, "\(result.told)")
    for (path, content) in files { #expect(place.holds("out\(path)", content), "\(path)") }
  }

  @Test func `reset connections beyond a limit cost only time`() throws {
    var files: [String: Content] = ["/big": mediumFile]
    for index in 0..<40 { files["/\(index)"] = .generated(seed: UInt64(index), byteCount: 20_000) }
    let server = try ScriptedServer(FileService(files) { $0.latency = .milliseconds(5) }, connectionLimit: 2)
    try place.directory.write("list", files.keys.sorted().map { server.url($0) + "\n" }.joined())
    let result = try place.run("-i", "list", "-d", "out")
    #expect(result.status == 0, "\(result.told)")
    for (path, content) in files { #expect(place.holds("out\(path)", content), "\(path)") }
  }

  @Test func `a stalled body is ended and fetched again`() throws {
    let service = FileService(["/f": mediumFile])
    let stalling = FileService(["/f": mediumFile]) { $0.stallsAfter = 300_000 }
    let server = try ScriptedServer { ($0.index == 0 ? stalling : service).steps(for: $0) }
    let result = try place.run("-T", "1", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
  }

  // MARK: Redirects

  @Test(arguments: [403, 404, 410])
  func `an expired redirect target is resolved again`(status: Int) throws {
    let service = FileService(["/signed": mediumFile]) { $0.bytesPerSecondOfConnection = 3e6 }
    let cutting = FileService(["/signed": mediumFile]) { $0.cutAfter = 300_000 }
    // A signature is valid for one request, and the first one needs another.
    let target = try ScriptedServer { request in
      let number = Int(request.target.split(separator: "=").last ?? "") ?? 0
      let uses = self.uses.withLock { uses in
        uses[number, default: 0] += 1
        return uses[number]!
      }
      if uses > 1 { return [.respond(status, body: Array("expired".utf8))] }
      return (request.index == 0 ? cutting : service).steps(for: request)
    }
    let port = target.port
    let original = try ScriptedServer { request in
      [.respond(302, headers: [("Location", "http://127.0.0.1:\(port)/signed?signature=\(request.index)")])]
    }
    let result = try place.run("-k", "256k", original.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(place.names == ["f"] && original.requests.count > 1)
    #expect(try place.attribute("user.xdg.origin.url", of: "f") == original.url("/f"))
    #expect(!result.errorText.contains("signature"))
  }

  private let uses = Locked<[Int: Int]>([:])

  @Test(arguments: [301, 302, 303, 307, 308])
  func `redirects of all kinds are followed without changing the name`(status: Int) throws {
    let server = try ScriptedServer(
      FileService(["/new/place": mediumFile]) {
        $0.redirects = ["/f": "hop", "/hop": "/new/place"]
        $0.redirectStatus = status
      })
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.names == ["f"] && place.holds("f", mediumFile), "\(result.told)")
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/", "http://", ""])
  func `a redirect to anything but http and https is refused`(target: String) throws {
    let server = try ScriptedServer(FileService([:]) { $0.redirects = ["/f": target] })
    let result = try place.run("-t", "2", server.url("/f"))
    #expect(result.status != 0 && result.status != nil && place.names.isEmpty, "\(result.told)")
  }

  // MARK: Digests from the server

  @Test func `a digest from the server is compared with the content`() throws {
    let right = try Content.text("content").hexDigest("sha256")
    let wrong = String(right.reversed())
    for (digest, status) in [(right, Int32(0)), (wrong, 9)] {
      let base64 = try base64(ofHex: digest)
      let server = try ScriptedServer(
        FileService(["/f": .text("content")]) { $0.extraHeaders = [("Repr-Digest", "sha-256=:\(base64):")] })
      let place = try Workplace()
      let result = try place.run("-t", "2", server.url("/f"))
      #expect(result.status == status, "\(result.told)")
      #expect(place.names.contains("f") == (status == 0))
    }
  }

  private func base64(ofHex hex: String) throws -> String {
    let result = try runProgram(
      "/usr/bin/python3",
      ["-c", "import sys,base64; print(base64.b64encode(bytes.fromhex('\(hex)')).decode(), end='')"])
    return result.outputText
  }
}
