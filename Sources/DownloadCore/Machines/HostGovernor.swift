/// One origin's budget of connections and requests, shared by all files and segments of the run.
///
/// answering ──no transfer gets through──► silent(step) ──step = tries──► dead
///     ▲─────────────any answer──────────────┘
///
/// While answering, a `ConnectionClimber` finds how many transfers pay; 429, 503, refused and reset connections halve
/// it, and `Retry-After` holds everything back. While silent, one probe per backoff step stands for all items.
package struct HostGovernor: Sendable {
  package enum Permission: Hashable, Sendable {
    case granted
    /// Ask again at this time.
    case wait(until: Instant)
    /// All places are taken; ask again when a transfer ends.
    case full
    case dead(TransferFault)
  }

  package enum SilenceVerdict: Hashable, Sendable {
    /// The next probe may go out at this time; the items wait for it.
    case probe(at: Instant)
    case dead
  }

  private enum State {
    case answering
    case silent(step: Int, probeAt: Instant, isProbing: Bool)
    case dead(TransferFault)
  }

  private var state: State = .answering
  private var climber: ConnectionClimber
  private var heldUntil = Instant.zero
  private let maximum: Int
  /// The most that the host has borne since it last pushed back; the climber's growth stops there for a while.
  private var ceiling: Int
  /// When the ceiling may be tried one step higher.
  private var ceilingExpires = Instant.zero
  /// The ceiling before the last step up, which was borne; nil when no step is on trial.
  private var provenCeiling: Int?
  private var ceilingHold: Duration = .seconds(5)
  /// Pushes until then belong to a burst that has been answered already.
  private var burstEnds = Instant.zero

  /// Transfers at work now.
  package private(set) var active = 0
  /// Answers with content so far: grows while the host serves anything at all.
  package private(set) var successCount = 0
  /// Two fresh answers of the same version had different entity tags: they say nothing here.
  package private(set) var isETagReliable = true
  private var entityTagContradictions = 0
  /// The host has answered a range request with 206.
  package var servesRanges = false
  /// About the shortest time of a handshake; scales steps and ranges.
  package private(set) var roundTrip: Duration = .milliseconds(1)
  private var work: Int64 = 0

  /// How many transfers a host gets before anything is known of it.
  package static let initialLimit = 4
  /// Up to so many requests at once are tried without measuring, as long as each is answered well.
  private static let eagerLimit = 32
  /// What one finished request counts as, beside its bytes.
  private static let requestWork: Int64 = 16 << 10

  package init(maximum: Int, now: Instant) {
    self.maximum = max(1, maximum)
    ceiling = self.maximum
    climber = ConnectionClimber(initial: min(Self.initialLimit, self.maximum), maximum: self.maximum, now: now)
  }

  /// Transfers that may run at once now.
  package var limit: Int { min(climber.target, ceiling) }

  /// Whether its last attempts found nobody.
  package var isSilent: Bool { if case .silent = state { true } else { false } }

  package var isDead: Bool { if case .dead = state { true } else { false } }

  /// May one more file's first transfer start?
  package func permission(now: Instant) -> Permission {
    switch state {
    case .dead(let fault): return .dead(fault)
    case .silent(_, let probeAt, let isProbing):
      if isProbing { return .full }
      let earliest = max(probeAt, heldUntil)
      return now >= earliest ? .granted : .wait(until: earliest)
    case .answering:
      if now < heldUntil { return .wait(until: heldUntil) }
      return active < limit ? .granted : .full
    }
  }

  /// May a file's further connections be opened? They count against the host's maximum, not against what the
  /// climber found for files: the file has a climber of its own.
  package func permissionForSegment(now: Instant) -> Permission {
    guard case .answering = state else { return permission(now: now) }
    if now < heldUntil { return .wait(until: heldUntil) }
    return active < ceiling ? .granted : .full
  }

  package mutating func started() {
    active += 1
    if case .silent(let step, let probeAt, _) = state {
      state = .silent(step: step, probeAt: probeAt, isProbing: true)
    }
  }

  /// Any answer at all: the host is there. `handshake` is the time its connection took, nil on a kept one.
  package mutating func answered(handshake: Duration?) {
    if case .silent = state { state = .answering }
    if let handshake, handshake > .zero {
      // The shortest is nearest to the truth: a busy loop or server lengthens the others.
      let isFirst = roundTrip == .milliseconds(1)
      roundTrip = isFirst || handshake < roundTrip ? handshake : (roundTrip * 15 + handshake) / 16
    }
  }

  /// The answer carried what was wanted.
  package mutating func succeeded() { successCount += 1 }

  /// Grows with every answer that is worth something and with the bytes of long ones: the host serves as long as it does.
  package var servedCount: Int64 { Int64(successCount) &+ work / Self.requestWork }

  package mutating func received(_ byteCount: Int64) { work &+= byteCount }

  /// A transfer is over. `isShort` tells that it was a whole file in one go that ended well.
  package mutating func ended(isShort: Bool, now: Instant) {
    active -= 1
    if isShort {
      work &+= Self.requestWork
      // Only a full house shows that more would be used.
      if active + 1 >= limit { climber.shortRequestEnded(ceiling: Self.eagerLimit) }
    }
    if case .silent(let step, let probeAt, true) = state {
      state = .silent(step: step, probeAt: probeAt, isProbing: false)
    }
  }

  /// Some 20 to 50 times a second.
  package mutating func observed(isSaturated: Bool = false, now: Instant) {
    if ceiling < maximum, now >= ceilingExpires {
      provenCeiling = ceiling
      ceiling = min(maximum, ceiling + max(1, ceiling / 4))
      ceilingExpires = now + ceilingHold
    }
    climber.observed(work: work, active: active, roundTrip: roundTrip, isSaturated: isSaturated, now: now)
  }

  /// 429, 503, refused or reset while others are served: half the number, and whatever wait was asked for.
  /// - Returns: when the refused item may try again.
  package mutating func pushedBack(retryAfter: Duration?, cap: Duration, now: Instant, random: Double) -> Instant {
    if now >= burstEnds {
      if let proven = provenCeiling {
        ceiling = proven
        ceilingHold = min(ceilingHold * 2, .seconds(60))
      } else {
        ceiling = max(1, active / 2)
      }
      provenCeiling = nil
      climber.halve(from: ceiling * 2, now: now)
      burstEnds = now + max(.milliseconds(200), roundTrip * 4)
    }
    ceilingExpires = now + ceilingHold
    if let wait = Backoff.obeyed(retryAfter, cap: cap) {
      heldUntil = max(heldUntil, now + wait)
      return heldUntil
    }
    return now + Duration.milliseconds(Int64(100 + 200 * random))
  }

  /// A connection attempt got no answer, and no other transfer of this host is served either. Told before `ended`.
  package mutating func wasSilent(
    fault: TransferFault, tries: Int, cap: Duration, now: Instant, random: Double
  ) -> SilenceVerdict {
    switch state {
    case .dead: return .dead
    case .answering:
      let probeAt = now + Backoff.delay(attempt: 1, cap: cap, random: random)
      if tries <= 1 {
        state = .dead(fault)
        return .dead
      }
      state = .silent(step: 1, probeAt: probeAt, isProbing: false)
      return .probe(at: probeAt)
    case .silent(let step, let probeAt, let isProbing):
      // Attempts that were under way together are one step.
      guard isProbing else { return .probe(at: probeAt) }
      guard step + 1 < tries else {
        state = .dead(fault)
        return .dead
      }
      let next = now + Backoff.delay(attempt: step + 1, cap: cap, random: random)
      state = .silent(step: step + 1, probeAt: next, isProbing: false)
      return .probe(at: next)
    }
  }

  /// A version's entity tag differed although date and length agree.
  /// - Returns: whether the host's entity tags are to be ignored from now on.
  package mutating func entityTagContradicted() -> Bool {
    entityTagContradictions += 1
    if entityTagContradictions >= 2 { isETagReliable = false }
    return !isETagReliable
  }
}
