internal import DownloadCore

/// A named session on which this process works, for a program that serves it to others and steers it as they do.
package final class WorkingSession: Sendable {
  private let session: DownloadSession

  private init(_ session: DownloadSession) { self.session = session }

  /// Opens a session, or makes it.
  ///
  /// - Parameter directory: as for `DownloadSession.open`.
  /// - Throws: as `DownloadSession.open`.
  package static func open(
    _ name: String, in directory: String?, _ configuration: DownloadConfiguration
  ) async throws(DownloadError) -> WorkingSession {
    let place = try OpenSessions.Place(name, in: directory)
    let session = try await OpenSessions.open(place, .working, configuration, paused: false) { driver in
      driver.core.withLock { $0.ending.continuation = .possible }
      return DownloadSession(driver)
    }
    return WorkingSession(session)
  }

  /// Whether a client wants another process to continue with what this one leaves unfinished, and something is unfinished.
  package var isToContinue: Bool {
    session.driver.core.withLock { $0.ending.continuation == .wanted && $0.state.totals.unsettled > 0 }
  }

  /// As that of `DownloadSession`.
  package var losses: [String] { session.losses }

  /// Whether no task is to be done any more, and each command has its answer.
  package var isSettled: Bool {
    session.driver.core.withLock { core in core.orders.isEmpty && core.state.totals.unsettled == 0 }
  }

  /// Whether the work ends or has ended, whoever has ended it.
  package var isEnding: Bool { session.driver.isEnding }

  /// The ids of the tasks that had not settled when this process began to work. Some may have settled since.
  package var tasksAtStart: [String] {
    session.driver.core.withLock { core in
      let end = core.keeping?.endBefore ?? 0
      return core.state.records.all.filter { record in
        !record.isSettled || core.state.history.number(of: record.id).map { $0 > end } ?? false
      }.map { DownloadTaskID($0.id).description }
    }
  }

  /// Returns when nothing works on the session any more, whoever has ended that.
  package func ended() async { await session.driver.ended() }

  /// Ends the work. What is unfinished is kept.
  package func close() async { await session.close(.save) }
}
