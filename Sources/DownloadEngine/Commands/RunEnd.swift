package import DownloadCore

/// How a run ended.
package struct RunEnd: Sendable {
  /// The codes of all failures that occurred.
  package var failureCodes: Set<Failure.Code> = []
  package var progress = RunProgress()
  /// Items that were active when the run ended early, or when their file system was full. Their bytes are saved.
  package var unfinished: [Outcome] = []
  /// Tasks of which a thread still has a file open, because a system call takes long. It does nothing else for them.
  package var unreleased: Set<TaskID> = []
  /// An order to stop ended the run before everything was done.
  package var wasStopped = false
  /// More items failed than `RunSettings.maxFailures` allows, which ended the run early.
  package var hasTooManyFailures = false
  /// Why the whole run had to stop, for example a full disk or a list that changed.
  package var stoppedBy: Failure?
  /// All cookies, as `Secrets.Cookies` takes them; nil if the settings keep none, or nothing was begun. Secret.
  package var cookies: [[UInt8]]?

  package init() {}

  /// Whether nothing ended the run before it had gone through all requests.
  package var isWhole: Bool { stoppedBy == nil && !wasStopped && !hasTooManyFailures }
}
