internal import DownloadCore
internal import DownloadTransport

/// The active transfers, and what is to be done with them once libcurl's callbacks have returned.
struct TransferSet {
  private(set) var active: [TransferID: Transfer] = [:]
  private var starts: [TransferOrder] = []
  private var stops: [Exchange] = []
  /// Whether the end of some transfer was moved; the transfer may have passed it already.
  private var hasMovedEnds = false
  var stallsCheckedAt: Instant

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
}
