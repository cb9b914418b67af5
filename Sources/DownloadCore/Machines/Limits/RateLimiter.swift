/// A token bucket that decides whether bytes may be taken from the network now.
///
/// Tokens are seconds. Time without bytes is saved, at most 1/32 s, and each read costs as long as it takes at the rate.
/// The last read may lead to a debt, which delays later ones. With reads of at most 1/64 s, every span of a second sees
/// the rate within 1/32 + 1/64, which is less than 5 percent, as long as there are bytes to take and the driver asks
/// often enough.
package struct RateLimiter: Sendable {
  /// Bytes per second, above 0; nil is unlimited.
  package private(set) var rate: Int64?
  /// Saved seconds; a debt where negative.
  private var credit = Self.mostCredit
  private var filledAt: Instant
  /// Seconds that could not be saved.
  private var lostCredit = 0.0
  /// Nil until bytes are taken at this rate: the time before the first ones is that of the connection.
  private var span: (start: Instant, lostBefore: Double)?
  /// The part of the rate, 0...1, that was not used for lack of bytes, over a span of seconds that is over.
  private(set) var unusedPart = 0.0

  private static let mostCredit = 1.0 / 32
  /// Servers that limit a connection send bursts of about a second; several of these make a span.
  private static let spanLength: Duration = .seconds(2)

  package init(rate: Int64?, now: Instant) {
    self.rate = rate
    filledAt = now
  }

  /// Changes the rate. Credit and debt keep their seconds, so that a lower rate makes no long wait of a debt.
  package mutating func change(rate: Int64?, now: Instant) {
    fill(now: now)
    self.rate = rate
    span = nil
    unusedPart = 0
  }

  private mutating func fill(now: Instant) {
    guard now > filledAt else { return }
    let filled = credit + (now - filledAt).inSeconds
    credit = min(Self.mostCredit, filled)
    lostCredit += filled - credit
    filledAt = now
    if let begun = span, now - begun.start >= Self.spanLength {
      unusedPart = (lostCredit - begun.lostBefore) / (now - begun.start).inSeconds
      span = (now, lostCredit)
    }
  }

  /// Whether a read of any length may be made.
  package mutating func admits(now: Instant) -> Bool {
    guard rate != nil else { return true }
    fill(now: now)
    return credit > 0
  }

  package mutating func took(_ byteCount: Int) {
    guard let rate else { return }
    if span == nil { span = (filledAt, lostCredit) }
    credit -= Double(byteCount) / Double(max(1, rate))
  }

  /// Whether a transfer that had to wait is as fast as the rate allows, and its server may be faster. That is so if hardly
  /// any of the rate was left unused, or if a read takes so long at this rate that the speed between two reads is
  /// measured as almost nothing.
  var isDecisive: Bool {
    guard let rate else { return false }
    let readSeconds = Double(Self.pieceByteCount(rate: rate)) / Double(max(1, rate))
    return readSeconds > Self.longRead || unusedPart < Self.mostUnusedPart
  }

  /// A burst of the server may exceed a limit that is far above its average rate.
  private static let mostUnusedPart = 0.1
  /// Seconds; the speeds of transfers are measured over a tenth of a second.
  private static let longRead = 1.0 / 16

  /// The most bytes to read at once so that every second stays within 5 percent of this rate.
  ///
  /// At least 1 KiB, libcurl's smallest read buffer: rates below 64 KiB/s may be exceeded by up to that.
  package static func pieceByteCount(rate: Int64) -> Int { Int(clamping: max(1024, rate / 64)) }
}
