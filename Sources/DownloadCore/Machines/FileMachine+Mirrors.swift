/// Several mirrors of one file at once: which is asked next, and for how much.
///
/// Each mirror has a meter, which tells what one of its connections brings, and a climber, which tells how many of them
/// pay. A range lasts as long on a slow mirror as on a fast one and is shorter towards the end, so that all come to it
/// together; whoever has nothing left to ask for takes its share of the longest rest.
extension FileMachine {
  /// More of them wait as replacements.
  static let mostPartners = 5
  /// Body bytes came in from a mirror, recorded or still buffered.
  mutating func received(_ byteCount: Int64, from mirror: Int) { mirrors[mirror].meter.received(byteCount) }

  /// The driver's measurement, some 20 to 50 times a second.
  mutating func observed(mirror: Int, roundTrip: Duration, span: Double, isSaturated: Bool, now: Instant) {
    let receiving = active.reduce(0) { $0 + ($1.mirror == mirror && $1.stage == .receiving ? 1 : 0) }
    mirrors[mirror].meter.observed(connections: receiving, roundTrip: roundTrip, span: span)
    guard receiving > 0 else { return }
    mirrors[mirror].climber.observed(
      work: mirrors[mirror].meter.byteCount, active: receiving, roundTrip: roundTrip, isSaturated: isSaturated,
      now: now)
  }

  // MARK: Who is asked

  /// Mirrors whose bytes may stand side by side as far as is known, those that have shown it first.
  var partners: [Int] {
    guard mixesMirrors, mirrors.count > 1 else { return Array(candidates.prefix(1)) }
    let able = candidates.filter { !mirrors[$0].ignoresRanges }
    let sources = able.filter { mirrors[$0].validators != nil }
    return Array((sources + able.filter { mirrors[$0].validators == nil }).prefix(Self.mostPartners))
  }

  /// Whether ranges are to be divided among mirrors.
  var sharesMirrors: Bool { mirrors.count > 1 && partners.count > 1 }

  /// The mirror of the next further connection: one that has none before those that bring most.
  func furtherMirror(now: Instant, isOpen: (_ mirror: Int) -> Bool) -> Int? {
    if mirrors.count == 1, active.count >= climber.target { return nil }
    var counts = [Int](repeating: 0, count: mirrors.count)
    for transfer in active { counts[transfer.mirror] += 1 }
    let ready = partners.filter {
      mirrors[$0].notBefore <= now && !mirrors[$0].ignoresRanges && bearsFurtherRange($0)
    }
    let idleCount = ready.reduce(0) { $0 + (counts[$1] == 0 ? 1 : 0) }
    let order = ready.sorted {
      let (isIdle, isOtherIdle) = (counts[$0] == 0, counts[$1] == 0)
      if isIdle != isOtherIdle { return isIdle }
      return !isIdle && mirrors[$0].meter.connectionRate > mirrors[$1].meter.connectionRate
    }
    return order.first { mirror in
      let isRoom = counts[mirror] == 0 || active.count + idleCount < settings.maxConnections
      return counts[mirror] < mirrors[mirror].climber.target && isRoom
        // One finds the way through the redirects; the others follow.
        && (mirrors[mirror].isSettled
          || !active.contains { $0.mirror == mirror && $0.stage != .receiving })
        && isOpen(mirror) && nextRange(now: now, mirror: mirror) != nil
    }
  }

  /// Of those that the content is from, another one was named before it.
  func isJunior(_ mirror: Int) -> Bool {
    mirrors.indices.prefix(mirror).contains {
      mirrors[$0].validators != nil && mirrors[$0].expelledBy == nil && !mirrors[$0].isReplacement
    }
  }

  /// Whether its version, which is another one than the content's, is the wanted one because it was named first.
  func decides(_ mirror: Int, _ reason: ResponseJudge.ChangeReason) -> Bool {
    // Only a length tells for sure; tags of equal files may well differ between mirrors.
    guard case .length = reason, !isJudged, expectedLength == nil, restartCount < Self.restartLimit else {
      return false
    }
    return !mirrors.indices.prefix(mirror).contains { mirrors[$0].expelledBy == nil }
  }

  // MARK: For how much

  /// Bytes per second that a connection to this mirror brings; of one that was never measured what the others' do, and
  /// zero where nothing is known.
  private func expectedRate(of mirror: Int) -> Double {
    if mirrors[mirror].meter.isTelling { return mirrors[mirror].meter.connectionRate }
    let known = mirrors.filter(\.meter.isTelling)
    return known.isEmpty ? 0 : known.reduce(0) { $0 + $1.meter.connectionRate } / Double(known.count)
  }

  /// What a connection brings in this time; of a mirror that was never measured not much is risked.
  private func amount(of mirror: Int, seconds: Double) -> Int64 {
    let amount = Int64(min(expectedRate(of: mirror) * seconds, 1e15))
    return mirrors[mirror].meter.isTelling ? amount : min(amount, settings.minSplitSize)
  }

  /// The front of what nobody has asked for: about a second's work of the mirror, and towards the end half of what it
  /// can bring until all is there. Nil where that is not worth a request.
  func share(of gap: Range<Int64>, for mirror: Int) -> Range<Int64>? {
    guard let completeLength else { return nil }
    let all = active.reduce(expectedRate(of: mirror)) { $0 + expectedRate(of: $1.mirror) }
    let secondsLeft = Double(completeLength - done.byteCount) / max(all, 1)
    let isOfUse = amount(of: mirror, seconds: secondsLeft) >= min(Self.leastShare, gap.upperBound - gap.lowerBound)
    guard isOfUse || !mirrors[mirror].meter.isCertain else { return nil }
    let lasting = min(mirrors[mirror].meter.roundTrip.inSeconds * 20, secondsLeft)
    let wanted = amount(of: mirror, seconds: max(min(Self.shareSeconds, secondsLeft / 2), lasting))
    let most = max(settings.window / Int64(2 * (active.count + 1)), Self.leastShare)
    let size = max(min(wanted, most) & ~0xffff, Self.leastShare)
    return gap.lowerBound..<min(gap.upperBound, gap.lowerBound + size)
  }

  /// Of the rest that would take longest so much that both come to its end together; of a long rest only a second's
  /// work behind the other's next second, so that the front is filled first; and of one that is too short to be divided
  /// all.
  func stolenShare(for mirror: Int, now: Instant) -> Range<Int64>? {
    let own = expectedRate(of: mirror)
    guard own > 0 else { return nil }
    let isConnected = mirrors[mirror].meter.byteCount > 0
    // A connection has to be made first.
    let worthwhile = max(isConnected ? 0.04 : 0.15, mirrors[mirror].meter.roundTrip.inSeconds * 6)
    var best: (range: Range<Int64>, seconds: Double)?
    for transfer in active where transfer.stage == .receiving && transfer.purpose == .content {
      // Who brings a wrong piece again was chosen with care.
      guard pieces?.trouble(at: transfer.position) == nil else { continue }
      let (front, end) = (front(of: transfer), effectiveEnd(of: transfer))
      let left = end - front
      let speed = pace(of: transfer, now: now)
      let (alone, together) = (Double(left) / speed, Double(left) / (speed + own))
      guard left > 0, alone - together > worthwhile, alone > best?.seconds ?? 0 else { continue }
      let kept = Int64(speed * min(together, Self.shareSeconds))
      if left < 2 * Self.leastShare || kept < Self.leastShare {
        let isPending = active.contains {
          $0.stage == .awaitingHead && $0.bodyStart <= front && $0.end >= end
        }
        let isRisky = lead(of: transfer, now: now) >= Double(duplicateBudget)
        guard mayHurry, !isPending, !isRisky, alone - Double(left) / own > worthwhile else { continue }
        best = (front..<end, alone)
        continue
      }
      let split = front + min(kept, left - Self.leastShare)
      let share = max(amount(of: mirror, seconds: min(together, Self.shareSeconds)), Self.leastShare)
      best = (split..<(together > Self.shareSeconds ? min(end, split + share) : end), alone)
    }
    return best?.range
  }

  /// Bytes per second, at least 1.
  private func pace(of transfer: ActiveTransfer, now: Instant) -> Double {
    let age = (now - transfer.startedAt).inSeconds
    let average = Double(transfer.position - transfer.bodyStart) / max(age, 0.001)
    // The beginning of a transfer says less than its mirror's other ones.
    let meter = mirrors[transfer.mirror].meter
    return max(age < 1 && meter.isTelling ? meter.connectionRate : average, 1)
  }

  /// No smaller range is worth its request.
  private static let leastShare: Int64 = 64 << 10
  private static let shareSeconds = 1.0

  // MARK: Laggards

  /// Leaves mirrors that bring next to nothing beside another one for seconds: what they were asked for waits for them.
  mutating func leaveLaggards(now: Instant, _ actions: inout [RunAction]) {
    guard sharesMirrors, !isWhole, active.allSatisfy({ $0.purpose == .content }) else { return }
    for mirror in partners where isLagging(mirror, now: now) {
      guard candidates.count > 1 else { return }
      mirrors[mirror].isLaggard = true
      for transfer in active where transfer.mirror == mirror { actions.append(.stop(transfer.id)) }
      active.removeAll { $0.mirror == mirror }
      if currentMirror == mirror { currentMirror = candidates.first ?? mirror }
      actions.append(
        .notice(item: item, .note, "leaving \(mirrors[mirror].original.redacted): far slower than another mirror"))
    }
  }

  private func isLagging(_ mirror: Int, now: Instant) -> Bool {
    let own = active.filter { $0.mirror == mirror }
    guard !own.isEmpty else { return false }
    let others = partners.filter { $0 != mirror && mirrors[$0].meter.span >= 1 && mirrors[$0].notBefore <= now }
    let best = others.map { mirrors[$0].meter.rate }.max()
    guard let best, best > 0 else { return false }
    let meter = mirrors[mirror].meter
    if own.allSatisfy({ $0.stage == .awaitingHead }) {
      let patience = max(.seconds(5), meter.roundTrip * 20)
      return own.allSatisfy { now - $0.startedAt > patience }
    }
    return meter.span >= 3 && meter.rate < best * Self.worthwhileShare
  }

  /// Of what the best mirror brings.
  private static let worthwhileShare = 0.02
}

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
