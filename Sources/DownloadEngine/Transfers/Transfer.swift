internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Stores what transfers receive. Called inside libcurl's callbacks.
protocol TransferOwner: AnyObject {
  /// - Returns: false to end the transfer here.
  func received(_ head: ResponseHead, of transfer: Transfer) -> Bool
  func received(_ body: UnsafeRawBufferPointer, of transfer: Transfer) -> BodyAnswer
  /// The exchange has ended by itself; no callback of libcurl is on the stack.
  func ended(_ transfer: Transfer, _ result: ExchangeResult)
}

/// An active transfer: an exchange, and the segment of the item's content that its body fills.
///
/// Touched by the loop's thread only.
final class Transfer: ExchangeDelegate {
  let item: ActiveItem
  let exchange: Exchange
  private unowned let owner: any TransferOwner
  private(set) var disposition = BodyDisposition.drain
  var segment = SegmentBuffer()
  /// The machine has stopped the transfer: nothing more of it may be stored.
  var isDead = false
  /// Received bytes that the machine was not told of yet.
  private var untoldByteCount: Int64 = 0
  /// Computes the digest of a body that confirms one of unknown length.
  private(set) var confirmation: DigestComputer?
  /// Bytes that arrived while the item was buffering and the buffer was full. They are stored before any others.
  private(set) var leftover: [UInt8] = []
  /// How the exchange ended while the item was buffering, or before all bytes were written; the machine is told later.
  var deferredResult: ExchangeResult?
  /// Its host is being looked up once more, and the machine is told after that.
  var awaitsLookup = false
  var hasRepeatedLookup = false
  private var drainedByteCount = 0
  /// Whether its body is read only so that the connection can be used again.
  private var isDraining = false

  /// The most time for that.
  private static let drainTime: Duration = .seconds(3)

  init(item: ActiveItem, exchange: Exchange, owner: any TransferOwner) {
    self.item = item
    self.exchange = exchange
    self.owner = owner
  }

  var id: TransferID { exchange.id }

  /// What limits of the rate it is under.
  var membership: RateMembership {
    RateMembership(item: item.handle, group: item.group, host: exchange.order.location.origin)
  }

  // MARK: Inside libcurl's callbacks

  func exchange(_ exchange: Exchange, received head: ResponseHead) -> Bool {
    !isDead && owner.received(head, of: self)
  }

  func exchange(_ exchange: Exchange, body: UnsafeRawBufferPointer) -> BodyAnswer {
    if isDead { return .stop }
    if leftover.isEmpty { return owner.received(body, of: self) }
    if !exchange.suspendsMulti { return .pause }
    // Nothing more is read of its connection, which others share. These are bytes that libcurl had read before.
    count(body.count)
    leftover += body
    return .taken
  }

  func exchangeEnded(_ exchange: Exchange, _ result: ExchangeResult) {
    if !isDead { owner.ended(self, result) }
  }

  // MARK: The body

  /// The machine has decided about the answer.
  func begin(_ disposition: BodyDisposition, contentLength: Int64?, _ pool: SmallBlockPool) {
    self.disposition = disposition
    switch disposition {
    case .stop: break
    case .drain: isDraining = !exchange.isMultiplexed
    case .hash: confirmation = DigestComputer([.sha256])
    case .store(let at, let skip, let end):
      segment.begin(at: at, skip: skip, end: end, contentLength: contentLength, pool)
    }
  }

  /// Whether the body is content, to be stored or compared.
  var isWanted: Bool {
    switch disposition {
    case .stop, .drain: false
    case .hash, .store: true
    }
  }

  /// Counts received bytes, useful or not.
  func count(_ byteCount: Int) { untoldByteCount += Int64(byteCount) }

  /// Returns the bytes received since the last call.
  func takeUntold() -> Int64 {
    defer { untoldByteCount = 0 }
    return untoldByteCount
  }

  /// Skips bytes of an unwanted body.
  func drain(_ byteCount: Int) -> BodyAnswer {
    drainedByteCount += byteCount
    return drainedByteCount > BodyDisposition.drainLimit ? .stop : .taken
  }

  /// Keeps bytes that do not fit into the buffer. The exchange has to pause before it delivers more.
  func keep(_ bytes: UnsafeRawBufferPointer) { leftover = Array(bytes) }

  func takeLeftover() -> [UInt8] {
    defer { leftover = [] }
    return leftover
  }

  /// Whether its exchange is over, and the machine does not know yet.
  var hasEnded: Bool { deferredResult != nil || awaitsLookup }

  // MARK: Stalls

  /// Whether nothing of use has arrived for longer than `limit`. A transfer that is paused or has ended is not stalled.
  func isStalled(for limit: Duration, now: Instant) -> Bool {
    let limit = isDraining ? min(limit, Self.drainTime) : limit
    return !exchange.isBlocked && !hasEnded && now - exchange.lastActivity > limit
  }
}
