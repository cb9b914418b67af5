import Glibc
import TestSupport
import Testing

/// `--deadline`.
@Suite(.waiting) struct `A run with a deadline` {
  private let place: Workplace
  private let service: FileService
  private let server: ScriptedServer
  private static let small = Content.text("0123456789")

  init() throws {
    place = try Workplace()
    service = FileService(["/slow": mediumFile, "/small": Self.small, "/last": Self.small]) {
      $0.bytesPerSecondOfServer = 4e5
    }
    server = try ScriptedServer(service)
  }

  @Test(arguments: ["mkfifo p; sleep 60 > p & exec $P -i p", "mkfifo p; exec $P -i p", "exec $P -i - < <(sleep 60)"])
  func `does not wait longer for a list that comes through a pipe`(command: String) throws {
    let result = try runProgram(
      "/bin/bash", ["-c", command + " --deadline 1"], environment: ["P": try swiftgetPath()],
      directory: place.directory.path, timeLimit: 30)
    #expect(result.status == 75, "\(result.told)")
    #expect(result.errorText.contains("the deadline of the run has passed"), "\(result.told)")
  }

  @Test(arguments: [false, true])
  func `reads a list that comes through a pipe in time`(isFIFO: Bool) throws {
    service.change { $0.bytesPerSecondOfServer = nil }
    let url = server.url("/small")
    let command =
      isFIFO
      ? "mkfifo p; (sleep 0.5; echo \(url); sleep 0.5; echo \(server.url("/last"))) > p & exec $P -i p"
      : "(sleep 0.5; echo \(url); sleep 0.5; echo \(server.url("/last"))) | $P -i -"
    let result = try runProgram(
      "/bin/bash", ["-c", command + " -d t --deadline 50"], environment: ["P": try swiftgetPath()],
      directory: place.directory.path)
    #expect(result.status == 0 && place.directory.names(in: "t") == ["last", "small"], "\(result.told)")
  }

  @Test(arguments: [false, true])
  func `ends with what is there saved, and the next one continues`(isTimeOfDay: Bool) throws {
    var invocation = try place.invocation([])
    if isTimeOfDay {
      let zone = zone(minuteIn: 4)
      invocation.environment = zone.environment
      invocation.arguments += ["--deadline", zone.minute]
    } else {
      invocation.arguments += ["--deadline", "3"]
    }
    let arguments = ["-j1", "--failed", "failed", server.url("/small"), server.url("/slow"), server.url("/last")]
    invocation.arguments += arguments
    let result = try place.run(invocation)
    #expect(result.status == 75 && result.wallSeconds < 15, "\(result.told)")
    #expect(result.errorText.contains("swiftget: stopped: the deadline of the run has passed"), "\(result.told)")
    #expect(result.errorText.contains("1 unfinished, 1 not started"), "\(result.told)")
    #expect(place.names == ["failed", "slow.swiftget", "slow.swiftget-part", "small"])
    #expect(
      try place.text("failed")
        == "{\"reason\": \"unfinished\", \"url\": \"\(server.url("/slow"))\"}\n"
        + "{\"reason\": \"not started\", \"url\": \"\(server.url("/last"))\"}\n")
    service.change { $0.bytesPerSecondOfServer = nil }
    let next = try place.run(place.invocation(["--deadline", "10m"] + arguments))
    #expect(next.status == 0 && place.holds("slow", mediumFile) && place.holds("last", Self.small), "\(next.told)")
    #expect(next.errorText.contains("slow: 5.7 MiB, ") && next.errorText.contains(" of it now"), "\(next.told)")
  }

  @Test func `ends a wait for a server`() throws {
    let silent = try ScriptedServer { _ in [.stall(nil)] }
    let result = try place.run("-q", "--deadline", "0.5", silent.url("/f"))
    #expect(result.status == 75 && result.errorText.contains("the deadline of the run"), "\(result.told)")
    #expect(place.names.isEmpty)
  }

  @Test func `ends while a list is downloaded`() throws {
    let silent = try ScriptedServer { _ in [.stall(nil)] }
    let result = try place.run("--deadline", "0.5", "-i", silent.url("/list"))
    #expect(result.status == 75 && result.errorText.contains("the deadline of the run has passed"), "\(result.told)")
  }

  @Test func `fails for what failed before`() throws {
    let result = try place.run("-j1", "--deadline", "3", server.url("/none"), server.url("/slow"))
    #expect(result.status == 8 && result.errorText.contains("the deadline of the run"), "\(result.told)")
  }
}

/// An environment in which local clocks show a whole minute so many seconds from now, and that minute.
func zone(minuteIn seconds: Int) -> (environment: [String: String], minute: String) {
  let now = time(nil)
  // POSIX zones may have seconds; the offset is subtracted from UTC to get local time.
  let offset = (now + seconds) % 60
  let minute = (now + seconds - offset) % 86_400 / 60
  let text = "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
  return (["TZ": "XXX0:00:\(offset < 10 ? "0" : "")\(offset)"], text)
}
