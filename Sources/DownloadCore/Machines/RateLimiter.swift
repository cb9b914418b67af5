/// A token bucket: how many bytes may be taken from the network now.
///
/// Holds at most a tenth of a second's bytes, so that no window of a second passes the rate by more than a few percent.
package struct RateLimiter: Sendable {
  /// Bytes per second; nil is unlimited.
  package private(set) var rate: Int64?
  private var tokens: Double = 0
  private var filledAt: Instant

  package init(rate: Int64?, now: Instant) {
    self.rate = rate
    filledAt = now
  }

  package mutating func change(rate: Int64?, now: Instant) {
    fill(now: now)
    self.rate = rate
    tokens = min(tokens, capacity)
  }

  private var capacity: Double { Double(rate ?? 0) / 10 }

  private mutating func fill(now: Instant) {
    guard let rate, now > filledAt else { return }
    tokens = min(capacity, tokens + (now - filledAt).inSeconds * Double(rate))
    filledAt = now
  }

  /// Whether bytes may be taken; they may go into debt once, which later calls pay off.
  package mutating func admits(now: Instant) -> Bool {
    guard rate != nil else { return true }
    fill(now: now)
    return tokens > 0
  }

  package mutating func took(_ byteCount: Int) {
    guard rate != nil else { return }
    tokens -= Double(byteCount)
  }

  /// When bytes are admitted again.
  package func admitsAgain(now: Instant) -> Instant {
    guard let rate, rate > 0, tokens <= 0 else { return now }
    return now + .fromSeconds((1 - tokens) / Double(rate))
  }
}
