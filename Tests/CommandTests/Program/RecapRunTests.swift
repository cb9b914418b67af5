import Glibc
import TestSupport
import Testing

/// Lists of which many files fail, for several reasons.
@Suite(.serialized, .waiting) struct `The recap of a large run` {
  private let place: Workplace
  private let server: ScriptedServer
  /// Names of files that fail, by the words of their cause.
  private let failing: [String: Set<String>]

  init() throws {
    place = try Workplace()
    server = try ScriptedServer { request in
      switch request.path.split(separator: "-").first {
      case "/forbidden": [.respond(403)]
      case "/missing": [.respond(404)]
      case "/gone": [.respond(410)]
      default: [.respond(200, body: Array("right\n".utf8))]
      }
    }
    func names(_ kind: String, _ count: Int) -> Set<String> { Set((0..<count).map { "\(kind)-\($0)" }) }
    failing = [
      "the server returned 404 Not Found": names("missing", 400), "the content does not match": names("wrong", 60),
      "the server returned 403 Forbidden": names("forbidden", 25), "the server returned 410 Gone": names("gone", 3),
    ]
    var lines = failing.values.joined().map { name in
      server.url("/" + name) + (name.hasPrefix("wrong") ? "#sha256=" + String(repeating: "0", count: 64) : "")
    }
    lines += (0..<(1000 - lines.count)).map { server.url("/right-\($0)") }
    try place.directory.write("list", lines.joined(separator: "\n") + "\n")
  }

  private func expectRecap(_ text: String, _ told: Comment) {
    let recap = ReadRecap(text)
    #expect(recap.groups.map(\.count) == [400, 60, 25, 3], told)
    for group in recap.groups {
      #expect(group.names.count == group.count && Set(group.names) == failing[group.cause], told)
    }
    #expect(recap.counts.hasPrefix("swiftget: 512 files downloaded, ") && recap.counts.hasSuffix(", 488 failed"), told)
    #expect(
      Array(recap.last.prefix(5)) == [
        "swiftget: 400 failed: the server returned 404 Not Found", "swiftget: 60 failed: the content does not match",
        "swiftget: 25 failed: the server returned 403 Forbidden", "swiftget: 3 failed: the server returned 410 Gone",
        "hint: --failed FILE lists all of them for another run",
      ], told)
  }

  @Test func `names each failure once on a pipe and in the log`() throws {
    let result = try place.run("-i", "list", "-d", "t", "-t", "1", "--log", "log")
    #expect(result.status == 9, "\(result.told.suffix(3000))")
    expectRecap(result.errorText, "\(result.told.suffix(3000))")
    #expect(result.errorText.split(separator: "\n").last?.hasPrefix("hint: --failed") == true)
    // Without the times.
    let log = try place.text("log").split(separator: "\n").map { $0.dropFirst(26) }
    expectRecap(log.joined(separator: "\n"), "\(log.suffix(20))")
  }

  @Test func `leaves counts and causes on a terminal`() throws {
    var invocation = try place.invocation(["-i", "list", "-d", "t", "-t", "1"])
    invocation.terminal = (80, 24)
    let result = try place.run(invocation)
    #expect(result.status == 9, "\(result.told.suffix(3000))")
    var screen = Screen(columns: 80, height: 24)
    screen.write(result.errorText.replacing("\r\n", with: "\n"))
    expectRecap(screen.text.joined(separator: "\n"), "\(screen.text.suffix(30))")
    #expect(screen.text.suffix(24).contains { $0.hasPrefix("swiftget: 512 files downloaded, ") })
  }

  @Test func `does without a directory for temporary files`() throws {
    var invocation = try place.invocation(["-q", "-d", "t", "-t", "1", "-i", "-"])
    invocation.environment["TMPDIR"] = place.directory.path("none")
    let list = try place.directory.read("list")
    invocation.input = list
    // The list of a pipe is copied there.
    #expect(try place.run(invocation).status == 3)
    invocation.input = nil
    invocation.arguments[invocation.arguments.count - 1] = "list"
    let result = try place.run(invocation)
    #expect(result.status == 9, "\(result.told.suffix(3000))")
    expectRecap(result.errorText, "\(result.told.suffix(3000))")
  }

  @Test func `does not hold up a run that is interrupted when nobody reads`() throws {
    let pipe = place.directory.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let slow = try ScriptedServer(FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 10_000 })
    try place.directory.write("slow", slow.url("/f") + "\n")
    var invocation = try place.invocation(["-i", "list", "-i", "slow", "-d", "t", "-t", "1"])
    invocation.arguments = ["-c", "exec \"$0\" \"$@\" 2> \(pipe)", invocation.path] + invocation.arguments
    invocation.path = "/bin/sh"
    let program = try SpawnedProgram(invocation)
    #expect(eventually(within: .seconds(30)) { server.requests.count >= 1000 && slow.bodyBytesSent > 0 })
    program.kill(SIGINT)
    #expect(eventually { !program.isRunning })
    program.kill()
    #expect(program.wait().status == 130)
  }
}
