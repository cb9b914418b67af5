internal import DownloadCore
internal import FileStore
internal import Synchronization

/// How an engine writes part files on one device: itself, or by the device's writer.
///
/// Touched by the loop's thread only.
final class DeviceWriter {
  let port: WorkerPort<StorageJob>
  private let budget: WriteBudget
  private var pace: WritePace

  init(_ port: WorkerPort<StorageJob>, _ budget: WriteBudget, isSlow: Bool) {
    self.port = port
    self.budget = budget
    pace = WritePace(isSlow: isSlow)
  }

  /// Whether a write by the loop might wait for the disk.
  var isSlow: Bool { pace.isSlow }

  /// A block was written, by whichever thread.
  func wrote(in duration: Duration) { pace.wrote(in: duration) }

  /// Room for one more block on its way to the writer; nil if there is none.
  func lease(byteCount: Int) -> WriteLease? { budget.lease(byteCount: byteCount) }
}

/// The memory of a process that may hold blocks for writers.
final class WriteBudget: Sendable {
  private let leased = Atomic<Int>(0)
  private static let limit = 16 << 20

  func lease(byteCount: Int) -> WriteLease? {
    guard leased.add(byteCount, ordering: .relaxed).newValue <= Self.limit else {
      leased.subtract(byteCount, ordering: .relaxed)
      return nil
    }
    return WriteLease(self, byteCount: byteCount)
  }

  fileprivate func giveBack(_ byteCount: Int) { leased.subtract(byteCount, ordering: .relaxed) }
}

/// A part of the budget, which has it back when nobody refers to the lease any more.
final class WriteLease: Sendable {
  private let budget: WriteBudget
  private let byteCount: Int

  fileprivate init(_ budget: WriteBudget, byteCount: Int) {
    self.budget = budget
    self.byteCount = byteCount
  }

  deinit { budget.giveBack(byteCount) }
}

/// A block to be written by a device's writer.
struct BlockWrite: Sendable {
  /// What the answer carries.
  let number: Int
  let block: FilledBlock
  /// In the part file, where none of these bytes is recorded.
  let offset: Int64
  let lease: WriteLease
  /// Set once a write of the item has failed.
  let hasFailed: StopFlag
}

/// The writer's answer to a job of an item.
struct WriteAnswer: Sendable {
  let item: ItemHandle
  let number: Int
  /// Nil for a job that was only handed on.
  let write: BlockWrite?
  let error: SystemCallError?
  let duration: Duration
}
