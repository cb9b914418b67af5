import Testing

@testable import DownloadCore

@Suite struct `Climbing to more connections` {
  /// Runs a climber for `seconds` against a line that gives each of its connections `each`, and `total` altogether.
  private func climb(
    initial: Int = 1, maximum: Int = 16, each: Double, total: Double, seconds: Double, demand: Int = .max,
    _ body: (inout ConnectionClimber, Instant) -> Void = { _, _ in }
  ) -> ConnectionClimber {
    var climber = ConnectionClimber(initial: initial, maximum: maximum, now: .zero)
    var work = 0.0
    for tick in 0..<Int(seconds * 40) {
      let now = Instant.zero + .milliseconds(25 * Int64(tick))
      let active = min(climber.target, demand)
      work += min(each * Double(active), total) / 40
      climber.observed(work: Int64(work), active: active, roundTrip: .milliseconds(10), now: now)
      body(&climber, now)
    }
    return climber
  }

  @Test func `it doubles while each connection brings its share`() {
    #expect(climb(each: 1e6, total: 1e9, seconds: 1).target == 16)
    #expect(climb(maximum: 5, each: 1e6, total: 1e9, seconds: 1).target == 5)
  }

  @Test func `it falls back where more bring no more`() {
    #expect(climb(each: 1e6, total: 1e6, seconds: 1).target == 1)
    #expect(climb(each: 1e6, total: 4e6, seconds: 1).target == 4)
    #expect(climb(initial: 4, each: 1e6, total: 4e6, seconds: 1).target == 4)
  }

  @Test func `it tries again after a rest, and less and less often`() {
    var raised: [Int64] = []
    var last = 1
    _ = climb(each: 1e6, total: 1e6, seconds: 40) { climber, now in
      if climber.target > last { raised.append(now.nanoseconds / 1_000_000_000) }
      last = climber.target
    }
    #expect(raised.count >= 3)
    let gaps = zip(raised.dropFirst(), raised).map { $0.0 - $0.1 }
    #expect(gaps == gaps.sorted())
    #expect(gaps.first ?? 0 >= 2)
  }

  @Test func `a lack of demand proves nothing`() {
    #expect(climb(initial: 4, each: 1e6, total: 1e9, seconds: 3, demand: 3).target == 4)
  }

  @Test func `a push holds it where it was for a while`() {
    var climber = ConnectionClimber(initial: 8, maximum: 16, now: .zero)
    climber.hold(at: 3, now: .zero)
    #expect(climber.target == 3)
    climber.shortRequestServed(allowing: 32)
    #expect(climber.target == 3)
    climber.hold(at: 0, now: .zero)
    #expect(climber.target == 1)
  }

  @Test func `it opens as many together as it is told, and measures them then`() {
    var climber = ConnectionClimber(initial: 1, maximum: 16, now: .zero)
    climber.open(64, now: .zero)
    #expect(climber.target == 16)
    climber.open(2, now: .zero)
    #expect(climber.target == 16)
  }

  @Test func `where the last step brought little, fewer are tried`() {
    let each = 1e6
    func thinned(total: Double) -> Int {
      var climber = ConnectionClimber(initial: 1, maximum: 16, thins: true, now: .zero)
      var work = 0.0
      for tick in 0..<400 {
        work += min(each * Double(climber.target), total) / 100
        climber.observed(
          work: Int64(work), active: climber.target, roundTrip: .milliseconds(1),
          now: .zero + .milliseconds(10 * Int64(tick % 180)))
      }
      return climber.target
    }
    #expect(thinned(total: 1e9) == 16)
    #expect(thinned(total: 2e6) == 2)
  }

  @Test func `a rate that falls ends the rest`() {
    var target = 0
    _ = climb(each: 1e6, total: 1e6, seconds: 1) { climber, _ in target = climber.target }
    #expect(target == 1)
    var climber = ConnectionClimber(initial: 1, maximum: 16, now: .zero)
    var work = 0.0
    for tick in 0..<150 {
      // A policer: a second at full speed, then a tenth of it for each connection.
      work += (tick < 80 ? 1e6 : min(1e5 * Double(climber.target), 1e6)) / 100
      climber.observed(
        work: Int64(work), active: climber.target, roundTrip: .milliseconds(1),
        now: .zero + .milliseconds(10 * Int64(tick)))
    }
    #expect(climber.target >= 8)
  }

  @Test func `short requests that are served let more run, up to the maximum`() {
    var climber = ConnectionClimber(initial: 4, maximum: 64, now: .zero)
    climber.shortRequestServed(allowing: 16)
    #expect(climber.target == 16)
    climber.shortRequestServed(allowing: 5)
    #expect(climber.target == 16)
    climber.shortRequestServed(allowing: 100)
    #expect(climber.target == 64)
  }
}
