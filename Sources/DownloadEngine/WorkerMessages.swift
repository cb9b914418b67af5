internal import DownloadCore
internal import FileStore

/// A job for a hash thread.
enum HashJob: Sendable {
  /// Start to hash an item's part file.
  case follow(ItemHandle, PartFile, [DigestAlgorithm])
  /// Everything below this offset is in the part file.
  case advance(ItemHandle, to: Int64)
  /// Bytes of the part file at this offset that are still in memory. The worker returns the block to the pool.
  case block(ItemHandle, FilledBlock, at: Int64)
  /// Verify a complete piece of the part file.
  case piece(ItemHandle, PartFile, PieceCheck)
  /// The content is complete: answer with the digests.
  case finish(ItemHandle, completeLength: Int64)
  /// Whatever is hashed of the item is not wanted any more.
  case forget(ItemHandle)
  /// Verify a file that existed before, and mark it as verified if it is right.
  ///
  /// - Parameter pieces: used where no digest is expected. No mark tells that they match.
  case existing(ItemHandle, TargetPlace, expected: [ExpectedDigest], FileAttributes, pieces: PieceHashes? = nil)
  /// Inspect these targets.
  case inspect([Inspection])
  /// Verify complete small files and write them to disk, without their names, which the storage thread gives them.
  case small([SmallJob], namedBy: WorkerPort<StorageJob>)
  /// Have the small files of earlier jobs named without waiting for more.
  case hurry(WorkerPort<StorageJob>)
}

/// A target of a list that may exist already. A class, because a list of finished files hands over one for each.
final class Inspection: Sendable {
  let item: ItemHandle
  let request: DownloadRequest
  let place: TargetPlace
  /// Its place in the previous set, which counts where nothing is at `place`; nil where there is none.
  let previous: TargetPlace?
  let wanted: ExistingTarget.WantedAttributes
  /// What an index remembers of the file at `place`.
  let noted: FinishedFile?

  init(
    _ item: ItemHandle, _ request: DownloadRequest, place: TargetPlace, previous: TargetPlace?,
    wanted: ExistingTarget.WantedAttributes,
    noted: FinishedFile?
  ) {
    self.item = item
    self.request = request
    self.place = place
    self.previous = previous
    self.wanted = wanted
    self.noted = noted
  }

  func result() -> Result<ExistingTarget, DownloadError> {
    do {
      let existing = try ExistingTarget.inspect(place, reading: wanted, noted: noted)
      guard existing == .absent, let previous else { return .success(existing) }
      return .success(try ExistingTarget.inspect(previous, reading: wanted))
    } catch {
      return .failure(StorageErrors.inspecting(error))
    }
  }
}

typealias Inspected = (inspection: Inspection, result: Result<ExistingTarget, DownloadError>)

/// A complete small file in memory, its expected digests, and those that are wanted besides.
struct SmallJob: Sendable {
  let item: ItemHandle
  let file: SmallFile
  let expected: [ExpectedDigest]
  var recorded: [DigestAlgorithm] = []
}

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
  case synced(ItemHandle, ByteRangeSet)
  case syncFailed(ItemHandle, SystemCallError)
  /// The record that claims less is in force; the part file to use from now on.
  case cleared(ItemHandle, PartFile)
  case clearingFailed(ItemHandle, PartOpenError)
  /// No job holds the lock of the task's target any more.
  case released(TaskID)
  /// `verified` is the digest that was written to the file's attributes, of a success. The last value has what an index
  /// may remember of the file.
  case published(ItemHandle, verified: VerifiedDigest?, Result<FinishedFile?, PublicationError>)
}

/// A small file that is to get its name, and whose it is.
typealias NamedItem = (item: ItemHandle, file: StagedFile)

/// A job for the storage thread.
enum StorageJob: Sendable {
  /// Sync the part file's data, then record that what the record has as written is synced. It was written before the job
  /// was posted.
  case sync(ItemHandle, PartFile, SidecarFile, SidecarRecord)
  /// Write a record that claims less than the previous ones, then create an empty part file unless one is given.
  case clear(ItemHandle, PartFile?, SidecarFile, SidecarRecord)
  /// Remove the part file and sidecar of an item that cannot be resumed.
  case remove(SidecarFile)
  /// Remove what an item that was taken back has stored, if no other run works on it.
  case removeUnfinished(TargetPlace)
  /// Close the files, which may take long on a network file system.
  case close(PartFile?, SidecarFile?)
  /// Answer when all earlier jobs are done, which hold the lock of the task's target.
  case release(TaskID)
  /// Sync and name a complete part file.
  case publish(
    ItemHandle, PartFile, SidecarFile?, byteCount: Int64, FileAttributes, modified: FileTime?, syncs: Bool,
    isReplacing: Bool)
  /// Add small files to the group that is named together.
  case name([NamedItem])
  /// Close the group: name its files now.
  case nameNow
  /// Ask the kernel to start writing back.
  case writeback(PartFile, Range<Int64>)
}
