import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `Output of a run` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(
      FileService(["/f": mediumFile, "/g": .text("small\n"), "/evil%1b%5b31m": .text("x")]) {
        $0.bytesPerSecondOfServer = 8e6
      })
  }

  @Test func `quiet prints failures only`() throws {
    let good = try place.run("-q", server.url("/f"), server.url("/g"))
    #expect(good.status == 0 && good.errorText.isEmpty && good.output.isEmpty, "\(good.told)")
    let bad = try place.run("-q", server.url("/absent"), server.url("/g"))
    #expect(bad.status == 8, "\(bad.told)")
    let lines = bad.errorText.split(separator: "\n").filter { !$0.hasPrefix("hint: ") }
    #expect(lines.count == 4 && lines[0].hasPrefix("swiftget: absent: "), "\(bad.told)")
    #expect(lines[1] == "swiftget: 0 files downloaded, 1 already there, 1 failed", "\(bad.told)")
    #expect(lines[2].hasPrefix("swiftget: 1 file failed: ") && lines[3] == "  absent", "\(bad.told)")
  }

  @Test func `verbose prints the source`() throws {
    let result = try place.run("-v", server.url("/g"))
    #expect(result.status == 0 && result.errorText.contains(server.url("/g")), "\(result.told)")
  }

  @Test func `a pipe gets whole lines without control characters`() throws {
    let result = try place.run(server.url("/f"), server.url("/g"), server.url("/absent"))
    #expect(result.error.allSatisfy { $0 >= 0x20 || $0 == 0x0a }, "\(result.told)")
    #expect(result.error.last == 0x0a && result.output.isEmpty)
  }

  @Test func `text from a server is escaped`() throws {
    let nasty = try ScriptedServer { _ in
      [.send("HTTP/1.1 404 No\u{1b}[31m such\u{7} thing\r\nContent-Length: 0\r\n\r\n")]
    }
    let result = try place.run("-v", nasty.url("/x%1b%5b31m"), nasty.url("/y"))
    #expect(result.error.allSatisfy { $0 >= 0x20 || $0 == 0x0a }, "\(result.told)")
  }

  @Test func `JSON lines are valid and contain start and end`() throws {
    let result = try place.run("--progress", "json", server.url("/f"), server.url("/g"), server.url("/absent"))
    #expect(result.status == 8, "\(result.told)")
    let script = """
      import json, re, sys
      events = [json.loads(line) for line in sys.stdin]
      assert events[0]["type"] == "start" and events[0]["version"] == 2 and events[0]["files"] == 3, events[0]
      assert events[-1]["type"] == "end" and events[-1]["status"] == 8, events[-1]
      ends = {e["name"]: e for e in events if e["type"] == "item_end"}
      assert ends["f"]["outcome"] == "downloaded" and ends["f"]["bytes_done"] == 6000001, ends
      assert ends["absent"]["outcome"] == "failed" and ends["absent"]["error"]["message"], ends
      assert ends["f"]["http_status"] in (200, 206) and ends["g"]["http_status"] == 200, ends
      assert ends["absent"]["http_status"] == 404, ends
      assert ends["f"]["path"] == sys.argv[1] + "/f" and ends["absent"]["path"] == sys.argv[1] + "/absent", ends
      assert all(re.fullmatch(r"[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z", e["time"]) for e in events), events
      assert any(e["type"] == "progress" and e["active"] for e in events)
      """
    let check = try runProgram("/usr/bin/python3", ["-c", script, place.directory.path], input: result.output)
    #expect(check.status == 0, "\(check.told)\n\(result.outputText)")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `JSON lines end with the event of the end also after a signal`(signal: Int32, status: Int32) throws {
    let program = try place.start("--progress", "json", "-j", "1", server.url("/f"), server.url("/g"))
    #expect(eventually { server.bodyBytesSent > 100_000 })
    program.kill(signal)
    let result = program.wait()
    #expect(result.status == status, "\(result.told)")
    let last = result.outputText.split(separator: "\n").last ?? ""
    #expect(last.hasPrefix("{\"type\":\"end\"") && last.hasSuffix("}"), "\(result.outputText)")
    #expect(last.contains("\"status\":\(status),\"interrupted\":true,"), "\(last)")
    #expect(last.contains("\"unfinished\":1,\"not_started\":1,"), "\(last)")
  }

  @Test func `the status that a signal asks for is told to quiet users, too`() throws {
    for quiet in [["-q"], ["--progress", "none"]] {
      let program = try SpawnedProgram(place.invocation(quiet + ["--if-exists", "replace", server.url("/f")]))
      #expect(eventually { place.names.contains("f.swiftget") })
      program.kill(SIGUSR1)
      let result = program.wait()
      #expect(result.status == 0, "\(result.told)")
      #expect(result.errorText.hasPrefix("swiftget: 0 of 1 files done, "), "\(result.told)")
    }
  }

  @Test func `a file that fails without an answer has no status`() throws {
    let result = try place.run("--progress", "json", "-d", "sub/", "--tries", "1", "http://127.0.0.1:1/x")
    #expect(result.outputText.contains("\"path\":\"\(place.directory.path)/sub/x\","), "\(result.outputText)")
    #expect(result.outputText.contains("\"http_status\":null,"), "\(result.outputText)")
  }

  @Test func `JSON goes to standard error if the file goes to standard output`() throws {
    let result = try place.run("--progress", "json", "-o", "-", server.url("/g"))
    #expect(result.status == 0 && result.outputText == "small\n", "\(result.told)")
    #expect(result.errorText.hasPrefix("{"))
  }

  private func onTerminal(_ arguments: [String], environment: [String: String] = [:]) throws -> ProgramInvocation {
    var invocation = try place.invocation(arguments)
    invocation.terminal = (80, 24)
    invocation.environment = ["TERM": "xterm"].merging(environment) { $1 }
    return invocation
  }

  private func screen(after result: ProgramResult) -> Screen {
    var screen = Screen(columns: 80, height: 24)
    screen.write(result.errorText)
    #expect(screen.refused.isEmpty && screen.showsCursor)
    return screen
  }

  @Test func `a terminal shows a bar and is left clean`() throws {
    let result = try place.run(onTerminal([server.url("/f"), server.url("/g")]))
    #expect(result.status == 0, "\(result.told)")
    #expect(result.errorText.contains("%") && result.errorText.contains("\u{1b}["))
    let lines = screen(after: result).text
    #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix("swiftget: ") && !$0.contains("%") }, "\(lines)")
  }

  @Test func `a terminal is left clean by an interruption`() throws {
    let program = try SpawnedProgram(onTerminal([server.url("/f")]))
    #expect(eventually { program.errorSoFar.contains("%") })
    program.kill(SIGINT)
    let result = program.wait()
    #expect(result.status == 130, "\(result.told)")
    let lines = screen(after: result).text
    #expect(lines.last?.contains("to continue") == true && !lines.contains { $0.contains("%") }, "\(lines)")
  }

  @Test func `a dumb terminal gets lines`() throws {
    let result = try place.run(onTerminal([server.url("/f")], environment: ["TERM": "dumb"]))
    #expect(result.status == 0 && !result.errorText.contains("\u{1b}"), "\(result.told)")
  }

  @Test func `a full device is told once, and nothing can be resumed`() throws {
    let result = try place.run("-o", "/dev/full", server.url("/f"))
    #expect(result.status == 3, "\(result.told)")
    #expect(
      result.errorText == """
        swiftget: /dev/full: cannot write the output: No space left on device
        hint: free some space, then run the same command again

        """)
  }

  @Test func `help and version are data`() throws {
    for option in ["--help", "-h", "--version", "-V"] {
      let result = try place.run(option)
      #expect(result.status == 0 && !result.output.isEmpty && result.error.isEmpty, "\(option)")
    }
    var invocation = ProgramInvocation(try swiftgetPath(), ["--help"])
    invocation.outputPath = "/dev/full"
    #expect(try place.run(invocation).status == 3)
  }
}
