/// Connections that are slower than their siblings: how they are told, replaced and raced.
extension FileMachine {
  /// From here on (a round trip) connections are opened together, not step by step.
  static let farRoundTrip: Duration = .milliseconds(10)
  /// A connection below this part of its siblings' median crawls.
  private static let crawlingPart = 0.125
  /// At most one byte in so many is received twice for the sake of speed.
  private static let duplicateDivisor: Int64 = 50

  /// Everything before this offset of a transfer's range has come in, recorded or still buffered.
  func front(of transfer: ActiveTransfer) -> Int64 {
    max(transfer.position, min(transfer.bodyStart + transfer.received, transfer.end))
  }

  /// It has had the time to show its speed: some round trips of slow start, and no less than a pause of a busy server.
  private func isMature(_ transfer: ActiveTransfer, now: Instant) -> Bool {
    transfer.stage == .receiving && now - transfer.answeredAt >= max(.milliseconds(60), roundTrip * 10)
  }

  /// Bytes per second, never zero: its own once it has shown it, else what is usual.
  func speed(of transfer: ActiveTransfer, now: Instant) -> Double {
    if isMature(transfer, now: now) { return max(transfer.speed, 1) }
    let age = (now - transfer.answeredAt).inSeconds
    // The first bytes come in one burst.
    let average = Double(transfer.received) / max(age, roundTrip.inSeconds, 0.001)
    return max(average, typicalSpeed(besides: transfer.id, now: now) ?? 1, 1)
  }

  /// Bytes that a transfer may bring until another connection has answered; in slow start that is more than all it has
  /// brought, for the rate doubles with each round trip.
  func lead(of transfer: ActiveTransfer, now: Instant) -> Double {
    let lead = speed(of: transfer, now: now) * roundTrip.inSeconds
    return isMature(transfer, now: now) ? lead * 3 : max(lead * 8, Double(transfer.received) * 3)
  }

  /// The median of the others that have shown theirs, else of those that have been.
  func typicalSpeed(besides id: TransferID, now: Instant) -> Double? {
    let speeds = active.filter { $0.id != id && $0.purpose == .content && isMature($0, now: now) }.map(\.speed).sorted()
    let median = speeds.isEmpty ? 0 : speeds[speeds.count / 2]
    let known = max(median, usualSpeed / (speeds.isEmpty ? 1 : 2))
    return known >= 1 ? known : hostSpeed >= 1 ? hostSpeed : nil
  }

  /// Measures each connection; the driver's ticks call it.
  mutating func measureSpeeds(now: Instant) {
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

  /// Ends crawling connections, so that new ones take over what they have yet to bring.
  ///
  /// Bounded, for a server that is slow to all newcomers would be asked without end.
  mutating func replaceLaggards(isETagReliable: Bool, now: Instant, _ actions: inout [RunAction]) {
    guard phase == .running, mayHurry, !sharesMirrors, isSplittable(isETagReliable: isETagReliable) else { return }
    for index in active.indices {
      let transfer = active[index]
      // Without ranges nobody could take over: all would begin again.
      guard transfer.purpose == .content, !mirrors[transfer.mirror].ignoresRanges, isMature(transfer, now: now),
        transfer.end != .max, let usual = typicalSpeed(besides: transfer.id, now: now),
        transfer.speed < usual * Self.crawlingPart
      else { continue }
      let left = Double(effectiveEnd(of: transfer) - front(of: transfer))
      guard left / max(transfer.speed, 1) > 3 * freshSeconds(for: left, speed: usual) else { continue }
      hurryCount += 1
      // The driver keeps what has come in beyond this, and tells it before the end.
      active[index].end = transfer.position
      actions.append(.setEnd(transfer.id, end: transfer.position))
    }
  }

  /// Slow connections are replaced and raced a few times for each of them, and now and then while the file grows.
  var mayHurry: Bool { !isSaturated && hurryCount < settings.maxConnections + Int(done.byteCount >> 22) }

  /// How long a new connection would take for so much.
  private func freshSeconds(for byteCount: Double, speed: Double) -> Double {
    0.05 + roundTrip.inSeconds * 4 + byteCount / max(speed, 1)
  }

  /// Bytes of a range that have come in meanwhile, recorded or still buffered.
  func overlap(of range: Range<Int64>, besides id: TransferID) -> Int64 {
    var here = done
    for other in active where other.id != id && other.stage == .receiving && other.purpose == .content {
      here.insert(other.position..<max(other.position, front(of: other)))
    }
    return (range.upperBound - range.lowerBound) - here.gaps(in: range).reduce(0) { $0 + $1.upperBound - $1.lowerBound }
  }

  /// Bytes that may yet be received twice.
  var duplicateBudget: Int64 { (completeLength ?? 0) / Self.duplicateDivisor - duplicateByteCount }

  /// All of the rest of a transfer that would take much longer for it than a second connection would. Until that one
  /// answers both are at work on it.
  func racedRange(now: Instant) -> Range<Int64>? {
    for transfer in active where transfer.purpose == .content && mayHurry {
      let front = front(of: transfer)
      let end = effectiveEnd(of: transfer)
      let isRaced = active.contains { $0.id != transfer.id && $0.bodyStart < end && $0.end > front }
      guard end > front, !isRaced, let usual = typicalSpeed(besides: transfer.id, now: now) else { continue }
      let left = Double(end - front)
      let fresh = freshSeconds(for: left, speed: usual)
      switch transfer.stage {
      case .receiving:
        guard isMature(transfer, now: now), left / max(transfer.speed, 1) > 2 * fresh,
          lead(of: transfer, now: now) < Double(duplicateBudget)
        else { continue }
      case .awaitingHead:
        guard case .range = transfer.asked, (now - transfer.startedAt).inSeconds > 1 + 10 * fresh else { continue }
      case .judged: continue
      }
      return front..<end
    }
    return nil
  }
}
