internal import DownloadCore

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
