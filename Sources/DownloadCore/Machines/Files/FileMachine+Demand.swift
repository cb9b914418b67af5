/// The next demand of the file: a first transfer, a further one, a time to wait for, or nothing.
extension FileMachine {
  package enum Demand: Hashable, Sendable {
    case nothing
    case wait(until: Instant)
    /// A transfer from this mirror; no transfer is active.
    case first(mirror: Int)
    /// A further transfer beside active ones.
    case further(FurtherTransfer)
  }

  /// A mirror and a segment.
  package struct FurtherTransfer: Hashable, Sendable {
    package let mirror: Int
    let segment: RangePlanner.Segment
  }

  package func origin(ofMirror index: Int) -> Origin { mirrors[index].location.origin }

  /// - Parameters:
  ///   - host: conditions of the current mirror's host.
  ///   - isOpen: whether the host of a mirror allows a further connection now.
  package func demand(
    now: Instant, host: HostConditions, isOpen: (_ mirror: Int) -> Bool = { _ in true }
  ) -> Demand {
    guard phase == .running, !awaitsPieces else { return .nothing }
    guard active.isEmpty else {
      guard active.count < settings.maxConnections, isSplittable(on: host),
        active.allSatisfy({ $0.purpose == .content }), let further = further(now: now, isOpen: isOpen)
      else { return .nothing }
      return .further(further)
    }
    let useful = usefulMirrors
    if let mirror = useful.first(where: { isReady($0, now: now) }) { return .first(mirror: mirror) }
    // All of them are in the future.
    let next = useful.map { mirrors[$0].attempts.notBefore }.min()
    return next.map { .wait(until: $0) } ?? .nothing
  }

  /// The current mirror if a request to it is allowed now, otherwise the next such mirror.
  func readyMirror(now: Instant) -> Int? { usefulMirrors.first { isReady($0, now: now) } }

  private func isReady(_ mirror: Int, now: Instant) -> Bool { mirrors[mirror].attempts.notBefore <= now }

  /// The mirrors to ask next, now or after a wait: those that may fill a gap, slow ones only if there are no others.
  private var usefulMirrors: [Int] {
    // Most files have one mirror, for which a list of candidates is a waste.
    if mirrors.count == 1 { return mirrors[0].isLeft ? [0] : [] }
    let candidates = mirrors.candidates(for: version)
    let useful = candidates.filter { segments.hasWork(for: $0, of: mirrors, version) }
    if !useful.isEmpty { return useful }
    return mirrors.candidates(for: version, includesLaggards: true)
      .filter { segments.hasWork(for: $0, of: mirrors, version) }
  }

  /// A further transfer, from a mirror without transfers or else from the fastest one.
  private func further(now: Instant, isOpen: (_ mirror: Int) -> Bool) -> FurtherTransfer? {
    if mirrors.count == 1, active.count >= mirrors[0].probe.target { return nil }
    var counts = [Int](repeating: 0, count: mirrors.count)
    for transfer in active { counts[transfer.mirror] += 1 }
    let ready = mirrors.partners(for: version).filter { mirror in
      mirrors[mirror].attempts.notBefore <= now && !mirrors[mirror].ranges.isAvoided
        && mirrors[mirror].ranges.bearsAnother(tries: settings.tries, lastStart: segments.lastStart(of: mirror))
    }
    let idleCount = ready.reduce(0) { $0 + (counts[$1] == 0 ? 1 : 0) }
    let order = ready.sorted {
      let (isIdle, isOtherIdle) = (counts[$0] == 0, counts[$1] == 0)
      if isIdle != isOtherIdle { return isIdle }
      return !isIdle && mirrors[$0].meter.connectionRate > mirrors[$1].meter.connectionRate
    }
    for mirror in order {
      let isRoom = counts[mirror] == 0 || active.count + idleCount < settings.maxConnections
      guard counts[mirror] < mirrors[mirror].probe.target, isRoom,
        // The first transfer resolves the redirects for the others.
        mirrors[mirror].redirects.locationHasServed
          || !active.contains(where: { $0.mirror == mirror && $0.stage != .receiving }),
        isOpen(mirror), let segment = next(for: mirror, now: now)
      else { continue }
      return FurtherTransfer(mirror: mirror, segment: segment)
    }
    return nil
  }

  private func next(for mirror: Int, now: Instant) -> RangePlanner.Segment? {
    RangePlanner.Context(mirror, of: mirrors, version, now: now).flatMap { segments.next($0) }
  }

  /// Starts the first transfer that `demand` returned.
  ///
  /// - Parameter host: conditions of the mirror's host.
  package mutating func orderFirst(
    id: TransferID, mirror: Int, host: HostConditions, now: Instant
  ) -> TransferOrder {
    assert(active.isEmpty, "a first transfer beside others")
    mirrors.choose(mirror)
    if needsConfirmation { return order(id, mirror, .whole, .confirmation, now: now) }
    if asksByHead { return order(id, mirror, .whole, .head, now: now) }
    // Requests a range if the version can be confirmed, otherwise the whole. The answer decides whether recorded bytes
    // are kept.
    // Linked mirrors serve ranges only.
    let isLinked = mirrors[mirror].isLinked
    guard let representation, !done.isEmpty || isLinked, !mirrors[mirror].ranges.isAvoided,
      version.isResumable(on: host)
    else {
      return order(id, mirror, .whole, .content, now: now)
    }
    if let segment = next(for: mirror, now: now) { return order(id, mirror, .range(segment.range), .content, now: now) }
    let asked = representation.completeLength == nil ? AskedContent.from(done.contiguousEnd) : .whole
    return order(id, mirror, asked, .content, now: now)
  }

  private var asksByHead: Bool {
    switch beginning {
    case .probe(.head), .confirm: true
    case .probe(.get), .fresh, .check, .resume, .compareLength, .update: false
    }
  }

  /// Starts the further transfer that `demand` returned.
  package mutating func orderFurther(id: TransferID, _ transfer: FurtherTransfer, now: Instant) -> TransferOrder {
    order(
      id, transfer.mirror, .range(transfer.segment.range), .content, isFurther: true, transfer.segment.role, now: now)
  }

  private mutating func order(
    _ id: TransferID, _ mirror: Int, _ asked: AskedContent, _ purpose: TransferOrder.Purpose, isFurther: Bool = false,
    _ role: RangePlanner.Segment.Role = .part, now: Instant
  ) -> TransferOrder {
    var order = TransferOrder(
      id: id, item: item, mirror: mirror, location: mirrors[mirror].location, asked: asked, purpose: purpose,
      condition: nil, isSegment: isFurther || !done.isEmpty)
    if case .update(let local) = beginning, representation == nil, local.isCondition {
      order.condition = known(local, of: mirror)
    }
    let end: Int64 =
      switch asked {
      case .range(let range): range.upperBound
      case .whole, .from: completeLength ?? .max
      }
    segments.assign(order, end: end, role, now: now)
    return order
  }

  /// The existing file as it can be compared with this mirror's answers: an entity tag is one of the original URL.
  func known(_ local: LocalCopy, of mirror: Int) -> LocalCopy {
    var known = local
    if mirror > 0 { known.entityTag = nil }
    return known
  }

  /// Whether the content is recorded and only a second fetch can confirm its end.
  var needsConfirmation: Bool { version.needsConfirmation && isWhole }

  // MARK: Measuring

  /// The driver's measurement of the file, 20 to 50 times a second.
  ///
  /// - Parameters:
  ///   - rate: bytes per second.
  ///   - host: conditions of the current mirror's host.
  ///   - isSaturated: whether this program or a rate limit determines the rate.
  package mutating func observed(rate: Double, host: HostConditions, isSaturated: Bool, now: Instant) {
    segments.observed(rate: rate, host: host, isSaturated: isSaturated, now: now)
  }

  /// The driver's measurement of one mirror.
  ///
  /// - Parameter span: seconds since the last time.
  mutating func observed(mirror: Int, roundTrip: Duration, span: Double, isSaturated: Bool, now: Instant) {
    let receiving = active.reduce(0) { $0 + ($1.mirror == mirror && $1.stage == .receiving ? 1 : 0) }
    mirrors[mirror].observed(
      connections: receiving, roundTrip: roundTrip, span: span, isSaturated: isSaturated, now: now)
  }

  /// A transfer received body bytes, recorded or buffered.
  mutating func received(_ id: TransferID, byteCount: Int64, from mirror: Int) {
    mirrors[mirror].meter.received(byteCount)
    segments.received(id, byteCount: byteCount)
  }
}
