/// The transfers that occupy a host's connections.
///
/// A connection that was cut in the middle of an answer may count with the host for a moment longer: the next request
/// may reach another of the server's processes before this one notices the end.
struct ConnectionSlots: Sendable {
  enum Vacancy: Hashable, Sendable {
    case free
    /// A cut connection occupies the slot until this time.
    case closing(until: Instant)
    /// A slot becomes free when a transfer ends.
    case full
  }

  private(set) var active = 0
  /// When the host has noticed the end of each connection that was cut.
  private var cutUntil: [Instant] = []

  mutating func occupy() { active += 1 }

  /// - Parameter cutUntil: set where the host may count the connection until then.
  mutating func release(cutUntil end: Instant?, now: Instant) {
    active -= 1
    cutUntil.removeAll { $0 <= now }
    if let end { cutUntil.append(end) }
  }

  func vacancy(within limit: Int, now: Instant) -> Vacancy {
    guard active < limit else { return .full }
    let cut = cutUntil.filter { $0 > now }.sorted()
    guard active + cut.count >= limit else { return .free }
    return .closing(until: cut[active + cut.count - limit])
  }

  func isIdle(now: Instant) -> Bool { active == 0 && cutUntil.allSatisfy { $0 <= now } }
}
