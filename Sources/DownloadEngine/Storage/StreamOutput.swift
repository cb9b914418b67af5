internal import DownloadCore
internal import DownloadFiles

/// Content that is written to a stream in order, and verified on the way.
///
/// Touched by the loop's thread only.
final class StreamOutput {
  /// Where the bytes go.
  let outlet: StreamOutlet
  private var hashes: PieceHashes?
  private var pieces: StreamedPieces?
  private var digests: DigestComputer?
  private(set) var byteCount: Int64 = 0

  init(_ target: StreamTarget) { outlet = StreamOutlet(target) }

  /// Throws everything away.
  static func discarding(relativeTo root: TargetDirectory) throws(Failure) -> StreamOutput {
    let place: TargetPlace
    do {
      place = try TargetDirectory.place(userPath: Array("/dev/null".utf8), relativeTo: root, creating: false)
    } catch {
      throw StorageErrors.directory(error)
    }
    do { return StreamOutput(try StreamTarget.open(place)) } catch { throw StorageErrors.output(error) }
  }

  /// Has the pieces verified before their last bytes are written out.
  func verify(_ hashes: PieceHashes?) {
    self.hashes = hashes
    pieces = hashes.map { StreamedPieces($0) }
  }

  /// Begins to compute digests of the whole, unless it has begun.
  func compute(_ algorithms: [DigestAlgorithm]) {
    if digests == nil { digests = DigestComputer(algorithms) }
  }

  /// - Throws: a wrong piece, or a stream that cannot be written to.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    try pieces?.update(bytes)
    do { try outlet.offer(bytes) } catch { throw StorageErrors.output(error) }
    digests?.update(bytes)
    byteCount += Int64(bytes.count)
  }

  /// Takes back what was written. Digests to compute must be named again.
  /// - Throws: `outputChanged` where that is not possible.
  func startOver() throws(Failure) {
    let isEmpty: Bool
    do { isEmpty = try outlet.startOver() } catch { throw StorageErrors.output(error) }
    guard isEmpty else { throw Failure(.outputChanged(written: byteCount)) }
    verify(hashes)
    digests = nil
    byteCount = 0
  }

  /// All is written.
  /// - Returns: the digests of the whole.
  /// - Throws: a wrong last piece.
  func finish() throws(Failure) -> [ContentDigest] {
    let computed = digests?.finish() ?? []
    try pieces?.finish()
    return computed
  }
}
