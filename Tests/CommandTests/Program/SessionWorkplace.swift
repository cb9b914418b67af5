import Glibc
import TestSupport
import Testing

/// A place for runs with a session, and a server of small files and of a larger one, `/slow`.
struct SessionWorkplace {
  let place: Workplace
  let home: TemporaryDirectory
  let service: FileService
  let server: ScriptedServer

  init() throws {
    place = try Workplace()
    home = try TemporaryDirectory()
    service = FileService([
      "/a": .text("the first file\n"), "/b": .text("the second file\n"), "/c": .text("the third file\n"),
      "/slow": longerMediumFile,
    ])
    server = try ScriptedServer { [service] request in service.steps(for: request) }
  }

  func invocation(_ arguments: [String]) throws -> ProgramInvocation {
    try place.invocation(arguments, sessionsIn: home)
  }

  func run(_ arguments: String...) throws -> ProgramResult { try place.run(invocation(arguments)) }
  func ctl(_ arguments: String...) throws -> ProgramResult {
    try place.run(invocation(["ctl", "-S", "night"] + arguments))
  }
  func start(_ arguments: String...) throws -> SpawnedProgram { try SpawnedProgram(invocation(arguments)) }

  /// Starts a process that works on the session, and returns when it does.
  func serve() throws -> SpawnedProgram {
    let program = try start("serve", "-S", "night")
    #expect(eventually { program.errorSoFar.contains("works on session night") || !program.isRunning })
    return program
  }

  func stop(_ program: SpawnedProgram) {
    program.kill(SIGTERM)
    #expect(program.wait().status == 0)
  }

  /// A command for the shell of a terminal.
  func command(_ arguments: String...) throws -> String {
    "cd \(place.directory.path); XDG_STATE_HOME=\(home.path) \(try swiftgetPath()) \(arguments.joined(separator: " "))"
  }
}

extension Workplace {
  /// A command of the program that has its sessions below `home`.
  func invocation(_ arguments: [String], sessionsIn home: TemporaryDirectory) throws -> ProgramInvocation {
    var invocation = ProgramInvocation(try swiftgetPath(), arguments)
    invocation.directory = directory.path
    invocation.environment["XDG_STATE_HOME"] = home.path
    invocation.timeLimit = 100
    return invocation
  }
}
