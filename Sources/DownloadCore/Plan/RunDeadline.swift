/// The moment at which a run ends, whatever is left of it (`--deadline`).
package enum RunDeadline: Sendable, Hashable {
  /// Time since the boot. It includes suspensions, and nobody can set it.
  case sinceBoot(Duration)
  /// Unix seconds of the wall clock, which may be set meanwhile.
  case wallClock(Int64)

  /// - Parameters:
  ///   - sinceBoot: the time since the boot, suspensions included.
  ///   - unixTime: what the wall clock shows, in seconds.
  package func hasPassed(sinceBoot: Duration, unixTime: Int64) -> Bool {
    switch self {
    case .sinceBoot(let deadline): sinceBoot >= deadline
    case .wallClock(let deadline): unixTime >= deadline
    }
  }
}

/// How a user says when a run ends.
package enum DeadlineChoice: Sendable, Hashable {
  /// After the start.
  case span(Duration)
  /// When local clocks show this time next.
  case timeOfDay(TimeOfDay)
}
