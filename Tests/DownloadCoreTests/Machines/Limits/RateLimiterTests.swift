import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Rate limiter` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func `without a rate everything is admitted`() {
    var limiter = RateLimiter(rate: nil, now: .zero)
    limiter.took(1 << 40)
    let admits = limiter.admits(now: .zero)
    #expect(admits)
  }

  @Test func `a debt is paid off before more is admitted`() {
    var limiter = RateLimiter(rate: 1000, now: .zero)
    var admits = limiter.admits(now: .zero)
    #expect(admits)
    limiter.took(500)
    // Half a second less the saved 1/32.
    admits = limiter.admits(now: at(468))
    #expect(!admits)
    admits = limiter.admits(now: at(470))
    #expect(admits)
  }

  @Test(arguments: [(1000, 0.0), (600, 0.4), (0, 1.0)])
  func `the part of the rate is known that was not used over some seconds`(byteCount: Int, part: Double) {
    var limiter = RateLimiter(rate: 1000, now: .zero)
    for second in Int64(0)..<4 {
      limiter.took(byteCount)
      _ = limiter.admits(now: at(second * 1000 + 999))
    }
    #expect(limiter.unusedPart == 0 || part > 0)
    _ = limiter.admits(now: at(4000))
    #expect(abs(limiter.unusedPart - part) < 0.02, "\(limiter.unusedPart)")
    limiter.change(rate: 2000, now: at(4000))
    #expect(limiter.unusedPart == 0)
  }

  @Test func `the time before the first bytes is not unused`() {
    var limiter = RateLimiter(rate: 100_000, now: .zero)
    for second in Int64(0)..<9 { _ = limiter.admits(now: at(second * 500)) }
    #expect(limiter.isDecisive)
    for second in Int64(9)..<14 {
      limiter.took(50_000)
      _ = limiter.admits(now: at(second * 500))
    }
    #expect(limiter.unusedPart < 0.02 && limiter.isDecisive, "\(limiter.unusedPart)")
  }

  @Test func `at most 1/32 of a second is saved`() {
    var limiter = RateLimiter(rate: 32_000, now: .zero)
    limiter.took(1000)
    var admits = limiter.admits(now: at(3_600_000))
    #expect(admits)
    limiter.took(1000)
    admits = limiter.admits(now: at(3_600_000))
    #expect(!admits)
  }

  @Test func `a changed rate holds at once and does not prolong a debt`() {
    var limiter = RateLimiter(rate: 1_000_000, now: .zero)
    limiter.took(131_250)
    limiter.change(rate: 10, now: .zero)
    // A tenth of a second, less 1/32 of one, at whatever rate.
    var admits = limiter.admits(now: at(99))
    #expect(!admits)
    admits = limiter.admits(now: at(101))
    #expect(admits)
    limiter.took(10)
    admits = limiter.admits(now: at(1000))
    #expect(!admits)
    limiter.change(rate: nil, now: at(1000))
    admits = limiter.admits(now: at(1000))
    #expect(admits)
  }

  /// Checks every span of a second, for a sender that always has data and a driver that asks about every 10 ms.
  @Test(arguments: [1 << 10, 5000, 20_000, 1 << 16, 300_000, 1 << 20, 10_000_000, 1 << 27, 1 << 30] as [Int64], 1...3)
  func `any second sees the rate within 5 percent`(rate: Int64, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var limiter = RateLimiter(rate: rate, now: .zero)
    let longest = min(16 << 10, RateLimiter.pieceByteCount(rate: rate))
    var now = Instant.zero
    var taken: [(at: Instant, byteCount: Int64)] = []
    while now < .zero + .seconds(rate < 1 << 20 ? 20 : 3) {
      var byteCount: Int64 = 0
      while limiter.admits(now: now) {
        let piece = seed == 1 ? longest : Int.random(in: 1...longest, using: &random)
        limiter.took(piece)
        byteCount += Int64(piece)
      }
      if byteCount > 0 { taken.append((now, byteCount)) }
      now = now + .microseconds(Int64.random(in: 10_000...11_000, using: &random))
    }
    // Below 64 KiB/s the smallest read is longer than the rate requires.
    let slack = rate < 64 << 10 ? Int64(longest) : 0
    #expect(Spans.most(taken) <= rate * 105 / 100 + slack)
    #expect(Spans.least(taken) >= rate * 95 / 100 - slack)
  }
}

/// Sums over spans of one second.
private enum Spans {
  typealias Takes = [(at: Instant, byteCount: Int64)]

  /// The maximum over all closed spans; it begins at a read.
  static func most(_ takes: Takes) -> Int64 { sums(takes) { $0 <= .seconds(1) }.map { $0.total }.max() ?? 0 }

  /// The minimum over all open spans within the reads; it begins just after a read.
  static func least(_ takes: Takes) -> Int64 {
    sums(takes) { $0 < .seconds(1) }.filter { takes[$0.first].at + .seconds(1) <= takes[takes.count - 1].at }
      .map { $0.total - takes[$0.first].byteCount }.min() ?? 0
  }

  /// For each read, the sum of the following ones for which `isWithin` holds.
  private static func sums(_ takes: Takes, _ isWithin: (Duration) -> Bool) -> [(first: Int, total: Int64)] {
    var end = 0
    var total: Int64 = 0
    return takes.indices.map { first in
      while end < takes.count, isWithin(takes[end].at - takes[first].at) {
        total += takes[end].byteCount
        end += 1
      }
      defer { total -= takes[first].byteCount }
      return (first, total)
    }
  }
}
