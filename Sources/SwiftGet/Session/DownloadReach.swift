internal import DownloadCore

/// Which tasks commands reach. Only this library makes one.
public struct DownloadReach: Sendable {
  enum Target: Sendable {
    case tasks([TaskID])
    case group(String)
    case selection([DownloadSelector])
    case session
  }

  /// Nil for no task at all.
  let session: DownloadSession?
  let target: Target

  init(_ session: DownloadSession?, _ target: Target) {
    self.session = session
    self.target = target
  }
}
