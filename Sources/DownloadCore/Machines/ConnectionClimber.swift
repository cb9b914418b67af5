/// Finds how many connections pay: adds some while the total rate grows, falls back where it does not, and tries
/// whether fewer would do where the last ones brought little.
///
/// measuring(n) ──rate grew enough──► settling(2n or 4n) ──all started──► measuring
///       ├──────did not grow──────► resting(n before) ──after a while, or when the rate falls──► measuring
///       └──the last step brought little──► confirming(n) ──► thinning(3n/4) ──rate stays──► thinning …, else resting(n)
///
/// Used for the segments of one file and for the files of one host. Work is counted in bytes by the caller, who may
/// add a fixed amount for a finished request, so that tiny files count too.
package struct ConnectionClimber: Sendable {
  /// Connections that are worth having now.
  package private(set) var target: Int
  package private(set) var maximum: Int

  private enum Phase {
    /// Waiting until the connections of this step have begun to deliver.
    case settling(until: Instant)
    case measuring(since: Instant, work: Int64)
    /// Measuring longer what all of them bring, before fewer are tried.
    case confirming(since: Instant, work: Int64)
    /// With fewer connections than `full`, which brought `rate`; measured once no more than these are at work.
    case thinning(full: Int, rate: Double, since: Instant?, work: Int64)
    /// `rate` is what the last look saw.
    case resting(until: Instant, since: Instant, work: Int64, rate: Double)
  }

  private var phase: Phase
  /// Rate at the step before, work per second, and its number of connections.
  private var before: (rate: Double, target: Int)?
  /// What the last step brought of what it could at most, 0...1; nil while unknown.
  private var efficiency: Double?
  private var restSpan: Duration = .seconds(2)
  private var silence = Silence()
  private let thins: Bool
  /// Round trips until a connection that has just been counted delivers.
  private let startRoundTrips: Int

  /// What a doubled number must bring to be kept.
  private static let payingGrowth = 1.1
  /// A step that brought less of what it could makes fewer connections worth a try.
  private static let goodEfficiency = 0.6
  private static let clearByteCount: Int64 = 128 << 10
  private static let clearLook: Duration = .milliseconds(150)
  /// To give connections up takes a longer look than to add some: servers send in large pieces.
  private static let longLook: Duration = .milliseconds(200)
  /// A rate that falls below this part of what it was ends a rest.
  private static let fall = 0.6

  /// How long nothing came in between two pieces: some servers (nginx with `limit_rate`) send a second's worth at
  /// once, and then nothing for a second.
  private struct Silence {
    private var work: Int64 = 0
    private var endedAt: Instant?
    private var longest = Duration.zero

    mutating func saw(work: Int64, isActive: Bool, now: Instant) {
      guard isActive, work == self.work, let endedAt else {
        (self.work, endedAt) = (work, now)
        return
      }
      if now - endedAt >= Self.shortest { longest = max(longest, now - endedAt) }
    }

    /// A busy machine pauses, too.
    private static let shortest: Duration = .milliseconds(50)

    /// A look of this length sees as many pieces of one number of connections as of another.
    var clearLook: Duration { longest * 3 }

    mutating func forget() { longest = .zero }
  }

  /// - Parameters:
  ///   - thins: whether fewer connections are tried where the last ones brought little, and more in larger steps: not
  ///     for one of several climbers that share what connections there may be.
  ///   - startRoundTrips: until a connection that counts as active delivers.
  package init(initial: Int, maximum: Int, thins: Bool = false, startRoundTrips: Int = 1, now: Instant) {
    target = max(1, min(initial, maximum))
    self.maximum = max(1, maximum)
    self.thins = thins
    self.startRoundTrips = startRoundTrips
    phase = .settling(until: now)
  }

  /// Tells the total work so far; the driver calls it some 20 to 100 times a second while work is going on.
  ///
  /// `active` is the number of connections that deliver now; a step with fewer than its target is not judged, for
  /// lack of demand proves nothing. `roundTrip` scales the steps: a new connection needs a few to be at speed.
  /// `isSaturated` tells that this program, not the network, is what limits the rate: more connections cannot pay.
  package mutating func observed(
    work: Int64, active: Int, roundTrip: Duration, isSaturated: Bool = false, now: Instant
  ) {
    let step = max(Duration.milliseconds(30), roundTrip * 4)
    let start = max(Duration.milliseconds(10), roundTrip * startRoundTrips)
    silence.saw(work: work, isActive: active > 0, now: now)
    let longLook = max(Self.longLook, step * 4, silence.clearLook)
    switch phase {
    case .settling(let until):
      if active < target {
        phase = .settling(until: now + start)
      } else if now >= until {
        phase = .measuring(since: now, work: work)
      }
    case .measuring(let since, let startWork):
      // One or two of many that change from range to range are no lack of demand.
      guard active >= target - target / 8 else {
        phase = .settling(until: now + start)
        return
      }
      // Servers send in pieces: a look must see some of each connection.
      let isClear = work - startWork >= Int64(target) * Self.clearByteCount || now - since >= Self.clearLook
      guard now - since >= step, isClear else { return }
      judge(
        rate: Double(work - startWork) / (now - since).inSeconds, work: work, isSaturated: isSaturated,
        seesPieces: now - since >= silence.clearLook, now: now)
    case .confirming(let since, let startWork):
      guard active >= target - target / 8 else {
        phase = .confirming(since: now, work: work)
        return
      }
      guard now - since >= longLook else { return }
      phase = .thinning(full: target, rate: Double(work - startWork) / (now - since).inSeconds, since: nil, work: work)
      target = max(1, target * 3 / 4)
    case .thinning(let full, let rate, let since, let startWork):
      guard active <= target else { return }
      guard let since, active == target else {
        phase = .thinning(full: full, rate: rate, since: now, work: work)
        return
      }
      guard now - since >= longLook else { return }
      judgeThinned(full: full, rate: rate, Double(work - startWork) / (now - since).inSeconds, work: work, now: now)
    case .resting(let until, let since, let startWork, let rate):
      if now >= until, target < maximum, active >= target {
        before = nil
        phase = .measuring(since: now, work: work)
      } else if now - since >= step * 4 {
        let current = Double(work - startWork) / (now - since).inSeconds
        if current < rate * Self.fall, target < maximum, active >= target {
          before = nil
          phase = .measuring(since: now, work: work)
        } else {
          phase = .resting(until: until, since: now, work: work, rate: current)
        }
      }
    }
  }

  private mutating func judge(rate: Double, work: Int64, isSaturated: Bool, seesPieces: Bool, now: Instant) {
    // A look at pieces tells little: the fewer may have had a burst. Longer looks, at the end of the climb, tell.
    if let before, seesPieces || !thins {
      let growth = rate / max(before.rate, 1)
      let factor = Double(target) / Double(before.target)
      guard growth >= (factor > 2 ? Self.payingGrowth * Self.payingGrowth : Self.payingGrowth) else {
        target = before.target
        return settled(rate: before.rate, work: work, now: now)
      }
      efficiency = growth / factor
    }
    guard target < maximum, !isSaturated else { return settled(rate: rate, work: work, now: now) }
    before = (rate, target)
    // What has paid in full so far may be taken in larger steps.
    let isPaying = thins && efficiency ?? 1 >= Self.goodEfficiency
    target = min(target * (isPaying ? 4 : 2), maximum)
    phase = .settling(until: now)
  }

  /// The climb is over at this number: unless all of them are known to pay, fewer are tried.
  private mutating func settled(rate: Double, work: Int64, now: Instant) {
    before = nil
    guard thins, target > 1, efficiency ?? 0 < Self.goodEfficiency else {
      return rest(rate: rate, work: work, now: now)
    }
    phase = .confirming(since: now, work: work)
  }

  private mutating func judgeThinned(full: Int, rate: Double, _ current: Double, work: Int64, now: Instant) {
    let lost = 1 - Double(target) / Double(full)
    guard current >= rate * (1 - lost / 3) else {
      target = full
      return rest(rate: rate, work: work, now: now)
    }
    guard target > 1 else { return rest(rate: current, work: work, now: now) }
    phase = .thinning(full: target, rate: max(rate, current), since: nil, work: work)
    target = max(1, target * 3 / 4)
  }

  private mutating func rest(rate: Double, work: Int64, now: Instant) {
    silence.forget()
    before = nil
    efficiency = nil
    phase = .resting(until: now + restSpan, since: now, work: work, rate: rate)
    restSpan = min(restSpan * 2, .seconds(60))
  }

  /// More may be used than was thought.
  package mutating func allow(_ count: Int) { maximum = max(maximum, count) }

  /// The host allows no more than this for now: no growth for a while.
  package mutating func hold(at count: Int, now: Instant) {
    target = max(1, min(target, count))
    rest(rate: 0, work: 0, now: now)
  }

  /// Round trips are so long that to climb by measured steps would take longer than what is wanted: so many at once.
  package mutating func open(_ count: Int, now: Instant) {
    guard count > target else { return }
    target = min(count, maximum)
    before = nil
    phase = .settling(until: now)
  }

  /// A short request was served: as long as nothing has shown a limit, so many may run.
  package mutating func shortRequestServed(allowing count: Int) {
    guard case .resting = phase else {
      target = max(target, min(count, maximum))
      return
    }
  }
}
