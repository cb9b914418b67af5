/// A host that the run has a use for, and the items that wait for it.
final class HostEntry {
  let origin: Origin
  var governor: HostGovernor
  /// What the user allows.
  var spacing: RequestSpacing
  /// Whether it has answered over HTTP/2 without a length, so that it is asked over HTTP/1.1, where chunks prove the end
  /// of a body.
  var isAskedOverHTTP1 = false
  /// Files of the run that ask this host first.
  var fileCount = 0
  /// Those of them that wait for a transfer, of this or another host.
  var queuedCount = 0
  /// No refusal is told before.
  private var refusalToldUntil = Instant(nanoseconds: .min)
  /// Items that wait for a transfer of this host.
  fileprivate(set) var queue = ItemQueue()

  init(origin: Origin, governor: HostGovernor, spacing: RequestSpacing = RequestSpacing()) {
    self.origin = origin
    self.governor = governor
    self.spacing = spacing
  }

  /// The host has answered that it takes no request now. That is told once for all items, not again before the pause that
  /// it asks for is over.
  func tellRefusal(_ fault: TransferFault, now: Instant, _ actions: inout [RunAction]) {
    guard now >= refusalToldUntil else { return }
    let pause = governor.pauseEnd(now: now).map { $0 - now }
    refusalToldUntil = now + max(pause ?? .zero, Self.refusalInterval)
    let isLong = (pause ?? .zero) >= Self.longPause
    actions.append(.notice(item: nil, isLong ? .note : .detail, .hostRefuses(origin, fault, pause: pause)))
  }

  private static let refusalInterval = Duration.seconds(30)
  /// A shorter one is over before somebody wonders.
  private static let longPause = Duration.seconds(5)

  /// An attempt got no connection, and no other transfer of the host is served.
  ///
  /// - Parameter isProbe: whether it was the probe.
  /// - Returns: when the next probe may start; nil where the host is given up.
  func unreached(
    _ fault: TransferFault, isProbe: Bool, retries: Retries, now: Instant, random: Double,
    _ actions: inout [RunAction]
  ) -> Instant? {
    let wasUnreachable = governor.isUnreachable
    let outcome = governor.unreached(fault: fault, isProbe: isProbe, retries: retries, now: now, random: random)
    guard case .probe(let at) = outcome else { return nil }
    // Once for the host, not for each of its items.
    if !wasUnreachable { actions.append(.notice(item: nil, .note, .hostUnreachable(origin, fault))) }
    return at
  }
}

/// The hosts of a run and their queues.
///
/// Idle hosts are forgotten, least recently used first, so that the table does not grow with the list. A host stays
/// while a later request must respect something that is known of it.
struct HostTable {
  private var entries: [Origin: HostEntry] = [:]
  /// The number of hosts at which idle ones are forgotten. It is twice the number that had to stay the last time, so
  /// that looking for idle hosts costs little.
  private var forgettingCount = HostTable.rememberedCount * 2
  private var maxConnectionsPerHost: Int
  private var rules: HostRules

  /// Idle hosts that are remembered.
  static let rememberedCount = 256

  init(maxConnectionsPerHost: Int, _ rules: HostRules = HostRules()) {
    self.maxConnectionsPerHost = maxConnectionsPerHost
    self.rules = rules
  }

  var count: Int { entries.count }
  var all: Dictionary<Origin, HostEntry>.Values { entries.values }

  subscript(origin: Origin) -> HostEntry? { entries[origin] }

  /// What decisions about a file depend on; defaults for a host that was never asked.
  func conditions(at origin: Origin) -> HostConditions { entries[origin]?.governor.conditions ?? HostConditions() }

  /// The host's entry; a host that is named for the first time gets a new one.
  mutating func entry(for origin: Origin, now: Instant) -> HostEntry {
    if let known = entries[origin] { return known }
    let settings = settings(of: origin)
    let entry = HostEntry(
      origin: origin, governor: HostGovernor(maximum: mostConnections(settings), now: now),
      spacing: RequestSpacing(rate: settings?.requestsPerSecond))
    if entries.count >= forgettingCount { forgetIdle(now: now) }
    entries[origin] = entry
    return entry
  }

  private func settings(of origin: Origin) -> HostSettings? { rules.isEmpty ? nil : rules.settings(for: origin.host) }

  private func mostConnections(_ settings: HostSettings?) -> Int { settings?.maxConnections ?? maxConnectionsPerHost }

  /// Changes the limits of hosts, also of those that are known.
  mutating func limit(maxConnectionsPerHost: Int, _ rules: HostRules, now: Instant) {
    (self.maxConnectionsPerHost, self.rules) = (maxConnectionsPerHost, rules)
    for entry in entries.values {
      let settings = settings(of: entry.origin)
      entry.governor.limit(to: mostConnections(settings), now: now)
      entry.spacing.rate = settings?.requestsPerSecond
    }
  }

  private mutating func forgetIdle(now: Instant) {
    let idle = entries.values.filter {
      $0.queue.isEmpty && $0.fileCount == 0 && $0.governor.isForgettable(now: now)
        && $0.spacing.earliestStart(now: now) == nil
    }.sorted { $0.governor.usedAt < $1.governor.usedAt }
    for host in idle.dropLast(Self.rememberedCount) { entries[host.origin] = nil }
    forgettingCount = max(Self.rememberedCount, entries.count) * 2
  }

  // MARK: Queues

  mutating func enqueue(_ item: ItemHandle, priority: Int = 0, at host: HostEntry) {
    host.queue.append(item, priority: priority)
  }

  /// Takes an item out of the queue, wherever it stands.
  mutating func remove(_ item: ItemHandle, from host: HostEntry) { host.queue.remove(item) }
}
