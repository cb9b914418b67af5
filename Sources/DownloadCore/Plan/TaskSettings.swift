/// Settings of one task, which count more than those of the run. Nil is what holds for the run.
package struct TaskSettings: Sendable, Hashable {
  /// Connections for the file, at least 1.
  package var maxConnections: Int?
  /// As `FileSettings.tries`, at least 1; then there is no `patience`.
  package var tries: Int?
  /// As `RunLimits.maxTime`.
  package var maxTime: Duration?
  /// As in `TransportSettings`.
  package var connectTimeout: Duration?
  package var stallTimeout: Duration?
  package var userAgent: String?
  package var proxy: String?
  package var interface: String?
  package var wholeStatuses: WholeStatuses?
  /// A limit beside those of the run, of which the lowest holds.
  package var limitRate: RateTimetable?
  /// What is done with a file that has the target's name.
  package var ifExists: TargetSettings.IfExists?
  package var timestamping: Bool?
  /// As in `TargetSettings`.
  package var verifyCommand: VerifyCommand?
  /// Runs after the file has its name.
  package var onComplete: PlacedCommand?
  /// Runs after the file has failed.
  package var onFailure: PlacedCommand?
  package var nameSource: TargetSettings.NameSource?
  /// Permission bits that a new file does not have; nil is the umask of the process.
  package var umask: UInt32?

  package init() {}

  /// Whether a request needs options of its own.
  package var changesTransport: Bool {
    connectTimeout != nil || userAgent != nil || proxy != nil || interface != nil
  }

  /// What runs after a task has ended like this.
  package func hook(after result: Outcome.Result) -> PlacedCommand? {
    switch result {
    case .downloaded: onComplete
    case .failed: onFailure
    case .kept, .withdrawn, .unfinished: nil
    }
  }

  /// The settings of the run with those of the task.
  package func over(_ settings: FileSettings) -> FileSettings {
    var settings = settings
    settings.maxConnections = max(1, maxConnections ?? settings.maxConnections)
    if let tries {
      settings.tries = max(1, tries)
      settings.patience = nil
    }
    settings.wholeStatuses = wholeStatuses ?? settings.wholeStatuses
    return settings
  }
}

/// Limits of a group, beside those of the run. Nil is no limit.
package struct GroupLimits: Sendable, Hashable {
  /// Files at a time, at least 1.
  package var jobs: Int?
  /// Connections of all its files, at least 1.
  package var connections: Int?
  package var rate: RateTimetable?

  package init(jobs: Int? = nil, connections: Int? = nil, rate: RateTimetable? = nil) {
    self.jobs = jobs.map { max(1, $0) }
    self.connections = connections.map { max(1, $0) }
    self.rate = rate
  }
}
