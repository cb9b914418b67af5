internal import DownloadCore
internal import DownloadFiles
internal import Synchronization

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

/// A complete small file in memory, its expected digests, and those that are wanted besides.
struct SmallJob: Sendable {
  let item: ItemHandle
  let file: SmallFile
  let expected: [ExpectedDigest]
  var recorded: [DigestAlgorithm] = []
}

/// A small file that is to get its name, and whose it is.
typealias NamedItem = (item: ItemHandle, file: StagedFile)

/// A part file to sync, and the record that is synced after it.
struct FilesToSync: Sendable {
  let part: PartFile
  let sidecar: SidecarFile
  var record: SidecarRecord
}

/// A record of bytes that were handed to the kernel.
struct RecordToWrite: Sendable {
  let sidecar: SidecarFile
  let record: SidecarRecord
  /// Set if not all of them were, and nothing is recorded then.
  let writeHasFailed: StopFlag
}

/// Work that the engine's thread can take back until the storage thread begins it.
final class Revocable<Work: Sendable>: Sendable {
  private enum State {
    case waiting(Work)
    case begun
    case over
  }

  private let state: Lock<State>

  init(_ work: Work) { state = Lock(.waiting(work)) }

  /// Does the work, unless it was taken back.
  func perform(_ body: (Work) -> Void) {
    let work = state.withLock { state -> Work? in
      guard case .waiting(let work) = state else { return nil }
      state = .begun
      return work
    }
    guard let work else { return }
    body(work)
    state.withLock { $0 = .over }
  }

  /// - Returns: nil if it was begun.
  func takeBack() -> Work? {
    state.withLock { state in
      guard case .waiting(let work) = state else { return nil }
      state = .over
      return work
    }
  }

  /// Whether it was begun and is not done.
  var isUnderWay: Bool {
    state.withLock { if case .begun = $0 { true } else { false } }
  }

  /// Whether it is done, or was taken back.
  var isOver: Bool {
    state.withLock { if case .over = $0 { true } else { false } }
  }
}

/// A job for the storage thread.
enum StorageJob: Sendable {
  /// Sync the part file's data, then record that what the record has as written is synced. It was written before the job
  /// was posted.
  case sync(ItemHandle, Revocable<FilesToSync>)
  /// Write a record, which may wait for that of an earlier run.
  case record(Revocable<RecordToWrite>)
  /// Take the lock on the target, write a record that claims nothing, and create a part file.
  ///
  /// - Parameters:
  ///   - isNew: whether nothing had the target's name when it was inspected.
  ///   - whole: what the part file gets; nil leaves it empty. Of one that does not get it nothing is left.
  case create(ItemHandle, TargetPlace, isNew: Bool, SidecarRecord, whole: FilledBlock?)
  /// Write a record that claims less than the previous ones, then create a part file, as `create`, unless one is given.
  case clear(ItemHandle, PartFile?, SidecarFile, SidecarRecord, whole: FilledBlock?)
  /// Cut off the end of a part file of an earlier run, which no record claims.
  case cut(ItemHandle, PartFile, to: Int64)
  /// Remove the part file and sidecar of an item that cannot be resumed.
  case remove(SidecarFile)
  /// Remove what an item that was taken back has stored, if no other run works on it.
  case removeUnfinished(TargetPlace)
  /// Remove content that was set aside beside this target.
  case removeRejected(TargetPlace)
  /// Bring names that were changed to stable storage.
  case syncNames([DirectoryHandle])
  /// Close the files, which may take long on a network file system.
  case close(PartFile?, SidecarFile?)
  /// Answer when all earlier jobs are done, which hold the lock of the task's target.
  case release(TaskID)
  /// Give a part file with wrong content another name, by which the user finds it, and remove its sidecar.
  case setAside(ItemHandle, PartFile, SidecarFile?)
  /// Sync and name a complete part file.
  case publish(ItemHandle, PartFile, SidecarFile?, byteCount: Int64, PublishOrder, syncs: Bool)
  /// Add small files to the group that is named together.
  case name([NamedItem])
  /// Close the group: name its files now.
  case nameNow
  /// Write a block of an item into its part file.
  case write(ItemHandle, PartFile, BlockWrite)
  /// Once all earlier jobs are done, have another thread do this one.
  ///
  /// - Parameter answer: of which item, and under which number, an answer is wanted.
  indirect case handOn(StorageJob, to: WorkerPort<StorageJob>, answer: (ItemHandle, number: Int)? = nil)
  /// Ask the kernel to start writing back.
  case writeback(PartFile, Range<Int64>)
}
