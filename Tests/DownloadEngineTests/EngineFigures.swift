import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine

/// What commands and subscribers cost, printed by `make figures`. Nothing is compared with the clock.
@Suite(.serialized, .enabled(if: getenv("SWIFTGET_FIGURES") != nil, "prints figures, see `make figures`"))
struct `Figures of an engine` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  private func makeEngine(_ requests: [FileRequest]) throws -> Engine {
    var settings = RunSettings()
    settings.transport.noProxy = "*"
    settings.target.ifExists = .replace
    return Engine(
      settings: settings, place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
      source: ArraySource(requests), endsWhenIdle: false, descriptorLimit: raiseDescriptorLimit(),
      runtime: Runtime(idleTime: .zero))
  }

  /// Posts a command, and waits for its answer.
  private func seconds(_ engine: Engine, _ command: EngineCommand) -> Double {
    let end = Locked(0.0)
    let start = monotonicSeconds()
    engine.post([command]) { _ in end.withLock { $0 = monotonicSeconds() } }
    _ = eventually { end.withLock { $0 } > 0 }
    return end.withLock { $0 } - start
  }

  @Test func `the time from a command to its effect`() throws {
    let content = Content.generated(seed: 1, byteCount: 4 << 30)
    let server = try ScriptedServer(FileService(["/f": content]) { $0.bytesPerSecondOfServer = 20_000_000 })
    let engine = try makeEngine([try request(0, server.url("/f"), name: "f")])
    let events = engine.events.subscribe(.complete, progressEvery: .milliseconds(2))
    try engine.start()
    var pauses: [Double] = []
    var resumes: [Double] = []
    for _ in 0..<1000 {
      // Its bytes arrive.
      let isActive = eventually {
        events.takeAll().contains { batch in
          batch.events.contains {
            if case .progressed(let progress) = $0 {
              progress.active.contains { $0.connectionCount > 0 }
            } else {
              false
            }
          }
        }
      }
      guard isActive else { throw TestSupportError("the file does not go on") }
      pauses.append(seconds(engine, .change(.pause, .task(0))))
      _ = events.takeAll()
      resumes.append(seconds(engine, .change(.resume, .task(0))))
    }
    engine.stop(.now)
    _ = engine.join()
    for (name, values) in [("pause", pauses.sorted()), ("resume", resumes.sorted())] {
      print("\(name): median \(values[500] * 1000) ms, 99 % below \(values[990] * 1000) ms")
    }
  }

  @Test func `the rate of a transfer with 64 subscribers, one of which never reads`() throws {
    let content = Content.generated(seed: 2, byteCount: 1 << 30)
    let server = try ScriptedServer(FileService(["/f": content]))
    func run(_ count: Int) throws -> Double {
      let engine = try makeEngine([try request(0, server.url("/f"), name: "f")])
      let subscriptions = (0..<count).map {
        engine.events.subscribe($0 % 2 == 0 ? .complete : .latest, progressEvery: .milliseconds(100))
      }
      let hasEnded = Locked(false)
      startThread {
        while !hasEnded.withLock({ $0 }) {
          for subscription in subscriptions.dropFirst() { _ = subscription.takeAll() }
          usleep(20_000)
        }
      }
      let start = monotonicSeconds()
      try engine.start()
      guard eventually({ target.names() == ["f"] }) else { throw TestSupportError("the file does not come") }
      let seconds = monotonicSeconds() - start
      engine.stop(.finish)
      _ = engine.join()
      hasEnded.withLock { $0 = true }
      unlink(target.path("f"))
      return seconds
    }
    var alone: [Double] = []
    var heard: [Double] = []
    for _ in 0..<7 {
      alone.append(try run(0))
      heard.append(try run(64))
    }
    let ratios = zip(heard, alone).map { $0 / $1 }.sorted()
    print("64 subscribers: \(ratios[3]) of the time without (\(ratios[0]) to \(ratios[6]))")
  }
}
