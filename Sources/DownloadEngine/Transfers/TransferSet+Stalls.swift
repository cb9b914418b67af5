internal import DownloadCore

/// Which transfers bring nothing.
extension TransferSet {
  /// Transfers that have brought nothing for longer than `limit` says for each, in the order they began in, and whether their
  /// connections are to be closed.
  ///
  /// A connection whose streams have all stalled is dead. They are given up together with it, before anything new is
  /// started: it would be sent on that connection again. A stream that has no answer yet is no sign of life, however
  /// young it is.
  mutating func stalled(
    for limit: (Transfer) -> Duration, now: Instant
  ) -> [(transfer: Transfer, closesConnection: Bool)] {
    forgiveLateness(now)
    let stalled = active.values.filter { $0.isStalled(for: limit($0), now: now) }
    guard !stalled.isEmpty else { return [] }
    let livePorts = active.values.filter { $0.exchange.head != nil && !$0.isStalled(for: limit($0) / 2, now: now) }
      .compactMap(\.exchange.localPort)
    let deadPorts = Set(stalled.compactMap(\.exchange.localPort)).subtracting(livePorts)
    return active.values
      .map { ($0, $0.exchange.localPort.map(deadPorts.contains) ?? false) }
      .filter { transfer, isDead in
        !transfer.hasEnded && (isDead || transfer.isStalled(for: limit(transfer), now: now))
      }
      .sorted { $0.0.id.number < $1.0.id.number }
  }

  /// A longer absence of the loop does not count as silence of the servers.
  private static let lateness: Duration = .milliseconds(500)

  private mutating func forgiveLateness(_ now: Instant) {
    let lateness = now - stallsCheckedAt
    stallsCheckedAt = now
    guard lateness > Self.lateness else { return }
    for transfer in active.values { transfer.exchange.lastActivity = transfer.exchange.lastActivity + lateness }
  }
}
