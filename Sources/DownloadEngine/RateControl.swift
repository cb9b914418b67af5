internal import DownloadCore
internal import Transport

/// The limits of the rate: which transfers they throttle, and how timetables change them during the run.
///
/// Bytes count where they are read. The kernel's receive buffers are left alone, although a server sees them filled
/// first: a buffer that is small enough to be smooth (32 KiB at 64 KiB/s) keeps a connection slow over far links for the
/// rest of its life, and the limit may be gone a minute later.
final class RateControl {
  private var gate: RateGate
  private let tables: [RateTimetable?]
  /// What the timetables said at the last look, bytes per second: for the run, for each file.
  private var scheduledRates: [Int64?] = [nil, nil]
  private var nextTimetableLook: Instant
  /// The limits of hosts that have one, by their numbers, and what these said at the last look.
  private var hostTables: [RateTimetable] = []
  private var hostRates: [Int64?] = []
  private var hostNumbers: [Origin: Int] = [:]
  /// Set when a limit begins: transfers on shared connections have to begin again on connections of their own.
  private var mustSeparateRunning = false
  /// The clock of the timetables: seconds since local midnight.
  var secondOfLocalDay: () -> Int = Clock.secondOfLocalDay

  /// - Parameters: the limits for the run and for each file; nil is unlimited.
  init(run: RateTimetable?, perFile: RateTimetable?, now: Instant) {
    gate = RateGate(now: now)
    tables = [run, perFile]
    nextTimetableLook = now
  }

  // MARK: Limits

  /// Sets the limits from now on; the next entry of a timetable replaces the one that it is for.
  ///
  /// - Parameters: bytes per second, above 0; nil is unlimited.
  func change(run: Int64?, perFile: Int64?, now: Instant) {
    let needed = needsSeparateConnections
    gate.change(run: run, perFile: perFile, now: now)
    if needsSeparateConnections, !needed { mustSeparateRunning = true }
  }

  /// Applies the timetables' limits at the second they change. Looks each second, for local time may jump.
  func followTimetables(now: Instant) {
    guard now >= nextTimetableLook else { return }
    let second = secondOfLocalDay()
    let rates = tables.map { $0?.rate(at: second) }
    if rates != scheduledRates {
      scheduledRates = rates
      change(run: rates[0], perFile: rates[1], now: now)
    }
    for (host, table) in hostTables.enumerated() where table.rate(at: second) != hostRates[host] {
      hostRates[host] = table.rate(at: second)
      gate.change(host: host, rate: hostRates[host], now: now)
    }
    let changes = (tables + hostTables).contains { $0?.secondsToChange(from: second) != nil }
    nextTimetableLook = changes ? now + .seconds(1) : .distantFuture
  }

  /// Whether transfers need connections of their own because they may be throttled: libcurl 7.88 leaks streams of
  /// HTTP/2 that end while they are paused, and a paused one holds up the others of its connection.
  var needsSeparateConnections: Bool { gate.limitsAll || tables.contains { $0 != nil } }

  /// Whether the transfers on shared connections have to begin again now; true once for each beginning of a limit.
  func takeSeparation() -> Bool {
    defer { mustSeparateRunning = false }
    return mustSeparateRunning
  }

  /// The longest piece to be read at once under the limits, bytes.
  ///
  /// - Parameter host: the number of a host that has a limit of its own.
  func pieceByteCount(at host: Int?) -> Int { gate.pieceByteCount(at: host) }

  /// Whether the run's limit, and neither network nor server, decides the rate.
  func decidesRate(now: Instant) -> Bool { gate.decidesRate(now: now) }

  /// Whether a file's own limit decides its rate.
  func decidesRate(of item: ItemHandle, now: Instant) -> Bool { gate.decidesRate(of: item, now: now) }

  // MARK: Transfers

  /// The number of a host with a limit of its own, for `admits`.
  func number(of host: Origin, limit: RateTimetable, now: Instant) -> Int {
    if let number = hostNumbers[host] { return number }
    let number = hostTables.count
    hostNumbers[host] = number
    hostTables.append(limit)
    hostRates.append(limit.rate(at: secondOfLocalDay()))
    gate.change(host: number, rate: hostRates[number], now: now)
    if limit.secondsToChange(from: secondOfLocalDay()) != nil {
      nextTimetableLook = min(nextTimetableLook, now + .seconds(1))
    }
    return number
  }

  /// Whether a transfer may take the bytes that have come in, which count from now on.
  ///
  /// - Parameter host: the number of a host that has a limit of its own.
  /// - Returns: false where it has to pause until `next` names it.
  func admits(_ transfer: TransferID, of item: ItemHandle, at host: Int?, byteCount: Int) -> Bool {
    guard gate.isLimited else { return true }
    guard gate.admits(transfer, of: item, at: host, now: Clock.now()) else { return false }
    gate.took(byteCount, of: item, at: host)
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

  func forget(_ item: ItemHandle) { gate.forget(item) }
}
