/// The segment for the next transfer: a free range, a part of another transfer's rest, or the whole rest of a slow one.
///
/// With one mirror, segments divide the file evenly. With several, a segment takes the same time on each mirror and is
/// shorter towards the end, so that all mirrors finish together.
extension RangePlanner {
  /// A segment for the first or a further transfer.
  struct Segment: Hashable, Sendable {
    enum Role: Hashable, Sendable {
      /// Bytes of its own.
      case part
      /// The whole rest of another transfer, or a piece that was wrong.
      case replacement
      /// As `replacement`; the faster one of the two transfers completes it. The number of races is limited.
      case race
    }

    var range: Range<Int64>
    var role = Role.part
  }

  /// What the next segment depends on besides the planner itself.
  struct Context {
    /// The mirror of the transfer.
    let mirror: Int
    let mirrors: MirrorSet
    let version: VersionState
    /// Whether segments are divided among several mirrors.
    let isShared: Bool
    let completeLength: Int64
    let now: Instant
    /// The number of requests beyond those that free ranges need; negative if there are too few.
    fileprivate(set) var spareRequestCount: Int64 = 0

    /// Nil while the length of the content is unknown.
    init?(_ mirror: Int, of mirrors: MirrorSet, _ version: VersionState, now: Instant) {
      guard let completeLength = version.completeLength else { return nil }
      self.mirror = mirror
      self.mirrors = mirrors
      self.version = version
      self.completeLength = completeLength
      self.now = now
      isShared = mirrors.areShared(for: version)
    }

    /// The number of connections that pay.
    var target: Int { mirrors[mirrors.current].probe.target }
  }

  /// Nil if a further transfer is useless.
  func next(_ context: Context) -> Segment? {
    var context = context
    let length = context.completeLength
    var taken = done
    for transfer in active where transfer.purpose == .content {
      taken.insert(
        transfer.position..<max(transfer.position, effectiveEnd(of: transfer, completeLength: length)))
    }
    let horizon = done.contiguousEnd + settings.window
    let gaps = taken.gaps(in: 0..<length)
    context.spareRequestCount = requestBudget(length) - Int64(gaps.count)
    if let gap = firstGap(of: gaps, for: context.mirror, of: context.mirrors, context.version),
      gap.lowerBound < horizon || active.isEmpty
    {
      // A wrong piece is fetched separately.
      if pieces?.trouble(at: gap.lowerBound) != nil { return Segment(range: gap, role: .replacement) }
      return front(of: gap, context).map { Segment(range: $0) }
    }
    if context.isShared { return longestRest(context) { sharedRest(of: $0, context) } }
    // Free ranges beyond the window wait for a slow segment at its start; the others need no help.
    let isWindowFull = !gaps.isEmpty
    return longestRest(context) { rest(of: $0, leastSeconds: isWindowFull ? Self.patienceSeconds : 0, context) }
      ?? racedSegment(context)
  }

  /// The first of `gaps` that the mirror may fill. A piece that it supplied wrong is left to another mirror, even if that
  /// one is slow or has to wait.
  func firstGap(
    of gaps: [Range<Int64>], for mirror: Int, of mirrors: MirrorSet, _ version: VersionState
  ) -> Range<Int64>? {
    guard let pieces else { return gaps.first }
    let others = mirrors.candidates(for: version, includesLaggards: true).filter { $0 != mirror }
    return pieces.firstGap(of: gaps, for: mirror, others: others, active: active.filter { $0.purpose == .content })
  }

  /// Whether the mirror, the only active one, may fill a gap. This is true for one of the candidates, laggards included.
  ///
  /// The first bytes of content that starts over decide: they may be of a piece that the mirror supplied wrong.
  func hasWork(for mirror: Int, of mirrors: MirrorSet, _ version: VersionState) -> Bool {
    guard let pieces, let end = done.isEmpty ? pieces.hashes.length : version.completeLength else { return true }
    return firstGap(of: done.gaps(in: 0..<end), for: mirror, of: mirrors, version) != nil
  }

  /// The part of a free range to request from the mirror; nil if it is not worth a request.
  private func front(of gap: Range<Int64>, _ context: Context) -> Range<Int64>? {
    if context.isShared, !active.isEmpty { return sharedFront(of: gap, context) }
    guard context.target > 1 else { return gap }
    let left = context.completeLength - gap.lowerBound
    return start(of: gap, byteCount: byteCount(of: left, context), mayLeaveRest: context.spareRequestCount > 0)
  }

  /// The first bytes of a range, or all of it if the others are not worth a request.
  ///
  /// - Parameter mayLeaveRest: whether a request is left for the others.
  private func start(of range: Range<Int64>, byteCount: Int64, mayLeaveRest: Bool) -> Range<Int64> {
    let isRestSmall = range.upperBound - range.lowerBound - byteCount < leastPartByteCount
    return range.lowerBound..<(isRestSmall || !mayLeaveRest ? range.upperBound : range.lowerBound + byteCount)
  }

  /// The minimum of a request, unless less is left or it replaces another one.
  private static let leastRequestByteCount: Int64 = 64 << 10

  /// The minimum of both parts of a range that is divided.
  private var leastPartByteCount: Int64 { max(settings.minSplitSize ?? 0, Self.leastRequestByteCount) }

  /// The length of segments with which the requests that are left suffice for the rest of the content.
  private func pace(_ context: Context) -> Int64 {
    (context.completeLength - done.byteCount) / max(1, requestBudget(context.completeLength))
  }

  // MARK: Parts of other transfers' segments

  /// While the window is full, a rest is divided only if that saves this many seconds: what its transfer has under way
  /// beyond the division is fetched twice.
  private static let patienceSeconds = 0.25

  /// A part of a transfer's rest, and the seconds that the transfer needs for that rest.
  private typealias Part = (segment: Segment, seconds: Double)

  /// A part of the rest that would take longest, if there is one.
  private func longestRest(_ context: Context, _ part: (ActiveTransfer) -> Part?) -> Segment? {
    var longest: Part?
    for transfer in active where transfer.isFilling && mayHelp(transfer, context) {
      guard let part = part(transfer), part.seconds > longest?.seconds ?? 0,
        let missing = missing(part.segment, context)
      else { continue }
      longest = (missing, part.seconds)
    }
    return longest?.segment
  }

  /// Without bytes that are recorded: a transfer that reaches further than it was to may come to such.
  ///
  /// - Returns: nil if what is missing is not worth a request.
  private func missing(_ segment: Segment, _ context: Context) -> Segment? {
    guard let gap = done.gaps(in: segment.range).first else { return nil }
    let isWorthwhile =
      segment.role != .part || gap.upperBound - gap.lowerBound >= leastPartByteCount
      || gap.upperBound == context.completeLength && settings.minSplitSize == nil
    return isWorthwhile ? Segment(range: gap, role: segment.role) : nil
  }

  /// Whether the mirror may bring bytes of the transfer's rest. Those of a piece that failed verification come from one
  /// mirror, which was chosen deliberately.
  private func mayHelp(_ transfer: ActiveTransfer, _ context: Context) -> Bool {
    transfer.mirror == context.mirror || pieces?.trouble(at: transfer.position) == nil
  }

  /// With one mirror: a part with which both connections finish together. Of a long rest only the part after the next
  /// one, so that the file is filled in order.
  ///
  /// - Parameter leastSeconds: a rest that takes less time is not divided.
  private func rest(of transfer: ActiveTransfer, leastSeconds: Double, _ context: Context) -> Part? {
    let now = context.now
    let roundTrip = speeds.roundTrip
    // A second connection must be opened first; further ones are reused.
    let worthwhile = max(active.count == 1 ? 0.1 : 0.03, roundTrip.inSeconds * 3, leastSeconds)
    let front = transfer.front
    let end = effectiveEnd(of: transfer, completeLength: context.completeLength)
    let left = Double(end - front)
    let speed = speeds.speed(of: transfer, among: active, now: now)
    // The host's speed is known late, so the first further connection is assumed to be as fast as the only one.
    let typical = speeds.typicalSpeed(besides: transfer.id, among: active, now: now)
    let other = max(typical ?? speed, active.count == 1 ? speed : 1)
    let seconds = left / speed
    guard left > 0, context.spareRequestCount > 0 else { return nil }
    // The bytes that the owner receives before the other has answered, plus its part of the rest.
    let delay = roundTrip.inSeconds * 2
    let lead = speeds.lead(of: transfer, among: active, now: now)
    let kept = max(speed * (delay * other + left) / (speed + other), lead)
    // A very slow connection is raced or replaced instead.
    guard kept >= Double(max(MirrorAttempts.progressByteCount, settings.minSplitSize ?? 0)),
      left - kept >= Double(leastByteCount(at: other)),
      seconds - kept / speed > worthwhile
    else { return nil }
    // The owner continues for two round trips before the others answer. In each one a new connection doubles its bytes.
    let meanwhile = Int64(min(speed * roundTrip.inSeconds, 1e12))
    let ahead = roundTrip >= HostConditions.farRoundTrip ? max(meanwhile, 2 * transfer.received) : 0
    let byteCount = byteCount(of: max(Int64(left) - ahead, 0), isDivided: true, context)
    // Bytes that it receives beyond that are fetched twice.
    let leastKept = lead > Double(duplicateBudget(context.completeLength)) ? Int64(lead) : 0
    let split = front + max(min(byteCount + ahead, Int64(kept)), leastKept)
    // Where few requests are left, none is spent on a short tail.
    let leastTail = max(leastPartByteCount, min(pace(context) / 4, Self.leastDividedByteCount))
    guard end - split >= leastTail else { return nil }
    let mayLeaveRest = left > 2 * Double(byteCount) && context.spareRequestCount > 1
    let range = start(of: split..<end, byteCount: byteCount, mayLeaveRest: mayLeaveRest)
    return (Segment(range: range), seconds)
  }

  /// With several mirrors: a part with which both finish together. Of a long rest only a second's work after the
  /// owner's next second, so that the file is filled in order. A rest that is too short to be divided is taken as a
  /// whole.
  private func sharedRest(of transfer: ActiveTransfer, _ context: Context) -> Part? {
    let now = context.now
    let meter = context.mirrors[context.mirror].meter
    let own = context.mirrors.expectedRate(of: context.mirror)
    guard own > 0 else { return nil }
    // A connection must be opened first.
    let worthwhile = max(meter.byteCount > 0 ? 0.04 : 0.15, meter.roundTrip.inSeconds * 6)
    let (front, end) = (transfer.front, effectiveEnd(of: transfer, completeLength: context.completeLength))
    let left = end - front
    let speed = speeds.speed(of: transfer, from: context.mirrors[transfer.mirror].meter, now: now)
    let (alone, together) = (Double(left) / speed, Double(left) / (speed + own))
    guard left > 0, alone - together > worthwhile else { return nil }
    let least = leastPartByteCount
    let kept = max(Int64(speed * min(together, Self.sharedSeconds)), settings.minSplitSize ?? 0)
    let mayDivide = left >= 2 * least && kept >= least && context.spareRequestCount > 0
    if !mayDivide {
      let isPending = active.contains { $0.stage == .awaitingHead && $0.bodyStart <= front && $0.end >= end }
      let lead = speeds.lead(of: transfer, among: active, now: now)
      let isRisky = lead >= Double(duplicateBudget(context.completeLength))
      guard mayHurry, !isPending, !isRisky,
        isTakeoverWorthwhile(of: transfer, left: left, alone: alone, own, worthwhile, context)
      else { return nil }
      let range = front..<end
      // Counts as a race if the transfer is slow compared with its siblings, or has hardly brought anything yet: the
      // number of races is limited, so that mirrors do not pass a segment to and fro.
      let isFresh = transfer.received < MirrorAttempts.progressByteCount
      return (
        Segment(range: range, role: isFresh || racedSegment(context)?.range == range ? .race : .replacement), alone
      )
    }
    let split = front + min(kept, left - least)
    let seconds = max(min(together, Self.sharedSeconds), pace(context, secondsLeft: secondsLeft(context)))
    let share = max(amount(seconds: seconds, context), least)
    let mayLeaveRest = together > Self.sharedSeconds && context.spareRequestCount > 1
    return (Segment(range: start(of: split..<end, byteCount: share, mayLeaveRest: mayLeaveRest)), alone)
  }

  /// Whether the mirror should take the whole rest of another mirror's transfer.
  ///
  /// - Parameters:
  ///   - alone: seconds that the transfer needs for its rest.
  ///   - own: the mirror's bytes per second, as far as known.
  private func isTakeoverWorthwhile(
    of transfer: ActiveTransfer, left: Int64, alone: Double, _ own: Double, _ worthwhile: Double, _ context: Context
  ) -> Bool {
    // What a new mirror brings is not known, but it is worth a try where another one crawls.
    guard context.mirrors[context.mirror].meter.isTelling else {
      return alone > Self.crawlingSeconds && (context.now - transfer.startedAt).inSeconds >= Self.startSeconds
    }
    // The other way round, a slow mirror does not take the work of one that has only just begun.
    let seconds = Double(left) / own
    return alone - seconds > worthwhile
      && (context.mirrors[transfer.mirror].meter.isPastStart || seconds < Self.startSeconds)
  }

  /// A transfer that needs longer for its rest may crawl.
  private static let crawlingSeconds = 10.0
  /// A server's start takes no longer.
  private static let startSeconds = 3.0

  /// The whole rest of a transfer that would take much longer than a second connection needs. Both fill it until the
  /// second one answers.
  private func racedSegment(_ context: Context) -> Segment? {
    guard mayHurry else { return nil }
    let now = context.now
    for transfer in active where transfer.purpose == .content && mayHelp(transfer, context) {
      let front = transfer.front
      let end = effectiveEnd(of: transfer, completeLength: context.completeLength)
      let isRaced = active.contains { $0.id != transfer.id && $0.bodyStart < end && $0.end > front }
      guard end > front, !isRaced,
        let usual = speeds.typicalSpeed(besides: transfer.id, among: active, now: now)
      else { continue }
      let left = Double(end - front)
      let fresh = speeds.freshSeconds(for: left, speed: usual)
      switch transfer.stage {
      case .receiving:
        guard speeds.isMature(transfer, now: now), left / max(transfer.speed, 1) > 2 * fresh,
          speeds.lead(of: transfer, among: active, now: now) < Double(duplicateBudget(context.completeLength))
        else { continue }
      case .awaitingHead:
        guard case .range = transfer.asked, (now - transfer.startedAt).inSeconds > 1 + 10 * fresh else { continue }
      case .judged: continue
      }
      return missing(Segment(range: front..<end, role: .race), context)
    }
    return nil
  }

  // MARK: Lengths for one mirror

  /// A finished connection takes half of another's rest only if at least this many bytes are left for each.
  private static let leastDividedByteCount: Int64 = 256 << 10

  /// The length of segments on connections of usual speed, and of the first one from a mirror that was never measured.
  private static let usualByteCount: Int64 = 1 << 20

  /// The minimum segment for a connection of this speed, in bytes per second: a few round trips' work.
  private func leastByteCount(at speed: Double) -> Int64 {
    let lasting = Int64(min(speed * max(0.05, speeds.roundTrip.inSeconds * 6), 1e12))
    return max(min(lasting, Self.leastDividedByteCount), leastPartByteCount)
  }

  /// The length of a segment, of `left` free bytes: about a second's work of one connection, and less towards the end,
  /// so that all connections finish together.
  ///
  /// With long round trips speeds are known late, so each connection gets an equal part of the window.
  ///
  /// - Parameter isDivided: whether an active transfer shares the rest.
  private func byteCount(of left: Int64, isDivided: Bool = false, _ context: Context) -> Int64 {
    let target = Int64(context.target)
    let part = speeds.rate / Double(max(1, active.count { $0.stage == .receiving }, context.target / 2))
    let second = Int64(min(max(part, 0), 1e12))
    if speeds.roundTrip >= HostConditions.farRoundTrip {
      let all = min(context.completeLength - done.byteCount, settings.window)
      // An active transfer may have taken more, because it continues until the others answer.
      let takers = max(1, target - Int64(active.count) + (isDivided ? 1 : 0))
      // Rounded up, so that the last one takes the rest.
      let equal = min(all / target, aligned(left / takers + 0x3fff))
      return max(aligned(max(equal, min(left / target, second))), leastByteCount(at: part), pace(context))
    }
    let most = min(left, settings.window) / target
    let lasting = Int64(min(max(part, 0) * speeds.roundTrip.inSeconds * 40, 1e12))
    let least = max(min(Self.usualByteCount, left / (2 * target)), leastByteCount(at: part), min(lasting, most))
    let wanted = min(max(min(second, left / (2 * target)), least), max(least, most))
    return max(aligned(max(wanted, pace(context))), leastPartByteCount)
  }

  /// The alignment of segments, so that most file systems write no block twice.
  private func aligned(_ byteCount: Int64) -> Int64 { byteCount & ~0x3fff }

  // MARK: Lengths for several mirrors

  private static let sharedSeconds = 1.0

  /// The bytes of a connection of the mirror in this time; few for a mirror that was never measured.
  private func amount(seconds: Double, _ context: Context) -> Int64 {
    let amount = Int64(min(context.mirrors.expectedRate(of: context.mirror) * seconds, 1e15))
    return context.mirrors[context.mirror].meter.isTelling ? amount : min(amount, Self.usualByteCount)
  }

  /// About a second's work of the mirror. Towards the end half of the bytes that it can deliver until the file is
  /// complete; nil if that is not worth a request.
  private func sharedFront(of gap: Range<Int64>, _ context: Context) -> Range<Int64>? {
    let meter = context.mirrors[context.mirror].meter
    let secondsLeft = secondsLeft(context)
    let isOfUse =
      amount(seconds: secondsLeft, context) >= min(Self.leastRequestByteCount, gap.upperBound - gap.lowerBound)
    guard isOfUse || !meter.isCertain else { return nil }
    let lasting = max(min(meter.roundTrip.inSeconds * 20, secondsLeft), pace(context, secondsLeft: secondsLeft))
    let wanted = amount(seconds: max(min(Self.sharedSeconds, secondsLeft / 2), lasting), context)
    let most = max(settings.window / Int64(2 * (active.count + 1)), Self.leastRequestByteCount)
    let byteCount = max(min(wanted, most) & ~0xffff, leastPartByteCount)
    return start(of: gap, byteCount: byteCount, mayLeaveRest: context.spareRequestCount > 0)
  }

  /// Seconds until the file is complete if the mirror helps from now on.
  private func secondsLeft(_ context: Context) -> Double {
    let mirrors = context.mirrors
    let all = active.reduce(mirrors.expectedRate(of: context.mirror)) { $0 + mirrors.expectedRate(of: $1.mirror) }
    return Double(context.completeLength - done.byteCount) / max(all, 1)
  }

  /// The seconds of segments with which the requests that are left suffice for the rest of the content.
  private func pace(_ context: Context, secondsLeft: Double) -> Double {
    secondsLeft * Double(active.count + 1) / Double(max(1, requestBudget(context.completeLength)))
  }
}
