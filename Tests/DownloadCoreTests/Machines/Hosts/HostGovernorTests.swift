import Testing

@testable import DownloadCore

@Suite struct `Host governor` {
  private let retries = Retries(tries: 3, longestWait: .seconds(60))

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func unreached(_ governor: inout HostGovernor, _ milliseconds: Int64, isProbe: Bool = false, tries: Int = 3)
    -> Reachability.FailureOutcome
  {
    let outcome = governor.unreached(
      fault: .connectRefused(), isProbe: isProbe, retries: Retries(tries: tries, longestWait: .seconds(60)),
      now: at(milliseconds), random: 0)
    governor.ended(isShort: false, isProbe: isProbe, now: at(milliseconds))
    return outcome
  }

  /// A host that refused this many of four concurrent requests.
  private func governor(refusing count: Int) -> HostGovernor {
    var governor = HostGovernor(maximum: 64, now: .zero)
    for _ in 0..<4 { governor.started() }
    for _ in 0..<count {
      _ = governor.refused(retryAfter: nil, sentAt: at(0), retries: retries, now: at(1), random: 0)
      governor.ended(isShort: false, now: at(1))
    }
    governor.observed(now: at(100))
    return governor
  }

  @Test func `four transfers may start, then one for each that ends`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    for _ in 0..<4 {
      #expect(governor.permission(now: .zero) == .granted)
      governor.started()
    }
    #expect(governor.permission(now: .zero) == .full)
    // The further connections of a file have a probe of their own.
    #expect(governor.permissionForSegment(now: .zero) == .granted)
    governor.ended(isShort: false, now: .zero)
    #expect(governor.permission(now: .zero) == .granted)
    #expect(governor.active == 3)
  }

  @Test func `the maximum holds for first and further transfers`() {
    var governor = HostGovernor(maximum: 2, now: .zero)
    governor.started()
    governor.started()
    #expect(governor.permission(now: .zero) == .full)
    #expect(governor.permissionForSegment(now: .zero) == .full)
    #expect(HostGovernor(maximum: 0, now: .zero).limit == 1)
  }

  @Test func `an unreachable host gets one probe per backoff step and is given up after its tries`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    governor.started()
    governor.started()
    #expect(unreached(&governor, 0) == .probe(at: at(500)))
    // It was active at the same time and is no failure of its own.
    #expect(unreached(&governor, 10) == .probe(at: at(500)))
    #expect(governor.permission(now: at(499)) == .wait(until: at(500)))
    #expect(governor.permission(now: at(500)) == .granted)
    // A file with fewer tries of its own gives up earlier.
    #expect(governor.permission(now: at(500), tries: 2) == .granted)
    #expect(governor.permission(now: at(499), tries: 1) == .dead(.connectRefused()))
    var isProbe = governor.started()
    #expect(isProbe && governor.permission(now: at(500)) == .full)
    #expect(unreached(&governor, 600, isProbe: isProbe) == .probe(at: at(1600)))
    isProbe = governor.started()
    #expect(unreached(&governor, 1600, isProbe: isProbe) == .dead)
    #expect(governor.permission(now: at(61_599)) == .dead(.connectRefused()))
    #expect(!governor.isForgettable(now: at(61_599)))
    #expect(governor.active == 0)
    #expect(governor.permission(now: at(61_600)) == .granted && governor.isForgettable(now: at(61_600)))
    #expect(governor.permissionForSegment(now: at(61_600)) == .granted)
    isProbe = governor.started()
    #expect(isProbe && governor.permission(now: at(61_600)) == .full)
  }

  @Test func `transfers that started before the failure neither count nor allow a second probe`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    let areProbes = (0..<4).map { number in
      if number == 3 { #expect(unreached(&governor, 0) == .probe(at: at(500))) }
      return governor.started()
    }
    #expect(areProbes == [false, false, false, true])
    #expect(unreached(&governor, 700) == .probe(at: at(500)))
    #expect(governor.permission(now: at(700)) == .full)
    #expect(unreached(&governor, 800, isProbe: true) == .probe(at: at(1800)))
    #expect(unreached(&governor, 900) == .probe(at: at(1800)))
  }

  @Test func `when all transfers stall, a single probe checks the host`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    for _ in 0..<3 { governor.started() }
    governor.stalled(now: at(10))
    governor.ended(isShort: false, now: at(10))
    #expect(governor.isSuspected && !governor.isUnreachable)
    #expect(governor.permission(now: at(10)) == .granted && governor.permissionForSegment(now: at(10)) == .granted)
    let isProbe = governor.started()
    governor.ended(isShort: false, now: at(10))
    #expect(isProbe && governor.permission(now: at(10)) == .full && governor.permissionForSegment(now: at(10)) == .full)
    var lost = governor
    governor.connected()
    #expect(!governor.isSuspected && governor.permission(now: at(20)) == .granted)
    // Without a connection it is the first failure. An answer ends the state, a connection does not.
    #expect(unreached(&lost, 100, isProbe: true, tries: 2) == .probe(at: at(600)))
    #expect(lost.isUnreachable && !lost.isSuspected)
    lost.connected()
    #expect(lost.permission(now: at(100)) == .wait(until: at(600)))
    lost.started()
    #expect(unreached(&lost, 700, isProbe: true, tries: 2) == .dead)
  }

  @Test func `a transfer that was served until after a refused request was sent counts as active with it`() {
    let throttled = TransferFault.status(503)
    for (isServed, endedAt, expected) in [(true, 10, 1), (true, 5, 0), (false, 10, 0)] as [(Bool, Int64, Int)] {
      var governor = HostGovernor(maximum: 64, now: .zero)
      governor.started()
      governor.started()
      governor.ended(isShort: false, isServed: isServed, now: at(endedAt))
      #expect(governor.othersActive(besides: throttled, sentAt: at(5)) == expected)
      // A connection is refused at once.
      #expect(governor.othersActive(besides: .connectRefused(), sentAt: at(5)) == 0)
    }
  }

  @Test func `a host that answers is not suspected for long`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    governor.started()
    governor.stalled(now: at(10))
    governor.answered(roundTrip: nil, now: at(10))
    #expect(!governor.isSuspected && governor.permission(now: at(10)) == .granted)
  }

  @Test func `any answer shows that the host can be reached`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    governor.started()
    #expect(unreached(&governor, 0) == .probe(at: at(500)))
    governor.started()
    governor.answered(roundTrip: .milliseconds(30), now: at(30))
    #expect(governor.permission(now: at(500)) == .granted)
    #expect(governor.roundTrip == .milliseconds(30))
    #expect(unreached(&governor, 600) == .probe(at: at(1100)))
  }

  @Test func `with one try the first failure is final`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    governor.started()
    #expect(unreached(&governor, 0, tries: 1) == .dead)
  }

  @Test func `the number of accepted concurrent requests becomes the limit`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    for _ in 0..<4 { governor.started() }
    var until = governor.refused(retryAfter: nil, sentAt: at(0), retries: retries, now: at(10), random: 0)
    #expect(until == at(30))
    governor.ended(isShort: false, now: at(10))
    // The limit is unknown until the others have an answer.
    #expect(governor.limit == 1)
    until = governor.refused(
      retryAfter: nil, sentAt: at(0), servedNow: 2, retries: retries, now: at(20), random: 0.5)
    #expect(until == at(60))
    governor.ended(isShort: false, now: at(20))
    #expect(governor.limit == 2)
    governor.observed(now: at(40))
    #expect(governor.limit == 2)
    #expect(governor.permissionForSegment(now: at(40)) == .full)
  }

  /// A host that accepted two of four requests. The other two are stopped at 100 ms.
  private func cutAtLimit(isMultiplexed: Bool) -> HostGovernor {
    var governor = HostGovernor(maximum: 64, now: .zero)
    for _ in 0..<4 { governor.started() }
    governor.answered(roundTrip: .milliseconds(1), isMultiplexed: isMultiplexed, now: at(1))
    for _ in 0..<2 {
      _ = governor.refused(
        retryAfter: nil, sentAt: at(0), servedNow: 2, retries: retries, now: at(10), random: 0)
      governor.ended(isShort: false, now: at(10))
    }
    governor.observed(now: at(90))
    for _ in 0..<2 { governor.ended(isShort: false, isServed: true, isStopped: true, now: at(100)) }
    return governor
  }

  @Test func `the slot of a cut connection stays occupied until the host may have noticed`() {
    var governor = cutAtLimit(isMultiplexed: false)
    #expect(governor.limit == 2 && governor.active == 0)
    #expect(governor.permission(now: at(109)) == .wait(until: at(110)))
    #expect(governor.permissionForSegment(now: at(109)) == .wait(until: at(110)))
    for _ in 0..<2 {
      #expect(governor.permission(now: at(110)) == .granted)
      governor.started(now: at(110))
    }
    #expect(governor.permission(now: at(110)) == .full)
  }

  @Test func `a cut stream, or a cut connection below no limit, frees its slot at once`() {
    #expect(cutAtLimit(isMultiplexed: true).permission(now: at(100)) == .granted)
    var governor = HostGovernor(maximum: 64, now: .zero)
    for _ in 0..<4 { governor.started() }
    governor.ended(isShort: false, isServed: true, isStopped: true, now: at(10))
    #expect(governor.permission(now: at(10)) == .granted)
  }

  @Test func `a broken connection costs one slot for a moment`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    for _ in 0..<4 { governor.started() }
    _ = governor.connectionBroke(now: at(10), random: 0)
    #expect(governor.limit == 3)
    governor.observed(now: at(259))
    #expect(governor.limit == 3)
    governor.observed(now: at(260))
    #expect(governor.limit == 4)
  }

  @Test func `a broken connection does not replace an established limit`() {
    var governor = self.governor(refusing: 2)
    #expect(governor.limit == 2)
    _ = governor.connectionBroke(now: at(300), random: 0)
    #expect(governor.limit == 1)
    governor.observed(now: at(1000))
    #expect(governor.limit == 2)
    #expect(governor.permissionForSegment(now: at(1000)) == .full)
  }

  @Test func `a multiplexing host may get as many streams as servers usually allow`() {
    /// The number of transfers after three rounds at a distant host, where each answer allows more.
    func most(maximum: Int, isMultiplexed: Bool) -> Int {
      var governor = HostGovernor(maximum: maximum, now: .zero)
      for _ in 0..<3 {
        let count = governor.limit
        for _ in 0..<count { governor.started() }
        for _ in 0..<count {
          governor.answered(roundTrip: .milliseconds(100), isMultiplexed: isMultiplexed, now: .zero)
          governor.succeeded(byteCount: 1000)
        }
        for _ in 0..<count { governor.ended(isShort: true, now: at(100)) }
      }
      return governor.limit
    }
    #expect(most(maximum: 64, isMultiplexed: true) == 100)
    #expect(most(maximum: 64, isMultiplexed: false) == 64)
    // A lower or a higher limit of the user is respected.
    #expect(most(maximum: 16, isMultiplexed: true) == 16)
    #expect(most(maximum: 200, isMultiplexed: true) == 200)
  }

  @Test(arguments: [(1, true, false), (100, false, false), (100, true, true)])
  func `the requests of a distant host that multiplexes are spread`(
    roundTrip: Int64, isMultiplexed: Bool, isSpread: Bool
  ) {
    var governor = HostGovernor(maximum: 64, now: .zero)
    #expect(!governor.spreadsRequests)
    governor.started()
    governor.answered(roundTrip: .milliseconds(roundTrip), isMultiplexed: isMultiplexed, now: .zero)
    #expect(governor.spreadsRequests == isSpread)
  }

  @Test func `the limit is raised on trial after a while and restored when refused`() {
    var governor = self.governor(refusing: 2)
    #expect(governor.permissionForSegment(now: at(100)) == .full)
    governor.observed(now: at(30_099))
    #expect(governor.permissionForSegment(now: at(30_099)) == .full)
    governor.observed(now: at(30_100))
    #expect(governor.permissionForSegment(now: at(30_100)) == .granted)
    governor.started()
    _ = governor.refused(retryAfter: nil, sentAt: at(30_100), retries: retries, now: at(30_200), random: 0)
    governor.ended(isShort: false, now: at(30_200))
    #expect(governor.permissionForSegment(now: at(30_300)) == .full)
    // The retention has doubled.
    governor.observed(now: at(90_199))
    #expect(governor.permissionForSegment(now: at(90_199)) == .full)
    governor.observed(now: at(90_200))
    #expect(governor.permissionForSegment(now: at(90_200)) == .granted)
  }

  @Test func `a host that refused all active transfers is tried again soon`() {
    var governor = self.governor(refusing: 4)
    governor.started()
    #expect(governor.permissionForSegment(now: at(2099)) == .full)
    governor.observed(now: at(2100))
    #expect(governor.permissionForSegment(now: at(2100)) == .granted)
  }

  @Test func `Retry-After delays all transfers up to the maximum, reachable or not`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    governor.started()
    let until = governor.refused(
      retryAfter: .seconds(7200), sentAt: at(0), retries: retries, now: at(0), random: 0)
    #expect(until == at(60_000))
    governor.ended(isShort: false, now: at(0))
    #expect(governor.permission(now: at(59_999)) == .wait(until: at(60_000)))
    #expect(governor.permissionForSegment(now: at(59_999)) == .wait(until: at(60_000)))
    #expect(governor.permission(now: at(60_000)) == .granted)
    governor.started()
    _ = unreached(&governor, 100)
    #expect(governor.permission(now: at(10_000)) == .wait(until: at(60_000)))
  }

  @Test func `short requests raise the number if all slots are occupied`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    for _ in 0..<4 { governor.started() }
    governor.ended(isShort: true, now: .zero)
    #expect(governor.limit == 5)
    // Three of five slots are occupied, so more would not be used.
    governor.ended(isShort: true, now: .zero)
    #expect(governor.limit == 5)
  }

  @Test func `a host with unreliable entity tags is not forgotten`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    #expect(governor.isETagReliable && governor.isForgettable(now: .zero))
    governor.entityTagsAreUnreliable()
    #expect(!governor.isETagReliable && !governor.isForgettable(now: .zero))
  }

  @Test func `the served count grows with answers and bytes`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    governor.succeeded()
    #expect(governor.servedCount == 1)
    governor.received(1 << 20, now: .zero)
    #expect(governor.servedCount == 65)
    governor.received(1 << 20, isContent: false, now: .zero)
    #expect(governor.servedCount == 65, "an error page is no service")
  }
}
