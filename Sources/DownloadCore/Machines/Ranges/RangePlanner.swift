/// The recorded bytes of one file, the segment of each transfer, and the segment for the next one.
///
/// Ranges that are neither recorded nor assigned are free. `done` and the active transfers are the only state.
struct RangePlanner: Sendable {
  /// Recorded bytes.
  private(set) var done = ByteRangeSet()
  private(set) var active: [ActiveTransfer] = []
  /// Nil without hashes of pieces.
  private(set) var pieces: PieceLedger?
  /// The driver's measurements.
  var speeds = FileSpeeds()
  /// The maximum of recorded bytes since the last counted restart, without wrong pieces. Only bytes beyond it are
  /// progress, because repeated bytes after a discard are not.
  private var mostDone: Int64 = 0
  /// The number of slow connections that were replaced or raced.
  private(set) var hurryCount = 0
  /// The number of body bytes that are fetched twice to save time.
  private var duplicateByteCount: Int64 = 0
  /// The number of requests that brought all they were to bring, or are active. Replacements do not count.
  private var requestCount = 0

  var settings: FileSettings

  /// At most one byte in this many is fetched twice to save time.
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

  /// The end of the contiguous bytes that can be hashed, without unverified pieces.
  var hashableEnd: Int64 { pieces?.verified.contiguousEnd ?? done.contiguousEnd }

  /// Whether the mirror serves a transfer now.
  func isServing(_ mirror: Int) -> Bool { active.contains { $0.mirror == mirror && $0.stage == .receiving } }

  /// The latest start of the mirror's active transfers; nil if there are none.
  func lastStart(of mirror: Int) -> Instant? {
    active.reduce(nil) { $1.mirror == mirror ? max($0 ?? $1.startedAt, $1.startedAt) : $0 }
  }

  /// Whether some of the requested bytes are missing.
  func leavesRest(_ transfer: ActiveTransfer, completeLength: Int64?) -> Bool {
    let end: Int64
    switch transfer.asked {
    case .whole: return false
    case .from: end = completeLength ?? transfer.position
    case .range(let range): end = range.upperBound
    }
    return transfer.position < end && !done.contains(transfer.position..<end)
  }

  /// The end of a transfer's segment: its own end, or the start of the next active one.
  func effectiveEnd(of transfer: ActiveTransfer, completeLength: Int64?) -> Int64 {
    var end = min(transfer.end, completeLength ?? .max)
    for other in active where other.id != transfer.id && other.purpose == .content {
      if other.bodyStart > transfer.bodyStart, other.bodyStart < end { end = other.bodyStart }
    }
    return end
  }

  /// Whether a slow connection may be replaced or raced: a few times for each connection, and more as the file grows.
  var mayHurry: Bool {
    !speeds.isSaturated && hurryCount < settings.maxConnections + Int(done.byteCount >> 22)
  }

  /// The number of bytes that may still be fetched twice.
  func duplicateBudget(_ completeLength: Int64?) -> Int64 {
    // Of a longer version more may have been fetched twice.
    max(0, (completeLength ?? 0) / Self.duplicateDivisor - duplicateByteCount)
  }

  /// The bytes for which one more request is planned.
  private static let byteCountPerRequest: Int64 = 4 << 20

  /// The number of requests that are left for the rest of the content: each of the usual connections may have one, and
  /// there is one more for each 4 MiB. Connections that the user wants beyond the usual ones may have one as well.
  func requestBudget(_ completeLength: Int64) -> Int64 {
    let connections = Int64(max(FileSettings.usualConnections, settings.maxConnections))
    return max(0, connections + completeLength / Self.byteCountPerRequest - Int64(requestCount))
  }

  // MARK: Transfers

  mutating func assign(_ order: TransferOrder, end: Int64, _ role: Segment.Role = .part, now: Instant) {
    if role == .race { hurryCount += 1 }
    var transfer = ActiveTransfer(order, end: end, startedAt: now)
    transfer.isReplacement = role != .part
    if !transfer.isReplacement { requestCount += 1 }
    active.append(transfer)
  }

  /// The head of the transfer's answer was received.
  mutating func answered(_ index: Int, roundTrip: Duration, now: Instant) {
    active[index].answeredAt = now
    speeds.roundTrip = roundTrip
  }

  /// The body is not used.
  mutating func judged(_ index: Int, _ aftermath: ActiveTransfer.Aftermath) { active[index].stage = .judged(aftermath) }

  /// The body is hashed and discarded.
  mutating func confirmationBegan(_ index: Int) { active[index].stage = .receiving }

  /// The body is the whole content. Its first `kept` bytes are already recorded.
  mutating func wholeBegan(_ index: Int, kept: Int64, completeLength: Int64?) {
    active[index].stage = .receiving
    active[index].bringsWhole = true
    active[index].bodyStart = 0
    active[index].position = kept
    active[index].end = completeLength ?? .max
  }

  /// The body is this range of the content. Transfers whose segments overlap it end before it.
  ///
  /// - Returns: the end of the segment; nil if the answer is too late to be used.
  mutating func rangeBegan(
    _ id: TransferID, _ wanted: Range<Int64>, completeLength: Int64?, _ actions: inout [RunAction]
  ) -> Int64? {
    // A transfer with the same request that has not answered yet is too late.
    stop(&actions) { other in
      guard other.id != id, other.stage == .awaitingHead, case .range(let theirs) = other.asked else { return false }
      return wanted.clamped(to: theirs) == theirs
    }
    guard let index = index(of: id) else { return nil }
    let overlap = overlap(of: wanted, besides: id)
    if overlap > duplicateBudget(completeLength) || overlap >= wanted.upperBound - wanted.lowerBound {
      // Limited, because an answer may be too late again.
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
    // A transfer that started further on continues from there.
    let begun = active.filter(\.isFilling).map(\.bodyStart)
    let end = begun.filter { $0 > wanted.lowerBound && $0 < wanted.upperBound }.min() ?? wanted.upperBound
    active[index].end = end
    return end
  }

  /// The received bytes of a range, recorded or buffered.
  private func overlap(of range: Range<Int64>, besides id: TransferID) -> Int64 {
    var here = done
    for other in active where other.id != id && other.isFilling {
      here.insert(other.position..<max(other.position, other.front))
    }
    return (range.upperBound - range.lowerBound) - here.gaps(in: range).reduce(0) { $0 + $1.upperBound - $1.lowerBound }
  }

  /// Sets the end of the transfer's segment, mostly to a lower offset.
  private mutating func cut(_ index: Int, at end: Int64, _ actions: inout [RunAction]) {
    active[index].end = end
    actions.append(.setEnd(active[index].id, end: end))
  }

  /// Notes whether a transfer is slow now.
  ///
  /// - Returns: whether it has been slow for some time.
  mutating func crawls(_ index: Int, _ isCrawling: Bool, for time: Duration, now: Instant) -> Bool {
    active[index].crawlsSince = isCrawling ? active[index].crawlsSince ?? now : nil
    return active[index].crawlsSince.map { now - $0 >= time } ?? false
  }

  /// Ends a slow transfer, so that a new one takes over the rest of its segment.
  mutating func cutLaggard(_ index: Int, _ actions: inout [RunAction]) {
    hurryCount += 1
    cutShort(index, &actions)
  }

  /// Ends a transfer at its next block.
  mutating func cutShort(_ index: Int, _ actions: inout [RunAction]) {
    // Another request must bring the rest.
    if !active[index].isReplacement { requestCount -= 1 }
    active[index].isReplacement = true
    // The driver keeps received bytes beyond this and reports them before the end.
    cut(index, at: active[index].position, &actions)
  }

  /// Body bytes were received, recorded or not.
  mutating func received(_ id: TransferID, byteCount: Int64) {
    guard let index = index(of: id) else { return }
    active[index].received += byteCount
  }

  mutating func remove(_ index: Int) -> ActiveTransfer {
    let transfer = active.remove(at: index)
    // Another request must bring the rest, unless others have brought it.
    let isShort = transfer.end != .max && transfer.position < transfer.end && transfer.stage != .judged(.useless)
    if isShort, !transfer.isReplacement { requestCount -= 1 }
    return transfer
  }

  mutating func stop(_ index: Int, _ actions: inout [RunAction]) { actions.append(.stop(remove(index).id)) }

  mutating func stopAll(_ actions: inout [RunAction]) { stop(&actions) { _ in true } }

  mutating func stopAll(of mirror: Int, _ actions: inout [RunAction]) { stop(&actions) { $0.mirror == mirror } }

  mutating func stopAll(besides index: Int, _ actions: inout [RunAction]) {
    let kept = active[index].id
    stop(&actions) { $0.id != kept }
  }

  private mutating func stop(_ actions: inout [RunAction], where isStopped: (ActiveTransfer) -> Bool) {
    for index in active.indices.reversed() where isStopped(active[index]) { actions.append(.stop(remove(index).id)) }
  }

  /// A further range was refused. Transfers of the mirror whose answers reach as far bring what no transfer brings, and
  /// what lies before it once more.
  mutating func reachFurther(_ mirror: Int, completeLength: Int64, _ actions: inout [RunAction]) {
    var taken = done
    for transfer in active where transfer.purpose == .content {
      taken.insert(transfer.position..<max(transfer.position, min(transfer.end, completeLength)))
    }
    for gap in taken.gaps(in: 0..<completeLength) {
      let before = active.indices.filter {
        active[$0].mirror == mirror && active[$0].isFilling && active[$0].position <= gap.lowerBound
          && active[$0].reach > gap.lowerBound
      }
      guard let nearest = before.max(by: { active[$0].position < active[$1].position }) else { continue }
      cut(nearest, at: min(active[nearest].reach, gap.upperBound), &actions)
    }
  }

  // MARK: Bytes

  /// The transfer's bytes up to `offset` are recorded.
  ///
  /// - Returns: the number of missing bytes, and of bytes that were never recorded before.
  mutating func advanced(_ index: Int, to offset: Int64) -> (added: Int64, progress: Int64) {
    let range = active[index].position..<offset
    // Bytes that were recorded before keep their source.
    if pieces != nil { pieces!.recorded(done.gaps(in: range), by: active[index].mirror) }
    let added = done.insert(range)
    active[index].position = offset
    active[index].recorded += added
    let progress = max(0, done.byteCount - mostDone)
    mostDone = max(mostDone, done.byteCount)
    return (added, progress)
  }

  /// Stops transfers whose rest was recorded by others.
  mutating func endBeaten(by winner: Int, _ actions: inout [RunAction]) {
    for index in active.indices where index != winner && active[index].stage == .receiving {
      let transfer = active[index]
      guard transfer.purpose == .content, transfer.end != .max, transfer.position < transfer.end,
        done.contains(transfer.position..<transfer.end)
      else { continue }
      cut(index, at: transfer.position, &actions)
    }
  }

  /// No byte stays recorded.
  mutating func contentDiscarded() {
    done = ByteRangeSet()
    requestCount = active.count
    pieces?.startOver()
  }

  /// A counted restart: bytes that are fetched from now on are progress again.
  mutating func progressCountsAnew() { mostDone = 0 }

  // MARK: Pieces

  /// Complete pieces that overlap `range` and must be verified.
  mutating func checks(in range: Range<Int64>, completeLength: Int64) -> [PieceCheck] {
    pieces?.checks(in: range, done: done, completeLength: completeLength) ?? []
  }

  /// - Returns: false if the piece's bytes were discarded while they were hashed.
  mutating func pieceWasRight(_ check: PieceCheck) -> Bool { pieces?.wasRight(check) ?? false }

  /// The piece's bytes are missing again.
  ///
  /// - Returns: `PieceLedger.Trouble.failureCount`; nil if its bytes were discarded while they were hashed.
  mutating func pieceWasWrong(_ check: PieceCheck) -> Int? {
    guard let failureCount = pieces?.wasWrong(check) else { return nil }
    done.remove(check.range)
    // What comes again is progress, because failures of pieces are limited: a mirror that breaks may bring a piece in
    // many parts.
    mostDone = max(0, mostDone - (check.range.upperBound - check.range.lowerBound))
    return failureCount
  }

  /// Another version of the content is tried.
  mutating func versionChanged() { pieces?.versionChanged() }

  // MARK: Measuring

  /// The driver's measurement, 20 to 50 times a second. The arguments are those of the current mirror.
  mutating func observed(rate: Double, host: HostConditions, isSaturated: Bool, now: Instant) {
    speeds.rate = rate
    speeds.hostSpeed = host.connectionSpeed
    speeds.roundTrip = host.roundTrip
    speeds.isSaturated = isSaturated
    speeds.measure(&active, now: now)
  }
}
