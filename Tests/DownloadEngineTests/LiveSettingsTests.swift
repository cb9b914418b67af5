import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine

/// Settings and limits that change while files are transferred.
@Suite(.waiting) struct `Settings in the middle of a run` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  private func settings(_ change: (inout RunSettings) -> Void) -> RunSettings {
    var settings = RunSettings()
    settings.transport.noProxy = "*"
    settings.file.retryWait = .milliseconds(200)
    change(&settings)
    return settings
  }

  /// A slow server of files, all with the same content.
  private func server(_ names: [String], byteCount: Int64 = 6_000_000, latency: Duration = .zero) throws -> (
    server: ScriptedServer, content: Content
  ) {
    let content = Content.generated(seed: 91, byteCount: byteCount)
    let service = FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, content) })) {
      $0.bytesPerSecondOfServer = 4_000_000
      $0.bytesPerSecondOfConnection = 500_000
      $0.latency = latency
    }
    return (try ScriptedServer(service), content)
  }

  private func isRight(_ name: String, _ content: Content) throws -> Bool {
    try content.firstDifference(inFile: target.path(name)) == nil
  }

  /// Hardly more was received than the files have: what connections brought stays.
  private func isFrugal(_ run: EngineRun, _ content: Content, files: Int = 1) -> Bool {
    (0..<files).reduce(0) { $0 + run.received($1) } < content.byteCount * Int64(files) * 5 / 4
  }

  @Test(arguments: ["host", "file", "all", "group", "task"])
  func `fewer connections end those beyond the number, and more begin`(whose: String) throws {
    let (server, content) = try server(["f"], byteCount: 10_000_000)
    func command(_ count: Int) -> EngineCommand {
      var own = TaskSettings()
      own.maxConnections = count
      return switch whose {
      case "group": .limit(.main, GroupLimits(connections: count))
      case "task": .set(own, headers: [], 0)
      default:
        .use(
          settings {
            if whose == "host" { $0.limits.maxConnectionsPerHost = count }
            if whose == "file" { $0.file.maxConnections = count }
            if whose == "all" { $0.limits.maxConnections = count }
          })
      }
    }
    enum Step { case growing, shrinking(Int), regrowing, done }
    var step = Step.growing
    let run = try EngineRun([try request(0, server.url("/f"), name: "f")], into: target) { _ in
    } prepare: { engine, observer in
      observer.onProgress = { progress in
        guard let file = progress.active.first else { return }
        switch step {
        case .growing where file.connectionCount > 4:
          step = .shrinking(0)
          engine.post([command(2)])
        // One look may be before the command.
        case .shrinking(let looks) where looks < 3 && file.connectionCount > 2: step = .shrinking(looks + 1)
        case .shrinking where file.connectionCount <= 2:
          step = .regrowing
          engine.post([command(16)])
        case .regrowing where file.connectionCount > 2: step = .done
        default: break
        }
      }
    }
    guard case .done = step else { throw Unfinished(step: "\(step)") }
    #expect(run.result() == .downloaded && isFrugal(run, content))
    #expect(try isRight("f", content))
  }

  private struct Unfinished: Error { let step: String }

  @Test(arguments: [true, false])
  func `fewer files give back the last ones with what they have, and more begin at once`(isOfGroup: Bool) throws {
    let names = (0..<4).map { "\($0)" }
    let (server, content) = try server(names, byteCount: 2_000_000)
    func command(_ jobs: Int?) -> EngineCommand {
      isOfGroup ? .limit(.main, GroupLimits(jobs: jobs)) : .use(settings { $0.limits.jobs = jobs })
    }
    var (hasShrunk, fewest, hasGrown) = (false, Int.max, false)
    let run = try EngineRun(
      try names.enumerated().map { try request($0, server.url("/" + $1), name: $1) }, into: target
    ) {
      $0.file.maxConnections = 1
    } prepare: { engine, observer in
      observer.onProgress = { progress in
        let tasks = progress.active.map(\.task)
        if !hasShrunk, tasks.count == 4, progress.active.allSatisfy({ $0.doneByteCount > 200_000 }) {
          hasShrunk = true
          engine.post([command(2)])
        } else if hasShrunk, !hasGrown {
          fewest = min(fewest, tasks.count)
          guard tasks.count == 2 else { return }
          #expect(tasks == [0, 1])
          hasGrown = true
          engine.post([command(nil)])
        }
      }
    }
    #expect(hasGrown && fewest == 2 && run.end.progress.downloadedCount == 4 && isFrugal(run, content, files: 4))
    for name in names { #expect(try isRight(name, content)) }
  }

  @Test func `a file that could not be gone on with keeps its place`() throws {
    let content = Content.generated(seed: 92, byteCount: 1_000_000)
    let server = try ScriptedServer(
      FileService(["/a": content, "/b": content]) {
        $0.bytesPerSecondOfConnection = 500_000
        $0.ignoresRanges = true
        $0.entityTag = .none
        $0.lastModified = nil
      })
    var hasShrunk = false
    let run = try EngineRun(
      [try request(0, server.url("/a"), name: "a"), try request(1, server.url("/b"), name: "b")], into: target
    ) { _ in
    } prepare: { engine, observer in
      observer.onProgress = { progress in
        guard !hasShrunk, progress.active.count == 2, progress.active.allSatisfy({ $0.doneByteCount > 100_000 }) else {
          return
        }
        hasShrunk = true
        engine.post([.use(settings { $0.limits.jobs = 1 })])
      }
    }
    #expect(hasShrunk && run.end.progress.downloadedCount == 2 && server.requests.count == 2)
  }

  @Test func `header fields, user agent and tries hold for the next request`() throws {
    let (server, _) = try server(["a", "b", "c"], byteCount: 1000)
    let changed = settings {
      $0.limits.jobs = 1
      $0.transport.userAgent = "changed"
      $0.transport.headers = ["X-New: yes"]
      $0.file.tries = 1
    }
    let origin = try request(0, server.url("/a"), name: "a").mirrors[0].location.origin
    let engine = Engine(
      settings: settings { $0.limits.jobs = 1 }, place: try DownloadPlace(directory: Array(target.path.utf8)),
      trustedOrigins: [origin], source: ArraySource([try request(0, server.url("/a"), name: "a")]), endsWhenIdle: false,
      descriptorLimit: raiseDescriptorLimit(), runtime: Runtime(idleTime: .zero))
    let further = try ["b", "c", "gone"].enumerated().map { try request($0 + 1, server.url("/" + $1), name: $1) }
    var own = TaskSettings()
    own.userAgent = "own"
    let run = try EngineRun(engine) { engine, observer in
      observer.onEnd = { outcome in
        switch outcome.task {
        case 0: engine.post([.use(changed), .add(further[0])])
        case 1: engine.post([.add(further[1]), .set(own, headers: ["X-Own: 1"], 2), .set(own, headers: [], 99)])
        default: engine.stop(.finish)
        }
      }
    }
    #expect(run.end.progress.downloadedCount == 3)
    func field(_ name: String, _ index: Int) -> String? {
      server.requests[index].headers.first { $0.name.lowercased() == name }?.value
    }
    #expect(field("user-agent", 0)?.hasPrefix("swiftget/") == true && field("x-new", 0) == nil)
    #expect(field("user-agent", 1) == "changed" && field("x-new", 1) == "yes")
    #expect(field("user-agent", 2) == "own" && field("x-own", 2) == "1" && field("x-new", 2) == "yes")
  }

  @Test func `a proxy and certificates hold for the next request`() throws {
    let server = try RealServer.nginx { $0.speaksTLS = true }
    try server.serve("f", .text("f"))
    let proxy = try ScriptedServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy")] }
    let authority = try TestAuthority.shared().authorityPath
    var step = 0
    let requests = try (0..<3).map { try request($0, server.url("/f"), name: "\($0)") }
    let plain = try request(3, "http://127.0.0.1:1/f", name: "3")
    let engine = Engine(
      settings: settings { $0.file.tries = 1 }, place: try DownloadPlace(directory: Array(target.path.utf8)),
      trustedOrigins: [], source: ArraySource([requests[0]]), endsWhenIdle: false,
      descriptorLimit: raiseDescriptorLimit(), runtime: Runtime(idleTime: .zero))
    let run = try EngineRun(engine) { engine, observer in
      observer.onEnd = { _ in
        step += 1
        switch step {
        case 1: engine.post([.use(settings { $0.transport.caFile = authority }), .add(requests[1])])
        // The connection that was made with that certificate is not used any more.
        case 2: engine.post([.use(settings { $0.file.tries = 1 }), .add(requests[2])])
        case 3:
          engine.post([
            .use(
              settings {
                $0.transport.proxy = proxy.url(""); $0.transport.noProxy = nil
              }), .add(plain),
          ])
        default: engine.stop(.finish)
        }
      }
    }
    func isUntrusted(_ item: Int) -> Bool { run.error(item)?.code == .tls }
    #expect(isUntrusted(0) && run.result(1) == .downloaded && isUntrusted(2) && run.result(3) == .downloaded)
    #expect(try target.read("3").elementsEqual("proxy".utf8))
  }

  @Test func `a group and a task have rates of their own`() throws {
    let content = Content.generated(seed: 93, byteCount: 3_000_000)
    let names = (0..<3).map { "\($0)" }
    let server = try ScriptedServer(FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, content) })))
    var requests = try names.enumerated().map { try request($0, server.url("/" + $1), name: $1) }
    requests[1].group = GroupID(1)
    var own = TaskSettings()
    own.limitRate = RateTimetable(rate: 1_000_000)
    requests[2].settings = own
    let run = try EngineRun(requests, into: target) { _ in
    } prepare: { engine, _ in
      engine.post([.limit(GroupID(1), GroupLimits(rate: RateTimetable(rate: 2_000_000)))])
    }
    #expect(run.end.progress.downloadedCount == 3)
    let elapsed = try (0..<3).map { try #require(run.observer.outcomes[$0]?.elapsed) }
    for (item, rate) in [(1, 2_000_000.0), (2, 1_000_000.0)] {
      #expect(elapsed[item].inSeconds > 3_000_000 / rate * 0.9)
    }
    #expect(elapsed[0] < elapsed[1], "none of the rates is the first file's")
  }

  @Test func `a task that moves to another group is under its limits`() throws {
    let (server, content) = try server(["f"], byteCount: 4_000_000)
    var hasMoved = false
    var most = 0
    let run = try EngineRun([try request(0, server.url("/f"), name: "f")], into: target) { _ in
    } prepare: { engine, observer in
      engine.post([.limit(GroupID(7), GroupLimits(connections: 1))])
      observer.onProgress = { progress in
        guard let file = progress.active.first else { return }
        most = max(most, file.connectionCount)
        if hasMoved { return }
        guard file.connectionCount > 2 else { return }
        hasMoved = true
        engine.post([.change(.move(.group(GroupID(7))), .task(0))])
      }
    }
    let last = run.observer.progress.compactMap(\.active.first).suffix(3)
    #expect(hasMoved && most > 2 && last.allSatisfy { $0.connectionCount <= 1 } && run.result() == .downloaded)
    #expect(try isRight("f", content))
  }

  @Test(arguments: [EngineCommand.networkChanged, .change(.retry, .task(0))])
  func `what a host has asked for is not waited for any more`(command: EngineCommand) throws {
    let server = try ScriptedServer(
      FileService(["/f": .text("f")]) { $0.failFirst = (1, 503, [("Retry-After", "60")]) })
    let run = try EngineRun([try request(0, server.url("/f"), name: "f")], into: target) {
      $0.file.retryWait = .seconds(60)
    } prepare: { engine, observer in
      observer.onNotice = { _ in engine.post([command]) }
    }
    #expect(run.result() == .downloaded && run.end.progress.elapsed < .seconds(30))
  }
}
