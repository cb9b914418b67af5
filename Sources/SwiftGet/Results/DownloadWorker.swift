internal import DownloadFiles
internal import DownloadStore

/// The process that works on a session.
public struct DownloadWorker: Hashable, Sendable {
  /// The name of its computer.
  public let host: String
  /// Its process id there.
  public let process: Int32
  /// Whether it is this process.
  public let isThisProcess: Bool

  init(_ holder: SessionHolder) {
    host = holder.host
    process = holder.process.process
    isThisProcess = holder.isOfThisHost && holder.process == .current
  }

  /// This process.
  static let current = DownloadWorker(.current(socket: nil))
}
