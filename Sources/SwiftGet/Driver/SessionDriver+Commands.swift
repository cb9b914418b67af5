internal import DownloadCore
internal import DownloadJSON

/// Commands go to whoever works on the session.
extension SessionDriver {
  /// The other process that works on the session; nil if this one does.
  var remote: RemoteSession? {
    core.withLock { core in
      if case .following(let remote) = core.phase { remote } else { nil }
    }
  }

  /// Another process works on the session; nil for none.
  func isWorkedOn(by worker: DownloadWorker?) {
    change { state, effects in state.isWorkedOn(by: worker, &effects) }
  }

  /// Waits, also in a Swift task that has been cancelled: commands ignore that.
  static func pause(for time: Duration) async { await Task { try? await Task.sleep(for: time) }.value }

  /// Has a command obeyed by the process that works on the session.
  ///
  /// - Parameters:
  ///   - method: what another process is called with, if it works on the session.
  ///   - parameters: of that call.
  ///   - read: makes the result of the answer; nil for what is none.
  ///   - here: obeys the command if this process works on the session.
  func obey<Value: Sendable>(
    _ method: ControlMethod, _ parameters: @autoclosure () -> JSONObject, _ read: (JSONValue) -> Value?,
    here: () async throws(DownloadError) -> Value
  ) async throws(DownloadError) -> Value {
    guard let remote else { return try await here() }
    switch await remote.call(method, parameters(), patience: Self.longestAnswer.withLock { $0 }) {
    case .result(let json):
      guard let value = read(json) else {
        throw DownloadError(.unacknowledged, "the answer of the process that works on the session is not understood")
      }
      return value
    case .refused(let error): throw error
    case .takenOver: return try await here()
    }
  }
}
