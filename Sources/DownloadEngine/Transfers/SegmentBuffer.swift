internal import DownloadCore
internal import DownloadFiles

/// Collects the wanted bytes of one body, the segment, so that few large writes are made of many small pieces.
///
/// Offsets are bytes of the item's content.
struct SegmentBuffer: ~Copyable {
  /// Offset of the next body byte that arrives.
  private(set) var offset: Int64 = 0
  /// Bytes below this offset are there already and are passed over.
  private var keptUntil: Int64 = 0
  /// Bytes from this offset on are not wanted.
  private(set) var end: Int64 = .max
  /// Offset at which the body ends by its own framing; unknown is `Int64.max`.
  private var naturalEnd: Int64 = .max
  private(set) var collected = BodyBuffer()
  /// Offset of the first collected byte.
  private(set) var start: Int64 = 0
  /// Where the collected bytes lie in the content.
  var collectedRange: Range<Int64> { start..<(start + Int64(collected.count)) }
  /// When the oldest collected byte came in.
  private(set) var collectedSince = Instant.distantFuture

  static let byteCount = 256 << 10

  /// The body is accepted: its first byte has the offset `at`, and `skip` bytes are passed over.
  mutating func begin(at: Int64, skip: Int64, end: Int64?, contentLength: Int64?, _ pool: SmallBlockPool) {
    offset = at
    keptUntil = at + skip
    start = keptUntil
    self.end = min(self.end, end ?? .max)
    if let contentLength { naturalEnd = at + contentLength }
    let wanted = min(naturalEnd, self.end)
    let known = wanted == .max ? Self.byteCount : Int(clamping: wanted - keptUntil)
    // At least one byte: a body that is longer than announced has to be noticed.
    collected.reserve(min(Self.byteCount, max(known, 1)), pool)
  }

  /// Moves the end of the wanted bytes; to a higher offset only before the body has reached it, for then it is cut.
  mutating func setEnd(_ newEnd: Int64) { if newEnd < end || offset < end { end = newEnd } }

  /// Whether everything wanted has arrived although the body continues.
  var isCut: Bool { offset >= end && end < naturalEnd }

  enum Taken {
    case all
    /// The buffer is full: flush it, then offer the rest, which begins at this index.
    case flushFirst(Int)
    case ended
  }

  /// Collects what is wanted of `bytes` from index `start` on.
  mutating func take(_ bytes: UnsafeRawBufferPointer, from start: Int, now: Instant) -> Taken {
    var index = start
    if offset < keptUntil {
      let passed = Int(min(keptUntil - offset, Int64(bytes.count - index)))
      offset += Int64(passed)
      index += passed
    }
    while index < bytes.count {
      let left = end - offset
      guard left > 0 else { return .ended }
      guard collected.count < collected.capacity else { return .flushFirst(index) }
      let count = Int(min(Int64(min(bytes.count - index, collected.capacity - collected.count)), left))
      if collected.count == 0 { collectedSince = now }
      collected.append(UnsafeRawBufferPointer(rebasing: bytes[index..<(index + count)]))
      offset += Int64(count)
      index += count
    }
    // A body that continues beyond the wanted end is cut; one that ends there keeps its connection.
    return isCut ? .ended : .all
  }

  /// The collected bytes were written: empties the buffer.
  mutating func flushed() {
    start += Int64(collected.count)
    collected.removeAll()
    beginNew()
  }

  /// As `flushed`, but hands the collected bytes to another thread and takes another block from the pool.
  mutating func handedOver(_ pool: BlockPool) -> FilledBlock {
    start += Int64(collected.count)
    defer { beginNew() }
    return collected.replaceBlock(pool.take(byteCount: collected.capacity))
  }

  /// The content of a body that has ended and is whole, which goes to another thread.
  mutating func takeWhole() -> FilledBlock { collected.takeContent() }

  private mutating func beginNew() {
    collectedSince = .distantFuture
    // The first buffer is only as large as a small body. A longer body continues with a full one.
    let left = min(naturalEnd, end) - start
    if collected.capacity < Self.byteCount, left > Int64(collected.capacity) { collected.grow(to: Self.byteCount) }
  }
}
