/// Whether this machine has a network, and which faults its last loss explains.
package struct NetworkState: Sendable {
  /// Whether the network is lost, so that only this machine can be reached.
  package private(set) var isOffline = false
  /// When it was there again after the last loss.
  private var returnedAt = Instant.zero

  mutating func lost() { isOffline = true }

  /// There is a network, be it the former one or another one.
  mutating func changed(now: Instant) {
    if isOffline { returnedAt = now }
    isOffline = false
  }

  func mayReach(_ host: Origin) -> Bool { !isOffline || host.isLoopback }

  /// When a request is sent again that failed because the network was lost; nil if that does not explain the fault.
  ///
  /// - Parameter startedAt: when its transfer started.
  func retryTime(after fault: TransferFault, of host: Origin, startedAt: Instant, now: Instant) -> Instant? {
    guard !host.isLoopback, fault.isOutage || fault.isUnknownHost else { return nil }
    if isOffline { return .distantFuture }
    // A transfer that was under way when the network was lost may end after its return.
    return startedAt < returnedAt && !fault.isRefusal ? now : nil
  }
}
