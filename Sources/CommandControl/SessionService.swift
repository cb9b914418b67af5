package import DownloadTransport
package import DownloadWords
package import SwiftGet

/// A session on which this process works for others, until it is stopped.
package final class SessionService: Sendable {
  private let session: WorkingSession
  private let name: String
  /// Signalled when nothing works on the session any more, for example because another process has stopped it.
  package let hasEnded = Wakeup()

  /// - Parameters:
  ///   - name: of the session, which is made if it is missing.
  ///   - parent: has the session's directory; nil is the usual one.
  /// - Throws: status 75 if another process works on the session, else as for `ctl`.
  package init(
    _ name: String, in parent: String?, _ configuration: DownloadConfiguration
  ) throws(ControlFailure) {
    let opened = Waiting.outcome { () async throws(DownloadError) in
      try await WorkingSession.open(name, in: parent, configuration)
    }
    self.name = name
    do throws(DownloadError) { session = try opened.get() } catch {
      throw error.code == .busy ? ControlFailure(.timedOut, error.message, hint: error.hint) : ControlFailure(error)
    }
    Task.detached { [session, hasEnded] in
      await session.ended()
      hasEnded.signal()
    }
  }

  /// Warnings of what the session had and has lost.
  package var losses: [Diagnostic] { .losses(session.losses, of: name) }

  /// Whether no task is to be done any more, and each command has its answer.
  package var isSettled: Bool { session.isSettled }

  /// Ends the work. What is unfinished is kept.
  package func close() {
    let session = session
    Waiting.result { await session.close() }
  }
}
