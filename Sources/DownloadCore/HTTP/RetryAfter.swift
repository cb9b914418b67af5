/// The delay that a server requests (RFC 9110 section 10.2.3).
///
///     Retry-After = HTTP-date / delay-seconds
package enum RetryAfter {
  /// The longest delay: 2^31 seconds, as for delta-seconds in RFC 9111 section 1.2.2.
  package static let maximum = Duration.seconds(Int64(1) << 31)

  /// Nil where it has neither form. A date in the past gives zero. Fractions of a second are rounded up.
  /// - Parameter dateNow: seconds since 1970, preferably the answer's `Date`.
  package static func parse(_ bytes: some Collection<UInt8>, dateNow: Int64) -> Duration? {
    var cursor = ByteCursor(bytes)
    cursor.skipSpaces()
    let digits = cursor.take(while: { $0.isDigit })
    guard !digits.isEmpty else {
      guard let date = HTTPDate.parse(bytes) else { return nil }
      let (wait, overflow) = date.subtractingReportingOverflow(dateNow)
      if overflow { return date < dateNow ? .zero : maximum }
      return min(.seconds(max(0, wait)), maximum)
    }
    var hasFraction = false
    if cursor.skip(UInt8(ascii: ".")) {
      hasFraction = cursor.take(while: { $0.isDigit }).contains { $0 != UInt8(ascii: "0") }
    }
    cursor.skipSpaces()
    guard cursor.isAtEnd else { return nil }
    guard let seconds = Int64(digits: digits) else { return maximum }
    return min(.seconds(seconds) + .seconds(hasFraction ? 1 : 0), maximum)
  }
}
