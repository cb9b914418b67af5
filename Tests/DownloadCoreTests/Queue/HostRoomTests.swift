import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Room for requests of a host` {
  private static func origin(_ host: String) -> Origin { Origin(scheme: .https, host: host, port: 443) }

  /// A machine, and the driver that it needs.
  private final class Rig {
    var run: RunMachine
    let jobs: Int

    init(jobs: Int? = nil) {
      run = RunMachine(settings: RunSettings())
      self.jobs = jobs ?? 1024
    }

    func hasRoom(_ host: String = "a", isOnlyHost: Bool = false, after seconds: Int64 = 0) -> Bool {
      run.hasRoom(at: origin(host), isOnlyHost: isOnlyHost, jobs: jobs, now: .zero + .seconds(seconds))
    }

    var fileCount: Int? { run.hosts[origin("a")]?.fileCount }

    func forget(_ item: ItemHandle) { run.forget(item) }

    /// - Returns: the transfers that start.
    @discardableResult
    func add(_ items: Range<Int>, host: String) -> [TransferOrder] {
      var actions: [RunAction] = []
      for item in items {
        run.add(
          FileMachine(
            item: ItemHandle(item), mirrors: [FileTrace.location(host, path: "/\(item)")], digests: [],
            expectedLength: nil,
            settings: run.fileSettings, beginning: .fresh, now: .zero), now: .zero, &actions)
      }
      return actions.compactMap { if case .start(let order) = $0 { order } else { nil } }
    }

    /// - Returns: the transfers that start.
    @discardableResult
    func answer(
      _ order: TransferOrder, _ status: Int, retryAfter: Int64? = nil, redirectTo host: String? = nil
    ) -> [TransferOrder] {
      var actions: [RunAction] = []
      var head = ResponseHead(status: status)
      head.contentLength = 0
      if host != nil { head.location = [47] }
      head.retryAfterValue = retryAfter.map { Array("\($0)".utf8) }
      _ = run.headReceived(
        order.id, head, redirectTarget: host.map { FileTrace.location($0) }, linkedMirrors: [], roundTrip: nil,
        unixTime: 0, now: .zero, &actions)
      run.transferEnded(order.id, .complete(digest: nil), now: .zero, random: 0, &actions)
      return actions.compactMap { if case .start(let order) = $0 { order } else { nil } }
    }
  }

  @Test(arguments: [(1, 1), (3, 1), (4, 1), (8, 2), (100, 25)])
  func `is a quarter of the places while it has not answered and others wait`(jobs: Int, places: Int) {
    let rig = Rig(jobs: jobs)
    rig.add(0..<places - 1, host: "a")
    #expect(rig.hasRoom())
    let orders = rig.add(places - 1..<places, host: "a")
    #expect(!rig.hasRoom() && rig.hasRoom(isOnlyHost: true) && rig.hasRoom("b"))
    guard let order = orders.first else { return }
    rig.answer(order, 500)
    #expect(rig.hasRoom(), "an answer is an answer")
  }

  @Test func `is a quarter of the places while it asks for a pause`() throws {
    let rig = Rig(jobs: 4)
    let order = try #require(rig.add(0..<1, host: "a").first)
    #expect(!rig.hasRoom())
    rig.answer(order, 429, retryAfter: 60)
    #expect(!rig.hasRoom() && rig.hasRoom(isOnlyHost: true))
    #expect(rig.hasRoom(after: 61))
  }

  @Test func `ends where many wait for it, and comes back with each that ends`() {
    let rig = Rig()
    // The first ones are transferred.
    rig.add(0..<HostGovernor.initialLimit + 63, host: "a")
    #expect(rig.hasRoom())
    rig.add(1000..<1001, host: "a")
    #expect(!rig.hasRoom(isOnlyHost: true) && rig.hasRoom("b"))
    rig.forget(1000)
    #expect(rig.hasRoom())
  }

  @Test func `ends where many wait for the host to which it redirects`() throws {
    let rig = Rig()
    rig.add(1000..<1000 + HostGovernor.initialLimit, host: "b")
    for item in 0..<64 {
      #expect(rig.hasRoom())
      let order = try #require(rig.add(item..<item + 1, host: "a").first)
      #expect(rig.answer(order, 302, redirectTo: "b").isEmpty)
    }
    #expect(!rig.hasRoom(isOnlyHost: true) && rig.hasRoom("b"))
    rig.forget(7)
    #expect(rig.hasRoom())
  }

  @Test func `counts each file once, until it is forgotten, which is told`() {
    let rig = Rig(jobs: 8)
    rig.add(0..<2, host: "a")
    #expect(!rig.hasRoom() && rig.fileCount == 2)
    rig.forget(0)
    #expect(rig.run.takeRoomChanges() == [Self.origin("a")])
    rig.forget(0)
    #expect(rig.run.takeRoomChanges() == [])
    #expect(rig.hasRoom() && rig.fileCount == 1)
  }
}
