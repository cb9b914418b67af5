/// Who may take bytes from the network now, under a limit for the run and one for each file.
///
/// A transfer that is not admitted waits in line; the driver holds its bytes back meanwhile. Some 100 times a second
/// the driver holds a round: everybody who waits has one turn, in the order of their coming, as long as the limits
/// admit more. Who still waits for the run's limit then goes before everybody who comes later, so that nobody starves.
///
/// admits ──no──► in line ──round──► turn ──admits──► goes on
///                   ▲                 └────no──┐
///                   └──────────────────────────┘
package struct RateGate: Sendable {
  private struct Waiter {
    let transfer: TransferID
    let item: Int
  }

  private var run: RateLimiter
  /// Bytes per second for each file; nil is unlimited.
  private var perFile: Int64?
  /// Of files that have taken something under the limit.
  private var files: [Int: RateLimiter] = [:]
  private var line: [Waiter] = []
  /// Who is to be asked yet in this round, and who was and waits for its file's limit.
  private var round: ArraySlice<Waiter> = []
  private var passedOver: [Waiter] = []
  private var turn: TransferID?
  /// Somebody waits for the run's limit: it, and neither network nor server, is what decides the rate.
  package private(set) var isShort = false

  package init(run: Int64? = nil, perFile: Int64? = nil, now: Instant) {
    self.run = RateLimiter(rate: run, now: now)
    self.perFile = perFile
  }

  /// Who waits is asked again in the next round, also where nothing is limited any more.
  package mutating func change(run rate: Int64?, perFile: Int64?, now: Instant) {
    run.change(rate: rate, now: now)
    self.perFile = perFile
    if perFile == nil { files.removeAll() }
    for item in files.keys { files[item]?.change(rate: perFile, now: now) }
  }

  package var isLimited: Bool { run.rate != nil || perFile != nil }
  package var isWaitedAt: Bool { !line.isEmpty }

  /// The longest piece to be read at once under these limits, bytes.
  package var pieceByteCount: Int {
    RateLimiter.pieceByteCount(rate: min(run.rate ?? .max, perFile ?? .max))
  }

  /// Whether a transfer may take the piece that has come in.
  /// - Returns: false where it has to wait; it is in line then, and must not ask again before its turn.
  package mutating func admits(_ transfer: TransferID, of item: Int, now: Instant) -> Bool {
    let goesFirst = !isShort || transfer == turn
    if !goesFirst || !run.admits(now: now) {
      isShort = true
    } else if admitsFile(item, now: now) {
      return true
    }
    line.append(Waiter(transfer: transfer, item: item))
    return false
  }

  private mutating func admitsFile(_ item: Int, now: Instant) -> Bool {
    guard let perFile else { return true }
    return files[item, default: RateLimiter(rate: perFile, now: now)].admits(now: now)
  }

  package mutating func took(_ byteCount: Int, of item: Int) {
    run.took(byteCount)
    files[item]?.took(byteCount)
  }

  // MARK: Rounds

  package mutating func beginRound() {
    round = line[...]
    line = []
    isShort = false
  }

  /// The next one whose turn it is: its bytes may come, and `admits` is asked for them before the next call.
  /// - Returns: nil where the round is over.
  package mutating func next(now: Instant) -> TransferID? {
    turn = nil
    while let waiter = round.first {
      guard run.admits(now: now) else {
        isShort = true
        break
      }
      round.removeFirst()
      if admitsFile(waiter.item, now: now) {
        turn = waiter.transfer
        return turn
      }
      passedOver.append(waiter)
    }
    // Who had no turn keeps the place before those who had one.
    line = passedOver + round + line
    passedOver = []
    round = []
    return nil
  }

  /// The item has ended.
  package mutating func forget(_ item: Int) {
    files[item] = nil
    line.removeAll { $0.item == item }
    round.removeAll { $0.item == item }
    passedOver.removeAll { $0.item == item }
  }
}
