import Glibc
import TestSupport
import Testing

@Suite(.serialized, .waiting) struct `Real servers` {
  enum Kind: String, CaseIterable {
    case nginx, nginxTLS, nginxHTTP2, nginxFewRequests, nginxTwoConnections, apache, apacheTLS
  }

  private static func start(_ kind: Kind) throws -> RealServer {
    switch kind {
    case .nginx: try .nginx()
    case .nginxTLS: try .nginx { $0.speaksTLS = true }
    case .nginxHTTP2:
      try .nginx {
        $0.speaksTLS = true
        $0.offersHTTP2 = true
      }
    case .nginxFewRequests: try .nginx { $0.requestsPerConnection = 7 }
    case .nginxTwoConnections:
      try .nginx {
        $0.connectionLimit = 2
        $0.bytesPerSecondOfRequest = 5_000_000
      }
    case .apache: try .apache { $0.requestsPerConnection = 50 }
    case .apacheTLS: try .apache { $0.speaksTLS = true }
    }
  }

  @Test(arguments: [[], ["-x", "1"], ["--http2"], ["--limit-rate", "50M"]])
  func `a server that speaks HTTP/2 only gives large and small files`(options: [String]) throws {
    let place = try Workplace()
    let server = try RealServer.nghttpd()
    let large = Content.generated(seed: 98, byteCount: 20_000_000)
    try server.serve("large", large)
    try server.serve("small", Self.small(7))
    let trust = ["--cacert", try TestAuthority.shared().authorityPath] + options
    for (name, content) in [("large", large), ("small", Self.small(7))] {
      let result = try place.run(place.invocation(trust + [server.url("/\(name)")]))
      #expect(result.status == 0 && place.holds(name, content), "\(result.told)")
    }
    // The list has both kinds of requests, and what is killed goes on.
    try place.directory.write("list", "\(server.url("/large"))\n\(server.url("/small"))\n")
    let program = try SpawnedProgram(
      place.invocation(trust + ["-d", "t", "--limit-rate", "5M", "-i", "list"]))
    #expect(eventually { fileExists(place.directory.path("t/large.swiftget-part")) || !program.isRunning })
    program.kill()
    _ = program.wait()
    let result = try place.run(place.invocation(trust + ["-d", "t", "-i", "list"]))
    #expect(
      result.status == 0 && place.holds("t/large", large) && place.holds("t/small", Self.small(7)), "\(result.told)")
  }

  @Test func `--http2 holds for all requests of a file`() throws {
    let place = try Workplace()
    let server = try Self.start(.nginxHTTP2)
    try server.serve("large", .generated(seed: 97, byteCount: 20_000_000))
    let trust = ["--cacert", try TestAuthority.shared().authorityPath]
    #expect(try place.run(place.invocation(trust + ["--http2", server.url("/large")])).status == 0)
    #expect(try Set(server.requests().map(\.version)) == ["HTTP/2.0"])
    #expect(try place.run(place.invocation(trust + ["-o", "other", server.url("/large")])).status == 0)
    #expect(try Set(server.requests().map(\.version)) == ["HTTP/1.1", "HTTP/2.0"])
  }

  @Test(arguments: Kind.allCases)
  func `300 files and a large one are downloaded and verified`(kind: Kind) throws {
    let place = try Workplace()
    let server = try Self.start(kind)
    let large = Content.generated(seed: 99, byteCount: 20_000_000)
    try server.serve("large", large)
    for index in 0..<300 { try server.serve("d/\(index)", Self.small(index)) }
    let sums = try ProgramInvocation.shell("cd '\(server.documents)' && sha256sum large d/*")
    try place.directory.write("SHA256SUMS", sums.outputText)
    let trust =
      kind == .nginxTLS || kind == .nginxHTTP2 || kind == .apacheTLS
      ? ["--cacert", try TestAuthority.shared().authorityPath] : []
    let arguments = trust + ["-d", "out", "-i", "SHA256SUMS", "--base-url", server.url("/")]

    let result = try place.run(place.invocation(arguments))
    #expect(result.status == 0, "\(kind) \(result.told.suffix(2000))")
    #expect(place.directory.names(in: "out/d").count == 300 && place.directory.names(in: "out") == ["d", "large"])
    #expect(place.holds("out/large", large) && place.holds("out/d/0", Self.small(0)))
    let check = try ProgramInvocation.shell("cd '\(place.directory.path("out"))' && sha256sum --quiet -c ../SHA256SUMS")
    #expect(check.status == 0, "\(check.told)")
    #expect(result.errorText.contains("301 files downloaded"))
    #expect(result.errorText.split(separator: "\n").filter { $0.contains("sha256 verified") }.count == 301)

    let log = try server.requests()
    let before = log.count
    if kind == .nginxTwoConnections {
      // The limit was respected if it was reached.
      let refusedCount = log.count { $0.status == 503 }
      #expect(refusedCount < 150, "\(refusedCount)")
    }

    let second = try place.run(place.invocation(arguments))
    #expect(second.status == 0 && second.errorText.isEmpty, "\(second.told)")
    let requests = try server.requests()
    #expect(requests.count == before)
    if kind == .nginxHTTP2 { #expect(requests.contains { $0.version == "HTTP/2.0" }) }
    if kind == .nginxTLS || kind == .apache { #expect(requests.allSatisfy { $0.version == "HTTP/1.1" }) }
  }

  @Test func `a server that limits the rate of requests refuses few of 300`() throws {
    let place = try Workplace()
    let server = try RealServer.nginx { $0.requestRateLimit = (rate: 50, burst: 5) }
    for index in 0..<300 { try server.serve("d/\(index)", Self.small(index)) }
    try place.directory.write("list", (0..<300).map { server.url("/d/\($0)") }.joined(separator: "\n"))
    let result = try place.run(place.invocation(["-d", "out", "-i", "list"]))
    #expect(result.status == 0, "\(result.told.suffix(2000))")
    #expect(place.directory.names(in: "out").count == 300 && place.holds("out/7", Self.small(7)))
    let log = try server.requests()
    #expect(log.count { $0.status == 200 } == 300)
    let refusedCount = log.count { $0.status == 429 }
    #expect((1..<150).contains(refusedCount), "\(refusedCount)")
  }

  private static func small(_ index: Int) -> Content {
    .generated(seed: UInt64(1000 + index), byteCount: 4096 + Int64(index))
  }

  @Test(arguments: [Kind.nginx, .nginxHTTP2, .apache])
  func `an interrupted large file is resumed`(kind: Kind) throws {
    let place = try Workplace()
    let server = try Self.start(kind)
    let large = Content.generated(seed: 98, byteCount: 30_000_000)
    try server.serve("large", large)
    // Validators of a file that changed within this second would be weak.
    var old = [timespec](repeating: timespec(tv_sec: 1_700_000_000, tv_nsec: 0), count: 2)
    #expect(utimensat(AT_FDCWD, "\(server.documents)/large", &old, 0) == 0)
    let trust = kind == .nginxHTTP2 ? ["--cacert", try TestAuthority.shared().authorityPath] : []
    let slow = try SpawnedProgram(place.invocation(trust + ["--limit-rate", "6M", server.url("/large")]))
    pause(seconds: 2.5)
    slow.kill(SIGTERM)
    let first = slow.wait()
    #expect(first.status == 143 && place.names == ["large.swiftget", "large.swiftget-part"], "\(first.told)")
    let result = try place.run(place.invocation(trust + [server.url("/large")]))
    #expect(result.status == 0 && place.holds("large", large) && place.names == ["large"], "\(result.told)")
    #expect(result.errorText.contains(" of it now"), "\(result.told)")
  }

  @Test func `a rate limit is kept`() throws {
    let place = try Workplace()
    let server = try RealServer.nginx()
    try server.serve("f", .generated(seed: 5, byteCount: 3_000_000))
    let result = try place.run("--limit-rate", "1M", server.url("/f"))
    #expect(result.status == 0, "\(result.told)")
    #expect(result.wallSeconds > 1.8, "\(result.wallSeconds)")
  }
}

extension ProgramInvocation {
  /// Runs a shell command.
  static func shell(_ line: String) throws -> ProgramResult { try runProgram("/bin/sh", ["-c", line]) }
}
