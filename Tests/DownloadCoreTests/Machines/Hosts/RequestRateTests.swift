import Testing

@testable import DownloadCore

@Suite struct `Request rate` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func refuse(_ rate: inout RequestRate, sentAt: Int64, _ milliseconds: Int64) -> Bool {
    rate.refused(sentAt: at(sentAt), roundTrip: .milliseconds(1), now: at(milliseconds))
  }

  private func start(_ rate: inout RequestRate, active: Int, limit: Int = 64, _ milliseconds: Int64) {
    rate.started(active: active, limit: limit, roundTrip: .milliseconds(1), now: at(milliseconds))
  }

  /// A host that accepted a request every 20 ms between refusals at 2, 4 and, after this many, the next.
  private func paced(acceptedCount: Int = 50) -> RequestRate {
    var rate = RequestRate()
    for time: Int64 in [0, 2, 4] { _ = refuse(&rate, sentAt: time, time + 1) }
    for _ in 0..<acceptedCount { rate.accepted() }
    _ = refuse(&rate, sentAt: Int64(acceptedCount * 20), Int64(acceptedCount * 20) + 1)
    return rate
  }

  // MARK: Evidence

  @Test func `two refusals of lone requests in a row are due to the rate`() {
    var rate = RequestRate()
    for time: Int64 in [0, 2] {
      let isExplained = refuse(&rate, sentAt: time, time + 1)
      #expect(!isExplained && !rate.isPaced && rate.isInQuestion)
    }
    let isExplained = refuse(&rate, sentAt: 4, 5)
    #expect(isExplained && rate.isPaced)
  }

  @Test func `a refusal beside others between them is due to concurrency`() {
    var rate = RequestRate()
    for time: Int64 in [0, 2] { _ = refuse(&rate, sentAt: time, time + 1) }
    start(&rate, active: 2, 4)
    for time: Int64 in [4, 6, 8] {
      let isExplained = refuse(&rate, sentAt: time, time + 1)
      #expect(isExplained == (time == 8) && rate.isPaced == isExplained, "\(time)")
    }
  }

  @Test func `refusals of requests beside others, or long after each other, are not`() {
    var rate = RequestRate()
    for time in stride(from: Int64(0), to: 100, by: 2) {
      start(&rate, active: 2, time)
      let isExplained = refuse(&rate, sentAt: time, time + 1)
      #expect(!isExplained && !rate.isPaced)
    }
    for time in stride(from: Int64(1100), to: 20_000, by: 1000) {
      start(&rate, active: 1, time)
      let isExplained = refuse(&rate, sentAt: time, time + 1)
      #expect(!isExplained && !rate.isPaced)
    }
  }

  @Test func `requests that were sent before a refusal was known tell nothing new`() {
    var rate = RequestRate()
    for time: Int64 in 1...8 {
      let isExplained = refuse(&rate, sentAt: 0, time)
      #expect(!isExplained && !rate.isPaced)
    }
    var known = paced()
    let before = known.rate
    for time: Int64 in 1001...1020 {
      let isExplained = refuse(&known, sentAt: 999, time)
      #expect(isExplained && known.rate == before)
    }
  }

  @Test func `a trial beyond the limit that is refused shows a limit on concurrency`() {
    var rate = RequestRate()
    _ = refuse(&rate, sentAt: 0, 1)
    #expect(!rate.wantsTrial(now: at(50)))
    #expect(rate.wantsTrial(now: at(51)))
    start(&rate, active: 3, limit: 2, 51)
    #expect(!rate.wantsTrial(now: at(60)), "one at a time")
    let isExplained = refuse(&rate, sentAt: 51, 52)
    #expect(isExplained && !rate.isPaced && !rate.wantsTrial(now: at(20_000)))
    // Lone requests that are refused are evidence all the same.
    for time: Int64 in [60, 62] { _ = refuse(&rate, sentAt: time, time + 1) }
    #expect(rate.isPaced)
  }

  @Test func `a trial beyond the limit whose connection is refused shows a limit, too`() {
    var rate = RequestRate()
    _ = refuse(&rate, sentAt: 0, 1)
    rate.connectionRefused(sentAt: at(40), now: at(41))
    #expect(rate.wantsTrial(now: at(51)))
    start(&rate, active: 3, limit: 2, 51)
    rate.connectionRefused(sentAt: at(51), now: at(52))
    #expect(!rate.wantsTrial(now: at(20_000)))
  }

  @Test func `a trial beyond the limit that is served with the others shows that the limit is too low`() {
    var rate = RequestRate()
    _ = refuse(&rate, sentAt: 0, 1)
    start(&rate, active: 3, limit: 2, 100)
    for _ in 0..<3 { rate.accepted() }
    let isEarly = rate.ticked(roundTrip: .milliseconds(1), now: at(110))
    #expect(isEarly == nil, "one of the three may have been another")
    rate.accepted()
    let isTooEarly = rate.ticked(roundTrip: .milliseconds(20), now: at(120))
    #expect(isTooEarly == nil)
    let raise = rate.ticked(roundTrip: .milliseconds(1), now: at(120))
    #expect(raise == 1 && !rate.isPaced)
    #expect(!rate.wantsTrial(now: at(169)) && rate.wantsTrial(now: at(170)))
    start(&rate, active: 4, limit: 3, 170)
    for _ in 0..<5 { rate.accepted() }
    let next = rate.ticked(roundTrip: .milliseconds(1), now: at(180))
    #expect(next == 2)
    #expect(rate.wantsTrial(now: at(230)))
  }

  @Test(arguments: [Int64(300), 5000])
  func `a refusal after a raise ends the trials, whenever it comes`(time: Int64) {
    var rate = RequestRate()
    _ = refuse(&rate, sentAt: 0, 1)
    start(&rate, active: 3, limit: 2, 100)
    for _ in 0..<4 { rate.accepted() }
    let raise = rate.ticked(roundTrip: .milliseconds(1), now: at(110))
    #expect(raise == 1)
    start(&rate, active: 3, limit: 3, time)
    let isExplained = refuse(&rate, sentAt: time, time + 1)
    #expect(!isExplained, "the limit is lowered")
    #expect(!rate.wantsTrial(now: at(time + 5000)))
  }

  // MARK: The pace

  @Test func `the accepted requests between two refusals are the rate`() {
    let rate = paced(acceptedCount: 100)
    #expect(rate.rate! > 47 && rate.rate! < 50, "\(rate.rate!)")
  }

  @Test func `requests start evenly, and a late one does not delay those after it`() {
    var rate = paced()
    let pause = 1 / rate.rate!
    var start = rate.earliestStart(now: at(1001))!
    #expect(abs((start - at(1001)).inSeconds - pause / 2) < 0.001, "sooner after a refusal, for a token returns sooner")
    #expect(rate.earliestStart(now: start) == nil)
    rate.started(active: 1, limit: 64, roundTrip: .zero, now: start)
    let second = rate.earliestStart(now: start)!
    #expect(abs((second - start).inSeconds - pause) < 0.001)
    start = second + .milliseconds(2)
    rate.started(active: 1, limit: 64, roundTrip: .zero, now: start)
    #expect(abs((rate.earliestStart(now: start)! - second).inSeconds - pause) < 0.001)
    // A pause is no reason to hurry.
    start = second + .seconds(1)
    rate.started(active: 1, limit: 64, roundTrip: .zero, now: start)
    #expect((rate.earliestStart(now: start)! - start).inSeconds > pause * 0.7)
  }

  /// Starts requests as they are due until this time.
  private func pace(_ rate: inout RequestRate, from start: Int64, until end: Int64) {
    var now = at(start)
    while now < at(end) {
      now = max(now, rate.earliestStart(now: now) ?? now)
      rate.started(active: 1, limit: 64, roundTrip: .milliseconds(1), now: now)
      rate.accepted()
    }
  }

  @Test func `the rate is raised on trial, more each time, and a refusal restores it for longer`() {
    var rate = paced()
    let known = rate.rate!
    pace(&rate, from: 1001, until: 1990)
    #expect(rate.rate == known)
    pace(&rate, from: 1990, until: 2100)
    #expect(abs(rate.rate! - known * 1.05) < 0.01)
    pace(&rate, from: 2100, until: 3100)
    #expect(abs(rate.rate! - known * 1.05 * 1.1) < 0.01)
    let isExplained = refuse(&rate, sentAt: 3100, 3101)
    #expect(isExplained && abs(rate.rate! - known * 1.05) < 0.01)
    pace(&rate, from: 3101, until: 5090)
    #expect(abs(rate.rate! - known * 1.05) < 0.01)
    pace(&rate, from: 5090, until: 5200)
    #expect(abs(rate.rate! - known * 1.05 * 1.05) < 0.01)
  }

  @Test func `a rate that is not used is not raised`() {
    var rate = paced()
    let known = rate.rate!
    for time in stride(from: Int64(1100), to: 20_000, by: 100) { start(&rate, active: 1, time) }
    #expect(rate.rate == known)
  }

  @Test func `the rate is forgotten when nothing is refused for long`() {
    var rate = paced()
    _ = rate.ticked(roundTrip: .milliseconds(1), now: at(121_000))
    #expect(rate.isPaced && !rate.isForgettable(now: at(121_000)))
    #expect(rate.isForgettable(now: at(121_001)))
    _ = rate.ticked(roundTrip: .milliseconds(1), now: at(121_001))
    #expect(!rate.isInQuestion)
    var suspected = RequestRate()
    _ = refuse(&suspected, sentAt: 0, 1)
    _ = suspected.ticked(roundTrip: .milliseconds(1), now: at(30_001))
    #expect(!suspected.isInQuestion)
  }

  @Test func `a pace at which a quarter is refused explains nothing`() {
    var rate = paced()
    var isExplained = true
    var (time, count) = (Int64(1100), 0)
    while isExplained, count < 100 {
      rate.accepted()
      isExplained = refuse(&rate, sentAt: time, time + 1)
      (time, count) = (time + 100, count + 1)
    }
    #expect(count < 30 && !rate.isInQuestion)
    // Nothing else is suspected for a while.
    for later in stride(from: time, to: time + 20, by: 2) { _ = refuse(&rate, sentAt: later, later + 1) }
    #expect(!rate.isInQuestion && !rate.isForgettable(now: at(30_000)) && rate.isForgettable(now: at(40_000)))
  }

  @Test func `no refusal, no pace`() {
    var rate = RequestRate()
    for time: Int64 in 0..<1000 {
      start(&rate, active: 4, time)
      rate.accepted()
      #expect(rate.earliestStart(now: at(time)) == nil && !rate.isInQuestion && rate.isForgettable(now: at(time)))
    }
  }
}

/// A governor at servers with limits. Requests never run out; refused ones come back at once.
@Suite struct `Governor of a limited rate` {
  /// A server: whether it accepts a request, and how long it delays the answer.
  private typealias Server = (_ now: Instant, _ active: Int) -> (isAccepted: Bool, delay: Duration)

  private struct Result {
    var seconds = 0.0
    var refusedCount = 0
    var governor = HostGovernor(maximum: 64, now: .zero)
  }

  private func run(
    _ count: Int, roundTrip: Duration = .milliseconds(1), _ server: Server
  ) -> Result {
    var result = Result()
    var pending: [(at: Instant, sentAt: Instant, isAccepted: Bool)] = []
    var (now, tickAt, acceptedCount) = (Instant.zero, Instant.zero, 0)
    let retries = Retries(tries: 3, longestWait: .seconds(60))
    while acceptedCount < count {
      var next = tickAt
      starting: while true {
        switch result.governor.permission(now: now) {
        case .granted:
          result.governor.started(now: now)
          let answer = server(now, pending.count { $0.isAccepted } + 1)
          pending.append((now + roundTrip + answer.delay, now, answer.isAccepted))
        case .wait(let until):
          next = min(next, until)
          break starting
        case .full, .dead: break starting
        }
      }
      pending.sort { $0.at < $1.at }
      if let first = pending.first, first.at <= next {
        pending.removeFirst()
        now = first.at
        result.governor.answered(roundTrip: roundTrip, isAccepted: first.isAccepted, now: now)
        if first.isAccepted {
          acceptedCount += 1
          result.governor.succeeded(byteCount: 1000)
        } else {
          result.refusedCount += 1
          _ = result.governor.refused(retryAfter: nil, sentAt: first.sentAt, retries: retries, now: now, random: 0.5)
        }
        result.governor.ended(isShort: first.isAccepted, now: now)
      } else {
        now = next
        if now >= tickAt {
          result.governor.observed(now: now)
          tickAt = now + .milliseconds(25)
        }
      }
      if now > .zero + .seconds(3600) { break }
    }
    result.seconds = (now - .zero).inSeconds
    return result
  }

  @Test(arguments: [5.0, 50, 200, 500], [0, 1, 5, 20])
  func `a token bucket is used at nearly its rate, with few refusals`(rate: Double, burst: Int) {
    var bucket = SimulatedRateLimit(rate: rate, burst: burst)
    let result = run(400) { now, _ in (!bucket.refuses(now: now), .zero) }
    #expect(result.governor.requestRate.isPaced)
    #expect(result.seconds < 1.3 * Double(399 - burst) / rate + 0.2, "\(result.seconds) s")
    #expect(result.refusedCount <= 40, "\(result.refusedCount) refused")
  }

  @Test(arguments: [5.0, 50, 200, 500], [1, 5, 20])
  func `so is a leaky bucket that delays answers`(rate: Double, burst: Int) {
    var bucket = SimulatedRateLimit(rate: rate, burst: burst)
    let result = run(400) { now, _ in
      bucket.refuses(now: now) ? (false, .zero) : (true, .seconds(bucket.excess / rate))
    }
    #expect(result.seconds < 1.3 * 399 / rate + 0.2, "\(result.seconds) s")
    #expect(result.refusedCount <= 60, "\(result.refusedCount) refused")
  }

  @Test func `a server that changes its rate is followed`() {
    var buckets = [50.0, 200, 20].map { SimulatedRateLimit(rate: $0, burst: 5) }
    var served = 0
    let result = run(3000) { now, _ in
      let index = min(served / 1000, 2)
      guard !buckets[index].refuses(now: now) else { return (false, .zero) }
      served += 1
      return (true, .zero)
    }
    // 20 s, 5 s and 50 s; a raise takes its time.
    #expect(result.seconds < 95, "\(result.seconds) s")
    #expect(result.refusedCount < 100, "\(result.refusedCount) refused")
  }

  @Test(arguments: [1, 2, 5, 10])
  func `a server that limits concurrency is not paced`(limit: Int) {
    let result = run(2000, roundTrip: .milliseconds(2)) { _, active in (active <= limit, .zero) }
    #expect(!result.governor.requestRate.isPaced)
    #expect(result.governor.limit == limit)
    #expect(result.refusedCount < 20, "\(result.refusedCount) refused")
    #expect(result.seconds < 1.2 * 2000 * 0.002 / Double(limit) + 0.5, "\(result.seconds) s")
  }
}
