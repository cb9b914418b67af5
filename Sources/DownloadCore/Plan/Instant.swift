/// A point in time on the monotonic clock, in nanoseconds. Only differences are meaningful.
///
/// Decisions never read a clock; the driver passes the time in.
package struct Instant: Comparable, Hashable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static let zero = Instant(nanoseconds: 0)
  package static let distantFuture = Instant(nanoseconds: .max)

  package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Saturates at the distant future.
  package static func + (instant: Instant, span: Duration) -> Instant {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(span.wholeNanoseconds)
    return Instant(nanoseconds: overflow ? .max : sum)
  }

  package static func - (a: Instant, b: Instant) -> Duration {
    .nanoseconds(a.nanoseconds.subtractingReportingOverflow(b.nanoseconds).partialValue)
  }
}

extension Duration {
  /// Whole nanoseconds, saturating at ±292 years.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carry ? (seconds < 0 ? .min : .max) : sum
  }

  /// As `wholeNanoseconds`, rounded towards zero.
  package var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }

  /// Seconds with fractions, for rates and messages.
  package var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
