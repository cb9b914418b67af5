/// The limit on a host's active transfers, inferred from what it refuses.
///
/// Concurrent requests of which the host refused some: the number it accepted becomes the limit.
///
/// unlimited ──refusal──► counting ──all answered──► limited(n) ──retention over──► raised(n + n/4) ──…──► unlimited
///                                                      ▲───────────a refusal───────────┘
///
/// A connection that breaks may have other causes than a limit. It lowers the limit by one as a guess, which expires
/// soon and then gives way to the limit that refusals established.
package struct InferredLimit: Sendable {
  /// A limit, and when one more step may be tried or a guess is dropped.
  private struct Bound {
    var count: Int
    var expiresAt: Instant
  }

  /// Requests that were active together when the host refused one of them.
  private struct Refusals {
    var active: Int
    var refused: Int
    /// By then all of them have an answer.
    var completeAt: Instant
  }

  /// What the user and the protocol allow.
  private(set) var maximum: Int
  private var current: Bound
  /// The bound that refusals established last; a guess does not replace it.
  private var established: Bound?
  /// The accepted number before the last raise; nil when no raise is on trial.
  private var countBeforeRaise: Int?
  /// How long an established bound stands before it is raised on trial.
  private var retention = InferredLimit.firstRetention
  private var isGuess = false
  private var guessRetention = InferredLimit.firstGuessRetention
  /// When refusals were last counted. A refusal of a request that was sent before belongs to those.
  private var countedAt = Instant(nanoseconds: .min)
  private var refusals: Refusals?

  /// A host that refused everything is in trouble, which may pass soon.
  private static let firstRetention: Duration = .seconds(2)
  /// A host that accepted some requests and refused others has a limit for each client, which stays.
  private static let limitRetention: Duration = .seconds(30)
  private static let firstGuessRetention: Duration = .milliseconds(250)
  /// Retentions double up to this.
  private static let longestRetention: Duration = .seconds(60)
  /// All requests that were sent together are answered within this time, or within two round trips.
  private static let shortestCount: Duration = .milliseconds(30)

  package init(maximum: Int) {
    self.maximum = maximum
    current = Bound(count: maximum, expiresAt: .zero)
  }

  /// Transfers that may be active at once; 1...maximum.
  package var count: Int { current.count }

  package var isLimiting: Bool { current.count < maximum }

  /// Whether nothing is known that a later request must respect.
  func isForgettable(now: Instant) -> Bool {
    refusals == nil && !isLimiting && (established.map { $0.expiresAt <= now } ?? true)
  }

  /// Changes what the user and the protocol allow.
  mutating func limit(to count: Int) {
    current.count = isLimiting ? min(current.count, count) : count
    if let known = established { established?.count = min(known.count, count) }
    maximum = count
  }

  /// The host refused a request.
  ///
  /// - Parameters:
  ///   - sentAt: when the request was sent.
  ///   - active: transfers of the host, the refused one included.
  ///   - servedNow: transfers that receive content now.
  /// - Returns: the limit, once established; nil while answers to the other requests are awaited.
  mutating func refused(
    sentAt: Instant, active: Int, servedNow: Int, roundTrip: Duration, now: Instant
  ) -> Int? {
    isGuess = false
    if sentAt > countedAt {
      countedAt = now
      if let accepted = countBeforeRaise {
        countBeforeRaise = nil
        retention = min(retention * 2, Self.longestRetention)
        return establish(accepted, now: now)
      }
      refusals = Refusals(active: active, refused: 1, completeAt: now + max(Self.shortestCount, roundTrip * 2))
      current.count = max(1, min(servedNow, active - 1))
      return nil
    }
    if refusals != nil {
      refusals!.refused += 1
      current.count = max(current.count, min(servedNow, maximum))
      return nil
    }
    return establish(max(1, current.count - 1), now: now)
  }

  /// A connection broke without an answer, as some servers refuse: one transfer less for a while.
  mutating func connectionBroke(active: Int, servedNow: Int, roundTrip: Duration, now: Instant) {
    current.count = max(1, servedNow, min(current.count, active) - 1)
    isGuess = true
    current.expiresAt = now + max(guessRetention, roundTrip * 8)
    guessRetention = min(guessRetention * 2, Self.longestRetention)
  }

  /// More than the limit were served.
  /// - Returns: the new limit.
  mutating func wasTooLow(by raise: Int) -> Int {
    current.count = min(maximum, current.count + raise)
    established?.count = current.count
    return current.count
  }

  /// Something else than the number of requests explains the refusals.
  mutating func lift() {
    current.count = maximum
    established = nil
    countBeforeRaise = nil
    refusals = nil
    isGuess = false
  }

  /// Time passes; called 20 to 50 times a second.
  /// - Returns: the limit, where it has just been established.
  mutating func ticked(now: Instant) -> Int? {
    var result: Int?
    if let complete = refusals, now >= complete.completeAt {
      refusals = nil
      let accepted = complete.active - complete.refused
      if accepted > 0 { retention = max(retention, Self.limitRetention) }
      result = establish(max(1, accepted), now: now)
    }
    if isGuess, now >= current.expiresAt {
      isGuess = false
      if let established, now < established.expiresAt {
        current = established
      } else {
        current.count = maximum
      }
    }
    if isLimiting, refusals == nil, now >= current.expiresAt {
      countBeforeRaise = current.count
      current.count = min(maximum, current.count + max(1, current.count / 4))
      current.expiresAt = now + retention
    }
    return result
  }

  private mutating func establish(_ count: Int, now: Instant) -> Int {
    current = Bound(count: min(count, maximum), expiresAt: now + retention)
    established = current
    return current.count
  }
}
