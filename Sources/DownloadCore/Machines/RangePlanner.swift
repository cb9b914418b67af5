/// What of one file is recorded, which segment each transfer fills, and which segment the next one gets.
///
/// Ranges that are neither recorded nor assigned are free: `done` and the active transfers are the whole truth, and
/// nothing else has to be kept in step with them.
struct RangePlanner: Sendable {
  /// Recorded bytes.
  private(set) var done = ByteRangeSet()
  private(set) var active: [ActiveTransfer] = []
  /// Nil where no hashes of pieces are known.
  private(set) var pieces: PieceLedger?
  /// What the driver has measured.
  var speeds = FileSpeeds()
  /// The most that was ever recorded at once since the last counted restart: only what goes beyond is progress, for
  /// bytes that are fetched again after they were thrown away are none.
  private var mostDone: Int64 = 0
  /// Slow connections that were ended or raced.
  private(set) var hurryCount = 0
  /// Body bytes that are fetched twice for the sake of speed.
  private var duplicateByteCount: Int64 = 0
  /// One connection at a time.
  private(set) var isSingleStream = false

  let settings: FileSettings

  /// At most one byte in so many is received twice for the sake of speed.
  private static let duplicateDivisor: Int64 = 50

  init(pieces: PieceLedger?, settings: FileSettings) {
    self.pieces = pieces
    self.settings = settings
  }

  /// These bytes were recorded by an earlier run.
  mutating func resume(_ done: ByteRangeSet) {
    self.done = done
    mostDone = done.byteCount
  }

  // MARK: Queries

  func index(of id: TransferID) -> Int? { active.firstIndex { $0.id == id } }

  func isWhole(_ completeLength: Int64?) -> Bool { completeLength.map { done.contains(0..<$0) } ?? false }

  /// Where the bytes end that can be hashed as a whole: wrong pieces must not get in there.
  var hashableEnd: Int64 { pieces?.verified.contiguousEnd ?? done.contiguousEnd }

  /// Whether the mirror serves some transfer now.
  func isServing(_ mirror: Int) -> Bool { active.contains { $0.mirror == mirror && $0.stage == .receiving } }

  /// When the last of the mirror's transfers began that are at work; nil where there are none.
  func lastStart(of mirror: Int) -> Instant? {
    active.reduce(nil) { $1.mirror == mirror ? max($0 ?? $1.startedAt, $1.startedAt) : $0 }
  }

  /// Whether some of what the transfer asked for is missing.
  func leavesRest(_ transfer: ActiveTransfer, completeLength: Int64?) -> Bool {
    let end: Int64
    switch transfer.asked {
    case .whole: return false
    case .from: end = completeLength ?? transfer.position
    case .range(let range): end = range.upperBound
    }
    return transfer.position < end && !done.contains(transfer.position..<end)
  }

  /// Where a transfer's segment ends: at its end, or where another active one begins before that.
  func effectiveEnd(of transfer: ActiveTransfer, completeLength: Int64?) -> Int64 {
    var end = min(transfer.end, completeLength ?? .max)
    for other in active where other.id != transfer.id && other.purpose == .content {
      if other.bodyStart > transfer.bodyStart, other.bodyStart < end { end = other.bodyStart }
    }
    return end
  }

  /// Slow connections are replaced and raced a few times for each of them, and now and then while the file grows.
  var mayHurry: Bool {
    !speeds.isSaturated && hurryCount < settings.maxConnections + Int(done.byteCount >> 22)
  }

  /// Bytes that may yet be received twice.
  func duplicateBudget(_ completeLength: Int64?) -> Int64 {
    (completeLength ?? 0) / Self.duplicateDivisor - duplicateByteCount
  }

  // MARK: Transfers

  /// - Parameter isRace: another transfer is at work on the same segment.
  mutating func assign(_ order: TransferOrder, end: Int64, isRace: Bool, now: Instant) {
    if isRace { hurryCount += 1 }
    active.append(ActiveTransfer(order, end: end, startedAt: now))
  }

  /// The transfer's head is there.
  mutating func answered(_ index: Int, roundTrip: Duration, now: Instant) {
    active[index].answeredAt = now
    speeds.roundTrip = roundTrip
  }

  /// The body is of no use.
  mutating func judged(_ index: Int, _ aftermath: ActiveTransfer.Aftermath) { active[index].stage = .judged(aftermath) }

  /// The body is hashed and thrown away.
  mutating func confirmationBegan(_ index: Int) { active[index].stage = .receiving }

  /// The body is the whole content; the first `kept` bytes of it are recorded already.
  mutating func wholeBegan(_ index: Int, kept: Int64, completeLength: Int64?) {
    active[index].stage = .receiving
    active[index].bodyStart = 0
    active[index].position = kept
    active[index].end = completeLength ?? .max
  }

  /// The body is this range of the content. Transfers that were to bring bytes of it end before it.
  ///
  /// - Returns: where the segment ends; nil where the answer comes too late to be of use.
  mutating func rangeBegan(
    _ id: TransferID, _ wanted: Range<Int64>, completeLength: Int64?, _ actions: inout [RunAction]
  ) -> Int64? {
    // A transfer that was asked for the same and has not answered yet is too late.
    for other in active where other.id != id && other.stage == .awaitingHead {
      guard case .range(let theirs) = other.asked, wanted.clamped(to: theirs) == theirs else { continue }
      actions.append(.stop(other.id))
      active.removeAll { $0.id == other.id }
    }
    guard let index = index(of: id) else { return nil }
    let overlap = overlap(of: wanted, besides: id)
    if overlap > duplicateBudget(completeLength) || overlap >= wanted.upperBound - wanted.lowerBound {
      // Bounded, for an answer that came too late once may do so again.
      hurryCount += 1
      judged(index, .useless)
      return nil
    }
    duplicateByteCount += overlap
    for other in active.indices where other != index && active[other].stage == .receiving {
      guard active[other].bodyStart <= wanted.lowerBound, active[other].end > wanted.lowerBound else { continue }
      cut(other, at: max(active[other].position, wanted.lowerBound), &actions)
    }
    active[index].stage = .receiving
    active[index].bodyStart = wanted.lowerBound
    active[index].position = wanted.lowerBound
    // A transfer that has begun further on goes on from there.
    let begun = active.filter(\.isFilling).map(\.bodyStart)
    let end = begun.filter { $0 > wanted.lowerBound && $0 < wanted.upperBound }.min() ?? wanted.upperBound
    active[index].end = end
    return end
  }

  /// Bytes of a range that have come in meanwhile, recorded or still buffered.
  private func overlap(of range: Range<Int64>, besides id: TransferID) -> Int64 {
    var here = done
    for other in active where other.id != id && other.isFilling {
      here.insert(other.position..<max(other.position, other.front))
    }
    return (range.upperBound - range.lowerBound) - here.gaps(in: range).reduce(0) { $0 + $1.upperBound - $1.lowerBound }
  }

  /// The transfer's segment ends here from now on.
  private mutating func cut(_ index: Int, at end: Int64, _ actions: inout [RunAction]) {
    active[index].end = end
    actions.append(.setEnd(active[index].id, end: end))
  }

  /// A crawling transfer ends, so that a new one takes over what is left of its segment.
  mutating func cutLaggard(_ index: Int, _ actions: inout [RunAction]) {
    hurryCount += 1
    // The driver keeps what has come in beyond this, and tells it before the end.
    cut(index, at: active[index].position, &actions)
  }

  /// Body bytes came in, recorded or not.
  mutating func received(_ id: TransferID, byteCount: Int64) {
    guard let index = index(of: id) else { return }
    active[index].received += byteCount
  }

  mutating func remove(_ index: Int) -> ActiveTransfer { active.remove(at: index) }

  mutating func stopAll(_ actions: inout [RunAction]) {
    for transfer in active { actions.append(.stop(transfer.id)) }
    active.removeAll()
  }

  mutating func stopAll(of mirror: Int, _ actions: inout [RunAction]) {
    for transfer in active where transfer.mirror == mirror { actions.append(.stop(transfer.id)) }
    active.removeAll { $0.mirror == mirror }
  }

  mutating func stopAll(besides index: Int, _ actions: inout [RunAction]) {
    let kept = active[index]
    for other in active where other.id != kept.id { actions.append(.stop(other.id)) }
    active = [kept]
  }

  /// Answers to ranges, or to a second request, show that only one connection is served.
  mutating func limitToOne() { isSingleStream = true }

  // MARK: Bytes

  /// The transfer's bytes up to `offset` are recorded.
  ///
  /// - Returns: how many of them were missing, and how many were never recorded before.
  mutating func advanced(_ index: Int, to offset: Int64) -> (added: Int64, progress: Int64) {
    let range = active[index].position..<offset
    // What was there before stays: it is not this mirror's.
    if pieces != nil { pieces!.recorded(done.gaps(in: range), by: active[index].mirror) }
    let added = done.insert(range)
    active[index].position = offset
    active[index].recorded += added
    let progress = max(0, done.byteCount - mostDone)
    mostDone = max(mostDone, done.byteCount)
    return (added, progress)
  }

  /// Transfers whose rest another one has brought meanwhile have nothing left to do.
  mutating func endBeaten(by winner: Int, _ actions: inout [RunAction]) {
    for index in active.indices where index != winner && active[index].stage == .receiving {
      let transfer = active[index]
      guard transfer.purpose == .content, transfer.end != .max, transfer.position < transfer.end,
        done.contains(transfer.position..<transfer.end)
      else { continue }
      cut(index, at: transfer.position, &actions)
    }
  }

  /// Only the first bytes are recorded any more.
  mutating func keepPrefix(_ end: Int64, completeLength: Int64) {
    done = ByteRangeSet(CollectionOfOne(0..<end))
    pieces?.restrict(to: done, completeLength: completeLength)
  }

  /// Nothing is recorded any more.
  mutating func contentDiscarded() {
    done = ByteRangeSet()
    pieces?.startOver()
  }

  /// The version was given up for a reason that is counted: what is fetched from now on is progress again.
  mutating func progressCountsAnew() { mostDone = 0 }

  // MARK: Pieces

  /// Complete pieces touching `range` that are to be verified.
  mutating func checks(in range: Range<Int64>, completeLength: Int64) -> [PieceCheck] {
    pieces?.checks(in: range, done: done, completeLength: completeLength) ?? []
  }

  /// - Returns: false where the piece's bytes have been thrown away meanwhile.
  mutating func pieceWasRight(_ check: PieceCheck) -> Bool { pieces?.wasRight(check) ?? false }

  /// The piece's bytes are missing again.
  ///
  /// - Returns: how often it was wrong; nil where its bytes have been thrown away meanwhile.
  mutating func pieceWasWrong(_ check: PieceCheck) -> Int? {
    guard let failureCount = pieces?.wasWrong(check) else { return nil }
    done.remove(check.range)
    return failureCount
  }

  // MARK: Measuring

  /// The driver's measurement, some 20 to 50 times a second; the argument values are of the mirror asked first.
  mutating func observed(rate: Double, host: HostConditions, isSaturated: Bool, now: Instant) {
    speeds.rate = rate
    speeds.hostSpeed = host.connectionSpeed
    speeds.roundTrip = host.roundTrip
    speeds.isSaturated = isSaturated
    speeds.measure(&active, now: now)
  }
}
