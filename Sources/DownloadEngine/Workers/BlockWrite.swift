internal import DownloadCore
internal import DownloadFiles

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
