internal import DownloadCore

/// The session that all calls of `download` share, and how many calls want each of its tasks. It ends some time after the
/// last call.
enum SharedDownloads {
  struct State {
    var session: DownloadSession?
    /// Calls at work.
    var callCount = 0
    /// Counts calls, so that a session that was used meanwhile stays.
    var lastCall = 0
    var wanted: [TaskID: Int] = [:]
  }

  private static let state = Lock(State())
  private static let idleTime = Duration.seconds(10)

  nonisolated(nonsending) static func results(
    _ requests: [DownloadRequest], onProgress: (DownloadTotals) -> Void
  ) async throws -> [Result<DownloadedFile, DownloadError>] {
    if requests.isEmpty { return [] }
    let session = begin()
    defer { end() }
    let added = try await session.add(requests.lazy.map(plain))
    want(added.ids)
    do {
      // A call that has been cancelled may have paused them before that.
      let paused = session.driver.core.withLock { core in
        added.ids.filter { core.state.records[$0]?.isPaused == true }
      }
      if !paused.isEmpty { try await tasks(paused, session).resume() }
      let results = try await session.driver.results(of: added.ids, onProgress: onProgress)
      _ = unwant(added.ids)
      return DownloadSession.AddedList.merged(results, added.failures)
    } catch {
      // The last call that wanted a file stops it.
      let left = tasks(unwant(added.ids), session)
      _ = try? await left.pause()
      // Another call may have come for it in the meantime.
      let wantedAgain = left.filter { task in state.withLock { $0.wanted[task.id.number] != nil } }
      if !wantedAgain.isEmpty { _ = try? await wantedAgain.resume() }
      throw error
    }
  }

  private static func tasks(_ ids: [TaskID], _ session: DownloadSession) -> [DownloadTask] {
    ids.map { DownloadTask(id: DownloadTaskID($0), session: session) }
  }

  /// What belongs to a session of one's own means nothing here.
  private static func plain(_ request: DownloadRequest) -> DownloadRequest {
    guard request.key != nil || request.group != nil || request.priority != 0 else { return request }
    var request = request
    (request.key, request.group, request.priority) = (nil, nil, 0)
    return request
  }

  // MARK: The session

  private static func begin() -> DownloadSession {
    state.withLock { state in
      state.callCount += 1
      state.lastCall += 1
      if let session = state.session, !session.driver.isClosed { return session }
      var configuration = DownloadConfiguration()
      configuration.history = 0
      let session = DownloadSession.anonymous(configuration)
      state.session = session
      return session
    }
  }

  private static func end() {
    let last = state.withLock { state -> Int? in
      state.callCount -= 1
      return state.callCount == 0 ? state.lastCall : nil
    }
    guard let last else { return }
    Task.detached {
      try? await Task.sleep(for: idleTime)
      let session = state.withLock { state -> DownloadSession? in
        guard state.callCount == 0, state.lastCall == last else { return nil }
        state.wanted = [:]
        return state.session.take()
      }
      withExtendedLifetime(session) {}
    }
  }

  private static func want(_ ids: [TaskID]) {
    state.withLock { state in for id in ids { state.wanted[id, default: 0] += 1 } }
  }

  /// - Returns: those that nobody wants any more.
  private static func unwant(_ ids: [TaskID]) -> [TaskID] {
    state.withLock { state in
      ids.filter { id in
        guard let count = state.wanted[id], count > 1 else {
          state.wanted[id] = nil
          return true
        }
        state.wanted[id] = count - 1
        return false
      }
    }
  }
}
