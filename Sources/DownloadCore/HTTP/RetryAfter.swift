/// The time that a server asks clients to wait before the next request (RFC 9110 section 10.2.3).
///
///     Retry-After = HTTP-date / delay-seconds
package enum RetryAfter {
  /// The longest delay; longer ones are cut to it. 2^31 seconds, as RFC 9111 section 1.2.2 does for delta-seconds.
  package static let maximum = Duration.seconds(Int64(1) << 31)

  /// Parses either form. A fraction of a second is rounded up.
  ///
  /// - Parameter dateNow: seconds since 1970, preferably the answer's own `Date`.
  /// - Returns: zero for a date that has passed; nil where the value has neither form.
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
