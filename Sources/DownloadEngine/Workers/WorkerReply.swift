internal import DownloadCore
internal import DownloadFiles

/// An answer of a worker.
enum WorkerReply: Sendable {
  case inspected([Inspected])
  case lookedUp(host: String, HostLookup)
  case hashed(ItemHandle, [ContentDigest])
  case hashFailed(ItemHandle, SystemCallError)
  case pieceHashed(ItemHandle, PieceCheck, actual: ContentDigest)
  /// The existing file is the expected one. `verified` is nil where only its pieces have digests. The last value is what
  /// an index may remember of the file.
  case existingRight(ItemHandle, verified: VerifiedDigest?, byteCount: Int64, FinishedFile?)
  /// The existing file is not the expected one.
  case existingWrong(ItemHandle)
  case smallMismatched(ItemHandle, expected: ExpectedDigest, actual: ContentDigest, body: FilledBlock)
  /// The digests of a small file, of which some are recorded. `published` follows.
  case smallHashed(ItemHandle, [ContentDigest])
  case smallFailed(ItemHandle, SystemCallError)
  /// OpenSSL cannot compute an expected digest.
  case uncomputable(ItemHandle)
  /// A question has an answer.
  case decided(number: Int, EngineDecision)
  case wrote([WriteAnswer])
  case synced(ItemHandle, ByteRangeSet)
  case syncFailed(ItemHandle, SystemCallError)
  case created(ItemHandle, SidecarFile, PartFile)
  case creationFailed(ItemHandle, Failure)
  /// The record that claims less is in force; the part file to use from now on.
  case cleared(ItemHandle, PartFile)
  case clearingFailed(ItemHandle, SystemCallError)
  /// The name that the content has now.
  case setAside(ItemHandle, Result<[UInt8], PartOpenError>)
  /// No job holds the lock of the task's target any more.
  case released(TaskID)
  /// `verified` is the digest that was written to the file's attributes, of a success. The last value has what an index
  /// may remember of the file.
  case published(ItemHandle, verified: VerifiedDigest?, Result<FinishedFile?, PublicationError>)
}
