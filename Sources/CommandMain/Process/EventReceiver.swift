package import DownloadCore
internal import DownloadEngine

/// Receives the events of an engine, on the command's first thread.
package protocol EventReceiver: AnyObject {
  /// How often it wants `progressed`; nil for never.
  var progressInterval: Duration? { get }
  /// The item left the queue. Its first request follows.
  func itemStarted(_ task: TaskID, name: [UInt8], location: Location)
  /// An event of interest that is no failure, such as a restart, an ignored sidecar or an expelled mirror.
  func noticed(_ notice: Notice)
  func itemEnded(_ outcome: Outcome)
  /// SIGUSR1 asked for the status.
  func statusAsked(_ progress: RunProgress)
  func progressed(_ progress: RunProgress)
  /// Called after events, a few times a second: what is buffered is written.
  func flush()
}

extension EventReceiver {
  var progressInterval: Duration? { .milliseconds(200) }
  package func flush() {}

  func take(_ event: EngineEvent) {
    switch event {
    case .started(let task, let name, let location): itemStarted(task, name: name, location: location)
    case .noticed(let notice): noticed(notice)
    case .ended(let outcome): itemEnded(outcome)
    case .progressed(let progress): progressed(progress)
    case .status(let progress): statusAsked(progress)
    }
  }
}
