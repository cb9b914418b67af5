import Glibc
import TestSupport
import Testing

@Suite(.serialized, .waiting) struct `Interrupted runs` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test func `a run that is killed at any time continues, and little is fetched twice`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let files: [String: Content] = [
      "/a": .generated(seed: 21, byteCount: 24_000_000), "/b": .generated(seed: 22, byteCount: 12_345_678),
      "/c": .generated(seed: 23, byteCount: 3_000_001), "/d": .generated(seed: 24, byteCount: 700_000),
    ]
    let total = files.values.reduce(0) { $0 + $1.byteCount }
    let service = FileService(files) { $0.bytesPerSecondOfServer = 1.6e6 }
    let server = try ScriptedServer(service)
    let arguments = ["--progress", "none"] + files.keys.sorted().map { server.url($0) }
    var kills = 0
    while kills < 30 {
      let program = try SpawnedProgram(place.invocation(arguments))
      pause(seconds: Double.random(in: 0.05...1.2, using: &random))
      guard program.isRunning else { break }
      program.kill()
      _ = program.wait()
      kills += 1
      for (path, content) in files where place.names.contains(String(path.dropFirst())) {
        #expect(place.holds(String(path.dropFirst()), content), "seed \(seed), kill \(kills): \(path)")
      }
    }
    #expect(kills == 30, "seed \(seed)")
    service.change { $0.bytesPerSecondOfServer = nil }
    // What several connections have under way when segments are divided depends on the machine.
    let result = try place.run(place.invocation(["-x", "1"] + arguments))
    #expect(result.status == 0, "seed \(seed) \(result.told)")
    #expect(place.names == ["a", "b", "c", "d"], "seed \(seed)")
    for (path, content) in files { #expect(place.holds(String(path.dropFirst()), content), "seed \(seed): \(path)") }
    let ratio = Double(server.bodyBytesSent) / Double(total)
    print("30 kills: \(server.bodyBytesSent) bytes sent for \(total), ratio \(ratio)")
    #expect(ratio <= 1.1, "seed \(seed)")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 143)] as [(Int32, Int32)])
  func `a signal ends the run at once, and the next run continues`(signal: Int32, status: Int32) throws {
    let service = FileService(["/f": mediumFile, "/g": otherMediumFile]) { $0.bytesPerSecondOfServer = 2e6 }
    let server = try ScriptedServer(service)
    let program = try place.start(server.url("/f"), server.url("/g"))
    #expect(eventually { server.bodyBytesSent > 3_000_000 })
    let result = try end(program, signal)
    #expect(result.status == status, "\(result.told)")
    #expect(result.errorText.contains("same command again to continue"), "\(result.told)")
    #expect(!place.names.contains("f") && place.names.contains("f.swiftget"), "\(place.names)")
    service.change { $0.bytesPerSecondOfServer = nil }
    let second = try place.run("-x", "1", server.url("/f"), server.url("/g"))
    #expect(second.status == 0 && place.names == ["f", "g"], "\(second.told)")
    #expect(place.holds("f", mediumFile) && place.holds("g", otherMediumFile))
    #expect(server.bodyBytesSent < (mediumFile.byteCount + otherMediumFile.byteCount) * 115 / 100)
  }

  /// Sends the signal and expects the end long before a time limit of the program could be the cause of it.
  private func end(_ program: SpawnedProgram, _ signal: Int32) throws -> ProgramResult {
    let sent = monotonicSeconds()
    program.kill(signal)
    let result = program.wait()
    #expect(monotonicSeconds() - sent < 15, "\(result.told)")
    return result
  }

  @Test func `a stalled body does not delay the end`() throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile]) { $0.stallsAfter = 1_000_000 })
    // With one connection, because several would replace each other.
    let program = try place.start("-x", "1", server.url("/f"))
    #expect(eventually { server.bodyBytesSent >= 1_000_000 })
    pause(seconds: 0.3)
    let result = try end(program, SIGINT)
    #expect(result.status == 130 && place.names == ["f.swiftget", "f.swiftget-part"], "\(result.told)")
  }

  @Test func `a server that never answers does not delay the end`() throws {
    let server = try ScriptedServer { _ in [.stall(nil)] }
    let program = try place.start(server.url("/f"))
    #expect(eventually { server.requests.count == 1 })
    let result = try end(program, SIGTERM)
    #expect(result.status == 143, "\(result.told)")
    #expect(!place.names.contains("f"))
  }

  @Test func `a pending connection does not delay the end`() throws {
    // A listener whose queue is full answers no further SYN.
    let script = """
      import socket, sys, time
      s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(0)
      held = []
      for _ in range(4):
          c = socket.socket(); c.setblocking(False)
          try: c.connect(s.getsockname())
          except BlockingIOError: pass
          held.append(c)
      print(s.getsockname()[1], flush=True)
      time.sleep(60)
      """
    let listener = try SpawnedProgram("/usr/bin/python3", ["-c", script])
    defer { listener.kill() }
    #expect(eventually { listener.outputSoFar.hasSuffix("\n") })
    let port = listener.outputSoFar.dropLast()
    let program = try place.start("http://127.0.0.1:\(port)/f")
    pause(seconds: 1)
    #expect(program.isRunning, "\(program.errorSoFar)")
    let result = try end(program, SIGINT)
    #expect(result.status == 130, "\(result.told)")
    #expect(!place.names.contains("f"))
  }

  @Test func `a pending name lookup does not delay the end`() throws {
    // In separate namespaces with a name server that never answers.
    let probe = try runProgram("/usr/bin/unshare", ["--net", "--mount", "true"])
    guard probe.status == 0 else {
      print("not run, for unshare is not permitted here: \(probe.errorText)")
      return
    }
    try place.directory.write("resolv.conf", "nameserver 127.0.0.1\noptions timeout:30 attempts:5\n")
    try place.directory.write("nsswitch.conf", "hosts: dns\n")
    let script = """
      ip link set lo up || exit 77
      python3 -c 'import socket, time; s = socket.socket(type=socket.SOCK_DGRAM); s.bind(("127.0.0.1", 53)); time.sleep(20)' &
      mount --bind resolv.conf /etc/resolv.conf || exit 77
      mount --bind nsswitch.conf /etc/nsswitch.conf || exit 77
      mkdir out; cd out; sleep 0.5; exec "$0" "$@"
      """
    var invocation = ProgramInvocation(
      "/usr/bin/unshare", ["--net", "--mount", "sh", "-c", script, try swiftgetPath(), "http://some.example.org/f"])
    invocation.directory = place.directory.path
    invocation.timeLimit = 60
    let program = try SpawnedProgram(invocation)
    pause(seconds: 2.5)
    guard program.isRunning else {
      let result = program.wait()
      print("not run, for no hanging resolver could be set up: \(result.told)")
      #expect(result.status == 77 || result.errorText.contains("not permitted"), "\(result.told)")
      return
    }
    let result = try end(program, SIGINT)
    #expect(result.status == 130, "\(result.told)")
    #expect(place.directory.names(in: "out").isEmpty)
  }

  @Test func `an ignored SIGHUP stays ignored`() throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 4e6 }
    let server = try ScriptedServer(service)
    var invocation = try place.invocation([server.url("/f")])
    invocation.arguments = ["-c", "trap '' HUP; exec \"$0\" \"$@\"", invocation.path] + invocation.arguments
    invocation.path = "/bin/sh"
    let program = try SpawnedProgram(invocation)
    #expect(eventually { server.bodyBytesSent > 500_000 })
    program.kill(SIGHUP)
    let result = program.wait()
    #expect(result.status == 0 && place.holds("f", mediumFile), "\(result.told)")
  }
}
