/// What the file wants next: a first transfer, a further connection, a time to wait for, or nothing.
extension FileMachine {
  package enum Demand: Hashable, Sendable {
    case nothing
    case wait(until: Instant)
    /// A transfer to one of the mirrors; `isFurther` where others are at work already.
    case transfer(mirror: Int, isFurther: Bool)
  }

  package func origin(ofMirror index: Int) -> Origin { mirrors[index].location.origin }

  /// - Parameters:
  ///   - isETagReliable: what the governor of the current mirror's host knows.
  ///   - isOpen: whether the host of a mirror lets a further connection be opened now.
  package func demand(
    now: Instant, isETagReliable: Bool, isOpen: (_ mirror: Int) -> Bool = { _ in true }
  ) -> Demand {
    guard phase == .running, !awaitsPieces else { return .nothing }
    guard active.isEmpty else {
      guard active.count < settings.maxConnections, isSplittable(isETagReliable: isETagReliable),
        active.allSatisfy({ $0.purpose == .content }), let mirror = furtherMirror(now: now, isOpen: isOpen)
      else { return .nothing }
      return .transfer(mirror: mirror, isFurther: true)
    }
    if let mirror = readyMirror(now: now) { return .transfer(mirror: mirror, isFurther: false) }
    let next = candidates.map { mirrors[$0].notBefore }.min()
    return next.map { .wait(until: $0) } ?? .nothing
  }

  /// The current mirror if it may be asked now, else the next that may.
  func readyMirror(now: Instant) -> Int? {
    candidates.first { mirrors[$0].notBefore <= now && isOfUse($0, now: now) }
  }

  /// Mirrors that may be asked at all, the current one first; replacements only where there are no others.
  var candidates: [Int] {
    let left = mirrors.indices.map { (currentMirror + $0) % mirrors.count }.filter { mirrors[$0].expelledBy == nil }
    let agreeing = left.filter { !mirrors[$0].isReplacement }
    if agreeing.isEmpty { return left }
    // After a mismatch one mirror brings all, so that the next one tells whose fault it was.
    if !mixesMirrors, let sole = agreeing.first(where: { mirrors[$0].contribution > 0 }) { return [sole] }
    let swift = agreeing.filter { !mirrors[$0].isLaggard }
    return swift.isEmpty ? agreeing : swift
  }

  /// Whether the content can go on from another mirror than this one.
  func hasOtherSource(than mirror: Int) -> Bool {
    mirrors.indices.contains {
      $0 != mirror && mirrors[$0].expelledBy == nil && !mirrors[$0].isReplacement && mirrors[$0].validators != nil
    }
  }

  /// Makes the transfer that `demand` spoke of.
  package mutating func order(
    id: TransferID, mirror: Int, isFurther: Bool, now: Instant, isETagReliable: Bool
  ) -> TransferOrder {
    if !isFurther { currentMirror = mirror }
    let asked = nextContent(
      mirror: mirror, now: now, isETagReliable: isETagReliable, isFurther: isFurther)
    let isConfirmation = needsConfirmation
    var order = TransferOrder(
      id: id, item: item, mirror: mirror, location: mirrors[mirror].location, asked: isConfirmation ? .whole : asked,
      purpose: isConfirmation ? .confirmation : .content, ifModifiedSince: nil,
      isSegment: isFurther || !done.isEmpty)
    if case .ifModifiedSince(let time) = beginning, representation == nil { order.ifModifiedSince = time }
    let end: Int64 =
      switch order.asked {
      case .range(let range): range.upperBound
      case .whole, .from: completeLength ?? .max
      }
    active.append(
      ActiveTransfer(
        id: id, mirror: mirror, location: order.location, asked: order.asked, purpose: order.purpose, startedAt: now,
        position: order.asked.start, end: end, bodyStart: order.asked.start))
    return order
  }

  /// The first content is there, but only a second fetch can tell whether it is whole.
  var needsConfirmation: Bool {
    isCloseDelimited && !isConfirmed && !digestWillJudge && !settings.allowsUnconfirmed && isWhole
  }

  /// A range where one can be confirmed, else all: whether recorded bytes can be kept, the answer decides.
  private func nextContent(
    mirror: Int, now: Instant, isETagReliable: Bool, isFurther: Bool
  ) -> AskedContent {
    guard let representation, !done.isEmpty || isFurther, !mirrors[mirror].ignoresRanges,
      isResumable(isETagReliable: isETagReliable)
    else { return .whole }
    if let range = nextRange(now: now, mirror: mirror) { return .range(range) }
    return representation.completeLength == nil ? .from(done.contiguousEnd) : .whole
  }

  /// The next range that nobody has asked for, or half of what another connection has yet to bring.
  func nextRange(now: Instant, mirror: Int) -> Range<Int64>? {
    guard let length = completeLength else { return nil }
    var taken = done
    for transfer in active where transfer.purpose == .content {
      taken.insert(transfer.position..<max(transfer.position, effectiveEnd(of: transfer)))
    }
    let horizon = done.contiguousEnd + settings.window
    if let gap = firstGap(of: taken.gaps(in: 0..<length), for: mirror, now: now),
      gap.lowerBound < horizon || active.isEmpty
    {
      if pieces?.trouble(at: gap.lowerBound) != nil { return gap }
      if sharesMirrors, !active.isEmpty { return share(of: gap, for: mirror) }
      guard climber.target > 1 else { return gap }
      return gap.lowerBound..<min(gap.upperBound, gap.lowerBound + chunkSize(of: length - gap.lowerBound))
    }
    return sharesMirrors ? stolenShare(for: mirror, now: now) : stolenRange(now: now)
  }

  /// Where a transfer's share ends: at its end, or where another active one begins before that.
  func effectiveEnd(of transfer: ActiveTransfer) -> Int64 {
    var end = min(transfer.end, completeLength ?? .max)
    for other in active where other.id != transfer.id && other.purpose == .content {
      if other.bodyStart > transfer.position, other.bodyStart < end { end = other.bodyStart }
    }
    return end
  }

  /// Half of the rest of the transfer that would take longest; of a long rest only the chunk after the next, so that
  /// the front is filled first.
  private func stolenRange(now: Instant) -> Range<Int64>? {
    var best: (range: Range<Int64>, seconds: Double)?
    let least = min(Self.leastStolenByteCount, settings.minSplitSize)
    // A second connection has to be made first; further ones are kept.
    let worthwhile = max(active.count == 1 ? 0.15 : 0.04, roundTrip.inSeconds * 6)
    for transfer in active where transfer.stage == .receiving && transfer.purpose == .content {
      let end = effectiveEnd(of: transfer)
      let left = end - transfer.position
      guard left >= 2 * least else { continue }
      let age = (now - transfer.startedAt).inSeconds
      let speed = max(Double(transfer.position - transfer.bodyStart) / max(age, 0.001), 1)
      let seconds = Double(left) / speed
      guard seconds > worthwhile, seconds > best?.seconds ?? 0 else { continue }
      let chunk = chunkSize(of: left)
      let split = transfer.position + min(chunk, left / 2)
      best = (left > 2 * chunk ? split..<(split + chunk) : split..<end, seconds)
    }
    return best?.range
  }

  /// A range long enough to be worth its round trip, of what nobody has asked for yet: about a second of one
  /// connection's share, and less towards the end, so that all connections come to it together.
  private func chunkSize(of left: Int64) -> Int64 {
    let share = rate / Double(max(1, active.filter { $0.stage == .receiving }.count, climber.target / 2))
    let lasting = Int64(min(max(share, 0) * roundTrip.inSeconds * 20, 1e12))
    let wanted = min(Int64(min(max(share, 0), 1e12)), left / Int64(2 * climber.target))
    let even = max(Self.leastStolenByteCount, left / Int64(2 * climber.target))
    let least = max(min(settings.minSplitSize, even), lasting)
    let most = max(least, settings.window / Int64(2 * climber.target))
    return max(min(max(wanted, least), most) & ~0xffff, 64 << 10)
  }

  /// The driver's measurement, some 20 to 50 times a second.
  ///
  /// - Parameter roundTrip: of the mirror that is asked first.
  package mutating func observed(rate: Double, roundTrip: Duration) {
    self.rate = rate
    self.roundTrip = roundTrip
  }
}
