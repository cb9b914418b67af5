/// The rate of requests that a host accepts, inferred from its refusals.
///
/// A server that limits the rate keeps a bucket of tokens: each accepted request takes one, and they return at the
/// rate. A refusal shows that the bucket is empty. So the requests that the server accepts between two refusals are
/// those whose tokens returned in this time, whatever the size of the bucket.
///
/// unlimited ──refusal──► suspected ──lone requests are refused──► paced
///     ▲ ▲                    │                                    │  │
///     │ └──nothing is refused for long────────────────────────────┘  │
///     └──a quarter is refused, which shows a limit on concurrency────┘
///
/// While the rate is suspected the limit on concurrency may be too low: few of many requests that came at once were
/// accepted, but more would be one after another. Single requests beyond it find that out.
///
/// Costs nothing for hosts that never refuse: their answers are not counted.
package struct RequestRate: Sendable {
  /// A refusal: the bucket was empty then.
  private struct Mark {
    let at: Instant
    /// Accepted requests before it, since the first refusal.
    let acceptedCount: Int
  }

  /// One request more than the limit on concurrency admits.
  private enum Trial {
    case none(notBefore: Instant)
    /// - Parameters:
    ///   - acceptedCount: accepted requests before.
    ///   - active: requests, this one included.
    case running(since: Instant, acceptedCount: Int, active: Int)
    /// The limit is right.
    case refused
  }

  private enum State {
    case unlimited
    /// The limit on concurrency has been lowered, which may end the refusals.
    ///
    /// - Parameter loneCount: requests that were refused although no other was active when they were sent.
    case suspected(loneCount: Int, Trial)
    case paced(Pace)
  }

  private var state = State.unlimited
  /// Refusals, oldest first; those of requests that were sent together count as one. Empty while unlimited.
  private var marks: [Mark] = []
  /// Accepted requests since the first of the refusals.
  private var acceptedCount = 0
  /// When a request was last sent beside others.
  private var crowdedAt = Instant(nanoseconds: .min)
  /// Until then a limit on concurrency explains what is refused, because a pace did not end it.
  private var concurrencyUntil = Instant(nanoseconds: .min)
  private var concurrencyRetention = RequestRate.firstConcurrencyRetention
  /// By how much the next trial that is served raises the limit. Small, because a raise that goes too far is refused
  /// more than once.
  private var raise = 1
  /// No trial before: the last one showed that the limit on concurrency is right.
  private var noTrialUntil = Instant(nanoseconds: .min)

  private static let mostMarks = 8
  /// Accepted requests since a refusal after which earlier refusals tell nothing more.
  private static let ampleCount = 64
  /// Refusals with more time between them are not due to one cause.
  private static let longestGap: Duration = .seconds(1)
  /// The server may not have noticed the end of another request before a lone one, but hardly twice in a row.
  private static let neededLoneCount = 2
  /// One more than the limit on concurrency admits is tried this long, or four round trips, after a refusal.
  private static let shortestWaitForTrial: Duration = .milliseconds(50)
  private static let largestRaise = 2
  /// How long the result of a refused trial stands.
  private static let trialRetention: Duration = .seconds(600)
  /// Where nothing was refused for this long, no limit is left to respect.
  private static let suspicionRetention: Duration = .seconds(30)
  private static let paceRetention: Duration = .seconds(120)
  private static let firstConcurrencyRetention: Duration = .seconds(30)
  /// Retentions double up to this.
  private static let longestConcurrencyRetention: Duration = .seconds(600)

  package init() {}

  /// Whether requests are paced.
  package var isPaced: Bool { if case .paced = state { true } else { false } }

  /// Requests per second; nil where the rate is not limited.
  package var rate: Double? { if case .paced(let pace) = state { pace.rate } else { nil } }

  /// Whether the host has refused requests lately, and it is the rate that is limited, or may be.
  package var isInQuestion: Bool { if case .unlimited = state { false } else { true } }

  /// When the next request may start; nil for at once.
  package func earliestStart(now: Instant) -> Instant? {
    guard case .paced(let pace) = state, now < pace.nextStart else { return nil }
    return pace.nextStart
  }

  /// Whether one request more than the limit on concurrency admits may start, to find out if the limit is too low.
  func wantsTrial(now: Instant) -> Bool {
    if case .suspected(_, .none(let notBefore)) = state { now >= notBefore } else { false }
  }

  func isForgettable(now: Instant) -> Bool {
    switch state {
    case .unlimited: now >= concurrencyUntil
    case .suspected, .paced: hasExpired(now: now)
    }
  }

  // MARK: Events

  /// - Parameter limit: on concurrent requests, as their refusals suggest.
  mutating func started(active: Int, limit: Int, roundTrip: Duration, now: Instant) {
    switch state {
    case .unlimited: break
    case .suspected(let loneCount, let trial):
      if active > 1 { crowdedAt = now }
      guard case .none = trial, active > limit else { return }
      state = .suspected(
        loneCount: loneCount, .running(since: now, acceptedCount: acceptedCount, active: active))
    case .paced(var pace):
      pace.started(roundTrip: roundTrip, now: now)
      state = .paced(pace)
    }
  }

  /// The host answered a request, and not with a refusal.
  mutating func accepted() {
    if case .unlimited = state { return }
    acceptedCount += 1
  }

  /// The host refused a request with 429 or 503, and did not say how long to wait.
  ///
  /// - Parameter sentAt: when the request was sent.
  /// - Returns: whether the refusal is explained. Otherwise too many requests were active.
  mutating func refused(sentAt: Instant, roundTrip: Duration, now: Instant) -> Bool {
    switch state {
    case .unlimited:
      if now >= concurrencyUntil { suspect(roundTrip: roundTrip, now: now) }
      return false
    case .suspected(let loneCount, let trial):
      if endTrial(sentAt: sentAt, now: now) { return true }
      guard let last = marks.last, sentAt > last.at else { return false }
      // A refusal after a raise: the limit is known from both sides.
      if raise > 1 { noTrialUntil = now + Self.trialRetention }
      guard now - last.at < Self.longestGap else {
        suspect(roundTrip: roundTrip, now: now)
        return false
      }
      mark(now: now)
      let isLone = sentAt > crowdedAt
      guard isLone, loneCount + 1 >= Self.neededLoneCount else {
        let next = nextTrial(after: trial, roundTrip: roundTrip, now: now)
        state = .suspected(loneCount: isLone ? loneCount + 1 : 0, next)
        return false
      }
      // Before, requests may have been too few to use the rate.
      marks.removeFirst(marks.count - Self.neededLoneCount)
      state = .paced(Pace(rate: rate(now: now), roundTrip: roundTrip, now: now))
      return true
    case .paced(var pace):
      // Sent before the last refusal was known.
      guard let last = marks.last, sentAt > last.at else { return true }
      mark(now: now)
      let evidence = Pace.Evidence(
        rate: rate(now: now), acceptedCount: acceptedCount, since: marks[0].acceptedCount, last: last.acceptedCount)
      pace.refused(evidence, roundTrip: roundTrip, now: now)
      guard !pace.isRefuted(acceptedCount: acceptedCount) else {
        blameConcurrency(now: now)
        return false
      }
      state = .paced(pace)
      return true
    }
  }

  /// A connection was refused, which tells of concurrency only.
  mutating func connectionRefused(sentAt: Instant, now: Instant) { _ = endTrial(sentAt: sentAt, now: now) }

  /// - Returns: whether the request is the trial, or was sent after it.
  private mutating func endTrial(sentAt: Instant, now: Instant) -> Bool {
    guard case .suspected(let loneCount, .running(let start, _, _)) = state, sentAt >= start else { return false }
    state = .suspected(loneCount: loneCount, .refused)
    noTrialUntil = now + Self.trialRetention
    return true
  }

  /// Time passes; called 20 to 50 times a second.
  /// - Returns: by how much the limit on concurrency may be raised, where it has just turned out to be too low.
  mutating func ticked(roundTrip: Duration, now: Instant) -> Int? {
    if case .unlimited = state { return nil }
    if hasExpired(now: now) {
      forget()
      return nil
    }
    guard case .suspected(let loneCount, .running(let start, let before, let active)) = state,
      now - start >= roundTrip * 3, acceptedCount - before > active
    else { return nil }
    state = .suspected(loneCount: loneCount, .none(notBefore: now + trialWait(roundTrip)))
    defer { raise = min(raise * 2, Self.largestRaise) }
    return raise
  }

  // MARK: Evidence

  private func hasExpired(now: Instant) -> Bool {
    guard let last = marks.last else { return true }
    return now - last.at >= (isPaced ? Self.paceRetention : Self.suspicionRetention)
  }

  private func trialWait(_ roundTrip: Duration) -> Duration { max(Self.shortestWaitForTrial, roundTrip * 4) }

  private mutating func suspect(roundTrip: Duration, now: Instant) {
    forget()
    marks.append(Mark(at: now, acceptedCount: 0))
    raise = 1
    state = .suspected(loneCount: 0, nextTrial(roundTrip: roundTrip, now: now))
  }

  /// - Parameter trial: the one before the refusal. If it is running, its own answer decides.
  private func nextTrial(after trial: Trial = .refused, roundTrip: Duration, now: Instant) -> Trial {
    if now < noTrialUntil { return .refused }
    if case .running = trial { return trial }
    return .none(notBefore: now + trialWait(roundTrip))
  }

  private mutating func forget() {
    state = .unlimited
    marks = []
    acceptedCount = 0
  }

  private mutating func blameConcurrency(now: Instant) {
    forget()
    concurrencyUntil = now + concurrencyRetention
    concurrencyRetention = min(concurrencyRetention * 2, Self.longestConcurrencyRetention)
  }

  private mutating func mark(now: Instant) {
    // A long span tells the rate precisely, short ones tell that it has changed.
    while marks.count > 1, acceptedCount - marks[1].acceptedCount >= Self.ampleCount { marks.removeFirst() }
    if marks.count == Self.mostMarks { marks.remove(at: 1) }
    marks.append(Mark(at: now, acceptedCount: acceptedCount))
  }

  /// The rate that agrees with the refusals, of which the last one is at `now`.
  ///
  /// Up to one token may have returned without being used before a refusal, hence one more than was accepted.
  private func rate(now: Instant) -> Double {
    var (rate, lowest) = (Double.infinity, Double.infinity)
    for mark in marks where mark.at < now {
      let count = acceptedCount - mark.acceptedCount
      let current = Double(count + 1) / (now - mark.at).inSeconds
      lowest = min(lowest, current)
      // The latest span that is long enough is the best: tokens are lost while requests are too slow.
      if rate == .infinity || count >= Pace.preciseCount { rate = current }
    }
    // Much less was accepted lately: the rate has changed.
    return lowest < rate / 2 ? lowest : rate
  }
}

extension RequestRate {
  /// Requests that start evenly, at a rate that is raised on trial.
  struct Pace: Sendable {
    /// Requests per second.
    private(set) var rate: Double
    private(set) var nextStart: Instant
    /// The rate before the last raise, if nothing has been refused since; nil when none is on trial.
    private var rateBeforeRaise: Double?
    private var raiseAt: Instant
    /// The next raise, as a part of the rate.
    private var step: Double
    /// How long a precisely known rate stands before it is raised on trial.
    private var retention = Pace.firstRetention
    /// Refusals since the rate is known precisely, and accepted requests before; nil until then.
    private var precise: (refusedCount: Int, acceptedBefore: Int)?

    /// Accepted requests from which on the rate is known precisely.
    static let preciseCount = 8
    /// The pace is this much lower than a precisely known rate.
    private static let margin = 0.03
    private static let slowest = 1.0
    private static let smallStep = 0.05
    private static let largestStep = 1.0
    private static let firstRetention: Duration = .seconds(1)
    /// Retentions double up to this.
    private static let longestRetention: Duration = .seconds(60)
    /// The part of a pause between two requests by which a late start may shorten the next one.
    private static let catchUp = 0.25
    /// A rate that explains the refusals ends them: if more than a quarter of this many requests is refused, it does not.
    private static let judgedCount = 24

    /// What refusals tell when there is another one.
    struct Evidence {
      /// Requests per second.
      var rate: Double
      /// Accepted requests so far, up to the refusal that the rate is counted from, and up to the last one.
      var acceptedCount: Int
      var since: Int
      var last: Int
    }

    init(rate: Double, roundTrip: Duration, now: Instant) {
      self.rate = max(Self.slowest, rate)
      nextStart = now + .seconds(1 / self.rate)
      raiseAt = nextStart
      step = Self.largestStep
      delayRaise(isCoarse: true, roundTrip: roundTrip, now: now)
    }

    private var interval: Duration { .seconds(1 / rate) }

    private mutating func delayRaise(isCoarse: Bool, roundTrip: Duration, now: Instant) {
      rateBeforeRaise = nil
      step = isCoarse ? Self.largestStep : Self.smallStep
      raiseAt = now + (isCoarse ? trialSpan(roundTrip) : retention)
    }

    /// How long it takes to see whether a coarsely known rate can be raised.
    private func trialSpan(_ roundTrip: Duration) -> Duration { max(interval * 4, roundTrip * 4) }

    mutating func started(roundTrip: Duration, now: Instant) {
      // Where no request waited for its turn, a higher rate would not be used.
      let isBinding = now - nextStart < interval
      if isBinding, now >= raiseAt {
        rateBeforeRaise = rate
        rate *= 1 + step
        // Raises that go well become larger, so that a limit that was lifted does not hold long.
        step = min(step * 2, Self.largestStep)
        raiseAt = now + (precise == nil ? trialSpan(roundTrip) : retention)
      }
      nextStart = max(nextStart + interval, now + interval * (1 - Self.catchUp))
    }

    mutating func refused(_ evidence: Evidence, roundTrip: Duration, now: Instant) {
      if let known = precise {
        precise = (known.refusedCount + 1, known.acceptedBefore)
        if let rateBeforeRaise {
          rate = rateBeforeRaise
          retention = min(retention * 2, Self.longestRetention)
        } else {
          rate = min(rate, evidence.rate * (1 - Self.margin))
        }
      } else if evidence.acceptedCount - evidence.since >= Self.preciseCount {
        precise = (0, evidence.acceptedCount)
        rate = evidence.rate * (1 - Self.margin)
      } else {
        rate = min(rate, evidence.rate)
      }
      rate = max(Self.slowest, rate)
      // A token returns within the interval after the last accepted request.
      let isRepeated = evidence.acceptedCount == evidence.last
      nextStart = max(nextStart, now + (isRepeated ? interval : interval / 2))
      delayRaise(isCoarse: precise == nil, roundTrip: roundTrip, now: now)
    }

    /// Whether so much is refused that the rate explains nothing.
    ///
    /// - Parameter acceptedCount: since the first refusal.
    mutating func isRefuted(acceptedCount: Int) -> Bool {
      guard let known = precise else { return false }
      let count = acceptedCount - known.acceptedBefore + known.refusedCount
      guard count >= Self.judgedCount else { return false }
      precise = (0, acceptedCount)
      return known.refusedCount * 4 > count
    }
  }
}
