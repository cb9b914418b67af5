/// The rules of retries: how many attempts there are, and how long each one waits.
///
/// What is retried follows from `TransferFault.kind`.
package struct Retries: Hashable, Sendable {
  /// Attempts in a row without progress until a mirror or a host is given up; at least 1.
  package var tries: Int
  /// The longest wait between two attempts, whatever the backoff or a `Retry-After` says.
  package var longestWait: Duration

  private static let firstWait: Duration = .seconds(1)

  package init(tries: Int, longestWait: Duration) {
    self.tries = max(1, tries)
    self.longestWait = longestWait
  }

  /// The wait after this many failures in a row: exponential backoff with jitter.
  ///
  /// One second, doubled each time, at most `longestWait`. A random part of it between a half and all is taken, so that
  /// many clients do not return together.
  /// - Parameters:
  ///   - failures: 1, 2, …
  ///   - random: in 0..<1.
  package func backoff(failures: Int, random: Double) -> Duration {
    let exponent = max(0, min(failures - 1, 20))
    let full = min(Self.firstWait * (1 << exponent), longestWait)
    return Duration.nanoseconds(Int64(Double(full.wholeNanoseconds) * (0.5 + 0.5 * min(max(random, 0), 1))))
  }

  /// What a `Retry-After` asks for, at most `longestWait`; nil where there is none.
  package func wait(for retryAfter: Duration?) -> Duration? {
    retryAfter.map { min(max($0, .zero), longestWait) }
  }

  /// The wait of a request that was refused while others are served: the limit on the host keeps it from insisting, so
  /// the wait is only to separate it from those that were refused with it.
  package static func waitAfterRefusal(roundTrip: Duration, random: Double) -> Duration {
    max(.milliseconds(20), roundTrip * 2) + .milliseconds(Int64(40 * random))
  }
}
