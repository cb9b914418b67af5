import DownloadCore

/// A limit on the rate of requests, as nginx's `limit_req` with `nodelay` keeps it.
struct SimulatedRateLimit {
  /// Requests per second.
  var rate: Double
  /// Requests that may come at once, besides one.
  var burst: Int
  var status = 429
  private(set) var refusedCount = 0
  private(set) var acceptedCount = 0
  private(set) var excess = 0.0
  private var acceptedAt: Instant?

  init(rate: Double, burst: Int, status: Int = 429) {
    self.rate = rate
    self.burst = burst
    self.status = status
  }

  /// A request arrives.
  mutating func refuses(now: Instant) -> Bool {
    let left = acceptedAt.map { max(0, excess - rate * (now - $0).inSeconds + 1) } ?? 0
    guard left <= Double(burst) + 1e-6 else {
      refusedCount += 1
      return true
    }
    acceptedCount += 1
    (excess, acceptedAt) = (left, now)
    return false
  }
}
