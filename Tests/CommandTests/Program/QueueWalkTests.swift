import Glibc
import TestSupport
import Testing

/// The commands of README's section on queues, as they are printed there.
@Suite(.serialized, .waiting) struct `The commands of a queue` {
  private let place: Workplace
  private let home: TemporaryDirectory
  private let service: FileService
  private let server: ScriptedServer
  private let hasExpired = Locked(false)
  private static let root = String(#filePath.dropLast("/Tests/CommandTests/Program/QueueWalkTests.swift".count))

  init() throws {
    place = try Workplace()
    home = try TemporaryDirectory()
    service = FileService([
      "/a": .text("the first file\n"), "/b": mediumFile, "/link": longerMediumFile, "/new": longerMediumFile,
    ]) { $0.bytesPerSecondOfServer = 200_000 }
    server = try ScriptedServer { [service, hasExpired] request in
      request.target == "/link" && hasExpired.withLock { $0 } ? [.respond(403)] : service.steps(for: request)
    }
  }

  /// The lines without their remarks.
  private static func commands() throws -> [String] {
    let lines = String(decoding: try readFile("\(root)/README.md"), as: UTF8.self).split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "## Queues"))
    return lines[start...].dropFirst().prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("swiftget ") }.map {
      line in
      String(line.prefix { $0 != "#" }).trimmingSuffix(" ")
    }
  }

  private func invocation(_ words: [String]) throws -> ProgramInvocation {
    try place.invocation(words, sessionsIn: home)
  }

  private func run(_ command: String) throws -> ProgramResult {
    try place.run(invocation(command.split(separator: " ").dropFirst().map(String.init)))
  }

  private func list(_ words: String) throws -> String { try run("swiftget ctl -S night list \(words)").outputText }

  /// All tasks, for messages.
  private var all: String { (try? list("@all")) ?? "" }

  /// The process that works on the session.
  private func worker() throws -> pid_t {
    let text = try run("swiftget ctl -S night show").outputText
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("worked on by  pid ") })
    return try #require(pid_t(line.split(separator: " ").last ?? ""))
  }

  /// The command that the example of a unit for systemd starts.
  private func serveByUnit() throws -> SpawnedProgram {
    let unit = String(decoding: try readFile("\(Self.root)/share/swiftget/examples/swiftget@.service"), as: UTF8.self)
    let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    let words = line.split(separator: " ").dropFirst().map { $0 == "%i" ? "night" : String($0) }
    return try SpawnedProgram(invocation(words))
  }

  @Test func `lead every file to its place, over a kill and an expired link`() throws {
    let commands = try Self.commands()
    #expect(commands.count == 8, "\(commands)")
    try place.directory.write(
      "urls.txt", Array("\(server.url("/a"))\n\(server.url("/b"))\n\(server.url("/link"))\n".utf8))

    let added = try run(commands[0])
    #expect(added.status == 0 && added.errorText.contains("3 files in session night"), "\(added.told)")
    let listed = try run(commands[1])
    #expect(listed.status == 0 && listed.outputText.split(separator: "\n").count == 4, "\(listed.told)")

    let screen = try Tmux.shell("/bin/dash -i", columns: 100, rows: 24)
    let program = "XDG_STATE_HOME=\(home.path) \(try swiftgetPath())"
    screen.type(commands[2].replacing("swiftget ctl", with: "\(program) ctl"))
    #expect(eventually { screen.screen.first?.hasPrefix("night") == true }, "\(screen.screen)")
    screen.press("q")
    #expect(eventually { screen.isCooked })

    #expect(try run(commands[3]).status == 0)
    #expect(eventually { (try? list("--fields=state state:paused"))?.contains("paused") == true })
    let first = try worker()
    #expect(kill(first, SIGKILL) == 0)
    #expect(eventually { (try? run("swiftget ctl -S night status"))?.outputText.contains("nobody works") == true })
    let unit = try serveByUnit()
    #expect(eventually { unit.errorSoFar.contains("works on session night") || !unit.isRunning })
    // A restart changes nothing about the pause.
    #expect(try list("--fields=state link").contains("paused"), "\(all)")

    service.change { $0.bytesPerSecondOfServer = nil }
    hasExpired.withLock { $0 = true }
    #expect(try run(commands[4]).status == 0)
    #expect(eventually { (try? list("state:failed"))?.contains("403") == true }, "\(all)")
    let number = try #require(try list("--fields=number state:failed").split(separator: "\n").last)
    let renewal = commands[5].replacing(" 12 ", with: " \(number) ")
      .replacing("https://example.org/new", with: server.url("/new"))
    #expect(try run(renewal).status == 0, "\(renewal)")
    #expect(try run(commands[6]).status == 0)
    let ended = try run(commands[7])
    #expect(ended.status == 0, "\(ended.told) \(all)")
    #expect(try place.text("data/a") == "the first file\n" && place.holds("data/b", mediumFile))
    #expect(place.holds("data/link", longerMediumFile) && place.directory.names(in: "data") == ["a", "b", "link"])
    unit.kill(SIGTERM)
    #expect(unit.wait().status == 0)
  }
}

extension String {
  fileprivate func trimmingSuffix(_ character: Character) -> String {
    var text = self[...]
    while text.last == character { text.removeLast() }
    return String(text)
  }
}
