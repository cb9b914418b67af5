/// An active transfer of a file and the segment that it fills.
///
/// awaitingHead ──wanted body──► receiving
///      └──any other answer──► judged
struct ActiveTransfer: Sendable {
  enum Stage: Hashable, Sendable {
    case awaitingHead
    case receiving
    /// The body is not used. The aftermath follows at its end.
    case judged(Aftermath)
  }

  enum Aftermath: Hashable, Sendable {
    /// Followed after the time that the server asks for.
    case redirect(Location, retryAfter: Duration?)
    case resolveAgain(status: Int)
    case refused(TransferFault, retryAfter: Duration?)
    /// A plain GET determines the version of the mirror.
    case versionInDoubt(VersionChange?)
    /// The mirror refuses ranges. A plain GET may work.
    case rangesRefused
    /// The mirror has another version than the recorded content.
    case disagrees
    /// As before, but this mirror comes first in the request and nothing else decides, so its version is the wanted
    /// one.
    case outranks
    case rangeUnsupported
    case useless
    case keepExisting
    /// The existing file may be shorter than the server's. A HEAD decides.
    case lengthInDoubt
    /// The existing file has another length than the server's. It is compared by its date with a whole answer.
    case lengthDiffers
    /// Nothing would prove the end of the body. The request is repeated over HTTP/1.1.
    case endUnproven
    /// A GET decides.
    case headRefused
    case failItem(Failure)
  }

  let id: TransferID
  let mirror: Int
  /// The requested URL.
  let location: Location
  let asked: AskedContent
  let purpose: TransferOrder.Purpose
  let startedAt: Instant
  /// The request is conditional: it asks for a body only if the server has a newer file.
  let isConditional: Bool
  /// Whether it does the work of another transfer, which was slow or failed.
  var isReplacement = false
  /// Since when it has been far slower than its siblings; nil while it is not.
  var crawlsSince: Instant?
  var stage: Stage = .awaitingHead
  /// The end of the recorded bytes.
  var position: Int64
  /// The end of the wanted bytes; `Int64.max` while the length is unknown.
  var end: Int64
  /// The body is the whole content, whatever was requested.
  var bringsWhole = false
  /// The offset of the body's first byte.
  var bodyStart: Int64
  /// When the body started.
  var answeredAt = Instant.zero
  /// The number of bytes that this transfer was the first to record.
  var recorded: Int64 = 0
  /// The number of received body bytes, recorded or buffered.
  var received: Int64 = 0
  var meter = RateMeter()

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

  /// Recent rate in bytes per second.
  var speed: Double { meter.rate }

  /// The end of the received bytes, recorded or buffered.
  var front: Int64 { max(position, min(bodyStart + received, end)) }

  /// The end of what its answer may bring.
  var reach: Int64 { if case .range(let range) = asked, !bringsWhole { range.upperBound } else { .max } }

  /// Whether it receives content.
  var isFilling: Bool { stage == .receiving && purpose == .content }
}
