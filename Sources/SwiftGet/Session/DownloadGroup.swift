internal import DownloadCore

/// A named queue in a session, with limits of its own. It is a handle: a session and a name, and it keeps the session going.
public struct DownloadGroup: DownloadScope, Hashable {
  /// Its name. Tasks that name no group are in `main`.
  public let name: String
  /// The session of the group.
  public let session: DownloadSession

  /// All tasks of the group.
  public var reach: DownloadReach { DownloadReach(session, .group(name)) }

  /// The limits that hold now, beside those of the session.
  public var limits: DownloadLimits {
    session.driver.core.withLock { core in
      core.state.groups.known(name).map { core.state.groups[$0].rules.limits } ?? DownloadLimits()
    }
  }

  /// Whether the group is paused.
  public var isPaused: Bool {
    session.driver.core.withLock { core in
      core.state.groups.known(name).map { core.state.groups[$0].rules.isPaused } ?? false
    }
  }

  /// Changes limits while files are fetched, as `DownloadSession.limit`.
  ///
  /// - Throws: `invalidValue` for a value out of its range; then nothing changes.
  public nonisolated(nonsending) func limit(_ change: (inout DownloadLimits) -> Void) async throws(DownloadError) {
    var limits = DownloadLimits()
    change(&limits)
    try await session.driver.limit(limits, of: name)
  }

  /// Same session, same name.
  public static func == (left: DownloadGroup, right: DownloadGroup) -> Bool {
    left.name == right.name && left.session === right.session
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
