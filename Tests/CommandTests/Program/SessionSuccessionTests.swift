import Glibc
import TestSupport
import Testing

/// What becomes of a session when the command in the foreground ends that works on it.
@Suite(.waiting) struct `The end of a command that works on a session` {
  private let place: Workplace
  private let home: TemporaryDirectory
  private let server: ScriptedServer
  private let open = Locked<Set<String>>([])

  init() throws {
    place = try Workplace()
    home = try TemporaryDirectory()
    let service = FileService(["/own": .text("own\n"), "/other": .text("other\n")])
    server = try ScriptedServer { [open] request in
      while !open.withLock({ $0.contains(request.target) }) { pause(seconds: 0.002) }
      return service.steps(for: request)
    }
  }

  private func invocation(_ arguments: [String]) throws -> ProgramInvocation {
    try place.invocation(arguments, sessionsIn: home)
  }

  private func run(_ arguments: String...) throws -> ProgramResult { try place.run(invocation(arguments)) }

  private func status() throws -> String { try run("ctl", "-S", "night", "status").outputText }

  /// Starts a command in the foreground, and returns when it has asked for its file.
  private func start() throws -> SpawnedProgram {
    let program = try SpawnedProgram(invocation(["-S", "night", server.url("/own")]))
    #expect(eventually { server.requests.contains { $0.target == "/own" } })
    return program
  }

  private func answer(_ target: String) { open.withLock { _ = $0.insert(target) } }

  /// Whether no process works on the session, at last.
  private func isLeft() -> Bool { eventually { (try? status().contains("nobody works on it")) == true } }

  @Test(arguments: [nil, SIGINT]) func `files of --background continue in the background`(signal: Int32?) throws {
    let first = try start()
    let second = try run("-S", "night", "--background", server.url("/other"))
    #expect(second.status == 0 && second.errorText.contains("worked on by pid \(first.identifier)"), "\(second.told)")
    if let signal { first.kill(signal) } else { answer("/own") }
    let result = first.wait()
    #expect(result.status == signal.map { 128 + $0 } ?? 0, "\(result.told)")
    let state = try status()
    let worker = state.split(separator: "pid ").last.flatMap { Int32($0.prefix { $0.isNumber }) }
    #expect(result.errorText.contains("pid \(worker ?? 0) continues with session night"), "\(result.told) \(state)")
    #expect(worker != first.identifier && !place.names.contains("other"))
    answer("/other")
    if signal != nil { answer("/own") }
    #expect(try run("ctl", "-S", "night", "wait", "@all").status == 0)
    #expect(try place.text("own") == "own\n" && place.text("other") == "other\n")
    #expect(isLeft())
  }

  @Test func `files of ctl add wait for the next command`() throws {
    let first = try start()
    #expect(try run("ctl", "-S", "night", "add", server.url("/other")).status == 0)
    answer("/own")
    let result = first.wait()
    #expect(result.status == 0 && !result.errorText.contains("continues"), "\(result.told)")
    #expect(try status().contains("1 waiting") && isLeft())
    answer("/other")
  }

  @Test func `ctl stop ends the work, and nothing continues`() throws {
    let first = try start()
    #expect(try run("-S", "night", "--background", server.url("/other")).status == 0)
    // It has heard of an end.
    let joined = try SpawnedProgram(invocation(["-S", "night", server.url("/missing"), server.url("/other")]))
    answer("/missing")
    #expect(eventually { joined.errorSoFar.contains("missing: ") })
    let stop = try run("ctl", "-S", "night", "stop")
    #expect(stop.status == 0 && stop.outputText.contains("is stopped"), "\(stop.told)")
    let (result, other) = (first.wait(), joined.wait())
    #expect(result.status == 75 && other.status != 0, "\(result.told) \(other.told)")
    for text in [result.errorText, other.errorText] {
      #expect(text.contains("stopped by 'swiftget ctl stop'; session night keeps what is unfinished"), "\(text)")
    }
    #expect(try status().contains("nobody works on it"))
    answer("/own")
    answer("/other")
    #expect(try run("-S", "night").status == 0)
    #expect(place.names == ["other", "own"] && isLeft())
  }

  @Test func `a joined command that takes over runs the hooks of tasks`() throws {
    let service = try SpawnedProgram(invocation(["serve", "-S", "night"]))
    #expect(eventually { service.errorSoFar.contains("works on session night") })
    #expect(try run("ctl", "-S", "night", "add", "--on-complete", "touch hooked", server.url("/own")).status == 0)
    answer("/missing")
    let joined = try SpawnedProgram(invocation(["-S", "night", server.url("/missing"), server.url("/own")]))
    #expect(eventually { joined.errorSoFar.contains("missing: ") })
    service.kill(SIGKILL)
    _ = service.wait()
    answer("/own")
    let result = joined.wait()
    #expect(result.status == 8 && place.names == ["hooked", "own"], "\(result.told) \(place.names)")
  }
}
