/// Decides which transfers may take bytes from the network, under rate limits for the run, for each file and for hosts.
///
/// A transfer that is not admitted is queued, and the driver holds its bytes back. About 100 times a second the driver
/// holds a round: queued transfers are served in turn, in the order of arrival, as long as the limits admit more. Those
/// that still wait for the run's limit then precede all later ones, so that no transfer starves.
///
/// admits ──no──► queued ──round──► turn ──admits──► reads on
///                  ▲                └────no──┐
///                  └─────────────────────────┘
package struct RateGate: Sendable {
  private struct Waiter {
    let transfer: TransferID
    let item: ItemHandle
    let host: Int?
  }

  private var run: RateLimiter
  /// Bytes per second of each file; nil is unlimited.
  private var perFile: Int64?
  /// The limiters of files that have taken bytes under a limit, by item.
  private var files: [ItemHandle: RateLimiter] = [:]
  /// The limiters of hosts with a limit of their own, by the numbers that the driver gives them.
  private var hosts: [Int: RateLimiter] = [:]
  private var queue: [Waiter] = []
  /// Transfers whose turn in this round is yet to come.
  private var round: ArraySlice<Waiter> = []
  /// Transfers that had no turn in this round because of the limit of their file or host.
  private var passedOver: [Waiter] = []
  private var turn: TransferID?
  /// Whether a transfer waits for the run's limit.
  package private(set) var isShort = false
  /// When the run's limit, and the limits of files, last held a transfer back.
  private var shortAt: Instant?
  private var fileShortAt: [ItemHandle: Instant] = [:]
  /// When the limit of a host last held a transfer of a file back, by item.
  private var hostShortAt: [ItemHandle: Instant] = [:]
  /// A limit decides the rate for this long after it held a transfer back, if hardly any of it is left unused: a burst of
  /// the server may exceed a limit that is far above its average rate.
  private static let memory: Duration = .seconds(1)
  private static let mostUnusedPart = 0.1

  package init(run: Int64? = nil, perFile: Int64? = nil, now: Instant) {
    self.run = RateLimiter(rate: run, now: now)
    self.perFile = perFile
  }

  /// Changes the limits, bytes per second. Queued transfers are asked again in the next round, also without limits.
  package mutating func change(run rate: Int64?, perFile: Int64?, now: Instant) {
    run.change(rate: rate, now: now)
    self.perFile = perFile
    if perFile == nil {
      files.removeAll()
      fileShortAt.removeAll()
    }
    for item in files.keys { files[item]?.change(rate: perFile, now: now) }
  }

  /// Limits a host, bytes per second; nil is unlimited.
  package mutating func change(host: Int, rate: Int64?, now: Instant) {
    hosts[host, default: RateLimiter(rate: rate, now: now)].change(rate: rate, now: now)
  }

  /// Whether there are limits for all transfers.
  package var limitsAll: Bool { run.rate != nil || perFile != nil }
  package var isLimited: Bool { limitsAll || !hosts.isEmpty }
  package var isWaitedAt: Bool { !queue.isEmpty }

  /// Whether the run's limit, rather than network or server, decides the rate.
  package func decidesRate(now: Instant) -> Bool {
    run.unusedPart < Self.mostUnusedPart && (isShort || shortAt.map { now - $0 < Self.memory } ?? false)
  }

  /// Whether the limit of a file, or of a host for it, decides its rate.
  package func decidesRate(of item: ItemHandle, now: Instant) -> Bool {
    if let shortAt = hostShortAt[item], now - shortAt < Self.memory { return true }
    guard let shortAt = fileShortAt[item], now - shortAt < Self.memory, let file = files[item] else { return false }
    return file.unusedPart < Self.mostUnusedPart
  }

  /// The most bytes to read at once under these limits.
  ///
  /// - Parameter host: the number of a host that has a limit.
  package func pieceByteCount(at host: Int? = nil) -> Int {
    let hostRate = host.flatMap { hosts[$0]?.rate }
    return RateLimiter.pieceByteCount(rate: min(run.rate ?? .max, perFile ?? .max, hostRate ?? .max))
  }

  /// Whether a transfer may take the bytes that have arrived.
  ///
  /// - Parameter host: the number of a host that has a limit; nil for others.
  /// - Returns: false where it is queued; it must not ask again before its turn.
  package mutating func admits(_ transfer: TransferID, of item: ItemHandle, at host: Int? = nil, now: Instant) -> Bool {
    let goesFirst = !isShort || transfer == turn
    if !goesFirst || !run.admits(now: now) {
      isShort = true
      shortAt = now
    } else if admitsFile(item, at: host, now: now) {
      return true
    }
    queue.append(Waiter(transfer: transfer, item: item, host: host))
    return false
  }

  private mutating func admitsFile(_ item: ItemHandle, at host: Int?, now: Instant) -> Bool {
    if let host, let isReady = hosts[host]?.admits(now: now), !isReady {
      hostShortAt[item] = now
      return false
    }
    guard let perFile else { return true }
    if files[item, default: RateLimiter(rate: perFile, now: now)].admits(now: now) { return true }
    fileShortAt[item] = now
    return false
  }

  package mutating func took(_ byteCount: Int, of item: ItemHandle, at host: Int? = nil) {
    run.took(byteCount)
    files[item]?.took(byteCount)
    if let host { hosts[host]?.took(byteCount) }
  }

  // MARK: Rounds

  package mutating func beginRound() {
    round = queue[...]
    queue = []
    isShort = false
  }

  /// The transfer whose turn is next. The driver passes its bytes to `admits` before the next call.
  /// - Returns: nil where the round is over.
  package mutating func next(now: Instant) -> TransferID? {
    turn = nil
    while let waiter = round.first {
      guard run.admits(now: now) else {
        isShort = true
        shortAt = now
        break
      }
      round.removeFirst()
      if admitsFile(waiter.item, at: waiter.host, now: now) {
        turn = waiter.transfer
        return turn
      }
      passedOver.append(waiter)
    }
    // Those that had no turn stay before those that had one.
    queue = passedOver + round + queue
    passedOver = []
    round = []
    return nil
  }

  /// Removes an item that has ended, and its transfers.
  package mutating func forget(_ item: ItemHandle) {
    // Nothing was ever limited, as in most runs.
    if files.isEmpty, fileShortAt.isEmpty, hostShortAt.isEmpty, queue.isEmpty, round.isEmpty, passedOver.isEmpty {
      return
    }
    files[item] = nil
    fileShortAt[item] = nil
    hostShortAt[item] = nil
    queue.removeAll { $0.item == item }
    round.removeAll { $0.item == item }
    passedOver.removeAll { $0.item == item }
  }
}
