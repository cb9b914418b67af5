/// How fast one file's connections are, and what may be expected of a new one.
struct FileSpeeds: Sendable {
  /// Bytes per second of the whole file, measured by the driver's ticks.
  var rate: Double = 0
  /// Of the host it comes from; a segment should last many of them.
  var roundTrip: Duration = .zero
  /// What a connection of its host brings, bytes per second; 0 while unknown.
  var hostSpeed: Double = 0
  /// This program, or a limit of the user's, is what holds the rate down: no connection is slow of itself then.
  var isSaturated = false
  /// The median of its connections' speeds, bytes per second; 0 until two have shown theirs.
  private var usualSpeed: Double = 0
  private var measuredAt = Instant.zero

  /// Measures each connection.
  mutating func measure(_ active: inout [ActiveTransfer], now: Instant) {
    let span = (now - measuredAt).inSeconds
    measuredAt = now
    guard span > 0.001 else { return }
    let weight = min(1, span / max(0.1, roundTrip.inSeconds * 4))
    for index in active.indices where active[index].stage == .receiving {
      let current = Double(active[index].received - active[index].receivedAtTick) / span
      active[index].receivedAtTick = active[index].received
      active[index].speed += (current - active[index].speed) * weight
    }
    let speeds = active.filter { isMature($0, now: now) }.map(\.speed).sorted()
    // Those that are left last are the slow ones: what was usual is forgotten slowly.
    usualSpeed *= max(0, 1 - span / 10)
    if speeds.count > 1 { usualSpeed = max(usualSpeed, speeds[speeds.count / 2]) }
  }

  /// It has had the time to show its speed: some round trips of slow start, and no less than a pause of a busy server.
  func isMature(_ transfer: ActiveTransfer, now: Instant) -> Bool {
    transfer.stage == .receiving && now - transfer.answeredAt >= max(.milliseconds(60), roundTrip * 10)
  }

  /// Bytes per second, at least 1: the transfer's own once it has shown it, else what is usual.
  func speed(of transfer: ActiveTransfer, among active: [ActiveTransfer], now: Instant) -> Double {
    if isMature(transfer, now: now) { return max(transfer.speed, 1) }
    let age = (now - transfer.answeredAt).inSeconds
    // The first bytes come in one burst.
    let average = Double(transfer.received) / max(age, roundTrip.inSeconds, 0.001)
    return max(average, typicalSpeed(besides: transfer.id, among: active, now: now) ?? 1, 1)
  }

  /// Bytes per second, at least 1: recorded ones since the request, or of a young transfer what its mirror's connections
  /// bring.
  func speed(of transfer: ActiveTransfer, from mirror: MirrorMeter, now: Instant) -> Double {
    let age = (now - transfer.startedAt).inSeconds
    let average = Double(transfer.position - transfer.bodyStart) / max(age, 0.001)
    // The beginning of a transfer says less than its mirror's other ones.
    return max(age < 1 && mirror.isTelling ? mirror.connectionRate : average, 1)
  }

  /// The median of the others that have shown theirs, else of those that have been.
  func typicalSpeed(besides id: TransferID, among active: [ActiveTransfer], now: Instant) -> Double? {
    let speeds = active.filter { $0.id != id && $0.purpose == .content && isMature($0, now: now) }.map(\.speed).sorted()
    let median = speeds.isEmpty ? 0 : speeds[speeds.count / 2]
    let known = max(median, usualSpeed / (speeds.isEmpty ? 1 : 2))
    return known >= 1 ? known : hostSpeed >= 1 ? hostSpeed : nil
  }

  /// Bytes that a transfer may bring until another connection has answered; in slow start that is more than all it has
  /// brought, for the rate doubles with each round trip.
  func lead(of transfer: ActiveTransfer, among active: [ActiveTransfer], now: Instant) -> Double {
    let lead = speed(of: transfer, among: active, now: now) * roundTrip.inSeconds
    return isMature(transfer, now: now) ? lead * 3 : max(lead * 8, Double(transfer.received) * 3)
  }

  /// Seconds that a new connection would take for so many bytes.
  func freshSeconds(for byteCount: Double, speed: Double) -> Double {
    0.05 + roundTrip.inSeconds * 4 + byteCount / max(speed, 1)
  }
}
