internal import DownloadCore
internal import DownloadTransport

/// The limits of the rate: which transfers they throttle, and how timetables change them during the run.
///
/// Bytes count where they are read. The kernel's receive buffers are left alone, although a server sees them filled
/// first: a buffer that is small enough to be smooth (32 KiB at 64 KiB/s) keeps a connection slow over far links for the
/// rest of its life, and the limit may be gone a minute later.
final class RateControl {
  /// What a limit is for.
  enum Subject: Hashable {
    case run
    /// Each file has this rate.
    case eachFile
    case one(RateScope)
  }

  private struct Limit {
    let table: RateTimetable
    /// What the table said at the last look, bytes per second.
    var rate: Int64?
  }

  private var gate: RateGate
  private var limits: [Subject: Limit] = [:]
  private var nextTimetableLook = Instant.distantFuture
  /// Set when a limit begins: transfers on shared connections have to begin again on connections of their own.
  private var mustSeparateRunning = false
  /// The clock of the timetables: seconds since local midnight.
  var secondOfLocalDay: () -> Int = Clock.secondOfLocalDay

  init(now: Instant) { gate = RateGate(now: now) }

  // MARK: Limits

  /// Sets a limit from now on; nil is none. Of several limits that a transfer is under the lowest holds.
  func limit(_ subject: Subject, to table: RateTimetable?, now: Instant) {
    let table = table.flatMap { $0.isEverLimited ? $0 : nil }
    guard limits[subject]?.table != table else { return }
    if limits[subject] == nil { mustSeparateRunning = true }
    limits[subject] = table.map { Limit(table: $0, rate: $0.rate(at: secondOfLocalDay())) }
    apply(subject, now: now)
    guard limits.values.contains(where: { $0.table.entries.count > 1 }) else {
      return nextTimetableLook = .distantFuture
    }
    nextTimetableLook = min(nextTimetableLook, now + .seconds(1))
  }

  private func apply(_ subject: Subject, now: Instant) {
    let rate = limits[subject]?.rate
    switch subject {
    case .run, .eachFile:
      gate.change(run: limits[.run]?.rate, perFile: limits[.eachFile]?.rate, now: now)
    case .one(let scope): gate.change(scope, rate: rate, now: now)
    }
  }

  /// Applies the timetables' limits at the second they change. Looks each second, for local time may jump.
  func followTimetables(now: Instant) {
    guard now >= nextTimetableLook else { return }
    nextTimetableLook = now + .seconds(1)
    let second = secondOfLocalDay()
    for (subject, limit) in limits where limit.table.rate(at: second) != limit.rate {
      limits[subject]?.rate = limit.table.rate(at: second)
      apply(subject, now: now)
    }
  }

  /// Whether a transfer needs a connection of its own because it may be throttled: libcurl 7.88 leaks streams of HTTP/2
  /// that end while they are paused, and a paused one holds up the others of its connection.
  func needsOwnConnection(_ membership: RateMembership) -> Bool {
    if limits.isEmpty { return false }
    return [
      .run, .eachFile, .one(.group(membership.group)), .one(.host(membership.host)), .one(.file(membership.item)),
    ]
    .contains { limits[$0] != nil }
  }

  /// Whether transfers on shared connections may have to begin again now; true once for each beginning of a limit.
  func takeSeparation() -> Bool {
    defer { mustSeparateRunning = false }
    return mustSeparateRunning
  }

  /// A transfer may be under other limits now.
  func moved() { mustSeparateRunning = mustSeparateRunning || !limits.isEmpty }

  /// The most bytes that such a transfer is to read at once.
  func pieceByteCount(_ membership: RateMembership) -> Int { gate.pieceByteCount(membership) }

  /// Whether the run's limit, and neither network nor server, decides the rate.
  func decidesRate(now: Instant) -> Bool { gate.decidesRate(now: now) }

  /// Whether a limit for the file, its group or its host decides its rate.
  func decidesRate(of item: ItemHandle, now: Instant) -> Bool { gate.decidesRate(of: item, now: now) }

  // MARK: Transfers

  /// Whether a transfer may take the bytes that have come in, which count from now on.
  ///
  /// - Returns: false where it has to pause until `next` names it.
  func admits(_ transfer: TransferID, _ membership: @autoclosure () -> RateMembership, byteCount: Int) -> Bool {
    guard gate.isLimited else { return true }
    let membership = membership()
    guard gate.admits(transfer, membership, now: Clock.now()) else { return false }
    gate.took(byteCount, membership)
    return true
  }

  /// Begins a round in which every throttled transfer has one turn.
  /// - Returns: false where none is throttled.
  func beginRound() -> Bool {
    guard gate.isWaitedAt else { return false }
    gate.beginRound()
    return true
  }

  /// The next transfer of the round that may go on; nil at the end of the round.
  func next() -> TransferID? { gate.next(now: Clock.now()) }

  func forget(_ item: ItemHandle) {
    if !limits.isEmpty { limits[.one(.file(item))] = nil }
    gate.forget(item)
  }
}
