internal import DownloadCore
internal import DownloadEngine

typealias OrderResult = Result<SessionOrder.Reply, DownloadError>
typealias OrderContinuation = CheckedContinuation<OrderResult, Never>

/// An order on its way to the store or to the engine.
struct PendingOrder: Sendable {
  var order: SessionOrder
  /// Nil if nobody waits for the answer any more; what it changes in the state counts all the same.
  var continuation: OrderContinuation?
  var deadline: Instant
}

/// The orders without an answer, by their numbers.
struct PendingOrders: Sendable {
  private var orders: [Int: PendingOrder] = [:]
  private var lastNumber = 0

  var isEmpty: Bool { orders.isEmpty }
  /// When the first answer is overdue; nil if none is to come.
  var deadline: Instant? { orders.values.lazy.map(\.deadline).min() }

  /// The number for another order.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// - Returns: whether it is the only one.
  mutating func insert(_ order: PendingOrder, _ number: Int) -> Bool {
    orders[number] = order
    return orders.count == 1
  }

  mutating func remove(_ number: Int) -> PendingOrder? { orders.removeValue(forKey: number) }

  mutating func removeAll() -> [PendingOrder] {
    defer { orders = [:] }
    return Array(orders.values)
  }

  /// The engine has obeyed an order.
  mutating func obeyed(
    _ number: Int, _ answers: [EngineAnswer], _ state: inout SessionState, _ moment: Moment,
    _ effects: inout StateEffects
  ) {
    orders[number]?.order.apply(answers, to: &state, moment, &effects)
  }

  /// Gives up the answers that are overdue.
  ///
  /// - Returns: those who wait for them.
  mutating func expire(_ now: Instant) -> [OrderContinuation] {
    var expired: [OrderContinuation] = []
    for (number, order) in orders where order.deadline <= now {
      orders[number]?.continuation = nil
      orders[number]?.deadline = .distantFuture
      if let continuation = order.continuation { expired.append(continuation) }
    }
    return expired
  }
}
