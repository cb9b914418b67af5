/// A transfer that is at work for a file, and the segment that it fills.
///
/// awaitingHead ──a body that is wanted──► receiving
///      └──any other answer──► judged
struct ActiveTransfer: Sendable {
  enum Stage: Hashable, Sendable {
    case awaitingHead
    case receiving
    /// The body is of no use; this follows when it is out of the way.
    case judged(Aftermath)
  }

  enum Aftermath: Hashable, Sendable {
    case redirect(Location)
    case resolveAgain(status: Int)
    case refused(TransferFault, retryAfter: Duration?)
    /// A plain GET is to tell which version the mirror has.
    case versionInDoubt(VersionChange?)
    /// The mirror refuses ranges: a plain GET may work.
    case rangesRefused
    /// The mirror has another version than the content so far.
    case disagrees
    /// The same, but it was named first, and nothing else decides: its version is the wanted one.
    case outranks
    case rangeUnsupported
    case useless
    case keepExisting
    case failItem(DownloadError)
  }

  let id: TransferID
  let mirror: Int
  /// Where it asks.
  let location: Location
  let asked: AskedContent
  let purpose: TransferOrder.Purpose
  let startedAt: Instant
  /// It asked for a body only where the server has a newer file.
  let isConditional: Bool
  var stage: Stage = .awaitingHead
  /// Recorded up to here.
  var position: Int64
  /// Wanted up to here; `Int64.max` while the length is unknown.
  var end: Int64
  /// The position at which its body began.
  var bodyStart: Int64
  /// When its body began to come.
  var answeredAt = Instant.zero
  /// Bytes that it was the first to record.
  var recorded: Int64 = 0
  /// Body bytes that came in, recorded or still buffered.
  var received: Int64 = 0
  var receivedAtTick: Int64 = 0
  /// Bytes per second lately.
  var speed: Double = 0

  init(_ order: TransferOrder, end: Int64, startedAt: Instant) {
    id = order.id
    mirror = order.mirror
    location = order.location
    asked = order.asked
    purpose = order.purpose
    self.startedAt = startedAt
    isConditional = order.condition != nil
    position = order.asked.start
    bodyStart = order.asked.start
    self.end = end
  }

  /// Everything before this offset of its segment has come in, recorded or still buffered.
  var front: Int64 { max(position, min(bodyStart + received, end)) }

  /// It brings content now.
  var isFilling: Bool { stage == .receiving && purpose == .content }
}
