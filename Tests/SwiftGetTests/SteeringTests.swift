import DownloadCore
import DownloadFiles
import DownloadJSON
import DownloadStore
import Glibc
import TestSupport
import Testing

@testable import DownloadControl
@testable import SwiftGet

/// `swiftget ctl`, as a user runs it, on a session that this process works on or that nobody does.
@Suite(.waiting) struct `Steering a session from the shell` {
  private let content = Content.generated(seed: 44, byteCount: 1_000_000)
  private let home: TemporaryDirectory
  private let rig: SessionRig

  init() throws {
    home = try TemporaryDirectory()
    let content = Content.generated(seed: 44, byteCount: 1_000_000)
    rig = try SessionRig(Dictionary(uniqueKeysWithValues: (0..<4).map { ("/f\($0)", content) }))
  }

  private func open() async throws -> DownloadSession {
    try await DownloadSession.open("night", in: home.path, configuration: SessionRig.configuration(in: rig.target))
  }

  private func invocation(_ words: [String], session: String = "night") throws -> ProgramInvocation {
    var invocation = ProgramInvocation(try swiftgetPath(), ["ctl", "--session-dir", home.path, "-S", session] + words)
    invocation.directory = rig.target.path
    return invocation
  }

  /// Runs the program on a thread of its own, because this process has to answer it.
  private func run(_ invocation: ProgramInvocation) async throws -> ProgramResult {
    let program = try SpawnedProgram(invocation)
    while program.isRunning { try await Task.sleep(for: .milliseconds(2)) }
    return program.wait()
  }

  private func ctl(_ words: String..., input: String? = nil) async throws -> ProgramResult {
    var invocation = try invocation(words)
    invocation.input = input.map { Array($0.utf8) }
    return try await run(invocation)
  }

  /// Lines of a list without its head, as fields.
  private func rows(_ words: String...) async throws -> [[String]] {
    let result = try await run(try invocation(["list", "--fields=number,state,path"] + words))
    #expect(result.status == 0, "\(result.errorText)")
    return result.outputText.split(separator: "\n").dropFirst()
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  private func states(_ words: String...) async throws -> [String] {
    let result = try await run(try invocation(["list", "--fields=state"] + words))
    return result.outputText.split(separator: "\n").dropFirst().map(String.init)
  }

  private func add(
    _ session: DownloadSession, _ count: Int = 3, in directory: String = ""
  ) async throws -> [DownloadTask] {
    var tasks: [DownloadTask] = []
    for index in 0..<count {
      tasks.append(
        try await session.add(rig.request("/f\(index)", name: "\(directory)f\(index)", key: "k\(index)")).task)
    }
    return tasks
  }

  // MARK: Each verb in each state

  /// What brings a first task into a state; the second one waits for a place.
  private enum Before: String, CaseIterable { case waiting, running, paused, succeeded, failed, cancelled }

  private func bring(_ before: Before, _ session: DownloadSession) async throws -> DownloadTask {
    switch before {
    case .waiting:
      rig.isOpen.withLock { $0 = false }
      try await session.limit { $0.activeFiles = 1 }
      let blocking = try await session.add(rig.request("/f3", name: "blocking", key: "blocking")).task
      #expect(await eventually { blocking.latest.state.kind == .running })
    case .running, .paused, .cancelled: rig.stall()
    case .succeeded, .failed: break
    }
    let path = before == .failed ? "/missing" : "/f0"
    // Files of earlier rounds are there.
    let task = try await session.add(rig.request(path, name: "it-\(before)", key: "it")).task
    switch before {
    case .waiting: break
    case .running: #expect(await eventually { task.latest.progress.bytes > 100_000 })
    case .paused:
      #expect(await eventually { task.latest.progress.bytes > 100_000 })
      try await task.pause()
    case .succeeded, .failed: _ = await thrown { try await task.result() }
    case .cancelled: try await task.cancel()
    }
    #expect(task.latest.state.kind.rawValue == before.rawValue)
    return task
  }

  private func expected(_ verb: String, _ before: Before, isHeld: Bool) -> Set<String> {
    switch (verb, before) {
    case ("pause", .succeeded), ("pause", .failed), ("pause", .cancelled): [before.rawValue]
    case ("pause", _): ["paused"]
    case ("cancel", .succeeded): ["succeeded"]
    case ("cancel", _): ["cancelled"]
    case ("remove", _): []
    // Without a worker nothing begins.
    case (_, _) where !isHeld && verb == "resume": ["waiting"]
    case ("retry", .paused): ["paused"]
    case ("retry", _) where !isHeld: ["waiting"]
    case ("move", _), ("set", _): [before.rawValue]
    default: ["waiting", "running", "verifying", "succeeded", "failed"]
    }
  }

  private func words(_ verb: String) -> [String] {
    switch verb {
    case "move": ["move", "key:it", "--to", "first"]
    case "set": ["set", "key:it", "tries=7", "priority=4"]
    default: [verb, "key:it"]
    }
  }

  private static let changing = ["pause", "resume", "cancel", "remove", "retry", "move", "set"]

  @Test(arguments: changing) func `verb in every state, while a process works on it`(verb: String) async throws {
    for before in Before.allCases {
      let session = try await open()
      try await session.remove()
      let task = try await bring(before, session)
      let dry = try await run(try invocation(words(verb) + ["-n"]))
      #expect(dry.status == 0 && dry.outputText.contains("would "), "\(verb) \(before): \(dry.errorText)")
      #expect(task.latest.state.kind.rawValue == before.rawValue, "\(verb) \(before) -n")
      let result = try await run(try invocation(words(verb)))
      #expect(result.status == 0, "\(verb) \(before): \(result.errorText)")
      let after = try await states("key:it")
      #expect(after.allSatisfy(expected(verb, before, isHeld: true).contains), "\(verb) \(before): \(after)")
      #expect(after.isEmpty == (verb == "remove"), "\(verb) \(before): \(after)")
      if verb == "set" { #expect(task.latest.settings.tries == 7 && task.latest.priority == 4) }
      rig.goOn()
      rig.isOpen.withLock { $0 = true }
      try await session.remove()
      await session.close()
    }
  }

  @Test(arguments: changing) func `verb in every state, while nobody works on it`(verb: String) async throws {
    for before in Before.allCases {
      var session = try await open()
      try await session.remove()
      _ = try await bring(before, session)
      await session.close()
      rig.goOn()
      rig.isOpen.withLock { $0 = true }
      // What ran waits now.
      let kept = before == .running ? "waiting" : before.rawValue
      #expect(try await states("key:it") == [kept], "\(verb) \(before)")
      // The server has read by now what the session asked before it was closed.
      let asked = rig.server.requests.count
      let result = try await run(try invocation(words(verb)))
      #expect(result.status == 0, "\(verb) \(before): \(result.errorText)")
      let after = try await states("key:it")
      let wanted =
        verb == "move" || verb == "set" ? [kept] : expected(verb, before, isHeld: false)
      #expect(after.allSatisfy(wanted.contains), "\(verb) \(before): \(after)")
      #expect(after.isEmpty == (verb == "remove"), "\(verb) \(before): \(after)")
      #expect(rig.server.requests.count == asked, "\(verb) \(before): nothing begins")
      session = try await open()
      if verb == "set" {
        let task = try await session.task(key: "it")
        #expect(task.latest.settings.tries == 7 && task.latest.priority == 4)
      }
      try await session.remove()
      await session.close()
    }
  }

  @Test(arguments: changing, [false, true])
  func `verb in every state, while the process that works on it is killed`(verb: String, isObeyed: Bool) async throws {
    for before in Before.allCases {
      let told = Comment("\(verb) \(before), obeyed: \(isObeyed)")
      var session = try await open()
      try await session.remove()
      _ = try await bring(before, session)
      await session.close()
      var serving = ProgramInvocation(try swiftgetPath(), ["serve", "--session-dir", home.path, "-S", "night"])
      serving.directory = rig.target.path
      let service = try SpawnedProgram(serving)
      #expect(await eventually { service.errorSoFar.contains("works on session night") || !service.isRunning })
      let middleman = try Middleman(home.path("night"), service, killingAt: verb, isObeyed: isObeyed)
      let result = try await run(try invocation(words(verb)))
      #expect(!service.isRunning && middleman.hasKilled, told)
      let after = try await states("key:it")
      let kept = before == .running ? "waiting" : before.rawValue
      if verb == "retry" || verb == "resume" {
        // Done twice, it would begin again what has settled in between.
        #expect(
          result.status == 3 && result.errorText.contains("it is not known whether"), "\(told): \(result.errorText)")
        let wanted = isObeyed ? expected(verb, before, isHeld: true).subtracting(["running", "verifying"]) : [kept]
        #expect(after.count == 1 && after.allSatisfy(wanted.contains), "\(told): \(after)")
        if isObeyed, before == .cancelled || before == .paused && verb == "resume" {
          #expect(after == ["waiting"], told)
        }
      } else {
        #expect(result.status == 0, "\(told): \(result.errorText)")
        let wanted = verb == "move" || verb == "set" ? [kept] : expected(verb, before, isHeld: false)
        #expect(after.allSatisfy(wanted.contains) && after.isEmpty == (verb == "remove"), "\(told): \(after)")
      }
      rig.goOn()
      rig.isOpen.withLock { $0 = true }
      session = try await open()
      if verb == "set" {
        let task = try await session.task(key: "it")
        #expect(task.latest.settings.tries == 7 && task.latest.priority == 4, told)
      }
      try await session.remove()
      await session.close()
    }
  }

  // MARK: Flags and selections

  @Test func `all and a group are flags, with a worker and without`() async throws {
    for isHeld in [true, false] {
      let session = try await open()
      try await session.remove()
      rig.isOpen.withLock { $0 = false }
      let tasks = try await add(session, in: "\(isHeld)/")
      try await tasks[0].pause()
      if !isHeld { await session.close() }
      #expect(try await ctl("pause", "@all").outputText == "paused session night\n")
      #expect(try await ctl("pause", "@all").outputText == "session night is already paused\n")
      #expect(try await states() == ["paused", "paused", "paused"])
      let resumed = try await ctl("resume", "@all")
      #expect(
        resumed.outputText == "resumed session night; 1 still paused by the task\n"
          || resumed.outputText == "resumed session night; 1 still paused by themselves\n",
        "\(resumed.outputText)")
      #expect(try await states("key:k0") == ["paused"])
      #expect(try await ctl("pause", "group:main").outputText == "paused group main\n")
      let numbers = tasks[..<2].map { String($0.latest.number) }
      #expect(try await ctl("resume", numbers[0], numbers[1]).outputText.contains("2 still paused by the group"))
      #expect(try await ctl("resume", "--all").status == 0)
      #expect(!(try await states().contains("paused")))
      #expect(try await ctl("status").outputText.contains(isHeld ? "pid \(getpid())" : "nobody works on it"))
      if isHeld { await session.close() }
      rig.isOpen.withLock { $0 = true }
      let again = try await open()
      try await again.remove()
      await again.close()
    }
  }

  @Test func `terms select by number, id, name, path, URL, host and standard input`() async throws {
    let session = try await open()
    try await session.pause()
    let tasks = try await add(session)
    let id = tasks[1].id.description
    let number = String(tasks[1].latest.number)
    for words in [
      [number], [id], ["f1"], ["f1*", "id:\(id)"], ["./f1"], [rig.target.path("f1")], ["./*1"], [rig.server.url("/f1")],
      ["key:k1"], ["state:paused", number], ["host:127.0.0.1", "f1"], ["host:127.0.0.1:\(rig.server.port)", "f1"],
    ] {
      let result = try await run(try invocation(["list", "--fields=id"] + words))
      #expect(
        result.status == 0 && result.outputText == "id\n\(id)\n", "\(words): \(result.outputText)\(result.errorText)")
    }
    let piped = try await ctl("list", "-", "--fields=id", input: "\(number)\n\(id)\n")
    #expect(piped.outputText == "id\n\(id)\n")
    #expect(try await ctl("list", "host:127.0.0.1:1").status == 1)
    #expect(try await ctl("list", "state:failed").status == 0)
    await session.close()
  }

  @Test func `a term that names nothing is told, and the rest is done`() async throws {
    let session = try await open()
    try await session.pause()
    let tasks = try await add(session)
    let result = try await ctl("cancel", "\(tasks[0].latest.number)", "99", "nothing*", "group:none")
    #expect(result.status == 1)
    let mixed = try await ctl("cancel", "\(tasks[0].latest.number)", "99")
    #expect(mixed.status == 1 && mixed.errorText == "swiftget: task 99 is not in the session\n")
    #expect(tasks[0].latest.state == .cancelled && tasks[1].latest.state.kind == .paused)
    let nothing = try await ctl("cancel", "state:failed")
    #expect(nothing.status == 1 && nothing.errorText == "swiftget: nothing matches\n")
    for words in [["pause"], ["remove"], ["retry"], ["set", "tries=3"], ["move", "--to", "first"], ["wait"]] {
      #expect(try await run(try invocation(words)).status == 2, "\(words)")
    }
    let empty = try await ctl("pause", "-", input: "")
    #expect(empty.status == 1)
    #expect(tasks[1].latest.state.kind == .paused)
    await session.close()
  }

  @Test func `moves and limits are the session's`() async throws {
    let session = try await open()
    try await session.pause()
    let tasks = try await add(session)
    let numbers = tasks.map { String($0.latest.number) }
    #expect(try await ctl("move", numbers[2], "--to", "before:\(numbers[0])").status == 0)
    #expect(try await session.tasks().map(\.latest.fileName) == ["f2", "f0", "f1"])
    #expect(try await ctl("move", numbers[0], numbers[1], "--to", "first").status == 0)
    #expect(try await session.tasks().map(\.latest.fileName) == ["f0", "f1", "f2"])
    #expect(try await ctl("move", numbers[0], "--to", "group:late").status == 0 && tasks[0].latest.group == "late")
    #expect(try await ctl("move", numbers[0], "--to", "after:99").status == 1)
    #expect(try await ctl("move", numbers[0], "--to", "beside:1").status == 2)
    var result = try await ctl("limit", "jobs=2", "rate=2M", "requests=3/s")
    #expect(
      result.status == 0 && result.outputText == "session night: jobs=2 rate=2.0 MiB/s requests=3/s\n",
      "\(result.outputText)")
    result = try await ctl("limit", "group:late", "connections=3")
    #expect(result.outputText == "group late: connections=3\n")
    result = try await ctl("limit", "rate=off", "requests=off")
    #expect(result.outputText == "session night: jobs=2\ngroup late: connections=3\n")
    #expect(try await ctl("limit", "jobs=0").status == 2)
    #expect(try await ctl("limit", "group:none").status == 1)
    #expect(try await ctl("set", "@session", "tries=5").status == 0)
    #expect(try await ctl("show").outputText.contains("tries=5"))
    await session.close()
    result = try await ctl("limit")
    #expect(result.status == 0 && result.outputText == "session night: jobs=2\ngroup late: connections=3\n")
  }

  @Test func `secrets reach a worker only`() async throws {
    var session = try await open()
    try await session.pause()
    let task = try await add(session, 1)[0]
    var result = try await ctl("set", "key:k0", "user=-", "header=@h", input: "me:hunter2\n")
    #expect(result.status == 2, "the file is missing")
    let file = rig.target.path("secret-header")
    try rig.target.write("secret-header", Array("Authorization: Bearer hunter2\n".utf8))
    result = try await ctl("set", "key:k0", "user=-", "header=@\(file)", input: "me:hunter2\n")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(task.latest.settings.credential == .user("me", password: "hunter2"))
    #expect(task.latest.settings.headers?.first?.value == "Bearer hunter2")
    for words in [["show", "key:k0"], ["list", "--json"], ["export"]] {
      let shown = try await run(try invocation(words))
      #expect(!shown.outputText.contains("hunter2") && shown.status == 0, "\(words): \(shown.outputText)")
    }
    await session.close()
    result = try await ctl("set", "key:k0", "user=-", input: "me:hunter2\n")
    #expect(result.status == 1 && result.errorText.contains("nobody works on session night"))
    session = try await open()
    try await session.remove()
    await session.close()
  }

  @Test func `another URL begins a failed task again`() async throws {
    let session = try await open()
    let task = try await session.add(rig.request("/expired", name: "f0", key: "k0")).task
    _ = await thrown { try await task.result() }
    #expect(try await ctl("set", "key:k0", "url=\(rig.server.url("/f0"))").status == 0)
    _ = try await task.result()
    #expect(try rig.isRight("f0", content))
    await session.close()
  }

  @Test func `remove deletes files when told twice`() async throws {
    let session = try await open()
    let task = try await add(session, 1)[0]
    _ = try await task.result()
    let refused = try await ctl("remove", "key:k0", "--files")
    #expect(refused.status == 2 && refused.errorText.contains("--yes"))
    #expect(rig.target.names().contains("f0"))
    #expect(try await ctl("remove", "key:k0", "--files", "--yes").status == 0)
    #expect(!rig.target.names().contains("f0"))
    await session.close()
  }

  // MARK: Waiting

  @Test func `wait ends as a run`() async throws {
    let session = try await open()
    rig.stall()
    let tasks = try await add(session, 2)
    let missing = try await session.add(rig.request("/missing")).task
    _ = await thrown { try await missing.result() }
    #expect(try await ctl("wait", "key:k0", "--timeout", "0.1").status == 75)
    let program = try SpawnedProgram(try invocation(["wait", "@all"]))
    let failing = try SpawnedProgram(try invocation(["wait", "\(missing.latest.number)", "\(tasks[1].latest.number)"]))
    // Both have looked which tasks there are, and follow.
    #expect(await eventually { session.driver.core.withLock { $0.state.feeds.watchers.count } == 2 })
    #expect(program.isRunning && failing.isRunning)
    #expect(try await ctl("wait", "key:nothing").status == 1)
    #expect(try await ctl("wait", "state:verifying").status == 1)
    try await tasks[1].cancel()
    rig.goOn()
    try await tasks[0].pause()
    try await tasks[0].resume()
    while program.isRunning || failing.isRunning { try await Task.sleep(for: .milliseconds(5)) }
    #expect(program.wait().status == 1, "one was cancelled: \(program.wait().errorText)")
    #expect(program.wait().errorText == "swiftget: 1 of 2 tasks did not succeed: 1 cancelled\n")
    #expect(failing.wait().status == 8, "\(failing.wait().errorText)")
    #expect(
      failing.wait().errorText == """
        swiftget: 2 of 2 tasks did not succeed: 1 failed, 1 cancelled
        hint: see why with 'swiftget ctl -S night --session-dir \(home.path) list state:failed'

        """)
    await session.close()
    #expect(try await ctl("wait", "@all").status == 0)
    #expect(try await ctl("wait", "state:failed").status == 8)
  }

  @Test func `wait without a worker is refused while something is unsettled`() async throws {
    let session = try await open()
    try await session.pause()
    _ = try await add(session, 1)
    await session.close()
    let result = try await ctl("wait", "@all")
    #expect(result.status == 3 && result.errorText.contains("nobody works on session night"))
  }

  // MARK: Who is there

  @Test func `without a session it says how to start one, and makes none`() async throws {
    for words in [
      ["list"], ["pause", "@all"], ["status"], ["stop"], ["wait", "@all"], ["export"], ["limit", "jobs=3"],
    ] {
      let result = try await run(try invocation(words, session: "none"))
      #expect(result.status == 4 && result.outputText.isEmpty, "\(words)")
      #expect(
        result.errorText == """
          swiftget: no session none
          hint: 'swiftget ctl sessions' lists them; 'swiftget -S none' with files creates one

          """)
    }
    #expect(home.names().isEmpty)
    #expect(try await run(try invocation(["list"], session: "../x")).status == 2)
    #expect(try await ctl("sessions", "--names").outputText.isEmpty)
  }

  @Test func `the session is the one of -S, else of the environment, else the usual one`() async throws {
    for name in ["default", "evening"] { await (try await DownloadSession.open(name, in: home.path)).close() }
    var invocation = ProgramInvocation(try swiftgetPath(), ["ctl", "--session-dir", home.path, "status"])
    #expect(try await run(invocation).outputText.hasPrefix("default: 0 files"))
    invocation.environment = ["SWIFTGET_SESSION": "evening"]
    #expect(try await run(invocation).outputText.hasPrefix("evening: 0 files"))
    invocation.arguments += ["-S", "default"]
    #expect(try await run(invocation).outputText.hasPrefix("default: 0 files"))
    #expect(try await ctl("sessions", "--names").outputText == "default\nevening\n")
    #expect(try await ctl("sessions").outputText.contains("evening\tnobody\t0 files\n"))
  }

  @Test func `stop ends the work`() async throws {
    let session = try await open()
    rig.stall()
    let task = try await add(session, 1)[0]
    #expect(await eventually { task.latest.progress.bytes > 100_000 })
    #expect(try await ctl("stop", "--finish", "--now").status == 2)
    let result = try await ctl("stop")
    #expect(result.status == 0 && result.outputText.contains("is stopped"), "\(result.errorText)")
    #expect(await eventually { session.driver.isClosed })
    #expect(try await ctl("stop").outputText == "nobody works on session night\n")
    #expect(try await states() == ["waiting"])
  }

  @Test func `another host's session is left to it`() async throws {
    await (try await open()).close()
    let lock = String(decoding: try readFile(home.path("night/lock")), as: UTF8.self)
    let host = try #require(lock.split(separator: "\n").first { $0.hasPrefix("host ") })
    try home.write("night/lock", Array(lock.replacing(host, with: "host elsewhere").utf8))
    // Where files can be locked, the lock counts.
    for words in [["status"], ["pause", "@all"]] {
      var invocation = try invocation(words)
      invocation.environment = ["LD_PRELOAD": try productPath("libFailingCalls.so"), "FAILING_CALLS": "flock=37"]
      let result = try await run(invocation)
      #expect(result.status == 3 && result.outputText.isEmpty, "\(words)")
      #expect(
        result.errorText.hasPrefix("swiftget: session night is worked on by elsewhere (pid "), "\(result.errorText)")
    }
    #expect(try await ctl("status").status == 0)
  }

  /// The lock file names this process, and the socket is one where a server listens that the test drives.
  private func pretend(
    _ lock: String, _ answer: @escaping @Sendable (ControlRequest) -> Result<[UInt8], ControlError>?
  ) throws -> ControlServer {
    let socket = ControlSocket(directory: Array(home.path("night").utf8), name: Array("test.sock".utf8))
    let server = try ControlServer(at: socket, program: "swiftget", generation: 1, handler: DyingWorker(answer))
    let lines = lock.replacing("end\n", with: "socket \(String(decoding: socket.path, as: UTF8.self))\nend\n")
    try home.write("night/lock", Array(lines.utf8))
    return server
  }

  @Test func `a worker that dies before it answers leaves the command unknown, or done again`() async throws {
    let session = try await open()
    try await session.pause()
    let tasks = try await add(session, 1)
    let id = tasks[0].id.description
    await session.close()
    var lock = String(decoding: try readFile(home.path("night/lock")), as: UTF8.self)
    lock.removeSubrange(try #require(lock.range(ofLine: "socket ")))
    for (verb, isRepeated) in [("pause", true), ("cancel", true), ("retry", false), ("resume", false)] {
      let dying = Locked<ControlServer?>(nil)
      let server = try pretend(lock) { request in
        if request.method == "list" {
          return .success(
            Array(#"{"tasks": [{"id": "\#(id)", "number": 1, "state": "waiting", "path": "/x"}], "next": null}"#.utf8))
        }
        // It ends without an answer.
        startThread { dying.withLock { $0.take() }?.stop() }
        return nil
      }
      dying.withLock { $0 = server }
      let result = try await ctl(verb, "key:k0")
      if isRepeated {
        #expect(result.status == 0, "\(verb): \(result.errorText)")
        #expect(try await states("key:k0") == [verb == "pause" ? "paused" : "cancelled"])
      } else {
        #expect(
          result.status == 3 && result.errorText.contains("it is not known whether the command was obeyed"),
          "\(verb): \(result.outputText)\(result.errorText)")
        #expect(try await states("key:k0") == ["cancelled"])
      }
      server.stop()
    }
  }

  // MARK: What is written

  @Test func `names of others do not reach a terminal raw, and a list fits it`() async throws {
    let session = try await open()
    try await session.pause()
    var request = rig.request("/f0?token=hunter2", name: "a\u{202e}c")
    request.group = "g\u{7}"
    request.key = "k\u{1b}[2J"
    request.info = ["\u{1b}": "\t"]
    try await session.add(request)
    try await session.add(rig.request("/f1", name: "plain-\(String(repeating: "x", count: 150))"))
    for words in [["list"], ["show", "1"], ["show"], ["list", "--groups"], ["pause", "1", "-n"], ["pause", "1"]] {
      var invocation = try invocation(words)
      invocation.terminal = (80, 24)
      invocation.environment = ["TERM": "xterm", "LANG": "C.UTF-8"]
      let result = try await run(invocation)
      let text = (result.outputText + result.errorText).replacing("\r\n", with: "\n")
      #expect(result.status == 0 && !text.isEmpty, "\(words): \(text)")
      #expect(
        text.unicodeScalars.allSatisfy {
          $0.value >= 0x20 && $0 != "\u{7f}" && $0 != "\u{202e}" || $0 == "\n" || $0 == "\t"
        }, "\(words): \(text)")
      #expect(!text.contains("hunter2"), "\(words): \(text)")
      if words == ["list"] { #expect(text.split(separator: "\n").allSatisfy { $0.count < 80 }, "\(text)") }
    }
    let piped = try await ctl("list")
    let lines = piped.outputText.split(separator: "\n")
    #expect(lines.count == 3 && lines[1].split(separator: "\t", omittingEmptySubsequences: false).count == 7)
    #expect(lines[2].contains(String(repeating: "x", count: 150)) && lines[1].contains("a\\u{202e}c"))
    await session.close()
  }

  @Test(arguments: [false, true]) func `a list shows the order of work`(isClosed: Bool) async throws {
    let session = try await open()
    try await session.pause()
    let tasks = try await add(session)
    try await tasks[2].move(to: .first)
    try await tasks[0].prioritize(-1)
    try await tasks[1].cancel()
    _ = try await session.add(rig.request("/f0", name: "new")).task
    if isClosed { await session.close() }
    #expect(try await rows("--sort", "order").map { $0[0] } == ["3", "4", "1", "2"])
    await session.close()
  }

  @Test func `JSON is one array, with the wanted members`() async throws {
    let session = try await open()
    try await session.pause()
    _ = try await add(session)
    let all = try JSONValue.parse(try await ctl("list", "--json").output[...]).get()
    #expect(all.elements?.compactMap { $0["key"]?.string } == ["k0", "k1", "k2"])
    let some = try await ctl("list", "--json=number,key,rate", "--sort", "number")
    #expect(
      some.outputText == #"[{"number":1,"key":"k0","rate":null},"# + "\n"
        + #"{"number":2,"key":"k1","rate":null},"# + "\n" + #"{"number":3,"key":"k2","rate":null}]"# + "\n")
    #expect(try await ctl("list", "--json", "state:failed").outputText == "[]\n")
    #expect(try await ctl("list", "--json=nmuber").errorText.contains("perhaps number is meant"))
    #expect(try await ctl("list", "--sort", "colour").status == 2)
    let status = try JSONValue.parse(try await ctl("status", "--json").output[...]).get()
    #expect(
      status["files"]?.integer == 3 && status["pid"]?.integer == Int64(getpid()) && status["paused"]?.boolean == true)
    await session.close()
  }

  @Test func `an export is a list that can be read`() async throws {
    let session = try await open()
    try await session.pause()
    var request = rig.request("/f0", checksum: FileChecksum("sha256:\(try content.hexDigest())"), key: "k")
    request.headers = [HeaderField("X-A", "1"), HeaderField("Authorization", "Bearer hunter2")]
    try await session.add(request)
    try await session.add(rig.request("/f1", name: "sub/x"))
    await session.close()
    let export = try await ctl("export")
    #expect(export.status == 0 && !export.outputText.contains("hunter2") && export.outputText.contains(#""X-A":"1""#))
    let list = home.path("list.jsonl")
    try home.write("list.jsonl", export.output)
    let read = try runProgram(try swiftgetPath(), ["-q", "-i", list], directory: rig.target.path)
    #expect(read.status == 0, "\(read.errorText)")
    #expect(try rig.isRight("f0", content) && rig.isRight("sub/x", content))
    #expect(rig.server.requests.contains { $0.header("X-A") == "1" })
  }

  @Test func `standard output that takes nothing is an error, and one that is closed is none`() async throws {
    let session = try await open()
    try await session.pause()
    _ = try await add(session)
    for words in [["list"], ["list", "--json"], ["show"], ["status"], ["--help"], ["export"]] {
      var invocation = try invocation(words)
      invocation.outputPath = "/dev/full"
      let full = try await run(invocation)
      #expect(full.status == 3 && full.errorText.contains("cannot write to standard output"), "\(words)")
    }
    let shell = try runProgram(
      "/bin/sh", ["-c", "\"$0\" ctl --session-dir \"$1\" -S night export | true; :", try swiftgetPath(), home.path],
      directory: rig.target.path)
    #expect(shell.status == 0 && shell.errorText.isEmpty, "\(shell.errorText)")
    await session.close()
  }
}

/// Passes calls of one client on to the process that works on a session. At one method it kills that process, before the call
/// reaches it or before the answer reaches the client.
private final class Middleman: Sendable {
  private let killed = Locked(false)

  var hasKilled: Bool { killed.withLock { $0 } }

  /// - Parameter directory: of the session, whose lock leads clients here from now on.
  init(_ directory: String, _ service: SpawnedProgram, killingAt method: String, isObeyed: Bool) throws {
    let lock = String(decoding: try readFile(directory + "/lock"), as: UTF8.self)
    let line = try #require(lock.split(separator: "\n").first { $0.hasPrefix("socket ") })
    let path = try #require(ControlSocket(path: Array(line.dropFirst(7).utf8)))
    let own = ControlSocket(directory: Array(directory.utf8), name: Array("middle.sock".utf8))
    let listening = try own.listen()
    let worker = try path.connect()
    try Content.text(lock.replacing(line, with: "socket \(String(decoding: own.path, as: UTF8.self))"))
      .write(to: directory + "/lock")
    let ends = SocketEnds(listening, worker)
    startThread { [killed] in
      Self.awaitInput(ends.listening.raw)
      let client = accept(ends.listening.raw, nil, nil)
      defer { close(client) }
      while let call = Self.line(client) {
        let isLast = call.contains("\"method\":\"\(method)\"")
        var answer: String?
        if !isLast || isObeyed {
          Self.write(call, to: ends.worker.raw)
          answer = Self.line(ends.worker.raw)
        }
        if isLast {
          service.kill()
          _ = service.wait()
          killed.withLock { $0 = true }
          return
        }
        guard let answer else { return }
        Self.write(answer, to: client)
      }
    }
  }

  private static func awaitInput(_ socket: Int32) {
    var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, 60_000)
  }

  /// With its end; nil if no whole line comes.
  private static func line(_ socket: Int32) -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.last != UInt8(ascii: "\n") {
      awaitInput(socket)
      guard recv(socket, &byte, 1, 0) == 1 else { return nil }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  private static func write(_ line: String, to socket: Int32) {
    let bytes = Array(line.utf8)
    _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  private final class SocketEnds: Sendable {
    let listening: FileDescriptor
    let worker: FileDescriptor

    init(_ listening: consuming FileDescriptor, _ worker: consuming FileDescriptor) {
      self.listening = listening
      self.worker = worker
    }
  }
}

/// A worker that obeys as a test says, or does not answer.
private final class DyingWorker: ControlHandler {
  private let reply: @Sendable (ControlRequest) -> Result<[UInt8], ControlError>?

  init(_ reply: @escaping @Sendable (ControlRequest) -> Result<[UInt8], ControlError>?) { self.reply = reply }

  func called(
    _ request: ControlRequest, by client: ControlClientID,
    answer: @escaping @Sendable (Result<[UInt8], ControlError>) -> Void
  ) {
    if let reply = reply(request) { answer(reply) }
  }

  func missedNews(_ client: ControlClientID) {}
  func left(_ client: ControlClientID) {}
}

extension String {
  /// A line that begins so, with its end.
  fileprivate func range(ofLine start: String) -> Range<String.Index>? {
    guard let line = split(separator: "\n").first(where: { $0.hasPrefix(start) }) else { return nil }
    return line.startIndex..<index(after: line.endIndex)
  }
}
