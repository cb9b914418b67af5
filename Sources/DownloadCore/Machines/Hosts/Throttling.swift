/// Whether a host has asked for no requests for a while, by a `Retry-After`.
enum Throttling: Sendable {
  case none
  /// No request is sent before this time.
  case throttled(until: Instant)

  /// Until when requests wait; nil where none has to.
  func end(now: Instant) -> Instant? {
    if case .throttled(let until) = self, now < until { until } else { nil }
  }

  /// - Returns: when requests may be sent again. A later time that the host asked for before stands.
  mutating func extend(to end: Instant) -> Instant {
    var until = end
    if case .throttled(let known) = self { until = max(known, end) }
    self = .throttled(until: until)
    return until
  }
}
