/// Spaces the requests of a run, or those to a host, evenly if the user limits how many start in a second.
struct RequestSpacing: Sendable {
  /// Requests a second; nil is unlimited.
  var rate: Double?
  private var next = Instant.zero

  init(rate: Double? = nil) { self.rate = rate }

  /// When the next request may start; nil for at once.
  func earliestStart(now: Instant) -> Instant? { rate != nil && now < next ? next : nil }

  mutating func started(now: Instant) {
    guard let rate, rate > 0 else { return }
    next = max(next, now) + .seconds(1 / rate)
  }
}
