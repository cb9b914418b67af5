/// One origin's budget of connections and requests, shared by all files and segments of the run.
///
/// answering ──no transfer gets through──► silent(step) ──step = tries──► dead
///     ▲─────────────any answer──────────────┘
///
/// Where all transfers stall at once it is silent at step 0, until a probe has a connection: whether there is still a
/// way to it is not asked by all at the same moment.
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

  /// Of requests that were at work together some are refused; so many as were not may be at work.
  private struct Burst {
    var active: Int
    var refused: Int
    /// By then all have been answered.
    var until: Instant
  }

  private enum State {
    case answering
    case silent(step: Int, probeAt: Instant, isProbing: Bool)
    case dead(TransferFault)
  }

  private var state: State = .answering
  private var climber: ConnectionClimber
  private var heldUntil = Instant.zero
  private var maximum: Int
  /// The most that the host has borne since it last pushed back; the climber's growth stops there for a while.
  private var ceiling: Int
  /// When the ceiling may be tried one step higher.
  private var ceilingExpires = Instant.zero
  /// The ceiling before the last step up, which was borne; nil when no step is on trial.
  private var provenCeiling: Int?
  private var ceilingHold: Duration = .seconds(2)
  /// How long a limit that the host has shown is not put to the test.
  private static let limitHold: Duration = .seconds(30)
  /// The ceiling that the host itself has shown last, and when it may be tried; a guess does not displace it.
  private var shown: (ceiling: Int, expires: Instant)?
  /// The ceiling is a guess after a connection broke; it is forgotten after a while, each time a longer one.
  private var isCeilingVague = false
  private var vagueHold: Duration = .milliseconds(250)
  /// When the ceiling was last lowered: what was asked for before belongs to a burst that has been heeded already.
  private var loweredAt = Instant(nanoseconds: .min)
  private var burst: Burst?

  /// Until when connections that were cut in an answer may still count with the host.
  private var closing: [Instant] = []

  private var isMultiplexed = false
  /// When anything came from the host last.
  package private(set) var heardAt = Instant.zero
  /// When its last transfer began.
  private var startedAt = Instant.zero

  /// Transfers at work now.
  package private(set) var active = 0
  /// Answers with content so far: grows while the host serves anything at all.
  package private(set) var successCount = 0
  /// Two fresh answers of the same version had different entity tags: they say nothing here.
  package private(set) var isETagReliable = true
  private var entityTagContradictions = 0
  /// The tag that contradicted last: answers of one new version repeat it.
  private var contradictingTag: EntityTag?
  /// The host has answered a range request with 206.
  package var servesRanges = false
  /// About how long a request takes to be answered; scales steps and ranges.
  package private(set) var roundTrip: Duration = .milliseconds(1)
  private var work: Int64 = 0
  private var received: Int64 = 0
  private var receivedAtMeasuring: Int64 = 0
  private var measuredAt = Instant.zero
  /// What one of its connections brings lately, bytes per second, their waits included.
  private(set) var connectionSpeed: Double = 0

  /// How many transfers a host gets before anything is known of it.
  package static let initialLimit = 4
  /// Up to so many requests at once are tried without measuring, as long as each is answered well.
  private static let eagerLimit = 16
  /// A body of at most so many bytes is a short one.
  static let shortByteCount: Int64 = 1 << 20
  private static let manyConnections = 64
  /// RFC 9113, section 6.5.2: no limit should be smaller than this, and few are larger.
  private static let usualStreamLimit = 100
  /// What one finished request counts as, beside its bytes.
  private static let requestWork: Int64 = 16 << 10

  package init(maximum: Int, now: Instant) {
    self.maximum = max(1, maximum)
    ceiling = self.maximum
    climber = ConnectionClimber(
      initial: min(Self.initialLimit, self.maximum), maximum: self.maximum, startRoundTrips: 4, now: now)
  }

  /// Transfers that may run at once now.
  package var limit: Int { min(climber.target, ceiling) }

  /// Whether its last attempts found nobody.
  package var isSilent: Bool { if case .silent(let step, _, _) = state { step > 0 } else { false } }

  /// Whether a probe is to find out if there is a way to it.
  package var isSuspected: Bool { if case .silent(0, _, _) = state { true } else { false } }

  package var isDead: Bool { if case .dead = state { true } else { false } }

  /// When something began there or came from there last.
  package var usedAt: Instant { max(startedAt, heardAt) }

  /// Whether nothing is at work and nothing is known that a later request must heed: a governor made anew would do.
  package func isForgettable(now: Instant) -> Bool {
    guard active == 0, case .answering = state, heldUntil <= now, entityTagContradictions == 0, burst == nil else {
      return false
    }
    return ceiling == maximum && (shown.map { $0.expires <= now } ?? true) && closing.allSatisfy { $0 <= now }
  }

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
      return place(within: limit, now: now)
    }
  }

  /// May a file's further connections be opened? They count against the host's maximum, not against what the
  /// climber found for files: the file has a climber of its own.
  package func permissionForSegment(now: Instant) -> Permission {
    guard case .answering = state else { return permission(now: now) }
    if now < heldUntil { return .wait(until: heldUntil) }
    // While nothing comes over any connection, one more tells as much as many: the host may be gone.
    if startedAt > heardAt, now - heardAt > max(.milliseconds(50), roundTrip * 4) { return .full }
    return place(within: ceiling, now: now)
  }

  private func place(within limit: Int, now: Instant) -> Permission {
    guard active < limit else { return .full }
    let closing = closing.filter { $0 > now }.sorted()
    guard active + closing.count >= limit else { return .granted }
    return .wait(until: closing[active + closing.count - limit])
  }

  /// - Returns: whether this transfer is the probe of a silent host.
  @discardableResult
  package mutating func started(now: Instant = .zero) -> Bool {
    active += 1
    startedAt = now
    guard case .silent(let step, let probeAt, _) = state else { return false }
    state = .silent(step: step, probeAt: probeAt, isProbing: true)
    return true
  }

  /// A transfer stalled, and nothing has come over the others for long either.
  package mutating func suspected(now: Instant) {
    if case .answering = state { state = .silent(step: 0, probeAt: now, isProbing: false) }
  }

  /// A probe has a connection: there is a way to the host, whether or not it answers.
  package mutating func reached() {
    if isSuspected { state = .answering }
  }

  /// Any answer at all: the host is there.
  ///
  /// - Parameter isMultiplexed: over a connection that others may share at the same time.
  package mutating func answered(roundTrip sample: Duration?, isMultiplexed: Bool = false, now: Instant) {
    heardAt = now
    if isMultiplexed, !self.isMultiplexed {
      self.isMultiplexed = true
      // Who allows many connections allows as many streams of one as servers usually do.
      if maximum >= Self.manyConnections, maximum < Self.usualStreamLimit {
        if ceiling == maximum { ceiling = Self.usualStreamLimit }
        maximum = Self.usualStreamLimit
        climber.allow(maximum)
      }
    }
    if case .silent = state { state = .answering }
    if let sample, sample > .zero {
      // The shortest is nearest to the truth: a busy loop or server lengthens the others.
      let isFirst = roundTrip == .milliseconds(1)
      roundTrip = isFirst || sample < roundTrip ? sample : (roundTrip * 63 + sample) / 64
    }
  }

  /// The answer carries what was wanted, a body of so many bytes.
  package mutating func succeeded(byteCount: Int64? = nil) {
    successCount += 1
    // Far away a request takes round trips, not bandwidth: the number grows as soon as answers come.
    if roundTrip >= HostConditions.farRoundTrip, let byteCount, byteCount <= Self.shortByteCount {
      climber.shortRequestServed(allowing: active * (isMultiplexed ? 8 : 4))
    }
  }

  /// Grows with every answer that is worth something and with the bytes of long ones: the host serves as long as it does.
  package var servedCount: Int64 { Int64(successCount) &+ work / Self.requestWork }

  package mutating func received(_ byteCount: Int64, now: Instant) {
    heardAt = now
    work &+= byteCount
    received &+= byteCount
  }

  /// A transfer is over.
  ///
  /// - Parameters:
  ///   - isShort: it was a whole file in one go that ended well.
  ///   - isProbe: what `started` said of it.
  ///   - isCut: it was stopped in the middle of its answer.
  package mutating func ended(isShort: Bool, isProbe: Bool = false, isCut: Bool = false, now: Instant) {
    active -= 1
    closing.removeAll { $0 <= now }
    // The next request may reach another of the server's processes before this end is noticed.
    if isCut, ceiling < maximum, !isMultiplexed { closing.append(now + max(.milliseconds(10), roundTrip * 2)) }
    if isShort {
      work &+= Self.requestWork
      // Only a full house shows that more would be used.
      if active + 1 >= limit { climber.shortRequestServed(allowing: min(climber.target + 1, Self.eagerLimit)) }
    }
    if isProbe, case .silent(let step, let probeAt, true) = state {
      state = .silent(step: step, probeAt: probeAt, isProbing: false)
    }
  }

  /// Some 20 to 50 times a second.
  package mutating func observed(isSaturated: Bool = false, now: Instant) {
    measureSpeed(now: now)
    if let ended = burst, now >= ended.until {
      burst = nil
      let borne = ended.active - ended.refused
      // Some served and some refused is a limit for each client, which stays; all refused is a host in trouble.
      if borne > 0 { ceilingHold = max(ceilingHold, Self.limitHold) }
      lower(to: max(1, borne), now: now)
    }
    if isCeilingVague, now >= ceilingExpires {
      isCeilingVague = false
      if let shown, now < shown.expires {
        (ceiling, ceilingExpires) = shown
      } else {
        ceiling = maximum
      }
    }
    if ceiling < maximum, burst == nil, now >= ceilingExpires {
      provenCeiling = ceiling
      ceiling = min(maximum, ceiling + max(1, ceiling / 4))
      ceilingExpires = now + ceilingHold
    }
    guard successCount > 0 else { return }
    climber.observed(work: work, active: active, roundTrip: roundTrip, isSaturated: isSaturated, now: now)
  }

  private mutating func measureSpeed(now: Instant) {
    let span = (now - measuredAt).inSeconds
    guard span > 0.05 else { return }
    if active > 0 {
      let current = Double(received - receivedAtMeasuring) / span / Double(active)
      connectionSpeed += (current - connectionSpeed) * min(1, span)
    }
    measuredAt = now
    receivedAtMeasuring = received
  }

  /// 429, 503, refused or reset while others are served: no more than those, and whatever wait was asked for.
  ///
  /// - Parameters:
  ///   - startedAt: when the refused request was sent.
  ///   - servedNow: transfers that the host is answering with content at this moment.
  ///   - isVague: a connection broke, which may have other causes: one less is enough.
  /// - Returns: when the refused item may try again; the ceiling is what keeps it from pushing on.
  package mutating func pushedBack(
    retryAfter: Duration?, startedAt: Instant, servedNow: Int = 0, isVague: Bool = false, cap: Duration, now: Instant,
    random: Double
  ) -> Instant {
    if isVague {
      ceiling = max(1, servedNow, min(ceiling, active) - 1)
      isCeilingVague = true
      ceilingExpires = now + max(vagueHold, roundTrip * 8)
      vagueHold = min(vagueHold * 2, .seconds(60))
      return retryTime(now: now, random: random)
    }
    isCeilingVague = false
    if startedAt > loweredAt {
      loweredAt = now
      if let proven = provenCeiling {
        provenCeiling = nil
        ceilingHold = min(ceilingHold * 2, .seconds(60))
        lower(to: proven, now: now)
      } else {
        burst = Burst(active: active, refused: 1, until: now + max(.milliseconds(30), roundTrip * 2))
        ceiling = max(1, min(servedNow, active - 1))
      }
    } else if burst != nil {
      burst!.refused += 1
      ceiling = max(ceiling, min(servedNow, maximum))
    } else {
      lower(to: max(1, ceiling - 1), now: now)
    }
    if let wait = Backoff.obeyed(retryAfter, cap: cap) {
      heldUntil = max(heldUntil, now + wait)
      return heldUntil
    }
    return retryTime(now: now, random: random)
  }

  private mutating func lower(to count: Int, now: Instant) {
    ceiling = count
    ceilingExpires = now + ceilingHold
    shown = (ceiling, ceilingExpires)
    climber.hold(at: ceiling, now: now)
  }

  private func retryTime(now: Instant, random: Double) -> Instant {
    now + max(.milliseconds(20), roundTrip * 2) + .milliseconds(Int64(40 * random))
  }

  /// A connection attempt got no answer, and no other transfer of this host is served either. Told before `ended`.
  ///
  /// - Parameter isProbe: what `started` said of it; attempts that were under way before are part of the first step.
  package mutating func wasSilent(
    fault: TransferFault, isProbe: Bool = false, tries: Int, cap: Duration, now: Instant, random: Double
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
    case .silent(let step, let probeAt, _):
      guard isProbe else { return .probe(at: probeAt) }
      guard step + 1 < tries else {
        state = .dead(fault)
        return .dead
      }
      let next = now + Backoff.delay(attempt: step + 1, cap: cap, random: random)
      state = .silent(step: step + 1, probeAt: next, isProbing: false)
      return .probe(at: next)
    }
  }

  /// An earlier run has found that the host's entity tags say nothing.
  package mutating func entityTagsAreUnreliable() { isETagReliable = false }

  /// A version's entity tag differed although date and length agree.
  /// - Returns: whether the host's entity tags are to be ignored from now on.
  package mutating func entityTagContradicted(by tag: EntityTag) -> Bool {
    guard tag != contradictingTag else { return !isETagReliable }
    contradictingTag = tag
    entityTagContradictions += 1
    if entityTagContradictions >= 2 { isETagReliable = false }
    return !isETagReliable
  }
}
