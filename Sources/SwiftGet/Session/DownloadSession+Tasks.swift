internal import DownloadCore

extension DownloadSession: DownloadScope {
  /// The whole session.
  public var reach: DownloadReach { DownloadReach(self, .session) }

  /// The task with an id.
  ///
  /// - Throws: `unknownTask` if the session has none, because it was removed or has left the history.
  public func task(_ id: DownloadTaskID) async throws(DownloadError) -> DownloadTask {
    guard driver.core.withLock({ $0.state.records.place(of: id.number) != nil }) else {
      throw SessionState.unknown(id.number)
    }
    return DownloadTask(id: id, session: self)
  }

  /// The task with the caller's own key.
  ///
  /// - Throws: `unknownTask` if the session has none.
  public func task(key: String) async throws(DownloadError) -> DownloadTask {
    guard let id = driver.core.withLock({ $0.state.records.task(key: key) }) else {
      throw DownloadError(.unknownTask, "no task has the key '\(key)'")
    }
    return DownloadTask(id: DownloadTaskID(id), session: self)
  }

  /// Tasks by what they are: each command looks anew which ones these are, in one step.
  ///
  /// - Parameter terms: terms of one kind are alternatives, those of different kinds must all hold. Without terms no task is
  ///   selected.
  public func selection(_ terms: DownloadSelector...) -> DownloadSelection {
    DownloadSelection(session: self, terms: terms)
  }

  /// A group. It comes into being with its first task, limit or pause.
  public func group(_ name: String) -> DownloadGroup { DownloadGroup(name: name, session: self) }

  /// The groups that have tasks, limits or settings, or are paused, in the order of their first use.
  public var groups: [DownloadGroup] {
    get async throws(DownloadError) {
      driver.core.withLock { $0.state.groups.all.filter(\.isKnown).map(\.name) }.map(group)
    }
  }
}
