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

  /// Where a session is.
  struct Place: Sendable {
    /// Of the session's directory, absolute.
    let path: [UInt8]
    let name: String
    /// Whether the name alone says where the session is.
    let isUsual: Bool

    /// - Parameter directory: as for `DownloadSession.open`.
    init(_ name: String, in directory: String?) throws(DownloadError) {
      path = try SessionPlace.path(of: name, in: directory)
      self.name = name
      isUsual = directory == nil
    }
  }

  /// What this process may be for a session.
  enum Role: Sendable {
    /// It works on the session.
    case working
    /// It works on the session, or follows the process that does and takes its place.
    case following
    /// It follows the process that works on the session.
    case connecting
  }

  /// - Parameter make: makes the session of a driver.
  static func open(
    _ place: Place, _ role: Role, _ configuration: DownloadConfiguration, paused: Bool,
    _ make: (SessionDriver) -> DownloadSession
  ) async throws(DownloadError) -> DownloadSession {
    guard await turns.take(atMost: max(.seconds(60), SessionDriver.longestAnswer.withLock { $0 })) else {
      throw SessionDriver.silent
    }
    defer { turns.give() }
    if let session = open.withLock({ $0[place.path]?.session }), !session.driver.isEnding {
      try configuration.requireSame(as: session.driver.configuration)
      try await session.take(configuration)
      if paused { try await session.pause() }
      return session
    }
    let session = make(try await driver(place, role, configuration, paused))
    serve(session, place)
    open.withLock { open in
      open = open.filter { $0.value.session != nil }
      open[place.path] = Entry(session: session)
    }
    if paused, session.driver.remote != nil { try await session.pause() }
    return session
  }

  /// Serves the session to other processes as soon as this one works on it.
  private static func serve(_ session: DownloadSession, _ place: Place) {
    let serve: @Sendable () -> Void = { [weak session] in
      if let session { ControlService.serve(session, place.path, name: place.isUsual ? place.name : nil) }
    }
    let isFollowing = session.driver.core.withLock { core in
      guard case .following = core.phase else { return false }
      core.atTakeOver = serve
      return true
    }
    if !isFollowing { serve() }
  }

  /// It reads the disk, and waits for a session of this process that is about to end, or a process that is about to listen.
  @concurrent
  private static func driver(
    _ place: Place, _ role: Role, _ configuration: DownloadConfiguration, _ paused: Bool
  ) async throws(DownloadError) -> SessionDriver {
    let patience = Clock.now() + .seconds(10)
    while true {
      do throws(DownloadError) {
        if role != .connecting {
          do throws(DownloadError) {
            return try await SessionDriver.open(place.path, name: place.name, configuration, paused: paused)
          } catch { if error.code != .busy || role == .working || isOwn(place.path) { throw error } }
        } else if SessionFiles.holder(of: place.path)?.mayWork != true {
          throw DownloadError(.unknownSession, "no process works on session \(place.name)")
        }
        return try await SessionDriver.following(
          RemoteSession(place.path, place.name, takesOver: role == .following), configuration)
      } catch {
        guard error.code == .busy, Clock.now() < patience, isWaitedFor(place, role) else { throw error }
      }
      await SessionDriver.pause(for: .milliseconds(10))
    }
  }

  /// Whether the session may be free soon, or be followed.
  private static func isWaitedFor(_ place: Place, _ role: Role) -> Bool {
    guard let holder = SessionFiles.holder(of: place.path) else { return true }
    if holder.process == .current { return true }
    return holder.isOfThisHost && (role != .working || !isListening(place))
  }

  /// Whether the process that works on the session takes commands. One that does not begins or ends its work, or only reads
  /// or changes what the session keeps.
  private static func isListening(_ place: Place) -> Bool {
    do throws(DownloadError) {
      return try RemoteSession(place.path, place.name, takesOver: false).connect() != nil
    } catch { return true }
  }

  private static func isOwn(_ path: [UInt8]) -> Bool { SessionFiles.holder(of: path)?.process == .current }

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
