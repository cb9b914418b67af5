/// The speeds of one file's connections and the expected speed of a new one.
struct FileSpeeds: Sendable {
  /// Bytes per second of the whole file, measured at ticks.
  var rate: Double = 0
  /// The round trip of the host. A segment should last many of them.
  var roundTrip: Duration = .zero
  /// Bytes per second of one connection of the host; 0 while unknown.
  var hostSpeed: Double = 0
  /// Whether this program or a rate limit determines the rate, so that no connection counts as slow.
  var isSaturated = false
  /// The median speed of the connections, bytes per second; 0 until two are known.
  private var usualSpeed: Double = 0
  private var measuredAt = Instant.zero

  /// Measures each connection.
  mutating func measure(_ active: inout [ActiveTransfer], now: Instant) {
    let span = (now - measuredAt).inSeconds
    measuredAt = now
    guard span > 0.001 else { return }
    let memory = max(0.1, roundTrip.inSeconds * 4)
    for index in active.indices where active[index].stage == .receiving {
      active[index].meter.measure(active[index].received, span: span, memory: memory)
    }
    let speeds = active.filter { isMature($0, now: now) }.map(\.speed).sorted()
    // The last connections are the slow ones, so the median decays slowly.
    usualSpeed *= max(0, 1 - span / 10)
    if speeds.count > 1 { usualSpeed = max(usualSpeed, speeds[speeds.count / 2]) }
  }

  /// Whether the speed is known: after some round trips of slow start, and at least the pause of a busy server.
  func isMature(_ transfer: ActiveTransfer, now: Instant) -> Bool {
    transfer.stage == .receiving && now - transfer.answeredAt >= max(.milliseconds(60), roundTrip * 10)
  }

  /// Bytes per second, at least 1: the transfer's own speed if known, otherwise the usual one.
  func speed(of transfer: ActiveTransfer, among active: [ActiveTransfer], now: Instant) -> Double {
    if isMature(transfer, now: now) { return max(transfer.speed, 1) }
    let age = (now - transfer.answeredAt).inSeconds
    // The first bytes arrive in one burst.
    let average = Double(transfer.received) / max(age, roundTrip.inSeconds, 0.001)
    return max(average, typicalSpeed(besides: transfer.id, among: active, now: now) ?? 1, 1)
  }

  /// Bytes per second, at least 1: received bytes since the request, or the speed of the mirror's connections for a new
  /// transfer.
  func speed(of transfer: ActiveTransfer, from mirror: MirrorMeter, now: Instant) -> Double {
    let age = (now - transfer.startedAt).inSeconds
    let average = Double(transfer.front - transfer.bodyStart) / max(age, 0.001)
    // The start of a transfer is less significant than its mirror's other transfers.
    return max(age < 1 && mirror.isTelling ? mirror.connectionRate : average, 1)
  }

  /// The median of the other known speeds, otherwise that of earlier connections.
  func typicalSpeed(besides id: TransferID, among active: [ActiveTransfer], now: Instant) -> Double? {
    let speeds = active.filter { $0.id != id && $0.purpose == .content && isMature($0, now: now) }.map(\.speed).sorted()
    let median = speeds.isEmpty ? 0 : speeds[speeds.count / 2]
    let known = max(median, usualSpeed / (speeds.isEmpty ? 1 : 2))
    return known >= 1 ? known : hostSpeed >= 1 ? hostSpeed : nil
  }

  /// Bytes that a transfer may deliver before another connection has answered. In slow start that is more than all it
  /// has delivered, because the rate doubles with each round trip.
  func lead(of transfer: ActiveTransfer, among active: [ActiveTransfer], now: Instant) -> Double {
    let lead = speed(of: transfer, among: active, now: now) * roundTrip.inSeconds
    return isMature(transfer, now: now) ? lead * 3 : max(lead * 8, Double(transfer.received) * 3)
  }

  /// Seconds that a new connection needs for this many bytes.
  func freshSeconds(for byteCount: Double, speed: Double) -> Double {
    0.05 + roundTrip.inSeconds * 4 + byteCount / max(speed, 1)
  }
}
