/// A token bucket: whether bytes may be taken from the network now.
///
/// Tokens are time: what has gone by without bytes is saved up, at most 1/32 s, and each piece uses as much as it takes
/// at the rate. The last piece may go into debt, which later ones pay off. With pieces of at most 1/64 s, any span of
/// a second then sees the rate within 1/32 + 1/64, less than 5 percent, as long as there is enough to take and the
/// driver asks often enough.
package struct RateLimiter: Sendable {
  /// Bytes per second, above 0; nil is unlimited.
  package private(set) var rate: Int64?
  /// Seconds saved up; below 0 is a debt.
  private var credit = Self.mostCredit
  private var filledAt: Instant

  private static let mostCredit = 1.0 / 32

  package init(rate: Int64?, now: Instant) {
    self.rate = rate
    filledAt = now
  }

  /// Credit and debt stay what they are in time, so that no other rate makes a long wait of them.
  package mutating func change(rate: Int64?, now: Instant) {
    fill(now: now)
    self.rate = rate
  }

  private mutating func fill(now: Instant) {
    guard now > filledAt else { return }
    credit = min(Self.mostCredit, credit + (now - filledAt).inSeconds)
    filledAt = now
  }

  /// Whether a piece may be taken, of whatever length.
  package mutating func admits(now: Instant) -> Bool {
    guard rate != nil else { return true }
    fill(now: now)
    return credit > 0
  }

  package mutating func took(_ byteCount: Int) {
    guard let rate else { return }
    credit -= Double(byteCount) / Double(max(1, rate))
  }

  /// The longest piece that keeps a second within 5 percent of this rate, bytes.
  ///
  /// Never below 1 KiB, which is the least that libcurl reads at once: rates below 64 KiB/s are passed by up to that.
  package static func pieceByteCount(rate: Int64) -> Int { Int(clamping: max(1024, rate / 64)) }
}
