import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles
@testable import DownloadTransport

/// Engines that several threads command while files are transferred.
@Suite(.waiting) struct `An engine's thread` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  private func makeEngine(
    _ directory: String = "", _ requests: [FileRequest] = [], longestWait: Duration = .milliseconds(50),
    runtime: Runtime = .shared, _ change: (inout RunSettings) -> Void = { _ in }
  ) throws -> Engine {
    var settings = Commander.settings(longestWait: longestWait)
    change(&settings)
    let path = target.path(directory)
    mkdir(path, 0o755)
    return Engine(
      settings: settings, place: try DownloadPlace(directory: Array(path.utf8)), trustedOrigins: [],
      source: ArraySource(requests), endsWhenIdle: false, descriptorLimit: raiseDescriptorLimit() / 2, runtime: runtime)
  }

  /// One thread's files in one engine: it commands them and no others.
  private final class Commander: @unchecked Sendable {
    private let engine: Engine
    private let directory: String
    private let server: ScriptedServer
    private let names: [String]
    private var random: SeededGenerator
    /// The last of each file.
    private(set) var tasks: [TaskID]
    private var attemptCount = 0
    let problems = Locked<[String]>([])
    let hasEnded = Locked(false)

    init(_ engine: Engine, _ directory: String, _ server: ScriptedServer, names: [String], seed: UInt64) {
      self.engine = engine
      self.directory = directory
      self.server = server
      self.names = names
      random = SeededGenerator(seed: seed)
      tasks = names.map { _ in TaskID(0) }
    }

    /// Adds a file under an id that is used once.
    func add(_ file: Int) {
      attemptCount += 1
      let number = Int(names[file])! * 1_000_000 + attemptCount
      guard let wanted = try? request(number, server.url("/" + names[file]), name: names[file]) else { return }
      tasks[file] = wanted.task
      guard case .done? = ask(engine, .add(wanted)) else { return report("\(names[file]) is not added") }
    }

    func run(commandCount: Int) {
      for file in names.indices { add(file) }
      for _ in 0..<commandCount {
        let file = names.indices.randomElement(using: &random)!
        switch Int.random(in: 0..<16, using: &random) {
        case 0...3: pause(file)
        case 4...6: engine.post([.change(.resume, .task(tasks[file]))])
        case 7: change(file, .prioritize(Int.random(in: -100...100, using: &random)))
        case 8: change(file, .move(.first))
        case 9: change(file, .retry)
        case 10: withdraw(file, Bool.random(using: &random) ? .cancel : .remove)
        case 11: obey(.use(drawSettings()), .tellStatus)
        case 12: obey(.limit(.main, drawLimits()))
        case 13:
          var own = TaskSettings()
          own.maxConnections = Int.random(in: 1...4, using: &random)
          own.limitRate = Bool.random(using: &random) ? RateTimetable(rate: 20_000_000) : nil
          own.userAgent = Bool.random(using: &random) ? "agent" : nil
          let answer = ask(engine, .set(own, headers: ["X-A: \(file)"], tasks[file]))
          if answer != .done, answer != .unknown { report("\(String(describing: answer)) to set") }
        case 14: question(file)
        default: pauseMany(Bool.random(using: &random) ? .all : .group(.main))
        }
      }
      // In the end everything is wanted.
      obey(.use(Self.settings()), .limit(.main, GroupLimits()))
      for file in names.indices { resume(file) }
      hasEnded.withLock { $0 = true }
    }

    /// Commands that are always obeyed.
    private func obey(_ commands: EngineCommand...) {
      for command in commands where ask(engine, command) != .done { report("\(command) is not obeyed") }
    }

    /// A change of one task concerns that one, if it is known.
    private func change(_ file: Int, _ change: TaskChange) {
      guard case .counts(let answer)? = ask(engine, .change(change, .task(tasks[file]))) else {
        return report("no answer to \(change)")
      }
      let count = answer.changedCount + answer.unchangedCount + answer.finishingCount
      if count != (answer.isUnknown ? 0 : 1) { report("\(change) concerns \(count) tasks") }
    }

    private func question(_ file: Int) {
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        guard case .descriptions(let found)? = ask(engine, .describe(.task(tasks[file]))) else {
          return report("no description")
        }
        if found.contains(where: { $0.task != tasks[file] || $0.name != Array(names[file].utf8) }) {
          report("\(names[file]) is described as \(found)")
        }
      case 1:
        guard case .descriptions(let found)? = ask(engine, .describe(.all)) else { return report("no descriptions") }
        if Set(found.map(\.task)).count != found.count { report("a task is described twice") }
      case 2:
        guard case .order(let order)? = ask(engine, .order) else { return report("no order") }
        if Set(order).count != order.count { report("a task has two places") }
      default: obey(.networkChanged)
      }
    }

    /// A pause of all is the engine's flag, whatever is known.
    private func pauseMany(_ selection: TaskSelection) {
      for change in [TaskChange.pause, .resume] {
        guard case .counts(let answer)? = ask(engine, .change(change, selection)) else {
          return report("no answer to \(change) of \(selection)")
        }
        if answer.isUnknown { report("\(selection) is unknown") }
      }
    }

    private func drawSettings() -> RunSettings {
      var settings = Self.settings()
      settings.limits.jobs = Int.random(in: 1...8, using: &random)
      settings.limits.maxConnectionsPerHost = Int.random(in: 1...16, using: &random)
      settings.limits.maxConnections = Bool.random(using: &random) ? Int.random(in: 1...16, using: &random) : nil
      settings.limits.limitRate = Bool.random(using: &random) ? RateTimetable(rate: 20_000_000) : nil
      settings.file.maxConnections = Int.random(in: 1...8, using: &random)
      settings.file.tries = Int.random(in: 3...8, using: &random)
      settings.transport.headers = Bool.random(using: &random) ? ["X-B: b"] : []
      return settings
    }

    private func drawLimits() -> GroupLimits {
      GroupLimits(
        jobs: Bool.random(using: &random) ? Int.random(in: 1...4, using: &random) : nil,
        connections: Bool.random(using: &random) ? Int.random(in: 1...8, using: &random) : nil,
        rate: Bool.random(using: &random) ? RateTimetable(rate: 10_000_000) : nil)
    }

    static func settings(longestWait: Duration = .milliseconds(50)) -> RunSettings {
      var settings = RunSettings()
      settings.limits.jobs = 6
      settings.file.retryWait = longestWait
      return settings
    }

    private func resume(_ file: Int) {
      guard case .counts(let answer)? = ask(engine, .change(.resume, .task(tasks[file]))) else {
        return report("no answer to resume")
      }
      // It has ended.
      if answer.isUnknown { add(file) }
    }

    private func pause(_ file: Int) {
      guard case .counts(let answer)? = ask(engine, .change(.pause, .task(tasks[file]))) else {
        return report("no answer to pause")
      }
      if answer.isUnknown { return add(file) }
      guard answer.finishingCount == 0, access(directory + "/" + names[file] + ".swiftget", F_OK) == 0 else { return }
      let before = state(file)
      usleep(2000)
      guard let before, let after = state(file) else { return }
      if before != after { report("\(names[file]) is written to after its pause: \(before) \(after)") }
      let descriptor = open(directory + "/" + names[file] + ".swiftget", O_RDWR | O_CLOEXEC)
      defer { close(descriptor) }
      // Another test may be starting a process, which shares the lock until it executes its program.
      guard descriptor >= 0, !eventually(within: .seconds(2), { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }) else {
        return
      }
      report("\(names[file]) is locked after its pause")
    }

    private func withdraw(_ file: Int, _ change: TaskChange) {
      guard case .counts(let answer)? = ask(engine, .change(change, .task(tasks[file]))) else {
        return report("no answer to \(change)")
      }
      let isLeft = access(directory + "/" + names[file] + ".swiftget", F_OK) == 0
      if answer.finishingCount > 0 {
        // No two tasks have one target at a time.
        let hasEnded = eventually {
          let later = ask(engine, .change(.prioritize(0), .task(tasks[file])))
          return if case .counts(let counts)? = later { counts.isUnknown } else { false }
        }
        if !hasEnded { report("\(names[file]) is not published") }
      } else if !answer.isUnknown, isLeft {
        report("\(names[file]) leaves a sidecar after \(change)")
      }
      add(file)
    }

    private func state(_ file: Int) -> [Int]? {
      var status = stat()
      guard stat(directory + "/" + names[file] + ".swiftget-part", &status) == 0 else { return nil }
      return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_ino)]
    }

    private func report(_ problem: String) { problems.withLock { $0.append(problem) } }
  }

  @Test func `does what many threads want of two engines`() throws {
    // `make sanitize` asks for more.
    let commandCount = Int(getenv("SWIFTGET_ENGINE_COMMANDS").map { String(cString: $0) } ?? "") ?? 4000
    let content = Content.generated(seed: 5, byteCount: 700_000)
    let names = (0..<24).map { "\($0)" }
    let server = try ScriptedServer(
      FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, content) })) {
        $0.bytesPerSecondOfConnection = 2_000_000
      })
    let engines = try ["one", "two"].map { (name: $0, engine: try makeEngine($0)) }
    let commanders = engines.enumerated().flatMap { index, entry in
      (0..<3).map { part in
        Commander(
          entry.engine, target.path(entry.name), server, names: names.filter { Int($0)! % 3 == part },
          seed: UInt64(index * 10 + part))
      }
    }
    let events = engines.map { $0.engine.events.subscribe(.complete) }
    var ended: [Set<TaskID>] = [[], []]
    var failures: [String] = []
    for (_, engine) in engines { try engine.start() }
    for commander in commanders { startThread { commander.run(commandCount: commandCount / commanders.count) } }
    let areDone = eventually(within: .seconds(600)) {
      for (index, subscription) in events.enumerated() {
        for event in subscription.takeAll().flatMap(\.events) {
          guard case .ended(let outcome) = event else { continue }
          ended[index].insert(outcome.task)
          if case .failed(let error) = outcome.result { failures.append("\(outcome.task.number): \(error.cause)") }
        }
      }
      return commanders.enumerated().allSatisfy { index, commander in
        commander.hasEnded.withLock { $0 } && ended[index / 3].isSuperset(of: commander.tasks)
      }
    }
    #expect(areDone && failures.prefix(5) == [])
    for commander in commanders { #expect(commander.problems.withLock { $0 }.prefix(5) == []) }
    for (name, engine) in engines {
      engine.stop(.finish)
      let end = engine.join()
      #expect(end.stoppedBy == nil && !end.wasStopped && end.unfinished.isEmpty, "\(end)")
      #expect(target.names(in: name) == names.sorted())
      for file in names { #expect(try content.firstDifference(inFile: target.path(name + "/" + file)) == nil) }
    }
  }

  @Test func `waits for commands until it is told to stop`() throws {
    let content = Content.text("content")
    let server = try ScriptedServer(FileService(["/f": content]))
    let engine = try makeEngine()
    try engine.start()
    for number in 0..<3 {
      #expect(ask(engine, .add(try request(number, server.url("/f"), name: "\(number)"))) == .done)
      #expect(eventually { target.names().count == number + 1 })
      usleep(50_000)
    }
    #expect(
      ask(engine, .change(.pause, .task(99))).map {
        if case .counts(let answer) = $0 { answer.isUnknown } else { false }
      } == true)
    engine.stop(.save)
    #expect(engine.join().isWhole && target.names() == ["0", "1", "2"])
  }

  @Test func `tells what each task does, and why`() throws {
    let content = Content.generated(seed: 7, byteCount: 3_000_000)
    let server = try ScriptedServer(
      FileService(["/f": content, "/g": content]) { $0.bytesPerSecondOfConnection = 500_000 })
    let busy = try ScriptedServer { _ in [.respond(429, headers: [("Retry-After", "60")])] }
    let held = try SidecarFile.open(
      TargetDirectory.open(path: Array(target.path.utf8)).resolve([Array("held".utf8)]))
    var requests = try [
      request(1, server.url("/f"), name: "f"), request(2, busy.url("/b"), name: "b"),
      request(3, server.url("/g"), name: "held"), request(4, server.url("/g"), name: "g"),
    ]
    requests[3].group = GroupID(1)
    requests[3].priority = 7
    let engine = try makeEngine(longestWait: .seconds(60))
    engine.post([.change(.pause, .group(GroupID(1)))] + requests.map { .add($0) } + [.change(.pause, .task(4))])
    try engine.start()
    func describe(_ selection: TaskSelection = .all) -> [TaskDescription] {
      if case .descriptions(let all)? = ask(engine, .describe(selection)) { all } else { [] }
    }
    var all: [TaskDescription] = []
    let isAsExpected = eventually {
      all = describe()
      guard all.count == 4, case .active(let file) = all[0].activity, file.phase == .receiving, !all[0].done.isEmpty,
        case .active(let waiting) = all[1].activity, waiting.connectionCount == 0, all[1].hosts.first?.remaining != nil,
        case .waiting(.otherRun, remaining: .some) = all[2].activity
      else { return false }
      return all[3].activity == .queued(nil)
    }
    try #require(isAsExpected, "\(all)")
    #expect(
      all.map(\.task) == [1, 2, 3, 4]
        && all.map { String(decoding: $0.name, as: UTF8.self) } == ["f", "b", "held", "g"])
    #expect(all.map(\.pauses) == [[], [], [], [.task, .group]] && all[3].priority == 7 && all[3].group == GroupID(1))
    #expect(all[0].mirrors == [requests[0].mirrors[0].location] && all[0].hosts.first?.activeCount ?? 0 > 0)
    let remaining = try #require(all[1].hosts.first?.remaining)
    #expect(remaining > .seconds(30) && remaining <= .seconds(60) && all[1].done.isEmpty)
    #expect(describe(.task(99)).isEmpty && describe(.group(GroupID(1))).map(\.task) == [4])
    engine.stop(.save)
    #expect(engine.join().wasStopped)
    try held.remove()
  }

  @Test func `a file whose time is over ends although nothing else happens`() throws {
    let busy = try ScriptedServer { _ in [.respond(429, headers: [("Retry-After", "3600")])] }
    let engine = try makeEngine("", [request(1, busy.url("/f"), name: "f")], longestWait: .seconds(3600)) {
      $0.limits.maxTime = .milliseconds(500)
    }
    let events = engine.events.subscribe(.complete)
    try engine.start()
    #expect(
      eventually {
        events.takeAll().flatMap(\.events).contains {
          if case .ended(let outcome) = $0, case .failed(let error) = outcome.result {
            if case .deadline = error.cause { true } else { false }
          } else {
            false
          }
        }
      })
    engine.stop(.now)
    _ = engine.join()
  }
}

/// Posts a command, and waits for its answer.
func ask(_ engine: Engine, _ command: EngineCommand) -> EngineAnswer? {
  let answer = Locked<EngineAnswer?>(nil)
  let wakeup = Wakeup()
  engine.post([command]) { given in
    answer.withLock { $0 = given.first }
    wakeup.signal()
  }
  var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
  _ = poll(&entry, 1, 60_000)
  return answer.withLock { $0 }
}
