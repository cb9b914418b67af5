import Testing

@testable import DownloadCore

@Suite struct `Probing for the number of connections` {
  /// Runs a probe for `seconds` on a line with a rate of `each` for a connection and `total` for all of them.
  private func probed(
    initial: Int = 1, maximum: Int = 16, each: Double, total: Double, seconds: Double, demand: Int = .max,
    _ body: (inout ConcurrencyProbe, Instant) -> Void = { _, _ in }
  ) -> ConcurrencyProbe {
    var probe = ConcurrencyProbe(initial: initial, maximum: maximum, now: .zero)
    var work = 0.0
    for tick in 0..<Int(seconds * 40) {
      let now = Instant.zero + .milliseconds(25 * Int64(tick))
      let active = min(probe.target, demand)
      work += min(each * Double(active), total) / 40
      probe.observed(work: Int64(work), active: active, roundTrip: .milliseconds(10), now: now)
      body(&probe, now)
    }
    return probe
  }

  @Test func `the number doubles while the rate grows in proportion`() {
    #expect(probed(each: 1e6, total: 1e9, seconds: 1).target == 16)
    #expect(probed(maximum: 5, each: 1e6, total: 1e9, seconds: 1).target == 5)
  }

  @Test func `the number falls back if more connections do not raise the rate`() {
    #expect(probed(each: 1e6, total: 1e6, seconds: 1).target == 1)
    #expect(probed(each: 1e6, total: 4e6, seconds: 1).target == 4)
    #expect(probed(initial: 4, each: 1e6, total: 4e6, seconds: 1).target == 4)
  }

  @Test func `it probes again after a rest, each time later`() {
    var raised: [Int64] = []
    var last = 1
    _ = probed(each: 1e6, total: 1e6, seconds: 40) { probe, now in
      if probe.target > last { raised.append(now.nanoseconds / 1_000_000_000) }
      last = probe.target
    }
    #expect(raised.count >= 3)
    let gaps = zip(raised.dropFirst(), raised).map { $0.0 - $0.1 }
    #expect(gaps == gaps.sorted())
    #expect(gaps.first ?? 0 >= 2)
  }

  @Test func `a lack of demand changes nothing`() {
    #expect(probed(initial: 4, each: 1e6, total: 1e9, seconds: 3, demand: 3).target == 4)
  }

  @Test func `a refusal keeps the number for a while`() {
    var probe = ConcurrencyProbe(initial: 8, maximum: 16, now: .zero)
    probe.cap(at: 3, now: .zero)
    #expect(probe.target == 3)
    probe.shortRequestServed(allowing: 32)
    #expect(probe.target == 3)
    probe.cap(at: 0, now: .zero)
    #expect(probe.target == 1)
  }

  @Test func `it opens the given number at once and then measures`() {
    var probe = ConcurrencyProbe(initial: 1, maximum: 16, now: .zero)
    probe.open(64, now: .zero)
    #expect(probe.target == 16)
    probe.open(2, now: .zero)
    #expect(probe.target == 16)
  }

  @Test func `after a step with little gain fewer connections are tried`() {
    let each = 1e6
    func reduced(total: Double) -> Int {
      var probe = ConcurrencyProbe(initial: 1, maximum: 16, triesFewer: true, now: .zero)
      var work = 0.0
      for tick in 0..<400 {
        work += min(each * Double(probe.target), total) / 100
        probe.observed(
          work: Int64(work), active: probe.target, roundTrip: .milliseconds(1),
          now: .zero + .milliseconds(10 * Int64(tick % 180)))
      }
      return probe.target
    }
    #expect(reduced(total: 1e9) == 16)
    #expect(reduced(total: 2e6) == 2)
  }

  @Test func `a falling rate ends the rest`() {
    var target = 0
    _ = probed(each: 1e6, total: 1e6, seconds: 1) { probe, _ in target = probe.target }
    #expect(target == 1)
    var probe = ConcurrencyProbe(initial: 1, maximum: 16, now: .zero)
    var work = 0.0
    for tick in 0..<150 {
      // A policer: a second at full speed, then a tenth of it for each connection.
      work += (tick < 80 ? 1e6 : min(1e5 * Double(probe.target), 1e6)) / 100
      probe.observed(
        work: Int64(work), active: probe.target, roundTrip: .milliseconds(1),
        now: .zero + .milliseconds(10 * Int64(tick)))
    }
    #expect(probe.target >= 8)
  }

  @Test func `each short request that is served allows one more, up to the maximum`() {
    var probe = ConcurrencyProbe(initial: 4, maximum: 64, now: .zero)
    probe.shortRequestServed(allowing: 16)
    #expect(probe.target == 16)
    probe.shortRequestServed(allowing: 5)
    #expect(probe.target == 16)
    probe.shortRequestServed(allowing: 100)
    #expect(probe.target == 64)
  }
}
