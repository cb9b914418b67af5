internal import DownloadCore
internal import FileStore

/// One item that is being worked on: where its bytes lie and what has been recorded of them.
///
/// Touched by the loop's thread only; the workers get what they need in messages.
final class ActiveItem {
  /// Where the bytes go.
  enum Destination {
    /// A place in a directory: part file, sidecar, rename.
    case file(TargetPlace)
    /// Standard output, a pipe, a device: in order, nothing renamed.
    case stream(StreamTarget)
  }

  let request: DownloadRequest
  let name: [UInt8]
  let destination: Destination
  let startedAt: Instant
  var isReplacing = false
  var existing: ExistingTarget = .absent

  var part: PartFile?
  var sidecar: SidecarFile?
  var policy: CheckpointPolicy
  /// The whole content of a small file that came in one go and was never written to a part file.
  var smallBody: [UInt8]?
  var synced = ByteRangeSet()
  /// What is written, by the mirror it came from.
  var sources: [ByteRangeSet]
  var completeLength: Int64?
  /// The length for which room on the disk is claimed; nil before it was asked for.
  var claimedLength: Int64?
  /// Told to the hash thread so far; nil where nobody hashes.
  var hashedTo: Int64?
  /// What the hash thread computes.
  var followedAlgorithms: [DigestAlgorithm] = []
  var worker = 0
  /// Grows with each start from zero; answers of workers to an older one are ignored.
  var generation = 0
  var streamDigests: DigestComputer?
  var streamPieces: StreamedPieces?
  var streamedByteCount: Int64 = 0
  /// Where a stream's bytes go; nil for a file.
  let outlet: StreamOutlet?

  var receivedByteCount: Int64 = 0
  var conclusion: Conclusion?
  /// What the content was found to be.
  var verified: VerifiedDigest?
  /// Jobs of the storage thread that put records of it out of force.
  var clearingCount = 0
  /// A worker still has something of it.
  var isPublishing = false

  init(request: DownloadRequest, destination: Destination, now: Instant) {
    self.request = request
    self.name = request.target.name
    self.destination = destination
    outlet = if case .stream(let stream) = destination { StreamOutlet(stream) } else { nil }
    startedAt = now
    policy = CheckpointPolicy(now: now)
    sources = Array(repeating: ByteRangeSet(), count: request.mirrors.count)
  }

  /// Nothing of it may be written now.
  var isHolding: Bool { clearingCount > 0 || outlet?.isFull ?? false }

  var url: Location { request.mirrors[0].location }

  /// Names the whole original URL without showing it.
  private(set) lazy var urlHash = StableHash.fnv1a(url.text)

  /// What the sidecar is to say now.
  func record(written: ByteRangeSet, place: TargetPlace, knowledge: VersionKnowledge) -> SidecarRecord {
    var record = SidecarRecord(
      target: place.name, mirrors: request.mirrors.map(\.location), bootID: BootID.current, knowledge: knowledge)
    record.synced = synced
    record.written = written
    for (index, ranges) in sources.enumerated() {
      record.sources += ranges.ranges.map { SidecarRecord.SourcedRange($0, mirror: index) }
    }
    return record
  }

  /// Nothing is stored any more.
  func forgetContent() {
    generation += 1
    synced = ByteRangeSet()
    for index in sources.indices { sources[index] = ByteRangeSet() }
    completeLength = nil
    claimedLength = nil
    hashedTo = nil
    smallBody = nil
    policy.restarted()
  }
}
