internal import DownloadCore
internal import FileStore
internal import Transport

/// Where one exchange's body goes: collected in a buffer, so that few large writes are made of many small pieces.
///
/// Owned by the engine, touched by the loop's thread only.
final class BodySink {
  let item: ActiveItem
  let exchange: Exchange
  var disposition = BodyDisposition.drain
  /// Set when the machine has stopped the transfer: nothing of it may be stored any more.
  var isDead = false
  /// Offset of the next body byte that arrives.
  private(set) var offset: Int64 = 0
  /// Bytes below this offset are there already and are passed over.
  private var keptUntil: Int64 = 0
  private(set) var end: Int64 = .max
  /// Offset at which the body ends by its own framing; unknown is `Int64.max`.
  private var naturalEnd: Int64 = .max
  private(set) var buffer = BodyBuffer()
  /// Offset of the buffer's first byte.
  private(set) var bufferStart: Int64 = 0
  /// When the oldest byte of the buffer came in.
  private(set) var bufferedSince = Instant.distantFuture
  /// Bytes received that the machine has not been told of.
  var unreportedByteCount: Int64 = 0
  var confirmation: DigestComputer?
  /// What came in when the item was holding and the buffer full; goes before anything else.
  private(set) var leftover: [UInt8] = []
  /// Its exchange was paused because the item was holding.
  var isPaused = false
  /// How its exchange has ended, which the machine is told when the item takes bytes again.
  var heldResult: ExchangeResult?
  private var drainedByteCount = 0

  static let bufferByteCount = 256 << 10
  /// An unwanted body is read for the connection's sake up to here.
  private static let drainLimit = 64 << 10

  init(item: ActiveItem, exchange: Exchange) {
    self.item = item
    self.exchange = exchange
  }

  /// The answer is accepted: its body begins at `at`.
  func begin(_ disposition: BodyDisposition, contentLength: Int64?) {
    self.disposition = disposition
    guard case .store(let at, let skip, let end) = disposition else { return }
    offset = at
    keptUntil = at + skip
    bufferStart = keptUntil
    self.end = min(self.end, end ?? .max)
    if let contentLength { naturalEnd = at + contentLength }
    let wanted = min(naturalEnd, self.end)
    let known = wanted == .max ? Self.bufferByteCount : Int(clamping: wanted - keptUntil)
    // Never none: a body that is longer than announced must find room to be noticed.
    buffer.reserve(min(Self.bufferByteCount, max(known, 1)))
  }

  /// The body is wanted up to here only.
  func setEnd(_ newEnd: Int64) { end = min(end, newEnd) }

  /// All that was wanted has arrived although the body goes on.
  var isCut: Bool { offset >= end && end < naturalEnd }

  enum Taken {
    case all
    /// The buffer is full: flush it, then offer the rest, which begins at this index.
    case flushFirst(Int)
    case ended
  }

  /// Stores what is wanted of `bytes` from index `start` on.
  func take(_ bytes: UnsafeRawBufferPointer, from start: Int, now: Instant) -> Taken {
    var index = start
    if offset < keptUntil {
      let passed = Int(min(keptUntil - offset, Int64(bytes.count - index)))
      offset += Int64(passed)
      index += passed
    }
    while index < bytes.count {
      let left = end - offset
      guard left > 0 else { return .ended }
      guard buffer.count < buffer.capacity else { return .flushFirst(index) }
      let count = Int(min(Int64(min(bytes.count - index, buffer.capacity - buffer.count)), left))
      if buffer.count == 0 { bufferedSince = now }
      buffer.append(UnsafeRawBufferPointer(rebasing: bytes[index..<(index + count)]))
      offset += Int64(count)
      index += count
    }
    // A body that goes on beyond what is wanted is ended; one that ends there by itself keeps its connection.
    return isCut ? .ended : .all
  }

  /// Puts bytes aside for which there is no room; the exchange has to pause before it brings more.
  func keep(_ bytes: UnsafeRawBufferPointer) { leftover = Array(bytes) }

  func takeLeftover() -> [UInt8] {
    defer { leftover = [] }
    return leftover
  }

  /// An unwanted body.
  func drain(_ byteCount: Int) -> BodyAnswer {
    drainedByteCount += byteCount
    return drainedByteCount > Self.drainLimit ? .stop : .taken
  }

  /// The buffer is written: the next byte begins a new one.
  func flushed() {
    bufferStart += Int64(buffer.count)
    buffer.removeAll()
    bufferIsNew()
  }

  /// As `flushed`; what was written goes to somebody else, and another block takes its place.
  func handedOver(_ pool: BlockPool) -> FilledBlock {
    bufferStart += Int64(buffer.count)
    defer { bufferIsNew() }
    return buffer.replaceBlock(pool.take(byteCount: buffer.capacity))
  }

  private func bufferIsNew() {
    bufferedSince = .distantFuture
    // The first buffer is as small as a small body; what goes on gets a whole one.
    let left = min(naturalEnd, end) - bufferStart
    if buffer.capacity < Self.bufferByteCount, left > Int64(buffer.capacity) { buffer.grow(to: Self.bufferByteCount) }
  }
}
