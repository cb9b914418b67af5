import DownloadCore

/// How a run of the command line ends.
struct RunResult {
  var status: ExitStatus
  /// Whether the process must end without waiting for its threads.
  var mustNotWait: Bool
  /// What was done; nil where nothing was started.
  var progress: RunProgress?
}
