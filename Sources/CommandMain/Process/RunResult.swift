package import DownloadCore
package import DownloadWords

/// How a command ends.
package struct RunResult {
  package var status: ExitStatus
  /// Whether the process must end without waiting for its threads: after an interruption they may still wait for a disk
  /// or a name server.
  package var mustNotWait: Bool
  /// What a download did; nil where nothing was started, and for other commands.
  package var progress: RunProgress?

  init(_ status: ExitStatus, mustNotWait: Bool = false, progress: RunProgress? = nil) {
    self.status = status
    self.mustNotWait = mustNotWait
    self.progress = progress
  }
}
