internal import DownloadCore

extension DownloadTask: DownloadControls {
  /// The task alone.
  public var reach: DownloadReach { DownloadReach(session, .tasks([id.number])) }
}

extension Array: DownloadControls where Element == DownloadTask {
  /// These tasks.
  public var reach: DownloadReach { DownloadReach(self) }
}

extension ArraySlice: DownloadControls where Element == DownloadTask {
  /// These tasks.
  public var reach: DownloadReach { DownloadReach(self) }
}

extension Set: DownloadControls where Element == DownloadTask {
  /// These tasks, in the order in which they were added.
  public var reach: DownloadReach { DownloadReach(sorted { $0.id < $1.id }) }
}

extension Array: DownloadScope where Element == DownloadTask {}
extension ArraySlice: DownloadScope where Element == DownloadTask {}
extension Set: DownloadScope where Element == DownloadTask {}

extension DownloadReach {
  /// Those of the first one's session; others are unknown there.
  fileprivate init(_ tasks: some Collection<DownloadTask>) {
    self.init(tasks.first?.session, .tasks(tasks.map(\.id.number)))
  }
}
