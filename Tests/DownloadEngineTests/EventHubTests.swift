import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine

@Suite struct `Subscribers of an engine's events` {
  private let caughtUpCount = Locked(0)

  private func makeHub() -> EventHub {
    EventHub { [caughtUpCount] in caughtUpCount.withLock { $0 += 1 } }
  }

  private func notice(_ count: Int) -> EngineEvent {
    .noticed(Notice(task: nil, name: nil, level: .note, .mirrorsJoined(count)))
  }

  private func end(_ task: Int) throws -> EngineEvent {
    let wanted = try request(task, "http://127.0.0.1/f", name: "f")
    return .ended(
      Outcome(
        task: wanted.task, name: wanted.target.name, location: wanted.mirrors[0].location, result: .kept, byteCount: 0,
        received: ReceivedBytes(), status: nil, verified: nil, elapsed: .zero, source: nil))
  }

  /// The numbers of the notices.
  private func notices(_ batches: [EventBatch]) -> [Int] {
    batches.flatMap(\.events).compactMap { event in
      if case .noticed(let notice) = event, case .mirrorsJoined(let count) = notice.remark { count } else { nil }
    }
  }

  @Test func `each get every event, in numbered batches`() {
    let hub = makeHub()
    #expect(!hub.isHeard && hub.progressInterval == nil)
    let early = hub.subscribe(.complete, progressEvery: .milliseconds(300))
    hub.publish([notice(1), notice(2)])
    let late = hub.subscribe(.latest, progressEvery: .milliseconds(100))
    #expect(hub.isHeard && hub.progressInterval == .milliseconds(100))
    hub.publish([])
    hub.publish([notice(3)])
    let (all, rest) = (early.takeAll(), late.takeAll())
    #expect(all.map(\.number) == [1, 2] && notices(all) == [1, 2, 3])
    #expect(rest.map(\.number) == [2] && notices(rest) == [3])
    #expect(early.takeAll().isEmpty)
    hub.unsubscribe(late)
    hub.publish([notice(4)])
    #expect(late.takeAll().isEmpty && notices(early.takeAll()) == [4] && hub.progressInterval == .milliseconds(300))
  }

  @Test func `that want the latest state lose events if they are behind, and hear of the gap`() {
    let hub = makeHub()
    let (latest, complete) = (hub.subscribe(.latest), hub.subscribe(.complete))
    let count = EventSubscription.mostEvents + 10
    for number in 0..<count { hub.publish([notice(number)]) }
    let kept = latest.takeAll()
    #expect(kept.first?.hasGap == true && !kept.dropFirst().contains(where: \.hasGap))
    #expect(notices(kept) == Array(EventSubscription.mostEvents..<count))
    #expect(notices(complete.takeAll()) == Array(0..<count))
    hub.publish([notice(0)])
    #expect(latest.takeAll().map(\.hasGap) == [false])
  }

  /// The counts of items that were told.
  private func counts(_ batches: [EventBatch]) -> [Int?] {
    batches.flatMap(\.events).compactMap { if case .progressed(let progress) = $0 { progress.itemCount } else { nil } }
  }

  private func progress(_ count: Int) -> EngineEvent {
    var progress = RunProgress()
    progress.itemCount = count
    return .progressed(progress)
  }

  @Test func `hear of the progress at their own intervals, and have the newest one only`() {
    let hub = makeHub()
    let often = hub.subscribe(.complete, progressEvery: .milliseconds(10))
    let seldom = hub.subscribe(.complete, progressEvery: .seconds(3600))
    let never = hub.subscribe(.complete)
    #expect(caughtUpCount.withLock { $0 } == 3 && hub.takeProgressWish() && !hub.takeProgressWish())
    for count in 1...5 {
      hub.publish([notice(count), progress(count)])
      usleep(15_000)
    }
    hub.publish([progress(6)])
    for (subscription, last) in [(often, 6), (seldom, 1)] {
      let batches = subscription.takeAll()
      #expect(counts(batches) == [last] && notices(batches) == [1, 2, 3, 4, 5])
    }
    let rest = never.takeAll()
    #expect(counts(rest).isEmpty && notices(rest) == [1, 2, 3, 4, 5] && rest.count == 5)
    seldom.progressInterval = .milliseconds(10)
    #expect(caughtUpCount.withLock { $0 } == 4)
    hub.publish([progress(7)])
    #expect(counts(seldom.takeAll()) == [7], "the new interval holds at once")
  }

  @Test func `that want the latest state have the last progress after a gap`() {
    let hub = makeHub()
    let latest = hub.subscribe(.latest, progressEvery: .milliseconds(1))
    hub.publish([notice(-1), progress(7)])
    for number in 0...EventSubscription.mostEvents { hub.publish([notice(number)]) }
    let kept = latest.takeAll()
    #expect(kept.first?.hasGap == true && counts(kept) == [7])
  }

  @Test func `that come while the engine sleeps hear how it is`() throws {
    let target = try TemporaryDirectory()
    let engine = Engine(
      settings: RunSettings(), place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
      source: ArraySource([]), endsWhenIdle: false, descriptorLimit: raiseDescriptorLimit() / 2)
    try engine.start()
    #expect(ask(engine, .change(.pause, .all)) != nil)
    let late = engine.events.subscribe(.latest, progressEvery: .seconds(3600))
    #expect(
      eventually {
        late.takeAll().flatMap(\.events).contains { if case .progressed = $0 { true } else { false } }
      })
    engine.stop(.now)
    _ = engine.join()
  }

  @Test func `that want everything hold up what is to begin, until they have caught up`() throws {
    let hub = makeHub()
    let (complete, latest) = (hub.subscribe(.complete), hub.subscribe(.latest))
    hub.publish(try (1..<EventSubscription.mostEnds).map { try end($0) })
    #expect(!hub.isBehind)
    hub.publish([try end(0), notice(0)])
    #expect(hub.isBehind && caughtUpCount.withLock { $0 } == 2, "one for each that came")
    _ = latest.takeAll()
    #expect(hub.isBehind)
    #expect(complete.takeAll().count == 2 && !hub.isBehind && caughtUpCount.withLock { $0 } == 3)
    _ = complete.takeAll()
    #expect(caughtUpCount.withLock { $0 } == 3)
  }

  @Test func `that leave hold up nothing any more`() throws {
    let hub = makeHub()
    let complete = hub.subscribe(.complete)
    hub.publish(try (0..<EventSubscription.mostEnds).map { try end($0) })
    #expect(hub.isBehind)
    hub.unsubscribe(complete)
    #expect(!hub.isBehind && caughtUpCount.withLock { $0 } == 2)
  }

  @Test func `that do not take events let a run go on as far as they may be behind`() throws {
    let count = EventSubscription.mostEnds + 3000
    let content = Content.text("small")
    let server = try ScriptedServer(
      FileService(Dictionary(uniqueKeysWithValues: (0..<count).map { ("/\($0)", content) })))
    let target = try TemporaryDirectory()
    let engine = Engine(
      settings: RunSettings(), place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
      source: ArraySource(try (0..<count).map { try request($0, server.url("/\($0)"), name: "\($0)") }),
      descriptorLimit: raiseDescriptorLimit(), runtime: Runtime(idleTime: .zero))
    let stuck = engine.events.subscribe(.complete)
    let watching = engine.events.subscribe(.complete)
    var ended = 0
    func takeEnds(_ subscription: EventSubscription) -> Int {
      subscription.takeAll().reduce(0) { $1.events.reduce($0) { if case .ended = $1 { $0 + 1 } else { $0 } } }
    }
    try engine.start()
    // What was active at that time ends.
    #expect(
      eventually {
        ended += takeEnds(watching)
        return ended >= EventSubscription.mostEnds
      })
    var before = -1
    while ended != before {
      before = ended
      usleep(500_000)
      ended += takeEnds(watching)
    }
    #expect(ended < count, "it stands still")
    #expect(takeEnds(stuck) == ended)
    let end = engine.join()
    ended += takeEnds(watching)
    #expect(ended == count && end.progress.downloadedCount == count)
  }
}
