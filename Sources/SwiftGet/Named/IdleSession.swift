internal import DownloadControl
internal import DownloadCore
internal import DownloadJSON

/// A named session on which nobody works, open for commands: nothing of it begins, and what it may do is not changed by
/// that. It serves no other process. It ends with `close`.
package final class IdleSession: Sendable {
  private let session: DownloadSession
  private let calls = Lock(CallQueue())

  private init(_ session: DownloadSession) { self.session = session }

  /// Takes a session on which nobody works.
  ///
  /// - Parameter isMade: whether a session that is missing is made.
  /// - Throws: as `DownloadSession.open`; `unknownSession` if there is none and none is made.
  @concurrent
  package static func open(
    _ name: String, in directory: String?, isMade: Bool = false
  ) async throws(DownloadError) -> IdleSession {
    let driver = try await SessionDriver.open(
      SessionPlace.path(of: name, in: directory), name: name, DownloadConfiguration(), paused: false, isIdle: true,
      isMade: isMade)
    return IdleSession(DownloadSession(driver))
  }

  /// Begins to obey a call of the protocol, as the process that works on the session would. Calls are obeyed in the order
  /// in which they are begun.
  ///
  /// - Parameters:
  ///   - method: one that tells no news.
  ///   - parameters: the text of a JSON object.
  /// - Returns: gives the text of the result.
  package func begin(_ method: String, _ parameters: [UInt8]) -> Task<Result<[UInt8], DownloadError>, Never> {
    calls.withLock { calls in
      calls.append { [session] () -> Result<ControlAnswers.PreparedCall, DownloadError> in
        guard let known = ControlMethod(rawValue: method), case .success(let json) = JSONValue.parse(parameters[...])
        else { return .failure(DownloadError(.invalidValue, "no method is named \(method)")) }
        return .success(ControlAnswers(session: session).prepared(known, ControlParameters(json)))
      } obey: { call in
        do throws(DownloadError) { return .success(try await call.get()().text) } catch { return .failure(error) }
      }
    }
  }

  /// As that of `DownloadSession`.
  package var losses: [String] { session.losses }

  /// Gives the session back.
  package func close() async { await session.close(.save) }
}
