/// Whether a host can be reached, as far as the latest attempts tell.
///
/// reachable ──all transfers stall──► suspected ──a connection, or any answer──► reachable
///     │                                  └──no connection───┐
///     └──no connection──► unreachable(failures) ◄───────────┘
///                           │  │  ▲──the probe fails──┐
///                           │  └──┴───────────────────┘
///                           ├──any answer──► reachable
///                           └──tries used up──► dead ──a while later, a request──► unreachable
///
/// While a host is suspected or unreachable, a single probe per backoff step stands in for all its items.
package enum Reachability: Sendable {
  case reachable
  /// All transfers stalled at once: the probe finds out whether there still is a way to the host.
  case suspected(Probe)
  /// The last attempts got no connection.
  case unreachable(Failures, Probe)
  /// Requests fail at once.
  case dead(Death)

  /// Attempts in a row that got no connection; those that were active together count as one.
  package struct Failures: Hashable, Sendable {
    package var count: Int
    /// When the first one was.
    package var since: Instant
    /// How often the host was given up meanwhile.
    package var deathCount = 0
    /// Of the last one.
    package var fault: TransferFault
  }

  package struct Probe: Hashable, Sendable {
    /// No probe starts before this time.
    package var dueAt: Instant
    package var isActive = false
  }

  /// What a host was given up for. A later request, if there is one, tries it again with a single probe.
  package struct Death: Hashable, Sendable {
    package var failures: Failures
    package var endsAt: Instant
  }

  /// How long a host is dead the first time; twice as long after each probe that fails, up to the limit.
  private static let firstDeath: Duration = .seconds(60)
  private static let longestDeath: Duration = .seconds(960)

  package enum FailureOutcome: Hashable, Sendable {
    /// The next probe may start at this time; the items wait for it.
    case probe(at: Instant)
    case dead
  }

  package var isUnreachable: Bool { if case .unreachable = self { true } else { false } }
  package var isSuspected: Bool { if case .suspected = self { true } else { false } }

  /// A transfer of the host starts.
  /// - Returns: whether it is the probe.
  mutating func started() -> Bool {
    switch self {
    case .reachable: return false
    case .dead(let death):
      self = .unreachable(death.failures, Probe(dueAt: death.endsAt, isActive: true))
    case .suspected(let probe): self = .suspected(Probe(dueAt: probe.dueAt, isActive: true))
    case .unreachable(let failures, let probe):
      self = .unreachable(failures, Probe(dueAt: probe.dueAt, isActive: true))
    }
    return true
  }

  /// The probe is over, whatever it found; another one may start.
  mutating func probeEnded() {
    switch self {
    case .reachable, .dead: break
    case .suspected(let probe): self = .suspected(Probe(dueAt: probe.dueAt))
    case .unreachable(let failures, let probe): self = .unreachable(failures, Probe(dueAt: probe.dueAt))
    }
  }

  /// A transfer stalled, and the others have received nothing for long either.
  mutating func stalled(now: Instant) {
    if case .reachable = self { self = .suspected(Probe(dueAt: now)) }
  }

  /// A probe has a connection. That clears a suspicion only: an unreachable host must answer.
  mutating func connected() {
    if case .suspected = self { self = .reachable }
  }

  mutating func answered() {
    switch self {
    case .reachable: break
    case .dead, .suspected, .unreachable: self = .reachable
    }
  }

  /// An attempt got no connection, and no other transfer of the host is served.
  ///
  /// - Parameters:
  ///   - isProbe: what `started` returned for it. Other attempts belong to the failure that is counted already.
  ///   - random: in 0..<1, for the jitter of the backoff.
  mutating func failed(_ fault: TransferFault, isProbe: Bool, retries: Retries, now: Instant, random: Double)
    -> FailureOutcome
  {
    var failures = Failures(count: 1, since: now, fault: fault)
    switch self {
    case .dead: return .dead
    case .reachable: break
    case .suspected(let probe): guard isProbe else { return .probe(at: probe.dueAt) }
    case .unreachable(let before, let probe):
      guard isProbe else { return .probe(at: probe.dueAt) }
      failures = Failures(
        count: before.count + 1, since: before.since, deathCount: before.deathCount, fault: fault)
    }
    guard !retries.areUsedUp(failures: failures.count, since: failures.since, fault: fault, now: now) else {
      let span = min(Self.longestDeath, Self.firstDeath * (1 << min(failures.deathCount, 4)))
      failures.deathCount += 1
      self = .dead(Death(failures: failures, endsAt: now + span))
      return .dead
    }
    let dueAt = now + retries.backoff(failures: failures.count, random: random)
    self = .unreachable(failures, Probe(dueAt: dueAt))
    return .probe(at: dueAt)
  }
}
