import Glibc
import TestSupport
import Testing

/// Whatever changes the status of a run at its end, the report has the one that the process ends with.
@Suite(.waiting) struct `The status in a report` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": .text("0123456789")]))
  }

  struct Case: CustomTestStringConvertible {
    var arguments: [String]
    let status: Int32
    /// Standard output of the program.
    var output = "/dev/null"

    var testDescription: String { "\(arguments) > \(output)" }
  }

  private static let cases = [
    Case(arguments: [], status: 0),
    Case(arguments: ["URL/none"], status: 8),
    Case(arguments: ["--changed-exit", "10"], status: 10),
    Case(arguments: ["--on-exit", "false"], status: 1),
    Case(arguments: ["--on-exit", "false", "--changed-exit", "10"], status: 1),
    Case(arguments: ["--on-exit", "false", "URL/none"], status: 8),
    Case(arguments: ["--on-exit", "sh -c 'kill -INT $PPID; sleep 5'"], status: 130),
    Case(arguments: ["--on-exit", "sh -c 'kill -TERM $PPID; sleep 5'", "--changed-exit", "10"], status: 143),
    Case(arguments: ["--on-complete", "false"], status: 1),
    Case(arguments: ["--on-complete", "false", "--on-exit", "true"], status: 1),
    Case(arguments: ["--progress", "json"], status: 3, output: "/dev/full"),
    Case(arguments: ["--progress", "json", "--on-exit", "false"], status: 3, output: "/dev/full"),
    Case(arguments: ["--log", "/dev/full"], status: 0),
    // A directory takes the place of what is written at the end.
    Case(arguments: ["--save-cookies", "cookies", "--verify-command", "sh -c 'mkdir cookies'"], status: 3),
    Case(arguments: ["--failed", "failed", "--verify-command", "sh -c 'mkdir failed'"], status: 3),
    Case(arguments: ["--lock", "lock", "--verify-command", "sh -c 'mkdir lock'"], status: 3),
    Case(
      arguments: ["--failed", "failed", "--verify-command", "sh -c 'mkdir failed'", "--on-exit", "false"], status: 3),
    Case(arguments: ["--atomic", "-d", "set"], status: 0),
    Case(arguments: ["--atomic", "-d", "set", "--changed-exit", "10", "--on-exit", "false"], status: 1),
    Case(arguments: ["--atomic", "-d", "set", "URL/none"], status: 8),
    Case(arguments: ["--keep-going", "-i", "wrong"], status: 2),
  ]

  @Test(arguments: cases) func `is the exit status`(example: Case) throws {
    try place.directory.write("wrong", "nonsense\n")
    let words = example.arguments.map { $0.replacing("URL", with: server.url("")) }
    var invocation = try place.invocation(words + ["--report", "report", server.url("/a")])
    invocation.arguments = ["-c", "exec \"$@\" > \(example.output)", "sh", invocation.path] + invocation.arguments
    invocation.path = "/bin/sh"
    let result = try place.run(invocation)
    #expect(result.status == example.status, "\(result.told)")
    #expect(try ReadReport(place.text("report")).status == Int(example.status), "\(result.told)")
  }

  @Test func `is the one before the hook of the end for that hook`() throws {
    try place.script("look", "cp \"$SWIFTGET_REPORT\" seen\nexit 1")
    let result = try place.run("--on-exit", "./look", "--report", "report", server.url("/a"))
    #expect(result.status == 1, "\(result.told)")
    #expect(try ReadReport(place.text("seen")).status == 0)
    #expect(try ReadReport(place.text("report")).status == 1)
  }

  /// The report does not hide that another file could not be written.
  @Test func `is that of a run that ends before its first item, too`() throws {
    let program = try place.start("--splay", "60s", "-v", "--report", "report", "--failed", "f", server.url("/a"))
    #expect(eventually { program.errorSoFar.contains("waiting") })
    try place.directory.makeDirectory("f")
    program.kill(SIGTERM)
    let result = program.wait()
    #expect(result.status == 143 && result.errorText.contains("--failed"), "\(result.told)")
    #expect(try ReadReport(place.text("report")).status == 143)
  }
}
