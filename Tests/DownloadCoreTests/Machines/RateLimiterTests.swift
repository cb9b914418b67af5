import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Limits of the rate` {
  @Test func `without a rate everything is admitted`() {
    var limiter = RateLimiter(rate: nil, now: .zero)
    limiter.took(1 << 40)
    let admits = limiter.admits(now: .zero)
    #expect(admits)
    #expect(limiter.admitsAgain(now: .zero) == .zero)
  }

  @Test func `a debt is paid off before more is admitted`() {
    var limiter = RateLimiter(rate: 1000, now: .zero)
    var admits = limiter.admits(now: .zero)
    #expect(!admits)
    admits = limiter.admits(now: .zero + .milliseconds(10))
    #expect(admits)
    limiter.took(510)
    admits = limiter.admits(now: .zero + .milliseconds(10))
    #expect(!admits)
    let again = limiter.admitsAgain(now: .zero + .milliseconds(10))
    #expect(again == .zero + .milliseconds(511))
    admits = limiter.admits(now: .zero + .milliseconds(500))
    #expect(!admits)
    admits = limiter.admits(now: again)
    #expect(admits)
  }

  @Test func `an idle hour saves up a tenth of a second`() {
    var limiter = RateLimiter(rate: 1000, now: .zero)
    var admits = limiter.admits(now: .zero + .seconds(3600))
    #expect(admits)
    limiter.took(100)
    admits = limiter.admits(now: .zero + .seconds(3600))
    #expect(!admits)
  }

  @Test func `a lower rate takes saved bytes back`() {
    var limiter = RateLimiter(rate: 1_000_000, now: .zero)
    var admits = limiter.admits(now: .zero + .seconds(1))
    #expect(admits)
    limiter.change(rate: 10, now: .zero + .seconds(1))
    limiter.took(1)
    admits = limiter.admits(now: .zero + .seconds(1))
    #expect(!admits)
  }

  @Test(arguments: [10_000, 1_000_000, 100_000_000] as [Int64])
  func `no second sees more than a few percent over the rate`(rate: Int64) {
    var random = SeededGenerator(seed: UInt64(rate))
    var limiter = RateLimiter(rate: rate, now: .zero)
    var now = Instant.zero
    var taken: [(at: Instant, bytes: Int64)] = []
    while now < .zero + .seconds(5) {
      if limiter.admits(now: now) {
        let bytes = Int.random(in: 1...Int(rate / 50), using: &random)
        limiter.took(bytes)
        taken.append((now, Int64(bytes)))
      } else {
        now = max(limiter.admitsAgain(now: now), now + .microseconds(1))
      }
    }
    let total = taken.reduce(0) { $0 + $1.bytes }
    #expect(total > rate * 47 / 10)
    for first in taken {
      let window = taken.filter { $0.at >= first.at && $0.at < first.at + .seconds(1) }.reduce(0) { $0 + $1.bytes }
      #expect(window <= rate * 113 / 100)
    }
  }
}
