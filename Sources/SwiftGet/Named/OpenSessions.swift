internal import DownloadCore
internal import DownloadFiles
internal import DownloadStore
internal import DownloadTransport

/// The named sessions of this process, so that one that is opened twice is one.
enum OpenSessions {
  private struct Entry {
    weak var session: DownloadSession?
  }

  private static let open = Lock<[[UInt8]: Entry]>([:])
  /// Sessions are opened one after the other.
  private static let turns = CommandTurns()

  /// - Parameters:
  ///   - isUsualPlace: whether the name alone says where the session is.
  ///   - make: makes the session of a driver.
  static func open(
    _ path: [UInt8], _ name: String, isUsualPlace: Bool, _ configuration: DownloadConfiguration, paused: Bool,
    _ make: (SessionDriver) -> DownloadSession
  ) async throws(DownloadError) -> DownloadSession {
    guard await turns.take(atMost: .seconds(60)) else { throw SessionDriver.silent }
    defer { turns.give() }
    if let session = open.withLock({ $0[path]?.session }), !session.driver.isEnding {
      try await session.take(configuration)
      if paused { try await session.pause() }
      return session
    }
    let session = make(try await driver(path, name, configuration, paused))
    ControlService.serve(session, path, name: isUsualPlace ? name : nil)
    open.withLock { open in
      open = open.filter { $0.value.session != nil }
      open[path] = Entry(session: session)
    }
    return session
  }

  /// It reads the disk, and waits for a session of this process that is about to end.
  @concurrent
  private static func driver(
    _ path: [UInt8], _ name: String, _ configuration: DownloadConfiguration, _ paused: Bool
  ) async throws(DownloadError) -> SessionDriver {
    let patience = Clock.now() + .seconds(10)
    while true {
      do throws(DownloadError) {
        return try await SessionDriver.open(path, name: name, configuration, paused: paused)
      } catch {
        guard error.code == .busy, Clock.now() < patience, isOwn(path) else { throw error }
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  private static func isOwn(_ path: [UInt8]) -> Bool { SessionStore.holder(of: path)?.process == .current }

  @concurrent
  static func delete(_ path: [UInt8], _ name: String, deletingFiles: Bool) async throws(DownloadError) {
    var state = SessionState(historyLimit: .max)
    state.storage = SessionState.Storage(directory: path + [UInt8(ascii: "/")], policies: [])
    do throws(StoreError) {
      try SessionStore.delete(path) { row in
        guard deletingFiles, let record = state.record(of: row), let placed = record.placed else { return }
        placed.delete(at: record.path)
      }
    } catch { throw DownloadError(error, session: name) }
  }
}

extension DownloadSession {
  /// What the caller configures counts more than what holds.
  fileprivate func take(_ configuration: Configuration) async throws(DownloadError) {
    if configuration.limits != DownloadLimits() { try await driver.limit(configuration.limits, of: nil) }
    if configuration.settings != DownloadSettings() { _ = try await reach.set(configuration.settings) }
  }
}
