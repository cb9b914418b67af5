import Glibc
import TestSupport
import Testing

/// Runs with a session, in this process or in another one.
@Suite(.waiting) struct `Runs with a session` {
  private let place: Workplace
  private let home: TemporaryDirectory
  private let service: FileService
  private let server: ScriptedServer
  private let isOpen = Locked(true)

  init() throws {
    place = try Workplace()
    home = try TemporaryDirectory()
    service = FileService([
      "/a": mediumFile, "/b": otherMediumFile, "/c": .text("the third file\n"), "/slow": longerMediumFile,
    ])
    server = try ScriptedServer { [service, isOpen] request in
      while request.target == "/slow", !isOpen.withLock({ $0 }) { pause(seconds: 0.002) }
      return service.steps(for: request)
    }
  }

  private func invocation(_ arguments: [String]) throws -> ProgramInvocation {
    try place.invocation(arguments, sessionsIn: home)
  }

  private func run(_ arguments: String...) throws -> ProgramResult { try place.run(invocation(arguments)) }
  private func start(_ arguments: String...) throws -> SpawnedProgram { try SpawnedProgram(invocation(arguments)) }

  private func status(of session: String = "night") throws -> String {
    try run("ctl", "-S", session, "status").outputText
  }

  /// Starts a process that works on the session, and returns when it does.
  private func serve(_ arguments: String...) throws -> SpawnedProgram {
    let program = try SpawnedProgram(invocation(["serve", "-S", "night"] + arguments))
    #expect(eventually { program.errorSoFar.contains("works on session night") || !program.isRunning })
    return program
  }

  private func stop(_ program: SpawnedProgram) {
    program.kill(SIGTERM)
    #expect(program.wait().status == 0)
  }

  // MARK: In this process

  @Test func `files of a list and of the command line are there when it ends`() throws {
    try place.directory.write("list", Array("\(server.url("/a"))\n\(server.url("/b"))\n".utf8))
    let result = try run("-S", "night", "-i", "list", "-d", "data", server.url("/c"))
    #expect(result.status == 0 && result.output.isEmpty, "\(result.told)")
    #expect(result.errorText.contains("3 files: 3 succeeded"))
    #expect(place.holds("data/a", mediumFile) && place.holds("data/b", otherMediumFile))
    #expect(try place.text("data/c") == "the third file\n" && place.directory.names(in: "data").count == 3)
    // They are known, and kept. The last line counts all of them, however early some have ended.
    let again = try run("-S", "night", "-i", "list", "-d", "data", server.url("/c"))
    #expect(again.status == 0 && again.errorText.contains("3 files: 3 succeeded"), "\(again.told)")
    #expect(try run("ctl", "-S", "night", "list").outputText.split(separator: "\n").count == 4)
    #expect(place.directory.names(in: "data").count == 3)
  }

  @Test func `a name of the command line is one in the directory`() throws {
    #expect(try run("-S", "night", "-d", "data", "-o", "x", server.url("/c")).status == 0)
    #expect(try run("-S", "night", "-d", "data", "-o", "deep/y", server.url("/a")).status == 0)
    #expect(try run("-S", "night", "-o", place.directory.path("z"), "-d", "data", server.url("/c")).status == 0)
    #expect(place.directory.names(in: "data") == ["deep", "x"] && place.holds("data/deep/y", mediumFile))
    #expect(place.names == ["data", "z"])
  }

  @Test func `--timestamping replaces what the server has a newer version of`() throws {
    service.change { $0.lastModified = ("Tue, 31 Dec 2024 10:00:00 GMT", "Wed, 01 Jan 2025 10:00:00 GMT") }
    #expect(try run("-S", "night", "-N", server.url("/c")).status == 0)
    let before = server.bodyBytesSent
    #expect(try run("-S", "night", "-N", server.url("/c")).status == 0 && server.bodyBytesSent == before)
    service.change {
      $0.replacements = ["/c": .text("a newer and longer content\n")]
      $0.changesAfter = .requests(0)
    }
    let newer = try run("-S", "night", "-N", server.url("/c"))
    #expect(newer.status == 0 && place.holds("c", .text("a newer and longer content\n")), "\(newer.told)")
    #expect(place.names == ["c"])
  }

  @Test func `it ends as a run of its files`() throws {
    let result = try run("-S", "night", "--tries", "1", server.url("/missing"), server.url("/c"))
    #expect(result.status == 8, "\(result.told)")
    #expect(result.errorText.contains("404") && place.names == ["c"])
    // Without files it waits for what has not settled, which is nothing.
    let idle = try run("-S", "night")
    #expect(idle.status == 0 && idle.errorText == "night: 0 files\n", "\(idle.told)")
    let wrong = String(repeating: "0", count: 64)
    let other = try run("-S", "night", "--tries", "1", "--checksum", "sha256:\(wrong)", "-o", "x", server.url("/c"))
    #expect(other.status == 9 && place.names == ["c", "x.swiftget-bad"], "\(other.told) \(place.names)")
  }

  @Test func `commands that begin a session at the same instant share it`() throws {
    for round in 0..<5 {
      let session = "s\(round)"
      let programs = try [["--background"], [], ["--background"]].enumerated().map { number, options in
        try SpawnedProgram(
          invocation(["-S", session, "-o", "\(round)-\(number)", server.url("/c?\(number)")] + options))
      }
      for program in programs {
        let result = program.wait()
        #expect(result.status == 0, "\(result.told)")
      }
      // One that works for its own files only may have ended before the others were done.
      #expect(try run("ctl", "-S", session, "wait", "@all").status == 0)
      #expect(programs.indices.allSatisfy { (try? place.text("\(round)-\($0)")) == "the third file\n" })
    }
  }

  @Test(arguments: [SIGTERM, SIGINT]) func `a signal ends it, and the next run goes on`(signal: Int32) throws {
    service.change { $0.stallsAfter = 3_000_000 }
    let first = try start("-S", "night", "--connections", "1", "--timeout", "10m", server.url("/slow"))
    #expect(eventually { (try? status().contains("2.8 MiB of")) == true })
    first.kill(signal)
    let result = first.wait()
    #expect(result.status == 128 + signal, "\(result.told)")
    #expect(result.errorText.contains("session night keeps what is unfinished"))
    service.change { $0.stallsAfter = nil }
    let count = server.requests.count
    #expect(try run("-S", "night").status == 0)
    #expect(place.holds("slow", longerMediumFile) && place.names == ["slow"])
    #expect(server.requests.dropFirst(count).first?.rangeHeader != nil, "what was there was not fetched again")
  }

  @Test func `a killed one leaves a session that goes on`() throws {
    service.change { $0.stallsAfter = 3_000_000 }
    // Parts of it would not be long enough to stall.
    let first = try start("-S", "night", "--connections", "1", server.url("/slow"), server.url("/c"))
    let isHalf = eventually { place.names.contains("c") && place.names.contains("slow.swiftget-part") }
    first.kill(SIGKILL)
    #expect(isHalf, "\(first.wait().told) \(place.names)")
    _ = first.wait()
    service.change { $0.stallsAfter = nil }
    #expect(try run("-S", "night").status == 0)
    #expect(place.holds("slow", longerMediumFile) && place.names == ["c", "slow"])
  }

  @Test func `without a terminal it does not wait for what is paused`() throws {
    let result = try run("-S", "night", "--paused", "--group", "late", "--priority", "7", server.url("/c"))
    #expect(result.status == 75 && place.names.isEmpty, "\(result.told)")
    #expect(result.errorText.contains("paused"))
    let task = try run("ctl", "-S", "night", "list", "--json").outputText
    #expect(task.contains(#""group":"late","priority":7"#) && task.contains(#""paused_by":["task"]"#), "\(task)")
    #expect(try run("ctl", "-S", "night", "resume", "group:late", "state:paused").status == 0)
    #expect(try run("-S", "night").status == 0 && place.names == ["c"])
  }

  @Test func `what the command line says of requests holds, and secrets are not stored`() throws {
    let result = try run(
      "-S", "night", "-u", "me:pass-w0rd", "-H", "Authorization-Extra: yes", "-H", "Cookie: s3cret=1",
      "--user-agent", "night/1", "--paused", server.url("/c"))
    #expect(result.status == 75, "\(result.told)")
    for name in home.names(in: "swiftget/night") {
      let bytes = try home.read("swiftget/night/\(name)")
      #expect(!bytes.contains("pass-w0rd".utf8) && !bytes.contains("s3cret".utf8), "\(name)")
    }
    // A later process does not have them.
    #expect(try run("ctl", "-S", "night", "resume", "--all").status == 0)
    let waiting = try run("ctl", "-S", "night", "list", "--json").outputText
    #expect(waiting.contains("credentials"), "\(waiting)")
    let service = try serve()
    #expect(
      try run(
        "-S", "night", "-u", "me:pass-w0rd", "-H", "Authorization-Extra: yes", "-H", "Cookie: s3cret=1",
        "--user-agent", "night/1", server.url("/c")
      ).status == 0)
    stop(service)
    let request = try #require(server.requests.last)
    #expect(request.header("Authorization") == "Basic bWU6cGFzcy13MHJk" && request.header("Cookie") == "s3cret=1")
    #expect(request.header("Authorization-Extra") == "yes" && request.header("User-Agent") == "night/1")
  }

  // MARK: In another process

  @Test func `a joined run waits for its files, and leaves them when it is interrupted`() throws {
    isOpen.withLock { $0 = false }
    let service = try serve("--jobs", "2")
    let quick = try run("-S", "night", server.url("/c"))
    #expect(quick.status == 0 && place.names == ["c"], "\(quick.told)")
    let joined = try start("-S", "night", server.url("/slow"))
    #expect(eventually { server.requests.contains { $0.target == "/slow" } })
    joined.kill(SIGINT)
    let result = joined.wait()
    #expect(result.status == 130, "\(result.told)")
    #expect(result.errorText.contains("continues with session night"))
    isOpen.withLock { $0 = true }
    #expect(try run("ctl", "-S", "night", "wait", "@all").status == 0)
    #expect(place.holds("slow", longerMediumFile))
    // Its limits are those of the process that works on it.
    let limited = try run("-S", "night", "--limit-rate", "1M", server.url("/c"))
    #expect(limited.status == 3, "\(limited.told)")
    #expect(limited.errorText.contains("ctl -S night limit"))
    stop(service)
  }

  @Test func `a second service ends at once`() throws {
    let service = try serve()
    let second = try run("serve", "-S", "night")
    #expect(second.status == 75, "\(second.told)")
    #expect(second.errorText.contains("pid \(service.identifier)"))
    stop(service)
    stop(try serve())
  }

  @Test func `when the service dies a joined run takes over`() throws {
    isOpen.withLock { $0 = false }
    let service = try serve()
    let joined = try start("-S", "night", server.url("/slow"))
    #expect(eventually { server.requests.contains { $0.target == "/slow" } })
    service.kill(SIGKILL)
    _ = service.wait()
    isOpen.withLock { $0 = true }
    let result = joined.wait()
    #expect(result.status == 0 && place.holds("slow", longerMediumFile), "\(result.told)")
  }

  @Test func `a background process is left alone, and ends when all has settled`() throws {
    isOpen.withLock { $0 = false }
    let result = try run("-S", "night", "--background", server.url("/slow"), server.url("/c"))
    #expect(result.status == 0, "\(result.told)")
    #expect(result.errorText.contains("2 files in session night"))
    let running = try status()
    #expect(running.contains("pid "), "\(running)")
    // More is added to the same process.
    #expect(try run("-S", "night", "--background", server.url("/a")).status == 0)
    #expect(eventually { place.holds("c", .text("the third file\n")) && place.holds("a", mediumFile) })
    #expect(try status().contains("pid "))
    isOpen.withLock { $0 = true }
    #expect(eventually { (try? status().contains("nobody works on it")) == true })
    #expect(place.holds("slow", longerMediumFile) && place.names == ["a", "c", "slow"])
  }

  @Test func `a background process answers the command with which all has settled`() throws {
    let urls = (0..<8_000).map { "\(server.url("/c"))?\($0)" }.joined(separator: "\n")
    try place.directory.write("list", Array(urls.utf8))
    let added = try run("-S", "night", "--background", "--paused", "-i", "list", "--output-template", "{n}")
    #expect(added.status == 0, "\(added.told)")
    let cancelled = try run("ctl", "-S", "night", "cancel", "state:paused")
    #expect(cancelled.status == 0 && cancelled.outputText.hasPrefix("cancelled 8000 tasks"), "\(cancelled.told)")
    #expect(eventually { (try? status().contains("nobody works on it")) == true })
  }

  /// Holds a session, answers one client's hello, and ends.
  private static let endingWorker = """
    import fcntl, json, os, socket, sys
    directory = sys.argv[1]
    os.makedirs(directory, 0o700)
    lock = open(directory + "/lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    start = open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]
    boot = 0xcbf29ce484222325
    for byte in open("/proc/sys/kernel/random/boot_id", "rb").read().strip():
        boot = (boot ^ byte) * 0x100000001b3 % 2**64
    place = directory + "/x.sock"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen()
    lock.write(f"pid {os.getpid()} {start} {boot}\\nhost {os.uname().nodename}\\nsocket {place}\\nend\\n")
    lock.flush()
    print("ready", file=sys.stderr, flush=True)
    client = listening.accept()[0]
    call = json.loads(client.makefile().readline())
    result = {"program": "swiftget", "protocol": 1, "pid": os.getpid(), "generation": 1}
    client.sendall((json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}) + "\\n").encode())
    """

  @Test(arguments: [["--background"], []])
  func `files are added although the process ends with which they were to be`(options: [String]) throws {
    let worker = try SpawnedProgram("/usr/bin/python3", ["-c", Self.endingWorker, home.path("swiftget/night")])
    #expect(eventually { worker.errorSoFar == "ready\n" || !worker.isRunning })
    let result = try place.run(invocation(["-S", "night", server.url("/c")] + options))
    #expect(result.status == 0, "\(result.told)")
    #expect(worker.wait().status == 0)
    #expect(eventually { place.holds("c", .text("the third file\n")) })
  }

  @Test func `a background process that cannot begin says why`() throws {
    try home.write("swiftget", [])
    let result = try run("-S", "night", "--background", server.url("/c"))
    #expect(result.status != 0 && !result.errorText.isEmpty && place.names.isEmpty, "\(result.told)")
  }

  @Test func `a manager of services hears when it is ready`() throws {
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(socket) }
    let path = home.path("notify")
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    var invocation = try invocation(["serve", "-S", "night", "-q"])
    invocation.environment["NOTIFY_SOCKET"] = path
    let program = try SpawnedProgram(invocation)
    var buffer = [UInt8](repeating: 0, count: 100)
    #expect(recv(socket, &buffer, buffer.count, 0) == 7 && buffer.starts(with: "READY=1".utf8))
    #expect(try status().contains("pid \(program.identifier)"))
    program.kill(SIGTERM)
    #expect(recv(socket, &buffer, buffer.count, 0) == 10 && buffer.starts(with: "STOPPING=1".utf8))
    let result = program.wait()
    #expect(result.status == 0 && result.errorText.isEmpty)
  }

  @Test func `a directory that somebody removes or renames is made anew`() throws {
    let service = try serve()
    #expect(try run("-S", "night", "-d", "data", server.url("/c")).status == 0)
    #expect(rename(place.directory.path("data"), place.directory.path("old")) == 0)
    #expect(try run("-S", "night", "-d", "data", server.url("/a")).status == 0)
    #expect(place.directory.names(in: "old") == ["c"] && place.holds("data/a", mediumFile))
    #expect(unlink(place.directory.path("data/a")) == 0 && rmdir(place.directory.path("data")) == 0)
    let again = try run("-S", "night", "-d", "data", server.url("/b"))
    #expect(again.status == 0 && place.holds("data/b", otherMediumFile), "\(again.told)")
    stop(service)
  }

  @Test func `a manager of services starts it when a command adds files`() throws {
    let program = "/usr/bin/systemd-socket-activate"
    guard access(program, X_OK) == 0 else {
      print("not run, for systemd-socket-activate is not installed (make deps installs it)")
      return
    }
    let runtime = try TemporaryDirectory()
    try runtime.makeDirectory("swiftget")
    let socket = runtime.path("swiftget/night.sock")
    var listening = ProgramInvocation(
      program,
      [
        "-l", socket, "-E", "XDG_STATE_HOME=\(home.path)", "-E", "XDG_RUNTIME_DIR=\(runtime.path)", try swiftgetPath(),
        "serve", "-S", "night",
      ])
    listening.directory = place.directory.path
    let manager = try SpawnedProgram(listening)
    func run(_ arguments: String...) throws -> ProgramResult {
      var invocation = try invocation(arguments)
      invocation.environment["XDG_RUNTIME_DIR"] = runtime.path
      return try place.run(invocation)
    }
    #expect(eventually { fileExists(socket) })
    // To look starts nothing.
    #expect(try run("ctl", "-S", "night", "status").status == 4)
    #expect(try run("ctl", "-S", "night", "list").status == 4)
    let added = try run("ctl", "add", "-S", "night", server.url("/a"))
    #expect(added.status == 0 && !added.errorText.contains("no process"), "\(added.told)")
    let joined = try run("-S", "night", server.url("/c"))
    #expect(joined.status == 0 && place.names.contains("c"), "\(joined.told) \(place.names)")
    #expect(try run("ctl", "-S", "night", "wait", "@all").status == 0 && place.names == ["a", "c"])
    #expect(try run("ctl", "-S", "night", "show").outputText.contains("worked on by  pid"))
    #expect(try run("ctl", "-S", "night", "stop").status == 0)
    #expect(manager.wait().status == 0)
    #expect(fileExists(socket), "the socket is the manager's")
    // Nobody listens any more.
    #expect(try run("-S", "night", server.url("/b")).status == 0 && place.names == ["a", "b", "c"])
  }

  @Test func `a service that starts waits for a command that changes the session`() throws {
    #expect(try run("ctl", "-S", "night", "add", "--paused", server.url("/c")).status == 0)
    // The lock file names that command, and is held as if it still ran.
    let lock = home.path("swiftget/night/lock")
    let command = try SpawnedProgram("/usr/bin/flock", ["--no-fork", lock, "/bin/sleep", "100"])
    #expect(eventually { (try? runProgram("/usr/bin/flock", ["-n", lock, "/bin/true"]).status) == 1 })
    let service = try start("serve", "-S", "night")
    pause(seconds: 0.5)
    #expect(service.isRunning && service.errorSoFar.isEmpty)
    command.kill(SIGTERM)
    _ = command.wait()
    #expect(eventually { service.errorSoFar.contains("works on session night") || !service.isRunning })
    stop(service)
  }

  // MARK: Command lines

  @Test(arguments: [
    ["-S", "https://example.org/a"], ["-S", "night", "--atomic", "URL"], ["-S", "night", "--check", "URL"],
    ["-S", "night", "-o", "-", "URL"], ["-S", "night", "--lock", "x", "URL"], ["--background", "URL"],
    ["--group", "x", "URL"], ["serve", "URL"], ["serve", "--tries", "3"], ["-S", "night", "--priority", "101", "URL"],
    ["-S", "night", "--limit-rate", "1M@8:00,2M@20:00", "URL"], ["serve", "-S", "../x"],
  ]) func `that mean nothing are refused`(line: [String]) throws {
    let result = try place.run(invocation(line.map { $0 == "URL" ? server.url("/c") : $0 }))
    #expect(result.status == 2 && !result.errorText.isEmpty, "\(result.told)")
    #expect(place.names.isEmpty && home.names(in: "swiftget").isEmpty && server.requests.isEmpty)
  }

  @Test func `a bundle with curl's -S names no session`() throws {
    #expect(try run("-fsSL", server.url("/c")).status == 0)
    #expect(place.names == ["c"] && home.names(in: "swiftget").isEmpty)
  }

  @Test func `the environment names a session for serve and ctl`() throws {
    var invocation = try invocation(["serve", "--session-dir", "sessions"])
    invocation.environment["SWIFTGET_SESSION"] = "ours"
    let program = try SpawnedProgram(invocation)
    #expect(eventually { program.errorSoFar.contains("works on session ours") })
    #expect(place.directory.names(in: "sessions") == ["ours"])
    program.kill(SIGTERM)
    #expect(program.wait().status == 0)
  }
}
