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
  /// Somebody waits for the run's limit.
  package private(set) var isShort = false
  /// When somebody was last held back by the run's limit, and by the limits of files.
  private var shortAt: Instant?
  private var fileShortAt: [Int: Instant] = [:]
  /// A limit that held somebody back so lately is still what decides the rate.
  private static let memory: Duration = .seconds(1)

  package init(run: Int64? = nil, perFile: Int64? = nil, now: Instant) {
    self.run = RateLimiter(rate: run, now: now)
    self.perFile = perFile
  }

  /// Who waits is asked again in the next round, also where nothing is limited any more.
  package mutating func change(run rate: Int64?, perFile: Int64?, now: Instant) {
    run.change(rate: rate, now: now)
    self.perFile = perFile
    if perFile == nil {
      files.removeAll()
      fileShortAt.removeAll()
    }
    for item in files.keys { files[item]?.change(rate: perFile, now: now) }
  }

  package var isLimited: Bool { run.rate != nil || perFile != nil }
  package var isWaitedAt: Bool { !line.isEmpty }

  /// Whether the run's limit, and neither network nor server, is what decides the rate.
  package func decidesRate(now: Instant) -> Bool {
    isShort || shortAt.map { now - $0 < Self.memory } ?? false
  }

  /// Whether a file's own limit is what decides its rate.
  package func decidesRate(of item: Int, now: Instant) -> Bool {
    fileShortAt[item].map { now - $0 < Self.memory } ?? false
  }

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
      shortAt = now
    } else if admitsFile(item, now: now) {
      return true
    }
    line.append(Waiter(transfer: transfer, item: item))
    return false
  }

  private mutating func admitsFile(_ item: Int, now: Instant) -> Bool {
    guard let perFile else { return true }
    if files[item, default: RateLimiter(rate: perFile, now: now)].admits(now: now) { return true }
    fileShortAt[item] = now
    return false
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
        shortAt = now
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
    fileShortAt[item] = nil
    line.removeAll { $0.item == item }
    round.removeAll { $0.item == item }
    passedOver.removeAll { $0.item == item }
  }
}
