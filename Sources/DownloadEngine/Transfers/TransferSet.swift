internal import DownloadCore
internal import DownloadTransport

/// The active transfers, and what is to be done with them once libcurl's callbacks have returned.
struct TransferSet {
  private var active: [TransferID: Transfer] = [:]
  private var starts: [TransferOrder] = []
  private var stops: [Exchange] = []
  /// Whether the end of some transfer was moved; the transfer may have passed it already.
  private var hasMovedEnds = false
  private var stallsCheckedAt: Instant

  /// A longer absence of the loop does not count as silence of the servers.
  private static let lateness: Duration = .milliseconds(500)

  init(now: Instant) { stallsCheckedAt = now }

  subscript(id: TransferID) -> Transfer? { active[id] }

  /// In no order.
  var all: Dictionary<TransferID, Transfer>.Values { active.values }

  /// In the order they began in.
  func of(_ item: ActiveItem) -> [Transfer] {
    active.values.filter { $0.item === item }.sorted { $0.id.number < $1.id.number }
  }

  mutating func insert(_ transfer: Transfer) { active[transfer.id] = transfer }

  /// - Returns: false if it is no longer active.
  mutating func remove(_ id: TransferID) -> Bool { active.removeValue(forKey: id) != nil }

  mutating func removeAll() { active.removeAll() }

  // MARK: For later

  /// Starts a transfer as soon as no callback is on the stack.
  mutating func start(_ order: TransferOrder) { starts.append(order) }

  /// Cancels a start that has not been performed yet.
  mutating func cancelStart(_ id: TransferID) { starts.removeAll { $0.id == id } }

  /// Nothing of this transfer is stored from now on; its exchange ends as soon as it may.
  mutating func drop(_ transfer: Transfer) {
    transfer.isDead = true
    active[transfer.id] = nil
    stops.append(transfer.exchange)
  }

  mutating func setEnd(_ id: TransferID, _ end: Int64) {
    active[id]?.segment.setEnd(end)
    hasMovedEnds = true
  }

  /// Returns transfers that have passed an end that was moved: libcurl may never call them again.
  mutating func takePassed() -> [Transfer] {
    guard hasMovedEnds else { return [] }
    hasMovedEnds = false
    return active.values.filter { $0.segment.isCut && !$0.hasEnded }
  }

  mutating func takeStops() -> [Exchange] { Self.take(&stops) }

  mutating func takeStarts() -> [TransferOrder] { Self.take(&starts) }

  /// Costs nothing where there is nothing to take, which is the usual case of every round of the loop.
  private static func take<Element>(_ list: inout [Element]) -> [Element] {
    guard !list.isEmpty else { return [] }
    defer { list = [] }
    return list
  }

  // MARK: Stalls

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

  private mutating func forgiveLateness(_ now: Instant) {
    let lateness = now - stallsCheckedAt
    stallsCheckedAt = now
    guard lateness > Self.lateness else { return }
    for transfer in active.values { transfer.exchange.lastActivity = transfer.exchange.lastActivity + lateness }
  }
}
