import DownloadCore
import Testing

@testable import DownloadEngine

@Suite struct `Rate averages` {
  /// A run in which files receive bytes; time advances by a quarter of a second a step.
  private struct Run {
    var rates = RateAverages(now: .zero)
    private(set) var now = Instant.zero
    private var received: [ItemHandle: Int64] = [:]
    private var total: Int64 = 0

    mutating func step(_ byteCounts: [ItemHandle: Int64]) {
      now = now + .milliseconds(250)
      for (item, count) in byteCounts {
        received[item, default: 0] += count
        total += count
      }
      rates.measure(received: total, byItem: received.map { ($0.key, $0.value) }, now: now)
    }

    func sum() -> Double { received.keys.reduce(0) { $0 + rates.rates(of: $1).rate } }
  }

  @Test func `the rates of files add up to that of the run at any time`() {
    var run = Run()
    for step in 0..<100 {
      var counts: [ItemHandle: Int64] = [0: 1000]
      if step > 30 { counts[1] = Int64(step * 17 % 911) }
      if step > 60, step % 9 == 0 { counts[2] = 50_000 }
      run.step(counts)
      #expect(abs(run.sum() - run.rates.run.rate) < 0.001)
    }
  }

  @Test func `a steady rate is told exactly, from the first measurement on`() {
    var run = Run()
    for _ in 0..<50 {
      run.step([7: 500])
      #expect(abs(run.rates.run.rate - 2000) < 0.001 && abs(run.rates.rates(of: 7).steadyRate - 2000) < 0.001)
    }
  }

  @Test func `bursts change the rate for estimates little`() {
    var run = Run()
    for step in 0..<200 {
      run.step([0: step % 8 == 0 ? 8000 : 0])
      guard step > 80 else { continue }
      let steady = run.rates.rates(of: 0).steadyRate
      #expect(steady > 4000 * 0.9 && steady < 4000 * 1.1, "\(steady)")
    }
  }

  @Test func `a file that has just begun has an estimate of its own`() {
    var run = Run()
    for _ in 0..<40 { run.step([0: 1000]) }
    run.step([0: 1000, 1: 250])
    #expect(abs(run.rates.rates(of: 1).steadyRate - 1000) < 0.001)
  }

  @Test func `a short span is not measured, and an unknown item has no rate`() {
    var rates = RateAverages(now: .zero)
    rates.measure(received: 100, byItem: [(1, 100)], now: .zero + .milliseconds(50))
    #expect(rates.run == RateAverages.Rates() && rates.rates(of: 1) == RateAverages.Rates())
  }
}
