internal import DownloadCore
internal import FileStore

/// What the hash threads are told.
enum HashJob: Sendable {
  /// Begin to hash the part file of an item as its first bytes come together.
  case follow(ItemVersion, PartFile, [DigestAlgorithm])
  /// Everything below this offset is in the part file.
  case advance(ItemVersion, to: Int64)
  /// These bytes, which lie in the part file at this offset, in memory still. The worker gives the block back.
  case block(ItemVersion, FilledBlock, at: Int64)
  /// A piece of the part file is complete: is it right?
  case piece(ItemVersion, PartFile, PieceCheck)
  /// All is there: answer with the digests.
  case finish(ItemVersion, completeLength: Int64)
  case forget(item: Int)
  /// A file that was there before: is it right already? Marked if it is.
  case existing(item: Int, TargetPlace, expected: [ExpectedDigest], FileAttributes)
  /// What stands under these names?
  case inspect([Inspection])
  /// Whole small files: verify them and put them on disk, without their names yet.
  case small([SmallJob])
  /// Have the small files that were handed over so far named without waiting for more.
  case hurry
  case end
}

/// A listed target whose name is taken, perhaps.
struct Inspection: Sendable {
  let request: DownloadRequest
  let place: TargetPlace
  /// Whether the recorded entity tag is of use.
  let readsEntityTag: Bool

  func result() -> Result<ExistingTarget, DownloadError> {
    do {
      return .success(try ExistingTarget.inspect(place, readsEntityTag: readsEntityTag))
    } catch {
      return .failure(StorageErrors.inspecting(error))
    }
  }
}

typealias Inspected = (inspection: Inspection, result: Result<ExistingTarget, DownloadError>)

/// A whole small file in memory, and what its content must be.
struct SmallJob: Sendable {
  let version: ItemVersion
  let file: SmallFile
  let expected: [ExpectedDigest]
}

/// An item, and which of its fresh starts is meant.
struct ItemVersion: Hashable, Sendable {
  let item: Int
  let generation: Int
}

/// What the workers answer.
enum WorkerReply: Sendable {
  case inspected([Inspected])
  case hashed(ItemVersion, [ContentDigest])
  case hashFailed(ItemVersion, SystemCallError)
  case pieceHashed(ItemVersion, PieceCheck, actual: ContentDigest)
  /// `verified` is nil where the file is not the wanted one.
  case existingHashed(item: Int, verified: VerifiedDigest?, byteCount: Int64)
  case smallMismatched(ItemVersion, expected: ExpectedDigest, actual: ContentDigest, body: [UInt8])
  case smallFailed(ItemVersion, SystemCallError)
  /// OpenSSL cannot compute a digest that is needed.
  case uncomputable(ItemVersion)
  case synced(ItemVersion, ByteRangeSet)
  case syncFailed(ItemVersion, SystemCallError)
  /// The records claim less now; this is the item's part file.
  case cleared(ItemVersion, PartFile)
  case clearingFailed(ItemVersion, PartOpenError)
  /// `verified` is what the attributes of the file in place say.
  case published(item: Int, verified: VerifiedDigest?, PublicationError?)
}

/// What the storage thread is told.
enum StorageJob: Sendable {
  /// Sync the part file's data, then record `record`, whose synced ranges were written before this was posted.
  case sync(ItemVersion, PartFile, SidecarFile, SidecarRecord)
  /// Put a record in force that claims less than the ones before, then make an empty part file unless one is given.
  case clear(ItemVersion, PartFile?, SidecarFile, SidecarRecord)
  /// Remove what an item leaves that has nothing to go on from.
  case remove(TargetPlace, SidecarFile)
  /// Sync, name and forget a whole part file.
  case publish(
    item: Int, PartFile, SidecarFile?, byteCount: Int64, FileAttributes, modified: FileTime?, syncs: Bool,
    isReplacing: Bool)
  /// Name a small file that lies ready, together with others.
  case name(ItemVersion, StagedFile)
  /// Do not wait for more of them.
  case nameNow
  /// Have the kernel begin to write back.
  case writeback(PartFile, Range<Int64>)
  case end
}
