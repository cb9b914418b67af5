/// Exponential backoff with jitter: how long to wait before the next attempt.
package enum Backoff {
  /// The wait before attempt number `attempt` + 1, where `attempt` failures in a row (1, 2, …) have been seen.
  ///
  /// One second doubled each time, at most `cap`, of which a random part between a half and all is taken, so that
  /// many clients do not come back together. `random` is in 0..<1.
  package static func delay(attempt: Int, cap: Duration, random: Double) -> Duration {
    let exponent = max(0, min(attempt - 1, 20))
    let full = min(Duration.seconds(1 << exponent), cap)
    return Duration.nanoseconds(Int64(Double(full.wholeNanoseconds) * (0.5 + 0.5 * min(max(random, 0), 1))))
  }

  /// What a server asked for in `Retry-After`, held to the longest wait that the user allows.
  package static func obeyed(_ retryAfter: Duration?, cap: Duration) -> Duration? {
    retryAfter.map { min(max($0, .zero), cap) }
  }
}
