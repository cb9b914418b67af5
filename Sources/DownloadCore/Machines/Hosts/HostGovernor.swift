/// The transfers that one host may have at a time, shared by all files of the run and their segments.
///
/// A transfer may start where the host can be reached (`Reachability`), has not asked for a pause (`pauseEnd`), and a
/// slot is free (`ConnectionSlots`). There are as many slots as pay (`ConcurrencyProbe`), but no more than the host
/// accepts (`InferredLimit`). Where the host limits the rate of requests they start no faster (`RequestRate`).
package struct HostGovernor: Sendable {
  package enum Permission: Hashable, Sendable {
    case granted
    /// Ask again at this time.
    case wait(until: Instant)
    /// All slots are occupied; ask again when a transfer ends.
    case full
    case dead(TransferFault)
  }

  private var reachability = Reachability.reachable
  /// No request is sent before this time, by a `Retry-After`.
  private var pausedUntil = Instant.zero
  private var slots = ConnectionSlots()
  /// Connections that the user allows.
  private var maximum: Int
  private var concurrencyProbe: ConcurrencyProbe
  private var inferredLimit: InferredLimit
  private(set) var requestRate = RequestRate()
  private var traffic = HostTraffic()
  /// Whether entity tags tell versions apart here.
  package private(set) var isETagReliable = true
  private var isMultiplexed = false
  /// The steps of slowing down for refusals that usually are final, since the host served content last.
  private var forbidden = (stepCount: 0, lastAt: Instant(nanoseconds: .min))
  /// When the last answer with content ended.
  private var servedUntil = Instant.zero

  /// Transfers that a host gets before anything is known of it.
  package static let initialLimit = 4
  /// Up to this number more requests are tried without measuring, as long as each is answered well.
  private static let eagerLimit = 16
  /// A body of at most this many bytes is short: its request costs round trips rather than bandwidth.
  static let shortByteCount: Int64 = 1 << 20
  /// Short requests to a distant host that each answer adds, without and with multiplexing.
  private static let distantGrowth = (separate: 4, multiplexed: 8)
  /// A user who allows this many connections allows as many streams of one connection as servers usually do.
  private static let manyConnections = 64
  /// RFC 9113, section 6.5.2, recommends servers to allow no fewer streams of one connection; most allow just that.
  private static let usualStreamLimit = 100
  /// A host that sends nothing for this long, or for four round trips, gets no further connections of a file.
  private static let quietSpan: Duration = .milliseconds(50)
  /// How long a host may take to notice a cut connection; two round trips where those are longer.
  private static let cutSpan: Duration = .milliseconds(10)

  package init(maximum: Int, now: Instant) {
    let maximum = max(1, maximum)
    self.maximum = maximum
    inferredLimit = InferredLimit(maximum: maximum)
    concurrencyProbe = ConcurrencyProbe(
      initial: min(Self.initialLimit, maximum), maximum: maximum, startRoundTrips: 4, now: now)
  }

  /// Transfers that may be active now.
  package var limit: Int { min(concurrencyProbe.target, inferredLimit.count) }

  package var active: Int { slots.active }
  /// Requests per second that it accepts; nil where no limit was met.
  package var requestRateLimit: Double? { requestRate.rate }
  /// Until when it asks for no requests; nil where it does not.
  package func pauseEnd(now: Instant) -> Instant? { now < pausedUntil ? pausedUntil : nil }
  /// Whether it has answered a request, whatever it said.
  package var hasAnswered: Bool { traffic.hasAnswered }
  /// When anything came from the host last.
  package var heardAt: Instant { traffic.heardAt }
  /// When a transfer started there or anything came from there last.
  package var usedAt: Instant { traffic.usedAt }
  /// Grows with every answer that has content and with the bytes of long ones: as long as it grows the host serves.
  package var servedCount: Int64 { traffic.servedCount }
  /// About how long a request takes to be answered; scales steps and ranges.
  package var roundTrip: Duration { traffic.roundTrip }
  /// Bytes per second of one of its connections lately; 0 while unknown.
  var connectionSpeed: Double { traffic.connectionSpeed }
  /// Whether its requests are spread over a few multiplexed connections.
  var spreadsRequests: Bool { isMultiplexed && roundTrip >= HostConditions.farRoundTrip }
  /// Transfers that were active with one that has this fault. Those that were served instead of a refused request may be
  /// over already, and count as one.
  ///
  /// - Parameter sentAt: when its request was sent.
  func othersActive(besides fault: TransferFault, sentAt: Instant) -> Int {
    let wasOtherServed = fault.kind == .throttled && (requestRate.isInQuestion || servedUntil > sentAt)
    return max(active - 1, wasOtherServed ? 1 : 0)
  }
  /// What decisions about the host's files depend on.
  package var conditions: HostConditions {
    HostConditions(isETagReliable: isETagReliable, roundTrip: roundTrip, connectionSpeed: connectionSpeed)
  }

  /// Whether its last attempts got no connection.
  package var isUnreachable: Bool { reachability.isUnreachable }
  /// Whether a probe is to find out if there is a way to it.
  package var isSuspected: Bool { reachability.isSuspected }
  /// Whether requests are worth their place: it has answered and asks for no pause, or they fail at once.
  package func isAnswering(now: Instant) -> Bool {
    switch reachability {
    case .reachable: hasAnswered && pauseEnd(now: now) == nil
    case .dead: true
    case .suspected, .unreachable: false
    }
  }

  /// Whether nothing is active and nothing is known that a later request must respect: a new governor would do.
  package func isForgettable(now: Instant) -> Bool {
    switch reachability {
    case .reachable: break
    case .dead(let death) where now >= death.endsAt: break
    case .dead, .suspected, .unreachable: return false
    }
    return slots.isIdle(now: now) && pauseEnd(now: now) == nil && isETagReliable
      && inferredLimit.isForgettable(now: now) && requestRate.isForgettable(now: now)
  }

  // MARK: Starting

  /// Whether a file's first transfer may start.
  ///
  /// - Parameter tries: the file's own, which may be fewer than those after which the host is given up.
  package func permission(now: Instant, tries: Int = .max) -> Permission {
    switch reachability {
    case .dead(let death): return now < death.endsAt ? .dead(death.failures.fault) : .granted
    case .unreachable(let failures, _) where failures.count >= tries: return .dead(failures.fault)
    case .suspected(let probe), .unreachable(_, let probe):
      if probe.isActive { return .full }
      let earliest = max(probe.dueAt, pauseEnd(now: now) ?? probe.dueAt)
      return now >= earliest ? .granted : .wait(until: earliest)
    case .reachable:
      if let end = pauseEnd(now: now) { return .wait(until: end) }
      let permission = vacancy(within: limit, now: now)
      let isTrial =
        permission == .full && active == limit && limit == inferredLimit.count && limit < inferredLimit.maximum
        && requestRate.wantsTrial(now: now)
      return isTrial ? .granted : permission
    }
  }

  /// Whether a file's further connection may be opened. Only what the host accepts limits these: the file has a
  /// `ConcurrencyProbe` of its own.
  package func permissionForSegment(now: Instant) -> Permission {
    guard case .reachable = reachability else { return permission(now: now) }
    if let end = pauseEnd(now: now) { return .wait(until: end) }
    // While no connection receives anything the host may be gone; one that waits tells as much as many.
    if traffic.isQuiet(for: max(Self.quietSpan, roundTrip * 4), now: now) { return .full }
    return vacancy(within: inferredLimit.count, now: now)
  }

  private func vacancy(within limit: Int, now: Instant) -> Permission {
    switch slots.vacancy(within: limit, now: now) {
    case .free: requestRate.earliestStart(now: now).map { .wait(until: $0) } ?? .granted
    case .closing(let until): .wait(until: until)
    case .full: .full
    }
  }

  /// - Returns: whether this transfer is the probe of a suspected or unreachable host.
  @discardableResult
  package mutating func started(now: Instant = .zero) -> Bool {
    slots.occupy()
    traffic.started(now: now)
    requestRate.started(active: active, limit: inferredLimit.count, roundTrip: roundTrip, now: now)
    return reachability.started()
  }

  // MARK: Answers

  /// A transfer stalled, and the others have received nothing for long either.
  package mutating func stalled(now: Instant) { reachability.stalled(now: now) }

  /// A probe has a connection: there is a way to the host, whether or not it answers.
  package mutating func connected() { reachability.connected() }

  /// The host has answered, whatever it said.
  ///
  /// - Parameters:
  ///   - isMultiplexed: over a connection that other transfers may share at the same time.
  ///   - isAccepted: whether the answer is to the request, and not a refusal of it.
  package mutating func answered(
    roundTrip sample: Duration?, isMultiplexed: Bool = false, isAccepted: Bool = true, now: Instant
  ) {
    traffic.answered(roundTrip: sample, now: now)
    if isAccepted { requestRate.accepted() }
    reachability.answered()
    if isMultiplexed, !self.isMultiplexed {
      self.isMultiplexed = true
      limit(to: maximum, now: now)
    }
  }

  /// Changes the number of connections that the user allows.
  package mutating func limit(to maximum: Int, now: Instant) {
    self.maximum = max(1, maximum)
    let most = maximumActive
    guard most != inferredLimit.maximum else { return }
    inferredLimit.limit(to: most)
    concurrencyProbe.limit(to: most, now: now)
  }

  /// Transfers that the user allows.
  var maximumActive: Int {
    isMultiplexed && maximum >= Self.manyConnections ? max(maximum, Self.usualStreamLimit) : maximum
  }

  /// The answer has the wanted content.
  ///
  /// - Parameter byteCount: of its body; nil where it is unknown.
  package mutating func succeeded(byteCount: Int64? = nil) {
    traffic.succeeded()
    forbidden.stepCount = 0
    if let byteCount, byteCount <= Self.shortByteCount { shortAnswerBegan() }
  }

  /// The answer is final without the wanted content, for example that the file is not there or has not changed.
  package mutating func answeredWithoutContent() { shortAnswerBegan() }

  /// A request to a distant host takes round trips, not bandwidth: the number grows as soon as answers come.
  private mutating func shortAnswerBegan() {
    guard roundTrip >= HostConditions.farRoundTrip else { return }
    let growth = isMultiplexed ? Self.distantGrowth.multiplexed : Self.distantGrowth.separate
    concurrencyProbe.shortRequestServed(allowing: active * growth)
  }

  /// - Parameter isContent: of an answer with content.
  package mutating func received(_ byteCount: Int64, isContent: Bool = true, now: Instant) {
    traffic.received(byteCount, isContent: isContent, now: now)
  }

  /// A transfer is over.
  ///
  /// - Parameters:
  ///   - isShort: it brought a whole short file.
  ///   - lacksContent: its answer was final without content.
  ///   - isProbe: what `started` returned for it.
  ///   - isServed: its answer had content.
  ///   - isStopped: it was stopped before the end of its answer.
  package mutating func ended(
    isShort: Bool, lacksContent: Bool = false, isProbe: Bool = false, isServed: Bool = false, isStopped: Bool = false,
    now: Instant
  ) {
    if isServed { servedUntil = now }
    let isCounted = isServed && isStopped && inferredLimit.isLimiting && !isMultiplexed
    slots.release(cutUntil: isCounted ? now + max(Self.cutSpan, roundTrip * 2) : nil, now: now)
    if isShort || lacksContent {
      traffic.shortRequestServed(hasContent: isShort)
      // Only where all slots were occupied would more be used.
      if active + 1 >= limit {
        concurrencyProbe.shortRequestServed(allowing: min(concurrencyProbe.target + 1, Self.eagerLimit))
      }
    }
    if isProbe { reachability.probeEnded() }
  }

  /// Time passes; called 20 to 50 times a second.
  package mutating func observed(isSaturated: Bool = false, now: Instant) {
    traffic.measure(active: active, now: now)
    if let count = inferredLimit.ticked(now: now) { concurrencyProbe.cap(at: count, now: now) }
    if let raise = requestRate.ticked(roundTrip: roundTrip, now: now) {
      concurrencyProbe.open(inferredLimit.wasTooLow(by: raise), now: now)
    }
    allowForRate(now: now)
    guard traffic.successCount > 0 else { return }
    concurrencyProbe.observed(
      work: traffic.work, active: active, roundTrip: roundTrip, isSaturated: isSaturated, now: now)
  }

  // MARK: Refusals

  /// The host refused a request with a status that is final where it does not tell of too many requests.
  ///
  /// - Parameter sentAt: when the request was sent. Those that were sent before the last step belong to it.
  /// - Returns: whether to slow down and try again; false once that has not helped for all tries.
  package mutating func forbade(sentAt: Instant, retries: Retries, now: Instant) -> Bool {
    if sentAt >= forbidden.lastAt { forbidden = (forbidden.stepCount + 1, now) }
    return forbidden.stepCount < retries.tries
  }

  /// The host refused a request: with 429, 503, or by refusing its connection while it serves others.
  ///
  /// - Parameters:
  ///   - sentAt: when the refused request was sent.
  ///   - servedNow: transfers that receive content at this moment.
  ///   - isAnswer: whether it refused with an answer, not the connection.
  ///   - random: in 0..<1, for the jitter of the wait.
  /// - Returns: when the refused item may try again. Until then other items take its slot, as far as the limit admits.
  package mutating func refused(
    retryAfter: Duration?, sentAt: Instant, servedNow: Int = 0, isAnswer: Bool = true, retries: Retries, now: Instant,
    random: Double
  ) -> Instant {
    if !isRateExplained(retryAfter: retryAfter, sentAt: sentAt, isAnswer: isAnswer, now: now) {
      let established = inferredLimit.refused(
        sentAt: sentAt, active: active, servedNow: servedNow, roundTrip: roundTrip, now: now)
      if let established { concurrencyProbe.cap(at: established, now: now) }
    }
    if let wait = retries.wait(for: retryAfter) {
      // A later time that the host asked for before stands.
      pausedUntil = max(pausedUntil, now + wait)
      return pausedUntil
    }
    return now + Retries.waitAfterRefusal(roundTrip: roundTrip, random: random)
  }

  /// Whether the limit on the number of requests need not be lowered for a refusal.
  private mutating func isRateExplained(retryAfter: Duration?, sentAt: Instant, isAnswer: Bool, now: Instant) -> Bool {
    guard isAnswer, traffic.successCount > 0 else {
      requestRate.connectionRefused(sentAt: sentAt, now: now)
      return false
    }
    guard retryAfter == nil else { return false }
    let wasPaced = requestRate.isPaced
    let isExplained = requestRate.refused(sentAt: sentAt, roundTrip: roundTrip, now: now)
    if requestRate.isPaced, !wasPaced {
      inferredLimit.lift()
      allowForRate(now: now)
    }
    return isExplained
  }

  /// Where the rate of requests is limited, allows as many at a time as it takes to reach the rate.
  private mutating func allowForRate(now: Instant) {
    guard let rate = requestRate.rate else { return }
    let count = min(rate * roundTrip.inSeconds * 2, Double(inferredLimit.maximum))
    concurrencyProbe.open(Self.initialLimit + Int(count), now: now)
  }

  /// A connection broke before an answer while others are served, which may be a refusal.
  /// - Returns: when the item may try again.
  package mutating func connectionBroke(servedNow: Int = 0, now: Instant, random: Double) -> Instant {
    inferredLimit.connectionBroke(active: active, servedNow: servedNow, roundTrip: roundTrip, now: now)
    return now + Retries.waitAfterRefusal(roundTrip: roundTrip, random: random)
  }

  /// An attempt got no connection, and no other transfer of the host is served. Called before `ended`.
  ///
  /// - Parameter isProbe: what `started` returned for it.
  package mutating func unreached(
    fault: TransferFault, isProbe: Bool = false, retries: Retries, now: Instant, random: Double
  ) -> Reachability.FailureOutcome {
    // A host that has answered may take fewer connections than were open.
    if case .reachable = reachability, hasAnswered, active > 1 {
      inferredLimit.connectionBroke(active: active, servedNow: 0, roundTrip: roundTrip, now: now)
    }
    return reachability.failed(fault, isProbe: isProbe, retries: retries, now: now, random: random)
  }

  /// What the host did before tells nothing any more: it may be reached again, and may take requests.
  mutating func networkChanged() {
    reachability = .reachable
    pausedUntil = .zero
    isETagReliable = true
  }

  // MARK: Entity tags

  /// An earlier run, or the answers for a file, have shown that the host's entity tags are unreliable.
  package mutating func entityTagsAreUnreliable() { isETagReliable = false }
}
