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
    func mayAsk(_ mirror: Int) -> Bool { mirrors[mirror].notBefore <= now && isOfUse(mirror, now: now) }
    // Nearly every file has one; a list of candidates costs more than to ask it.
    if mirrors.count == 1 { return mirrors[0].expelledBy == nil && mayAsk(0) ? 0 : nil }
    return candidates.first(where: mayAsk)
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
    if case .range(let range) = asked, isFurther, racedRange(now: now) == range { hurryCount += 1 }
    let isConfirmation = needsConfirmation
    var order = TransferOrder(
      id: id, item: item, mirror: mirror, location: mirrors[mirror].location, asked: isConfirmation ? .whole : asked,
      purpose: isConfirmation ? .confirmation : .content, condition: nil,
      isSegment: isFurther || !done.isEmpty)
    if case .update(let local) = beginning, representation == nil { order.condition = local }
    let end: Int64 =
      switch order.asked {
      case .range(let range): range.upperBound
      case .whole, .from: completeLength ?? .max
      }
    active.append(
      ActiveTransfer(
        id: id, mirror: mirror, location: order.location, asked: order.asked, purpose: order.purpose, startedAt: now,
        isConditional: order.condition != nil, position: order.asked.start, end: end, bodyStart: order.asked.start))
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

  /// The driver's measurement, some 20 to 50 times a second.
  ///
  /// - Parameters:
  ///   - roundTrip: of the mirror that is asked first.
  ///   - hostSpeed: bytes per second that a connection of its host brings; 0 while unknown.
  ///   - isSaturated: this program, or a limit of the user's, is what holds the rate down.
  package mutating func observed(
    rate: Double, roundTrip: Duration, hostSpeed: Double, isSaturated: Bool, now: Instant
  ) {
    self.rate = rate
    self.hostSpeed = hostSpeed
    self.roundTrip = roundTrip
    self.isSaturated = isSaturated
    measureSpeeds(now: now)
  }

  /// Body bytes of one transfer came in.
  mutating func received(_ id: TransferID, byteCount: Int64) {
    guard let index = active.firstIndex(where: { $0.id == id }) else { return }
    active[index].received += byteCount
  }
}
