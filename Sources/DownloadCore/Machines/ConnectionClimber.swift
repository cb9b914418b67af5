/// Finds how many connections pay: doubles while the total rate grows, falls back where it does not.
///
/// measuring(n) ──rate grew by 15 %──► settling(2n) ──all started──► measuring(2n)
///       └──────did not grow──────► resting(n/2) ──after a while──► settling(n)
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
    case resting(until: Instant)
  }

  private var phase: Phase
  /// Rate at the step before, work per second, and its number of connections.
  private var before: (rate: Double, target: Int)?
  private var restSpan: Duration = .seconds(4)

  /// What a doubled number must bring to be kept.
  private static let payingGrowth = 1.15

  package init(initial: Int, maximum: Int, now: Instant) {
    target = max(1, min(initial, maximum))
    self.maximum = max(1, maximum)
    phase = .settling(until: now)
  }

  /// Tells the total work so far; the driver calls it some 20 to 50 times a second while work is going on.
  ///
  /// `active` is the number of connections that deliver now; a step with fewer than its target is not judged, for
  /// lack of demand proves nothing. `roundTrip` scales the steps: a new connection needs a few to be at speed.
  /// `isSaturated` tells that this program, not the network, is what limits the rate: more connections cannot pay.
  package mutating func observed(
    work: Int64, active: Int, roundTrip: Duration, isSaturated: Bool = false, now: Instant
  ) {
    let step = max(Duration.milliseconds(40), roundTrip * 4)
    switch phase {
    case .settling(let until):
      if active < target {
        phase = .settling(until: now + step / 4)
      } else if now >= until {
        phase = .measuring(since: now, work: work)
      }
    case .measuring(let since, let startWork):
      if active < target {
        phase = .settling(until: now + step / 4)
        return
      }
      let span = now - since
      guard span >= step else { return }
      judge(rate: Double(work - startWork) / span.inSeconds, step: step, isSaturated: isSaturated, now: now)
    case .resting(let until):
      if now >= until, target < maximum, active >= target {
        before = nil
        phase = .measuring(since: now, work: work)
      }
    }
  }

  private mutating func judge(rate: Double, step: Duration, isSaturated: Bool, now: Instant) {
    if let before, rate < before.rate * Self.payingGrowth {
      target = before.target
      rest(now: now)
      return
    }
    guard target < maximum, !isSaturated else {
      before = nil
      rest(now: now)
      return
    }
    before = (rate, target)
    target = min(target * 2, maximum)
    phase = .settling(until: now + step / 4)
  }

  private mutating func rest(now: Instant) {
    before = nil
    phase = .resting(until: now + restSpan)
    restSpan = min(restSpan * 2, .seconds(60))
  }

  /// The host pushed back: half of what was at work, and no growth for a while.
  package mutating func halve(from active: Int, now: Instant) {
    target = max(1, min(target, active) / 2)
    maximum = max(target, maximum)
    rest(now: now)
  }

  /// A short request ended well: as long as nothing has shown a limit, one more may run, which doubles the number
  /// with every round trip.
  package mutating func shortRequestEnded(ceiling: Int) {
    guard case .resting = phase else {
      target = min(target + 1, min(ceiling, maximum))
      return
    }
  }
}
