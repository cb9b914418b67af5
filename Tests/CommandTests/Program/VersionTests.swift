import Glibc
import TestSupport
import Testing

/// Interruptions, and servers whose file changes or that send wrong answers.
@Suite(.waiting) struct `Versions of a file` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// Kills the run after this many body bytes were sent and recorded.
  private func runHalf(_ server: ScriptedServer, _ path: String, bytes: Int64, _ arguments: [String] = []) throws {
    let program = try SpawnedProgram(place.invocation(arguments + [server.url(path)]))
    #expect(eventually { server.bodyBytesSent >= bytes || !program.isRunning })
    pause(seconds: 0.6)
    program.kill()
    let result = program.wait()
    #expect(result.signal == 9, "\(result.told)")
    #expect(place.names.contains("f.swiftget-part"))
  }

  enum Marks: CaseIterable { case entityTag, lastModified, both }

  private func set(_ marks: Marks, _ behaviour: inout FileService.Behaviour) {
    if marks == .lastModified { behaviour.entityTag = .none }
    if marks == .entityTag { behaviour.lastModified = nil }
  }

  @Test(arguments: Marks.allCases, [mediumFile, otherMediumFile, longerMediumFile, .text("now quite short")])
  func `a file that changes between two runs is the new version`(marks: Marks, second: Content) throws {
    let service = FileService(["/f": mediumFile]) {
      set(marks, &$0)
      $0.bytesPerSecondOfServer = 4e6
    }
    let server = try ScriptedServer(service)
    try runHalf(server, "/f", bytes: 2_000_000)
    service.change {
      $0.replacements = ["/f": second]
      $0.changesAfter = .requests(0)
      $0.bytesPerSecondOfServer = nil
    }
    let before = server.bodyBytesSent
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["f"] && place.holds("f", second))
    if second == mediumFile {
      #expect(server.bodyBytesSent - before < 5_500_000, "resumed: \(server.bodyBytesSent - before)")
    } else {
      #expect(result.errorText.contains("starting over"), "\(result.errorText)")
    }
  }

  @Test(arguments: Marks.allCases, [otherMediumFile, longerMediumFile])
  func `a file that changes during several transfers is the new version`(marks: Marks, second: Content) throws {
    let server = try ScriptedServer(
      FileService(["/f": mediumFile]) {
        set(marks, &$0)
        $0.bytesPerSecondOfConnection = 3e6
        $0.replacements = ["/f": second]
        $0.changesAfter = .bodyBytes(2_000_000)
      })
    let result = try place.run("-x", "4", "-k", "256k", server.url("/f"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["f"])
    #expect(place.holds("f", second) || place.holds("f", mediumFile))
  }

  @Test func `without validators there is one transfer and no resumption`() throws {
    let service = FileService(["/f": mediumFile]) {
      $0.entityTag = .none
      $0.lastModified = nil
      $0.bytesPerSecondOfServer = 4e6
    }
    let server = try ScriptedServer(service)
    try runHalf(server, "/f", bytes: 2_000_000)
    service.change {
      $0.replacements = ["/f": otherMediumFile]
      $0.changesAfter = .requests(0)
      $0.bytesPerSecondOfServer = nil
    }
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", otherMediumFile), "\(result.told)")
  }

  @Test(arguments: [false, true])
  func `if the server no longer sends validators, the next run starts over`(ignoresRanges: Bool) throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let server = try ScriptedServer(service)
    try runHalf(server, "/f", bytes: 2_000_000)
    service.change {
      $0.entityTag = .none
      $0.lastModified = nil
      $0.ignoresRanges = ignoresRanges
      $0.bytesPerSecondOfServer = nil
      $0.replacements = ["/f": otherMediumFile]
      $0.changesAfter = .requests(0)
    }
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["f"] && place.holds("f", otherMediumFile))
    #expect(result.errorText.contains("starting over"), "\(result.errorText)")
  }

  @Test func `a digest allows a file without validators to resume`() throws {
    let service = FileService(["/f": mediumFile]) {
      $0.entityTag = .none
      $0.lastModified = nil
      $0.bytesPerSecondOfServer = 4e6
    }
    let server = try ScriptedServer(service)
    let checksum = ["--checksum", "sha256:\(try mediumFile.hexDigest())"]
    try runHalf(server, "/f", bytes: 2_000_000, checksum)
    service.change { $0.bytesPerSecondOfServer = nil }
    let before = server.bodyBytesSent
    let result = try place.run(place.invocation(checksum + [server.url("/f")]))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(server.bodyBytesSent - before < 5_500_000)
  }

  @Test func `another URL is resumed if the digest agrees`() throws {
    let service = FileService(["/f": mediumFile, "/elsewhere/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let server = try ScriptedServer(service)
    let checksum = ["--checksum", "sha256:\(try mediumFile.hexDigest())"]
    try runHalf(server, "/f", bytes: 2_000_000, checksum)
    service.change { $0.bytesPerSecondOfServer = nil }
    let before = server.bodyBytesSent
    let result = try place.run(place.invocation(checksum + [server.url("/elsewhere/f")]))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(server.bodyBytesSent - before < 5_500_000)
  }

  @Test func `a damaged sidecar is reported and the file starts over`() throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let server = try ScriptedServer(service)
    for damage in ["", "SWGTREC\u{0}nonsense", String(repeating: "\u{0}", count: 9000)] {
      service.change { $0.bytesPerSecondOfServer = 4e6 }
      try runHalf(server, "/f", bytes: server.bodyBytesSent + 1_500_000)
      try place.directory.write("f.swiftget", damage)
      service.change { $0.bytesPerSecondOfServer = nil }
      let result = try place.run(server.url("/f"))
      #expect(result.status == 0 && place.holds("f", mediumFile) && place.names == ["f"], "\(result.told)")
      unlinkFile("f")
    }
  }

  @Test func `a file that is not a sidecar is left alone and reported`() throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile, "/g": .text("small")]))
    try place.directory.write("f.swiftget", "notes of mine")
    let result = try place.run(server.url("/f"), server.url("/g"))
    #expect(result.status == 3 && place.names == ["f.swiftget", "g"], "\(result.told)")
    #expect(try place.text("f.swiftget") == "notes of mine")
    #expect(result.errorText.contains("swiftget: f: f.swiftget is not a swiftget sidecar"), "\(result.told)")
    #expect(result.errorText.contains("hint: move it away"), "\(result.told)")
  }

  @Test func `a truncated or missing part file is not resumed`() throws {
    let service = FileService(["/f": mediumFile])
    let server = try ScriptedServer(service)
    for isGone in [true, false] {
      service.change { $0.bytesPerSecondOfServer = 4e6 }
      try runHalf(server, "/f", bytes: server.bodyBytesSent + 2_000_000)
      if isGone { unlinkFile("f.swiftget-part") } else { try place.directory.write("f.swiftget-part", "short") }
      service.change { $0.bytesPerSecondOfServer = nil }
      let result = try place.run(server.url("/f"))
      #expect(result.status == 0 && place.holds("f", mediumFile) && place.names == ["f"], "\(result.told)")
      unlinkFile("f")
    }
  }

  private func unlinkFile(_ name: String) { unlink(place.directory.path(name)) }

  // MARK: Wrong answers

  @Test(arguments: [false, true])
  func `a server without ranges gets one request`(announces: Bool) throws {
    let service = FileService(["/f": mediumFile]) {
      $0.ignoresRanges = true
      $0.announcesRanges = announces
      $0.bytesPerSecondOfConnection = 8e6
    }
    let server = try ScriptedServer(service)
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(server.bodyBytesSent < 2 * mediumFile.byteCount)
  }

  @Test func `an interrupted file is completed without ranges`() throws {
    let service = FileService(["/f": mediumFile]) {
      $0.ignoresRanges = true
      $0.bytesPerSecondOfServer = 4e6
    }
    let server = try ScriptedServer(service)
    try runHalf(server, "/f", bytes: 2_000_000)
    service.change { $0.bytesPerSecondOfServer = nil }
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile) && place.names == ["f"], "\(result.told)")
  }

  @Test func `an entity tag that differs on every answer does not matter`() throws {
    let server = try ScriptedServer(
      FileService(["/f": mediumFile]) {
        $0.entityTag = .rotating
        $0.bytesPerSecondOfConnection = 4e6
      })
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
  }

  @Test(arguments: [1, -1, 4096])
  func `a 206 with another start never gets into the file`(shift: Int64) throws {
    let server = try ScriptedServer(
      FileService(["/f": mediumFile]) {
        $0.contentRangeShift = shift
        $0.bytesPerSecondOfConnection = 8e6
      })
    let result = try place.run("-t", "3", server.url("/f"))
    if result.status == 0 { #expect(place.holds("f", mediumFile)) } else { #expect(!place.names.contains("f")) }
    #expect(result.status == 0 || result.status == 7 || result.status == 4, "\(result.told)")
  }

  enum Lie: CaseIterable { case page, partialPage, otherTotal, noValidators, coded, multipart, noContentRange }

  @Test(arguments: Lie.allCases)
  func `a wrong range never gets into the file`(lie: Lie) throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfConnection = 6e6 }
    let page = Array("<html><body>Please log in</body></html>".utf8)
    let tag = (name: "ETag", value: "\"\(mediumFile.tag)\"")
    let server = try ScriptedServer { request in
      guard let range = request.rangeHeader else { return service.steps(for: request) }
      let bounds = range.dropFirst(6).split(separator: "-").compactMap { Int64($0) }
      let (first, last) = (bounds[0], bounds.count > 1 ? bounds[1] : mediumFile.byteCount - 1)
      let wrong = [UInt8](repeating: 0x21, count: Int(last + 1 - first))
      let honest = (name: "Content-Range", value: "bytes \(first)-\(last)/\(mediumFile.byteCount)")
      switch lie {
      case .page: return [.respond(200, headers: [("Content-Type", "text/html")], body: page)]
      case .partialPage: return [.respond(206, headers: [("Content-Type", "text/html")], body: page)]
      case .otherTotal:
        return [
          .respond(
            206, headers: [tag, ("Content-Range", "bytes \(first)-\(last)/\(mediumFile.byteCount + 1)")], body: wrong)
        ]
      case .noValidators: return [.respond(206, headers: [honest], body: wrong)]
      case .coded: return [.respond(206, headers: [tag, honest, ("Content-Encoding", "gzip")], body: wrong)]
      case .multipart:
        return [.respond(206, headers: [tag, ("Content-Type", "multipart/byteranges; boundary=x")], body: wrong)]
      case .noContentRange: return [.respond(206, headers: [tag], body: wrong)]
      }
    }
    let result = try place.run("-t", "3", server.url("/f"))
    if result.status == 0 { #expect(place.holds("f", mediumFile)) } else { #expect(!place.names.contains("f")) }
    // The answer to a plain GET is right, so the file must not fail.
    #expect(result.status == 0, "\(result.told)")
  }

  @Test func `416 inside the known length means another version`() throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let server = try ScriptedServer { request in
      guard request.index > 0, request.index < 3, request.rangeHeader != nil else { return service.steps(for: request) }
      return [.respond(416, headers: [("Content-Range", "bytes */1000")])]
    }
    let result = try place.run(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
  }

  @Test func `a coded answer is stored coded`() throws {
    let server = try ScriptedServer(FileService(["/f.gz": mediumFile]) { $0.contentEncoding = "gzip" })
    let result = try place.run(server.url("/f.gz"))
    #expect(result.status == 0 && place.holds("f.gz", mediumFile), "\(result.told)")
    #expect(server.requests.count == 1)
  }
}
