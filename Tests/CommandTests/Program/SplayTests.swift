import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import CommandMain

/// `--splay`.
@Suite(.waiting) struct `A random wait before a run` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let content = Content.text("0123456789")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/f": Self.content]))
  }

  @Test func `is up to the longest time, and differs`() {
    var generator = SeededGenerator(seed: 7)
    let times = (0..<1000).map { _ in Splay.time(upTo: .seconds(100), using: &generator) }
    #expect(times.allSatisfy { (.zero ... .seconds(100)).contains($0) } && Set(times).count > 990)
    #expect(times.min()! < .seconds(5) && times.max()! > .seconds(95))
    #expect(Splay.time(upTo: .zero, using: &generator) == .zero)
  }

  @Test func `is followed by the run, and -v and the log say how long it is`() throws {
    let result = try place.run("-v", "--log", "log", "--splay", "0.3", server.url("/f"))
    #expect(result.status == 0 && place.holds("f", Self.content), "\(result.told)")
    #expect(result.errorText.contains("before the first request (--splay)"), "\(result.told)")
    #expect(try place.text("log").contains("before the first request (--splay)"))
    let silent = try place.run("--splay", "0.3", "--if-exists", "replace", server.url("/f"))
    #expect(silent.status == 0 && !silent.errorText.contains("splay"), "\(silent.told)")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `is ended by a signal`(signal: Int32, status: Int32) throws {
    let lists = try ScriptedServer { _ in [.stall(nil)] }
    for input in [[server.url("/f")], ["-i", lists.url("/list")]] {
      // A wait of less than a minute has a probability of one in a thousand.
      let program = try SpawnedProgram(place.invocation(["-v", "--splay", "1000m"] + input))
      #expect(eventually { program.errorSoFar.contains("before the first request") }, "\(program.errorSoFar)")
      program.kill(SIGUSR1)
      #expect(eventually { program.errorSoFar.contains("left of --splay") }, "\(program.errorSoFar)")
      program.kill(signal)
      #expect(program.wait().status == status)
    }
    #expect(server.requests.isEmpty && lists.requests.isEmpty && place.names.isEmpty)
  }

  @Test func `that a signal ends is told in --report, --failed and to the hook`() throws {
    try place.directory.write("list", "\(server.url("/f"))\n\(server.url("/g"))\n")
    for name in ["report", "failed"] { try place.directory.write(name, "of an earlier run") }
    let program = try place.start(
      "-v", "--splay", "1000m", "-i", "list", "--report", "report", "--failed", "failed", "--on-exit", "cp report seen")
    #expect(eventually { program.errorSoFar.contains("before the first request") }, "\(program.errorSoFar)")
    program.kill(SIGTERM)
    let result = program.wait()
    #expect(result.status == 143, "\(result.told)")
    let text = try place.text("report")
    let report = try ReadReport(text)
    #expect(report.items.map(\.outcome) == ["not_started", "not_started"] && report.status == 143, "\(text)")
    #expect(try place.text("seen") == text)
    let failed = try place.text("failed")
    #expect(failed.contains(server.url("/g")), "\(failed)")
  }

  @Test func `comes after the look at local lists`() throws {
    try place.directory.write("list", "no URL\n")
    let result = try place.run("--splay", "1000m", "-i", "list")
    #expect(result.status == 2, "\(result.told)")
  }

  @Test func `is not counted for the deadline`() throws {
    // The wait is longer than the deadline with a probability of 99 in 100, and the run has time all the same.
    let result = try place.run("--splay", "3", "--deadline", "20", server.url("/f"))
    #expect(result.status == 0, "\(result.told)")
  }

  @Test func `ends at the time of day of the deadline`() throws {
    let zone = zone(minuteIn: 5)
    var invocation = try place.invocation(["--splay", "1000m", "--deadline", zone.minute, server.url("/f")])
    invocation.environment = zone.environment
    let result = try place.run(invocation)
    #expect(result.status == 75 && result.errorText.contains("the deadline of the run has passed"), "\(result.told)")
    #expect(server.requests.isEmpty && place.names.isEmpty)
  }

  @Test func `is shown on a terminal`() throws {
    var invocation = try place.invocation(["--splay", "1000m", server.url("/f")])
    invocation.terminal = (60, 10)
    invocation.environment["TERM"] = "xterm"
    let program = try SpawnedProgram(invocation)
    #expect(eventually { program.errorSoFar.contains("until the first request") }, "\(program.errorSoFar)")
    program.kill(SIGINT)
    let result = program.wait()
    #expect(result.status == 130 && result.errorText.hasSuffix("\r\u{1b}[K"), "\(result.told)")
  }
}
