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
    #expect(gaps.first ?? 0 >= 4)
  }

  @Test func `a lack of demand proves nothing`() {
    #expect(climb(initial: 4, each: 1e6, total: 1e9, seconds: 3, demand: 3).target == 4)
  }

  @Test func `a push halves it and holds it for a while`() {
    var climber = ConnectionClimber(initial: 8, maximum: 16, now: .zero)
    climber.halve(from: 6, now: .zero)
    #expect(climber.target == 3)
    climber.shortRequestEnded(ceiling: 32)
    #expect(climber.target == 3)
    climber.halve(from: 1, now: .zero)
    #expect(climber.target == 1)
  }

  @Test func `short requests double it with every round trip, up to a ceiling`() {
    var climber = ConnectionClimber(initial: 4, maximum: 64, now: .zero)
    for _ in 0..<4 { climber.shortRequestEnded(ceiling: 32) }
    #expect(climber.target == 8)
    for _ in 0..<100 { climber.shortRequestEnded(ceiling: 32) }
    #expect(climber.target == 32)
  }
}
