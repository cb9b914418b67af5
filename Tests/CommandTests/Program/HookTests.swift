import Glibc
import TestSupport
import Testing

/// `--on-complete`, `--on-failure` and `--on-exit`.
@Suite(.waiting) struct `Hooks` {
  private let place: Workplace
  private let server: ScriptedServer
  private let service: FileService
  private static let small = Content.text("0123456789")

  init() throws {
    place = try Workplace()
    service = FileService([
      "/a": Self.small, "/b": Self.small, "/slow": mediumFile, "/x%0A-y'\"$(id)": Self.small,
    ])
    server = try ScriptedServer(service)
    // Appends a line with the program's arguments, then its variables, to the file `log`.
    try place.script(
      "note",
      "{ printf '[%s]' \"$@\"; echo; env -0 | grep -z '^SWIFTGET_' | LC_ALL=C sort -z | tr '\\0' '\\n'; } >> log")
  }

  /// A later run, and other tools, believe the mark of a finished file as long as its size and times fit.
  @Test(arguments: [
    ("touch -r a time; printf X | dd of=a bs=1 conv=notrunc 2> log; touch -r time a", false), ("chmod 600 a", true),
  ])
  func `that edit a file take its mark`(command: String, isMarked: Bool) throws {
    try place.script("edit", command)
    let result = try place.run("--on-complete", "./edit", server.url("/a"))
    #expect(result.status == 0, "\(result.told)")
    #expect(try (place.attribute("user.swiftget.verified", of: "a") != nil) == isMarked)
    let digest = try Self.small.hexDigest()
    #expect(try place.run("--checksum", "sha256:\(digest)", server.url("/a")).status == 0)
    #expect(place.holds("a", Self.small))
  }

  private func log() throws -> [String] {
    guard place.names.contains("log") else { return [] }
    return try place.text("log").split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test func `for a downloaded file are told what is known about it`() throws {
    service.change { $0.redirects = ["/moved": "/a?signature=secret"] }
    let digest = try Self.small.hexDigest()
    let url = "http://user:pass@127.0.0.1:\(server.port)/moved?id=1"
    let result = try place.run(
      "--on-complete", "./note 'one two' \"\" -", "-d", "t", "-o", "f", "--checksum", "sha256:\(digest)", url)
    #expect(result.status == 0, "\(result.told)")
    #expect(
      try log() == [
        "[one two][][-]", "SWIFTGET_EXIT=0", "SWIFTGET_FINAL_URL=\(server.url("/a"))", "SWIFTGET_OUTCOME=downloaded",
        "SWIFTGET_PATH=\(try realPath(place.directory.path))/t/f", "SWIFTGET_SHA256=\(digest)", "SWIFTGET_SIZE=10",
        "SWIFTGET_URL=\(server.url("/moved?id=1"))",
      ])
  }

  private func realPath(_ path: String) throws -> String {
    String(try runProgram("/usr/bin/realpath", [path]).outputText.dropLast())
  }

  @Test func `are run once for each downloaded file, and not for one that was there`() throws {
    let arguments = ["--on-complete", "./note", server.url("/a"), server.url("/b")]
    #expect(try place.run(place.invocation(arguments)).status == 0)
    #expect(try log().filter { $0.hasPrefix("SWIFTGET_PATH") }.count == 2)
    #expect(try place.run(place.invocation(arguments)).status == 0)
    #expect(try log().filter { $0.hasPrefix("SWIFTGET_PATH") }.count == 2)
    #expect(try place.run(place.invocation(arguments + ["--if-exists", "replace"])).status == 0)
    #expect(try log().filter { $0.hasPrefix("SWIFTGET_PATH") }.count == 4)
  }

  @Test func `for a failed file are told why`() throws {
    let result = try place.run(
      "--on-complete", "false", "--on-failure", "./note", server.url("/none?key=secret"))
    #expect(result.status == 8 && !result.errorText.contains("hook"), "\(result.told)")
    let lines = try log()
    #expect(lines.contains("SWIFTGET_EXIT=8") && lines.contains("SWIFTGET_OUTCOME=failed"), "\(lines)")
    #expect(
      lines.contains { $0.hasPrefix("SWIFTGET_ERROR=") && $0.contains("404") && !$0.contains("secret") }, "\(lines)")
    #expect(lines.contains("SWIFTGET_SIZE=0") && !lines.contains { $0.hasPrefix("SWIFTGET_SHA256") }, "\(lines)")
  }

  @Test func `get awkward names unharmed`() throws {
    try place.script("keep", "printf '%s\\0' \"$SWIFTGET_PATH\" >> names")
    let name: [UInt8] = Array("-rf 'a\" $(touch x)`; ".utf8) + [0xff, 0xc3] + Array("*".utf8)
    try place.directory.write("list", Array("\(server.url("/a"))\n out=".utf8) + name + Array("\n".utf8))
    let result = try place.run("-i", "list", "--on-complete", "./keep")
    #expect(result.status == 0, "\(result.told)")
    let path = Array("\(try realPath(place.directory.path))/".utf8) + name
    #expect(try place.directory.read("names") == path + [0])
    // A name of the command line may have a line break.
    let broken = try place.run("-o", "-n\nb", "--on-complete", "./keep", server.url("/b"))
    #expect(broken.status == 0, "\(broken.told)")
    #expect(try place.text("names").contains("/-n\nb\0"))
    #expect(!place.names.contains("x"))
  }

  @Test func `write to standard error, and read nothing`() throws {
    try place.script("talk", "echo out; echo err >&2; cat; echo end")
    let result = try place.run("--progress", "json", "--on-complete", "./talk", server.url("/a"), input: "data")
    #expect(result.status == 0 && result.errorText.contains("out\nerr\nend\n"), "\(result.told)")
    #expect(result.outputText.split(separator: "\n").allSatisfy { $0.hasPrefix("{") }, "\(result.outputText)")
  }

  @Test(arguments: [
    ("false", "ended with status 1"), ("sh -c 'kill -9 $$'", "was ended by signal 9"),
    // Their interpreter is missing, which shows when they are started.
    ("./lost", "cannot be run: No such file or directory"),
  ])
  func `that fail are warnings, and the run fails`(command: String, words: String) throws {
    try place.directory.write("lost", "#!/nonexistent\n")
    #expect(chmod(place.directory.path("lost"), 0o755) == 0)
    for option in ["--on-complete", "--on-exit"] {
      let result = try place.run(option, command, "--if-exists", "replace", server.url("/a"))
      #expect(result.status == 1 && place.holds("a", Self.small), "\(result.told)")
      let program = command.split(separator: " ")[0]
      #expect(result.errorText.contains("warning: the command of \(option) (\(program)) \(words)"), "\(result.told)")
    }
    // A failure of a file decides.
    #expect(try place.run("--on-failure", command, "--on-exit", command, server.url("/none")).status == 8)
    let quiet = try place.run("-q", "--on-complete", command, "--if-exists", "replace", server.url("/a"))
    #expect(quiet.status == 1 && quiet.errorText.contains("1 of 1 hook failed"), "\(quiet.told)")
    // Which file, which command, and why.
    let program = command.split(separator: " ")[0]
    #expect(
      quiet.errorText.hasPrefix("swiftget: a: warning: the command of --on-complete (\(program)) \(words)\n"),
      "\(quiet.told)")
  }

  @Test(
    arguments: ["--on-complete", "--on-failure", "--on-exit", "--verify-command"],
    [
      ("./none", "cannot run ./none: No such file or directory"), ("./plain", "cannot run ./plain: Permission denied"),
      ("./folder", "cannot run ./folder: No such file or directory"),
      ("no-such-program S3CR3T", "cannot run no-such-program: No such file or directory"),
    ])
  func `that are not there are found before the start`(option: String, command: (words: String, error: String)) throws {
    try place.directory.write("plain", "")
    #expect(mkdir(place.directory.path("folder"), 0o755) == 0)
    let result = try place.run(option, command.words, server.url("/a"))
    #expect(result.status == 2 && result.errorText.contains("\(option): \(command.error)"), "\(result.told)")
    #expect(!result.errorText.contains("S3CR3T") && server.requests.isEmpty, "\(result.told)")
  }

  @Test func `that fail often are counted`() throws {
    let many = try ScriptedServer { _ in [.respond(200, body: [1])] }
    let list = (0..<50).map { "\(many.url("/\($0)"))\n" }.joined()
    let result = try place.run("-d", "t", "-i", "-", "--on-complete", "false", input: list)
    let quiet = try place.run("-q", "-d", "u", "-i", "-", "--on-complete", "false", input: list)
    #expect(quiet.errorText.components(of: "warning: the command").count - 1 == 20, "\(quiet.told)")
    #expect(result.status == 1 && result.errorText.contains("50 of 50 hooks failed"), "\(result.told)")
    #expect(result.errorText.components(of: "warning: the command").count - 1 == 20, "\(result.told)")
  }

  @Test(arguments: ["--on-complete", "--on-exit"])
  func `that last too long are ended, with what they have started`(option: String) throws {
    try place.script("hang", "trap '' TERM; sleep 1000 & echo $! > child; wait; sleep 1000")
    let result = try place.run(option, "./hang", "--hook-timeout", "1", server.url("/a"))
    #expect(result.status == 1 && result.errorText.contains("did not end within its time limit"), "\(result.told)")
    let child = try #require(pid_t(try place.text("child").dropLast()))
    #expect(eventually { !isRunning(child) })
  }

  private func isRunning(_ process: pid_t) -> Bool {
    let status = (try? readFile("/proc/\(process)/stat")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return !status.isEmpty && !status.contains(") Z ")
  }

  @Test func `do not hold up downloads, and are four at a time`() throws {
    // Each waits until the test has seen all files.
    try place.script("wait", "echo >> started; while [ ! -e go ]; do sleep 0.05; done; echo >> ended")
    let many = try ScriptedServer { _ in [.respond(200, body: [1])] }
    let list = (0..<30).map { "\(many.url("/\($0)"))\n" }.joined()
    var invocation = try place.invocation(["-d", "t", "-i", "-", "--on-complete", "./wait"])
    invocation.input = Array(list.utf8)
    let program = try SpawnedProgram(invocation)
    #expect(eventually { place.directory.names(in: "t").count == 30 })
    #expect(eventually { (try? place.text("started").count) == 4 })
    #expect(program.isRunning)
    try place.directory.write("go", "")
    let result = program.wait()
    #expect(result.status == 0, "\(result.told)")
    #expect(try place.text("started").count == 30 && place.text("ended").count == 30)
  }

  @Test func `of the end are told the exit status, however the run ends`() throws {
    #expect(try place.run("--on-exit", "./note", server.url("/a")).status == 0)
    #expect(try place.run("--on-exit", "./note", "--changed-exit", "10", server.url("/b")).status == 10)
    #expect(try place.run("--on-exit", "./note", server.url("/none")).status == 8)
    #expect(try place.run("--on-exit", "./note", "-i", "missing").status == 2)
    #expect(try place.run("--on-exit", "./note", "-i", server.url("/none")).status == 8)
    let lines = try log()
    #expect(
      lines.filter { $0.hasPrefix("SWIFTGET_EXIT") } == [0, 10, 8, 2, 8].map { "SWIFTGET_EXIT=\($0)" }, "\(lines)")
    #expect(
      lines.filter { $0.hasPrefix("SWIFTGET_OUTCOME") }
        == ["succeeded", "succeeded", "failed", "failed", "failed"].map { "SWIFTGET_OUTCOME=\($0)" }, "\(lines)")
    #expect(lines.filter { $0.hasPrefix("SWIFTGET_ERROR") }.count == 1, "\(lines)")
  }

  @Test func `of the end run after those of files, and see what the run has written`() throws {
    try place.script("slow", "sleep 0.5; echo complete >> order")
    try place.script(
      "last",
      "echo exit >> order; [ -e failed ] && [ -e lock ] && grep -q totals \"$SWIFTGET_REPORT\" && echo records >> order"
    )
    let result = try place.run(
      "--on-complete", "./slow", "--on-exit", "./last", "--failed", "failed", "--lock", "lock", "--report", "report",
      server.url("/a"))
    #expect(result.status == 0, "\(result.told)")
    #expect(try place.text("order") == "complete\nexit\nrecords\n")
  }

  @Test func `of the end run after a signal, and a second one ends them`() throws {
    service.change { $0.bytesPerSecondOfServer = 1e6 }
    try place.script("hang", "env | grep -E '^SWIFTGET_(EXIT|OUTCOME)' | sort > seen; echo > ready; exec sleep 1000")
    let program = try place.start("--on-exit", "./hang", "--hook-timeout", "0", server.url("/slow"))
    #expect(eventually { server.bodyBytesSent > 300_000 })
    program.kill(SIGINT)
    #expect(eventually { place.names.contains("ready") })
    #expect(try place.text("seen") == "SWIFTGET_EXIT=130\nSWIFTGET_OUTCOME=interrupted\n")
    program.kill(SIGINT)
    let result = program.wait()
    #expect(result.status == 130 && place.names.contains("slow.swiftget-part"), "\(result.told)")
  }

  @Test func `of files do not start after a signal; those that run may end, until a second one`() throws {
    try place.script("wait", "echo >> started; while [ ! -e go ]; do sleep 0.05; done; echo >> ended")
    let many = try ScriptedServer { _ in [.respond(200, body: [1])] }
    let list = (0..<6).map { "\(many.url("/\($0)"))\n" }.joined()
    func start() throws -> SpawnedProgram {
      var invocation = try place.invocation([
        "-d", "t", "-i", "-", "--if-exists", "replace", "--on-complete", "./wait", "--hook-timeout", "0",
      ])
      invocation.input = Array(list.utf8)
      let program = try SpawnedProgram(invocation)
      #expect(eventually { place.directory.names(in: "t").count == 6 && (try? place.text("started").count) == 4 })
      return program
    }
    let patient = try start()
    // All files are in place before the run notices the signal.
    pause(seconds: 1)
    patient.kill(SIGINT)
    pause(seconds: 0.3)
    #expect(patient.isRunning)
    try place.directory.write("go", "")
    let first = patient.wait()
    #expect(first.status == 130 && first.errorText.contains("2 of 6 hooks not run"), "\(first.told)")
    #expect(try place.text("ended").count == 4)
    for name in ["go", "started", "ended"] { unlink(place.directory.path(name)) }
    let impatient = try start()
    pause(seconds: 1)
    impatient.kill(SIGINT)
    pause(seconds: 0.3)
    impatient.kill(SIGINT)
    let second = impatient.wait()
    #expect(second.status == 130 && !place.names.contains("ended"), "\(second.told)")
  }

  @Test func `have their own process group, and default signals even where the run ignores them`() throws {
    // Not a shell, which has copies of descriptors while it redirects. The one that lists the directory is closed again.
    try place.directory.write(
      "list.py",
      """
      import os
      found = [d for d in os.listdir("/proc/self/fd") if os.path.lexists("/proc/self/fd/" + d)]
      open("descriptors", "w").write(str(sorted(found)))
      """)
    try place.script(
      "look",
      "ps -o pgid= -p $$ | tr -d ' ' > group; echo $$ > own; grep -E 'Sig(Ign|Blk)' /proc/self/status > masks; exec /usr/bin/python3 list.py"
    )
    var invocation = try place.invocation(["--on-exit", "./look", server.url("/a")])
    invocation.arguments =
      ["-c", "trap '' HUP QUIT; exec 7</dev/null; exec \"$0\" \"$@\"", invocation.path] + invocation.arguments
    invocation.path = "/bin/sh"
    let result = try place.run(invocation)
    #expect(result.status == 0, "\(result.told)")
    #expect(try place.text("group") == place.text("own"))
    let masks = try place.text("masks").split(separator: "\n").map { $0.split(separator: "\t").last ?? "" }
    // glibc leaves its own signals ignored, 32 and 33, which no program can set.
    #expect(masks.map { UInt64($0, radix: 16).map { $0 & ~0x1_8000_0000 } } == [0, 0])
    #expect(try place.text("descriptors") == "['0', '1', '2']")
  }

  @Test func `work with closed standard descriptors`() throws {
    var invocation = try place.invocation([
      "--on-complete", "./note", "--on-exit", "sh -c 'echo x; echo y >&2'", server.url("/a"),
    ])
    invocation.closedDescriptors = [0, 1, 2]
    #expect(try place.run(invocation).status == 0)
    #expect(try log().contains("SWIFTGET_OUTCOME=downloaded"))
  }

  @Test func `of standard output have no path`() throws {
    let result = try place.run("-o", "-", "--on-complete", "./note", server.url("/a"))
    #expect(result.status == 0 && result.outputText == "0123456789", "\(result.told)")
    #expect(try !log().isEmpty && !log().contains { $0.hasPrefix("SWIFTGET_PATH") })
  }

  @Test(arguments: [
    (" ", "the command is empty"), ("a 'b", "a ' has no counterpart"), ("a | b", "'|' needs a shell"),
    ("gzip $SWIFTGET_PATH", "'$' needs a shell"),
  ])
  func `that only a shell understands are refused`(command: String, words: String) throws {
    for option in ["--on-complete", "--on-failure", "--on-exit"] {
      let result = try place.run(option, command, server.url("/a"))
      #expect(
        result.status == 2 && result.errorText.contains("\(option): ") && result.errorText.contains(words),
        "\(result.told)")
    }
    #expect(server.requests.isEmpty)
  }
}

extension String {
  fileprivate func components(of separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return parts + [rest]
  }
}
