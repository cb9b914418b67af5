/// Finds how many connections are worth having: adds some while the total rate grows, goes back where it does not, and
/// tries whether fewer suffice where the last ones brought little.
///
/// starting(n) ──all n deliver──► measuring(n) ──the rate grew──► starting(2n or 4n)
///                                     ├──it did not──► resting(n before)
///                                     └──no more to add, the last ones brought little──► confirming(n)
/// confirming(n) ──► reducing(3n/4) ──the rate stays──► reducing(9n/16) …, else resting(n)
/// resting ──after a while, or when the rate falls──► measuring
///
/// The connections of one file and those of one host each have a probe. The caller counts work in bytes, and may add
/// a fixed amount for a finished request so that tiny files count too.
package struct ConcurrencyProbe: Sendable {
  /// Connections that are worth having now; 1...maximum.
  package private(set) var target: Int
  package private(set) var maximum: Int

  private enum Phase {
    /// Waiting until the connections of this step deliver.
    case starting(until: Instant)
    case measuring(since: Instant, work: Int64)
    /// A longer measurement of all connections before fewer are tried.
    case confirming(since: Instant, work: Int64)
    /// Fewer connections than `full`, which brought `rate`. Measured once no more than these are active.
    case reducing(full: Int, rate: Double, since: Instant?, work: Int64)
    /// `rate` is that of the last look.
    case resting(until: Instant, since: Instant, work: Int64, rate: Double)
  }

  private var phase: Phase
  /// The rate at the previous step, work per second, and its number of connections.
  private var before: (rate: Double, target: Int)?
  /// The gain of the last step as a part of the possible gain, 0...1; nil while unknown.
  private var efficiency: Double?
  private var restSpan: Duration = .seconds(2)
  private var pauses = DeliveryPauses()
  private let triesFewer: Bool
  /// Round trips until a connection that counts as active delivers.
  private let startRoundTrips: Int

  /// The growth that a doubled number must bring to be kept.
  private static let payingGrowth = 1.1
  /// Below this efficiency of the last step fewer connections are tried.
  private static let goodEfficiency = 0.6
  /// Servers send in bursts: a look is clear once it saw this much for each connection, or lasted `clearSpan`.
  private static let clearByteCount: Int64 = 128 << 10
  private static let clearSpan: Duration = .milliseconds(150)
  /// Giving connections up takes a longer look than adding some: one burst must not decide it.
  private static let longLook: Duration = .milliseconds(200)
  /// A rate below this part of the last one ends a rest.
  private static let rateDrop = 0.6
  /// Rests double up to this.
  private static let longestRest: Duration = .seconds(60)

  /// How long a server pauses between bursts. nginx with `limit_rate` sends a second's worth at once, and then nothing
  /// for a second.
  private struct DeliveryPauses {
    private var work: Int64 = 0
    private var endedAt: Instant?
    private var longest = Duration.zero

    mutating func observed(work: Int64, isActive: Bool, now: Instant) {
      guard isActive, work == self.work, let endedAt else {
        (self.work, endedAt) = (work, now)
        return
      }
      if now - endedAt >= Self.shortest { longest = max(longest, now - endedAt) }
    }

    /// Shorter pauses are those of a busy machine.
    private static let shortest: Duration = .milliseconds(50)

    /// Looks of this length see about as many bursts whatever the number of connections.
    var clearLook: Duration { longest * 3 }

    mutating func forget() { longest = .zero }
  }

  /// - Parameters:
  ///   - triesFewer: whether fewer connections are tried where the last ones brought little, and more in larger steps.
  ///     Not for one of several probes that share the possible connections.
  ///   - startRoundTrips: round trips until a connection that counts as active delivers.
  package init(initial: Int, maximum: Int, triesFewer: Bool = false, startRoundTrips: Int = 1, now: Instant) {
    target = max(1, min(initial, maximum))
    self.maximum = max(1, maximum)
    self.triesFewer = triesFewer
    self.startRoundTrips = startRoundTrips
    phase = .starting(until: now)
  }

  /// Takes the total work so far; the driver calls it 20 to 100 times a second while transfers are active.
  ///
  /// - Parameters:
  ///   - active: connections that deliver now. A step with fewer than its target is not judged: a lack of demand
  ///     proves nothing.
  ///   - roundTrip: scales the steps, because a new connection needs a few round trips to reach its speed.
  ///   - isSaturated: this program, not the network, limits the rate, so more connections cannot pay.
  package mutating func observed(
    work: Int64, active: Int, roundTrip: Duration, isSaturated: Bool = false, now: Instant
  ) {
    let step = max(Duration.milliseconds(30), roundTrip * 4)
    let start = max(Duration.milliseconds(10), roundTrip * startRoundTrips)
    pauses.observed(work: work, isActive: active > 0, now: now)
    let longLook = max(Self.longLook, step * 4, pauses.clearLook)
    switch phase {
    case .starting(let until):
      if active < target {
        phase = .starting(until: now + start)
      } else if now >= until {
        phase = .measuring(since: now, work: work)
      }
    case .measuring(let since, let startWork):
      // Of many connections one or two are always between two ranges; that is no lack of demand.
      guard active >= target - target / 8 else {
        phase = .starting(until: now + start)
        return
      }
      let isClear = work - startWork >= Int64(target) * Self.clearByteCount || now - since >= Self.clearSpan
      guard now - since >= step, isClear else { return }
      judge(
        rate: Double(work - startWork) / (now - since).inSeconds, work: work, isSaturated: isSaturated,
        seesBursts: now - since >= pauses.clearLook, now: now)
    case .confirming(let since, let startWork):
      guard active >= target - target / 8 else {
        phase = .confirming(since: now, work: work)
        return
      }
      guard now - since >= longLook else { return }
      phase = .reducing(full: target, rate: Double(work - startWork) / (now - since).inSeconds, since: nil, work: work)
      target = max(1, target * 3 / 4)
    case .reducing(let full, let rate, let since, let startWork):
      guard active <= target else { return }
      guard let since, active == target else {
        phase = .reducing(full: full, rate: rate, since: now, work: work)
        return
      }
      guard now - since >= longLook else { return }
      judgeReduced(full: full, rate: rate, Double(work - startWork) / (now - since).inSeconds, work: work, now: now)
    case .resting(let until, let since, let startWork, let rate):
      if now >= until, target < maximum, active >= target {
        before = nil
        phase = .measuring(since: now, work: work)
      } else if now - since >= step * 4 {
        let current = Double(work - startWork) / (now - since).inSeconds
        if current < rate * Self.rateDrop, target < maximum, active >= target {
          before = nil
          phase = .measuring(since: now, work: work)
        } else {
          phase = .resting(until: until, since: now, work: work, rate: current)
        }
      }
    }
  }

  private mutating func judge(rate: Double, work: Int64, isSaturated: Bool, seesBursts: Bool, now: Instant) {
    // A short look at bursts tells little: the fewer connections may just have had one. The longer looks at the end of
    // the search decide then.
    if let before, seesBursts || !triesFewer {
      let growth = rate / max(before.rate, 1)
      let factor = Double(target) / Double(before.target)
      guard growth >= (factor > 2 ? Self.payingGrowth * Self.payingGrowth : Self.payingGrowth) else {
        target = before.target
        return endSearch(rate: before.rate, work: work, now: now)
      }
      efficiency = growth / factor
    }
    guard target < maximum, !isSaturated else { return endSearch(rate: rate, work: work, now: now) }
    before = (rate, target)
    // Where connections have paid in full so far the steps are larger.
    let isPaying = triesFewer && efficiency ?? 1 >= Self.goodEfficiency
    target = min(target * (isPaying ? 4 : 2), maximum)
    phase = .starting(until: now)
  }

  /// Ends the search at this number. Unless all connections are known to pay, fewer are tried.
  private mutating func endSearch(rate: Double, work: Int64, now: Instant) {
    before = nil
    guard triesFewer, target > 1, efficiency ?? 0 < Self.goodEfficiency else {
      return rest(rate: rate, work: work, now: now)
    }
    phase = .confirming(since: now, work: work)
  }

  private mutating func judgeReduced(full: Int, rate: Double, _ current: Double, work: Int64, now: Instant) {
    let lost = 1 - Double(target) / Double(full)
    guard current >= rate * (1 - lost / 3) else {
      target = full
      return rest(rate: rate, work: work, now: now)
    }
    guard target > 1 else { return rest(rate: current, work: work, now: now) }
    phase = .reducing(full: target, rate: max(rate, current), since: nil, work: work)
    target = max(1, target * 3 / 4)
  }

  private mutating func rest(rate: Double, work: Int64, now: Instant) {
    pauses.forget()
    before = nil
    efficiency = nil
    phase = .resting(until: now + restSpan, since: now, work: work, rate: rate)
    restSpan = min(restSpan * 2, Self.longestRest)
  }

  /// Changes the maximum. More are tried at once.
  package mutating func limit(to count: Int, now: Instant) {
    let isMore = count > maximum
    maximum = max(1, count)
    if target > maximum { cap(at: maximum, now: now) }
    if isMore, case .resting = phase {
      before = nil
      phase = .starting(until: now)
    }
  }

  /// The host accepts no more than this for now: the target does not grow for a while.
  package mutating func cap(at count: Int, now: Instant) {
    target = max(1, min(target, count))
    rest(rate: 0, work: 0, now: now)
  }

  /// Goes to this number at once: with long round trips a stepwise search would take longer than the download.
  package mutating func open(_ count: Int, now: Instant) {
    guard count > target else { return }
    target = min(count, maximum)
    before = nil
    phase = .starting(until: now)
  }

  /// A short request was served: this many may run as long as nothing has shown a limit.
  package mutating func shortRequestServed(allowing count: Int) {
    guard case .resting = phase else {
      target = max(target, min(count, maximum))
      return
    }
  }
}
