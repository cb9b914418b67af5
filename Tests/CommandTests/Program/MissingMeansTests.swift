import Glibc
import TestSupport
import Testing

/// A system without threads or digest algorithms.
@Suite(.waiting) struct `Missing system resources` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test func `without threads the run fails at once with a reason`() throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    chmod(place.directory.path, 0o777)
    // The limit counts the user's processes, and does not hold for root. Nobody else uses this user.
    let script = """
      import os, resource, sys
      resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
      user = 70000 + os.getpid() % 10000
      if os.getuid() == 0: os.setgroups([]); os.setgid(user); os.setuid(user)
      if not os.access(sys.argv[1], os.X_OK): sys.exit(77)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    var invocation = try place.invocation([server.url("/f")])
    invocation.arguments = ["-c", script, invocation.path] + invocation.arguments
    invocation.path = "/usr/bin/python3"
    // LeakSanitizer needs a thread.
    invocation.environment["ASAN_OPTIONS"] = "detect_leaks=0"
    let result = try place.run(invocation)
    if result.status == 77 { return print("not run: another user may not execute the program") }
    #expect(result.status == 3, "\(result.told)")
    #expect(
      result.errorText.contains("cannot create a thread") && result.errorText.contains("ulimit -u"), "\(result.told)")
    #expect(place.names.isEmpty && server.requests.isEmpty)
  }

  /// A configuration in which OpenSSL has no digests, like MD5 in FIPS mode.
  private func withoutDigests(_ arguments: String...) throws -> ProgramResult {
    let configuration = """
      openssl_conf = init
      [init]
      providers = providers
      alg_section = algorithms
      [providers]
      default = default
      [default]
      activate = 1
      [algorithms]
      default_properties = fips=yes
      """
    let scratch = try TemporaryDirectory()
    try scratch.write("openssl.cnf", configuration)
    var invocation = try place.invocation(arguments)
    invocation.environment["OPENSSL_CONF"] = scratch.path("openssl.cnf")
    return try place.run(invocation)
  }

  @Test func `content that was kept because of an unavailable digest starts over`() throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let server = try ScriptedServer(service)
    let digest = "md5:\(try mediumFile.hexDigest("md5"))"
    let program = try SpawnedProgram(place.invocation(["--checksum", digest, server.url("/f")]))
    #expect(eventually { server.bodyBytesSent >= 2_000_000 || !program.isRunning })
    pause(seconds: 0.6)
    program.kill()
    _ = program.wait()
    #expect(place.names.contains("f.swiftget-part"))
    service.change { $0.bytesPerSecondOfServer = nil }
    let result = try withoutDigests(server.url("/f"))
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
    #expect(result.errorText.contains("starting over") && !result.errorText.contains("verified"), "\(result.told)")
  }

  @Test func `an unavailable digest is refused before the start`() throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    let zero = String(repeating: "0", count: 32)
    let given = try withoutDigests("--checksum", "md5:\(zero)", server.url("/f"))
    #expect(given.status == 2 && given.errorText.contains("cannot compute md5"), "\(given.told)")
    try place.directory.write("SUMS", "\(zero)  f\n")
    let listed = try withoutDigests("-i", "SUMS", "--base-url", server.url("/"))
    #expect(listed.status == 2 && listed.errorText.contains("SUMS:1: cannot compute md5"), "\(listed.told)")
    #expect(server.requests.isEmpty && place.names == ["SUMS"], "\(place.names)")
  }

  @Test func `an unavailable digest from a server is ignored`() throws {
    let server = try ScriptedServer(
      FileService(["/f": mediumFile, "/small": .text("small")]) {
        $0.extraHeaders = [
          ("Repr-Digest", "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"),
          ("Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA=="),
        ]
      })
    let result = try withoutDigests(server.url("/f"), server.url("/small"))
    #expect(result.status == 0 && place.names == ["f", "small"], "\(result.told)")
    #expect(!result.errorText.contains("verified"), "\(result.told)")
  }
}
