/// What a mirror brings while at least one of its connections delivers.
struct MirrorMeter: Sendable {
  /// Body bytes so far.
  private(set) var byteCount: Int64 = 0
  private var countedByteCount: Int64 = 0
  /// Bytes per second of all its connections, with about a quarter of a second of memory.
  private(set) var rate = 0.0
  /// Of one of them.
  private(set) var connectionRate = 0.0
  /// Seconds for which it was measured.
  private(set) var span = 0.0
  private(set) var roundTrip: Duration = .zero

  /// Whether it was measured for long enough to say something.
  var isTelling: Bool { span >= 0.04 }

  /// Whether what it says will not be much different in a moment.
  var isCertain: Bool { span >= 0.25 }

  mutating func received(_ count: Int64) { byteCount &+= count }

  /// - Parameters:
  ///   - connections: how many deliver; the time is not counted where none has.
  ///   - span: seconds since the last time.
  mutating func observed(connections: Int, roundTrip: Duration, span: Double) {
    self.roundTrip = roundTrip
    let current = Double(byteCount - countedByteCount) / span
    // A short range may have come and gone since the last time.
    let connections = max(connections, byteCount > countedByteCount ? 1 : 0)
    countedByteCount = byteCount
    guard connections > 0 else { return }
    self.span += span
    // The mean as long as there is less than the memory to take it of.
    let weight = span / max(min(0.25, self.span), span)
    rate += (current - rate) * weight
    connectionRate += (current / Double(connections) - connectionRate) * weight
  }
}
