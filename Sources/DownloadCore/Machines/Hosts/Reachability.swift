/// Whether a host can be reached, as far as the latest attempts tell.
///
/// reachable ──all transfers stall──► suspected ──a connection, or any answer──► reachable
///     │                                  └──no connection───┐
///     └──no connection──► unreachable(failures) ◄───────────┘
///                           │  │  ▲──the probe fails──┐
///                           │  └──┴───────────────────┘
///                           ├──any answer──► reachable
///                           └──failures = tries──► dead ──a while later, a request──► unreachable
///
/// While a host is suspected or unreachable, a single probe per backoff step stands in for all its items.
package enum Reachability: Sendable {
  case reachable
  /// All transfers stalled at once: the probe finds out whether there still is a way to the host.
  case suspected(Probe)
  /// This many attempts in a row got no connection; those that were active together count as one.
  case unreachable(failures: Int, Probe)
  /// Requests fail at once.
  case dead(Death)

  package struct Probe: Hashable, Sendable {
    /// No probe starts before this time.
    package var dueAt: Instant
    package var isActive = false
  }

  /// What a host was given up for. A later request, if there is one, tries it again with a single probe.
  package struct Death: Hashable, Sendable {
    package var fault: TransferFault
    package var failures: Int
    package var endsAt: Instant
  }

  /// Attempts for a name that the resolver does not know: it is mistyped more often than just made.
  private static let unknownHostTries = 2
  /// How long a host is dead the first time; twice as long after each probe that fails, up to the limit.
  private static let firstDeath: Duration = .seconds(60)
  private static let longestDeath: Duration = .seconds(960)

  package enum Verdict: Hashable, Sendable {
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
      self = .unreachable(failures: death.failures, Probe(dueAt: death.endsAt, isActive: true))
    case .suspected(let probe): self = .suspected(Probe(dueAt: probe.dueAt, isActive: true))
    case .unreachable(let failures, let probe):
      self = .unreachable(failures: failures, Probe(dueAt: probe.dueAt, isActive: true))
    }
    return true
  }

  /// The probe is over, whatever it found; another one may start.
  mutating func probeEnded() {
    switch self {
    case .reachable, .dead: break
    case .suspected(let probe): self = .suspected(Probe(dueAt: probe.dueAt))
    case .unreachable(let failures, let probe): self = .unreachable(failures: failures, Probe(dueAt: probe.dueAt))
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
  mutating func failed(_ fault: TransferFault, isProbe: Bool, retries: Retries, now: Instant, random: Double) -> Verdict
  {
    let failures: Int
    switch self {
    case .dead: return .dead
    case .reachable: failures = 1
    case .suspected(let probe):
      guard isProbe else { return .probe(at: probe.dueAt) }
      failures = 1
    case .unreachable(let before, let probe):
      guard isProbe else { return .probe(at: probe.dueAt) }
      failures = before + 1
    }
    let tries = fault.isUnknownHost ? min(retries.tries, Self.unknownHostTries) : retries.tries
    guard failures < tries else {
      let span = min(Self.longestDeath, Self.firstDeath * (1 << min(failures - tries, 4)))
      self = .dead(Death(fault: fault, failures: failures, endsAt: now + span))
      return .dead
    }
    let dueAt = now + retries.backoff(failures: failures, random: random)
    self = .unreachable(failures: failures, Probe(dueAt: dueAt))
    return .probe(at: dueAt)
  }
}
