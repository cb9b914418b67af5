/// The recent rate of bytes that somebody else counts.
struct RateMeter: Sendable {
  /// Bytes per second.
  private(set) var rate = 0.0
  /// All bytes at the last measurement.
  private(set) var counted: Int64 = 0

  /// - Parameters:
  ///   - total: all bytes so far.
  ///   - span: seconds since the last measurement, above 0.
  ///   - memory: seconds; a measurement of this length or more makes earlier ones forgotten.
  ///   - connections: at least one. The rate is that of one of them.
  mutating func measure(_ total: Int64, span: Double, memory: Double, connections: Int = 1) {
    let current = Double(total - counted) / span / Double(connections)
    counted = total
    rate += (current - rate) * min(1, span / memory)
  }

  /// Lets these bytes, and the time that they took, count for nothing.
  mutating func skip(to total: Int64) { counted = total }
}
