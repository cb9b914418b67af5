import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Requests that are replaced, and what somebody who follows the events learns of commands.
@Suite(.waiting) struct `Commands and events together` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  private func makeEngine(_ requests: [FileRequest], policy: (any EnginePolicy)? = nil) throws -> Engine {
    var settings = RunSettings()
    settings.transport.noProxy = "*"
    return Engine(
      settings: settings, place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
      source: ArraySource(requests), endsWhenIdle: false, settledLimit: 10, policy: policy,
      descriptorLimit: raiseDescriptorLimit(), runtime: Runtime(idleTime: .zero, suspectsDevices: suspectsDevices))
  }

  @Test func `a paused task goes on with another request, an active one does not take it`() throws {
    let content = Content.generated(seed: 15, byteCount: 3_000_000)
    let service = FileService(["/f": content]) { $0.bytesPerSecondOfServer = 1_500_000 }
    let server = try ScriptedServer(service)
    let other = try ScriptedServer(FileService(["/f": content]))
    let request = try request(
      0, server.url("/f"), name: "f", digests: [ContentDigest(.sha256, hex: content.hexDigest().utf8)!])
    var moved = request
    moved.mirrors = try DownloadEngineTests.request(0, other.url("/f"), name: "f").mirrors
    let engine = try makeEngine([request])
    let progress = engine.events.subscribe(.latest, progressEvery: .milliseconds(20))
    try engine.start()
    // Bytes that the server has sent may still be on their way.
    #expect(
      eventually {
        progress.takeAll().flatMap(\.events).contains { event in
          guard case .progressed(let progress) = event else { return false }
          return progress.active.contains { $0.doneByteCount > 900_000 }
        }
      })
    #expect(ask(engine, .replace(moved)) == .active)
    let unknown = try DownloadEngineTests.request(7, other.url("/f"), name: "g")
    #expect(ask(engine, .replace(unknown)) == .unknown)
    let events = engine.events.subscribe(.complete)
    engine.post([.change(.pause, .task(0)), .replace(moved), .change(.resume, .task(0))])
    var ended: [Outcome] = []
    #expect(
      eventually {
        for batch in events.takeAll() {
          for event in batch.events { if case .ended(let outcome) = event { ended.append(outcome) } }
        }
        return !ended.isEmpty
      })
    #expect(ended.map(\.result) == [.downloaded] && ended[0].location.port == other.port)
    // What there was is not asked for again.
    let ranges = other.requests.compactMap(\.rangeHeader)
    #expect(ranges.count == other.requests.count && !ranges.isEmpty && !ranges.contains { $0.hasPrefix("bytes=0-") })
    #expect(try content.firstDifference(inFile: target.path("f")) == nil)
    engine.stop(.now)
    _ = engine.join()
  }

  @Test func `what commands have ended is told in the batches before they count as obeyed`() throws {
    let requests = try (0..<50).map { try request($0, "http://127.0.0.1:9/\($0)", name: "\($0)") }
    let engine = try makeEngine([])
    let events = engine.events.subscribe(.complete)
    let obeyed = Locked<[(changed: Int, batch: Int)]>([])
    engine.post([.change(.pause, .all)] + requests.map { .add($0) })
    for index in 0..<50 {
      engine.post(
        [.change(.cancel, .task(TaskID(position: index))), .change(.retry, .task(TaskID(position: index)))],
        obeyed: { answers, batch in
          guard case .counts(let answer) = answers[0] else { return }
          obeyed.withLock { $0.append((answer.changedCount, batch)) }
        }, answer: nil)
    }
    try engine.start()
    #expect(eventually { obeyed.withLock { $0.count } == 50 })
    engine.stop(.now)
    _ = engine.join()
    var numbers: [Int] = []
    for batch in events.takeAll() {
      for event in batch.events { if case .ended = event { numbers.append(batch.number) } }
    }
    let given = obeyed.withLock { $0 }
    #expect(numbers.count == 50 && given.allSatisfy { $0.changed == 1 })
    #expect(zip(numbers, given).allSatisfy { $0 <= $1.batch })
    #expect(zip(numbers.dropFirst(), given).allSatisfy { $0 > $1.batch })
  }

  @Test func `an engine without work tells no progress, whoever wants it`() throws {
    let engine = try makeEngine([])
    let events = engine.events.subscribe(.complete, progressEvery: .milliseconds(1))
    try engine.start()
    #expect(ask(engine, .describe(.all)) == .descriptions([]))
    pause(seconds: 0.05)
    #expect(ask(engine, .describe(.all)) == .descriptions([]))
    let count = events.takeAll().flatMap(\.events).count { if case .progressed = $0 { true } else { false } }
    // The ticks of the commands may have made one each.
    #expect(count <= 4)
    events.progressInterval = nil
    #expect(engine.events.progressInterval == nil)
    engine.stop(.now)
    _ = engine.join()
  }
}
