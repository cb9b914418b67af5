import Testing

@testable import DownloadCore

/// The number of remembered hosts does not grow with the list.
@Suite struct `Remembered hosts` {
  private final class Run {
    var machine: RunMachine
    var now = Instant.zero
    private var nextTransfer = 0

    init() { machine = RunMachine(settings: RunSettings()) }

    static func location(_ number: Int) -> Location {
      Location(scheme: .http, host: "h\(number)", port: 80, path: "/f", query: nil)
    }

    /// Adds an item with a host of its own.
    /// - Returns: the transfer of the item.
    func start(_ number: Int) -> TransferID? {
      now = now + .milliseconds(10)
      let file = FileMachine(
        item: ItemHandle(number), mirrors: [Self.location(number)], digests: [], expectedLength: nil,
        settings: machine.fileSettings,
        beginning: .fresh, now: now)
      var actions: [RunAction] = []
      machine.add(file, now: now, &actions)
      for case .start(let order) in actions where order.item.number == number { return order.id }
      return nil
    }

    func end(_ id: TransferID, _ ending: TransferEnding) {
      var actions: [RunAction] = []
      machine.transferEnded(id, ending, now: now, random: 0, &actions)
    }

    /// Answers with a whole file and concludes the item.
    func serve(_ number: Int, _ id: TransferID) {
      var head = ResponseHead(status: 200)
      head.contentLength = 10
      var actions: [RunAction] = []
      _ = machine.headReceived(id, head, redirectTarget: nil, roundTrip: nil, unixTime: 0, now: now, &actions)
      machine.advanced(id, to: 10, &actions)
      machine.transferEnded(id, .complete(digest: nil), now: now, random: 0, &actions)
      machine.concluded(ItemHandle(number))
      machine.forget(ItemHandle(number))
    }
  }

  @Test func `those that ask for a pause are listed by name while it lasts`() throws {
    let run = Run()
    for number in [2, 1] {
      let id = try #require(run.start(number))
      var head = ResponseHead(status: 503)
      head.retryAfterValue = Array("30".utf8)
      var actions: [RunAction] = []
      _ = run.machine.headReceived(id, head, redirectTarget: nil, roundTrip: nil, unixTime: 0, now: run.now, &actions)
      run.end(id, .stopped)
    }
    _ = run.start(3)
    let limits = run.machine.limitingHosts(now: run.now)
    #expect(limits.map(\.origin) == [1, 2].map { Run.location($0).origin })
    for limit in limits {
      guard case .pause(let left) = limit.request else {
        Issue.record("\(limit)")
        continue
      }
      #expect(left > .seconds(29) && left <= .seconds(30))
    }
    #expect(run.machine.limitingHosts(now: run.now + .seconds(31)).isEmpty)
  }

  @Test func `idle hosts are forgotten in order of last use, others are kept`() throws {
    let run = Run()
    // One is active, one is throttled, one is unreachable.
    let working = try #require(run.start(0))
    let throttled = try #require(run.start(1))
    var busy = ResponseHead(status: 503)
    busy.retryAfterValue = Array("3000".utf8)
    var actions: [RunAction] = []
    _ = run.machine.headReceived(
      throttled, busy, redirectTarget: nil, roundTrip: nil, unixTime: 0, now: run.now, &actions)
    run.end(throttled, .stopped)
    let unreachable = try #require(run.start(2))
    run.end(unreachable, .failed(.connectTimeout))
    var most = 0
    for number in 3..<5000 {
      run.serve(number, try #require(run.start(number)))
      most = max(most, run.machine.hosts.count)
    }
    #expect(most <= 2 * (HostTable.rememberedCount + 3), "\(most)")
    for number in [0, 1, 2, 4999] {
      #expect(run.machine.governor(of: Run.location(number).origin) != nil, "\(number)")
    }
    #expect(run.machine.governor(of: Run.location(3).origin) == nil)
    #expect(run.machine.governor(of: Run.location(0).origin)?.active == 1)
    run.serve(0, working)
    #expect(run.machine.governor(of: Run.location(0).origin)?.active == 0)
  }
}
