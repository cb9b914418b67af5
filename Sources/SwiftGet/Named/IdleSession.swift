internal import DownloadControl
internal import DownloadCore
internal import DownloadJSON

/// A named session on which nobody works, open for commands: nothing of it begins, and what it may do is not changed by
/// that. It serves no other process. It ends with `close`.
package struct IdleSession: Sendable {
  private let session: DownloadSession

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
    return IdleSession(session: DownloadSession(driver))
  }

  /// Obeys a call of the protocol, as the process that works on the session would.
  ///
  /// - Parameters:
  ///   - method: one that tells no news.
  ///   - parameters: the text of a JSON object.
  /// - Returns: the text of the result.
  package func obey(_ method: String, _ parameters: [UInt8]) async throws(DownloadError) -> [UInt8] {
    guard let method = ControlMethod(rawValue: method), case .success(let json) = JSONValue.parse(parameters[...])
    else {
      throw DownloadError(.invalidValue, "no method is named \(method)")
    }
    return try await ControlAnswers(session: session).obey(method, ControlParameters(json)).text
  }

  /// Gives the session back.
  package func close() async { await session.close(.save) }
}
