/// The rate of a mirror while at least one of its connections delivers.
struct MirrorMeter: Sendable {
  /// Received body bytes.
  private(set) var byteCount: Int64 = 0
  private var all = RateMeter()
  private var one = RateMeter()
  /// Seconds for which it was measured.
  private(set) var span = 0.0
  private(set) var roundTrip: Duration = .zero

  /// Bytes per second of all its connections, with about a quarter of a second of memory.
  var rate: Double { all.rate }
  /// Bytes per second of one connection.
  var connectionRate: Double { one.rate }

  /// Whether it was measured for long enough to be significant.
  var isTelling: Bool { span >= 0.04 }

  /// Whether it was measured for longer than a server's start takes.
  var isPastStart: Bool { span >= 3 }

  /// Whether the measurement is stable.
  var isCertain: Bool { span >= 0.25 }

  mutating func received(_ count: Int64) { byteCount &+= count }

  /// - Parameters:
  ///   - connections: the number of connections that deliver; without any the time does not count.
  ///   - span: seconds since the last call.
  mutating func observed(connections: Int, roundTrip: Duration, span: Double) {
    self.roundTrip = roundTrip
    // A short range may have started and ended since the last call.
    let connections = max(connections, byteCount > all.counted ? 1 : 0)
    guard connections > 0 else { return }
    self.span += span
    // The mean while the measured time is shorter than the memory.
    let memory = min(0.25, self.span)
    all.measure(byteCount, span: span, memory: memory)
    one.measure(byteCount, span: span, memory: memory, connections: connections)
  }
}
