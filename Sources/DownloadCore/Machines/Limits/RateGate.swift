/// What a limit of the rate may be for, besides the run.
package enum RateScope: Hashable, Sendable {
  case group(GroupID)
  case host(Origin)
  /// A limit of its own, beside the one that all files have.
  case file(ItemHandle)
}

/// Where a transfer belongs: it is under the limits of all of these.
package struct RateMembership: Hashable, Sendable {
  package let item: ItemHandle
  package let group: GroupID
  package let host: Origin

  package init(item: ItemHandle, group: GroupID, host: Origin) {
    self.item = item
    self.group = group
    self.host = host
  }

  fileprivate var scopes: [RateScope] { [.group(group), .host(host), .file(item)] }
}

/// Decides which transfers may take bytes from the network, under rate limits for the run, for each file, and for groups,
/// hosts and files that have limits of their own.
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
    let membership: RateMembership

    var item: ItemHandle { membership.item }
  }

  private var run: RateLimiter
  /// Bytes per second of each file; nil is unlimited.
  private var perFile: Int64?
  /// The limiters of files that have taken bytes under the limit for each, by item.
  private var files: [ItemHandle: RateLimiter] = [:]
  /// The limiters of what has a limit of its own.
  private var scopes: [RateScope: RateLimiter] = [:]
  private var queue: [Waiter] = []
  /// Transfers whose turn in this round is yet to come.
  private var round: ArraySlice<Waiter> = []
  /// Transfers that had no turn in this round because of another limit than the run's.
  private var passedOver: [Waiter] = []
  private var turn: TransferID?
  /// Whether a transfer waits for the run's limit.
  package private(set) var isShort = false
  /// When the run's limit last delayed a transfer.
  private var shortAt: Instant?
  /// When another limit last delayed a transfer of a file, by item, and which one: nil is that for each file.
  private var delays: [ItemHandle: (at: Instant, scope: RateScope?)] = [:]
  /// A decisive limit decides the rate for this long after it delayed a transfer.
  private static let memory: Duration = .seconds(1)

  package init(run: Int64? = nil, perFile: Int64? = nil, now: Instant) {
    self.run = RateLimiter(rate: run, now: now)
    self.perFile = perFile
  }

  /// Changes the limits, bytes per second. Queued transfers are asked again in the next round, also without limits.
  package mutating func change(run rate: Int64?, perFile: Int64?, now: Instant) {
    run.change(rate: rate, now: now)
    self.perFile = perFile
    if perFile == nil { files.removeAll() }
    for item in files.keys { files[item]?.change(rate: perFile, now: now) }
  }

  /// Limits a group, a host or a file, bytes per second; nil is unlimited.
  package mutating func change(_ scope: RateScope, rate: Int64?, now: Instant) {
    if rate == nil {
      scopes[scope] = nil
    } else {
      scopes[scope, default: RateLimiter(rate: rate, now: now)].change(rate: rate, now: now)
    }
  }

  package var isLimited: Bool { run.rate != nil || perFile != nil || !scopes.isEmpty }
  package var isWaitedAt: Bool { !queue.isEmpty }

  /// Whether the run's limit, rather than network or server, decides the rate.
  package func decidesRate(now: Instant) -> Bool {
    run.isDecisive && (isShort || shortAt.map { now - $0 < Self.memory } ?? false)
  }

  /// Whether a limit for the file, or for its group or host, decides its rate.
  package func decidesRate(of item: ItemHandle, now: Instant) -> Bool {
    guard let delay = delays[item], now - delay.at < Self.memory else { return false }
    let limiter = delay.scope.map { scopes[$0] } ?? files[item]
    return limiter?.isDecisive ?? false
  }

  /// The most bytes that such a transfer is to read at once.
  package func pieceByteCount(_ membership: RateMembership) -> Int {
    var rate = min(run.rate ?? .max, perFile ?? .max)
    if !scopes.isEmpty { for scope in membership.scopes { rate = min(rate, scopes[scope]?.rate ?? .max) } }
    return RateLimiter.pieceByteCount(rate: rate)
  }

  /// Whether a transfer may take the bytes that have arrived.
  ///
  /// - Returns: false where it is queued; it must not ask again before its turn.
  package mutating func admits(_ transfer: TransferID, _ membership: RateMembership, now: Instant) -> Bool {
    let goesFirst = !isShort || transfer == turn
    if !goesFirst || !run.admits(now: now) {
      isShort = true
      shortAt = now
    } else if admitsBesidesRun(membership, now: now) {
      return true
    }
    queue.append(Waiter(transfer: transfer, membership: membership))
    return false
  }

  private mutating func admitsBesidesRun(_ membership: RateMembership, now: Instant) -> Bool {
    if !scopes.isEmpty {
      for scope in membership.scopes where scopes[scope]?.admits(now: now) == false {
        delays[membership.item] = (now, scope)
        return false
      }
    }
    guard let perFile else { return true }
    if files[membership.item, default: RateLimiter(rate: perFile, now: now)].admits(now: now) { return true }
    delays[membership.item] = (now, nil)
    return false
  }

  package mutating func took(_ byteCount: Int, _ membership: RateMembership) {
    run.took(byteCount)
    files[membership.item]?.took(byteCount)
    if !scopes.isEmpty { for scope in membership.scopes { scopes[scope]?.took(byteCount) } }
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
      if admitsBesidesRun(waiter.membership, now: now) {
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
    if files.isEmpty, scopes.isEmpty, delays.isEmpty, queue.isEmpty, round.isEmpty, passedOver.isEmpty { return }
    files[item] = nil
    scopes[.file(item)] = nil
    delays[item] = nil
    queue.removeAll { $0.item == item }
    round.removeAll { $0.item == item }
    passedOver.removeAll { $0.item == item }
  }
}
