import Glibc
import TestSupport
import Testing

/// Runs as cron and systemd start them.
@Suite(.waiting) struct `Unattended runs` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let content = Content.text("0123456789")
  private static let root = String(#filePath.dropLast("/Tests/CommandTests/Program/CronTests.swift".count))

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": Self.content, "/b": Self.content]))
  }

  /// Runs the program with this environment and nothing else in it.
  private func run(
    _ variables: [String], closed: Set<Int32> = [], _ arguments: [String]
  ) throws -> ProgramResult {
    var invocation = try place.invocation(arguments)
    invocation.arguments = ["-i"] + variables + [invocation.path] + invocation.arguments
    invocation.path = "/usr/bin/env"
    invocation.closedDescriptors = closed
    return try place.run(invocation)
  }

  @Test(arguments: [
    [], ["PATH=/usr/bin:/bin"], ["PATH="], ["HOME=/nonexistent", "PATH=/usr/bin:/bin", "SHELL=/bin/sh"],
  ])
  func `need no variables, and print nothing when all is well`(variables: [String]) throws {
    try place.directory.write("list", "\(server.url("/a"))\n\(server.url("/b"))\n")
    for _ in 0..<2 {
      let result = try run(variables, ["-q", "-d", "t", "-i", "list", "--splay", "0.1", "--lock-wait", "1"])
      #expect(result.status == 0 && result.errorText.isEmpty && result.outputText.isEmpty, "\(result.told)")
      #expect(place.holds("t/a", Self.content) && place.holds("t/b", Self.content))
    }
  }

  @Test func `print what has failed`() throws {
    let result = try run(["PATH=/usr/bin:/bin"], ["-q", server.url("/a"), server.url("/none")])
    #expect(result.status == 8 && result.errorText.contains("none: "), "\(result.told)")
    #expect(!result.errorText.contains("swiftget: a:") && result.outputText.isEmpty, "\(result.told)")
  }

  @Test(arguments: [[0], [1], [2], [0, 1], [0, 1, 2]] as [Set<Int32>])
  func `need no standard descriptors, nor do their hooks`(closed: Set<Int32>) throws {
    // What a hook writes must not get into a file that took the place of a closed descriptor.
    let arguments = [
      "-q", "--on-complete", "/bin/sh -c 'echo out; echo err >&2'", "--on-exit", "/usr/bin/touch ended",
      "--verify-command", "/bin/cat", "--log", "log", server.url("/a"),
    ]
    let result = try run([], closed: closed, arguments)
    #expect(result.status == 0 && place.holds("a", Self.content), "\(result.told)")
    #expect(place.names == ["a", "ended", "log"])
    #expect(try !place.text("log").contains("out\n"))
  }

  @Test func `find programs of hooks without PATH where the system has them`() throws {
    let result = try run([], ["--on-exit", "touch ended", server.url("/a")])
    #expect(result.status == 0 && place.names == ["a", "ended"], "\(result.told)")
  }

  // MARK: systemd

  /// A copy of an example that starts the program of the tests.
  private func install(_ unit: String) throws {
    let text = String(decoding: try readFile("\(Self.root)/share/swiftget/examples/\(unit)"), as: UTF8.self)
    try place.directory.write(unit, text.replacing("/usr/local/bin/swiftget", with: try swiftgetPath()))
  }

  @Test func `are described by valid units of systemd`() throws {
    let program = "/usr/bin/systemd-analyze"
    guard access(program, X_OK) == 0 else {
      print("not run, for systemd-analyze is not installed (make deps installs it)")
      return
    }
    try install("swiftget.service")
    try install("swiftget.timer")
    var names = ["swiftget.service", "swiftget.timer"]
    for kind in ["service", "socket"] {
      try install("swiftget@.\(kind)")
      names.append("swiftget@night.\(kind)")
      try place.directory.write(names[names.count - 1], try place.text("swiftget@.\(kind)"))
    }
    let paths = names.map { place.directory.path($0) }
    let result = try runProgram(program, ["verify", "--man=no"] + paths)
    #expect(result.status == 0, "\(result.told)")
    // Problems of our units are named with their files; those of the machine's own units are none of ours.
    let problems = result.errorText.split(separator: "\n").filter { $0.contains("swiftget") }
    #expect(problems.isEmpty, "\(result.told)")
    // It does find mistakes.
    let text = try place.text("swiftget.service")
    try place.directory.write("swiftget.service", text.replacing("Type=oneshot", with: "Typo=oneshot"))
    let wrong = try runProgram(program, ["verify", "--man=no", paths[0]])
    #expect(wrong.errorText.contains("Typo"), "\(wrong.told)")
  }

  @Test func `start with the options of the service`() throws {
    let text = String(
      decoding: try readFile("\(Self.root)/share/swiftget/examples/swiftget.service"), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    try place.directory.write("urls", "\(server.url("/a"))\n")
    let words = line.split(separator: " ").dropFirst().map { word in
      word.replacing("%S/swiftget", with: "t").replacing("/etc/swiftget/urls.txt", with: "urls")
    }
    let statuses = try (0..<2).map { _ in try run([], words.map(String.init)).status }
    #expect(statuses == [10, 0] && place.holds("t/a", Self.content))
  }
}
