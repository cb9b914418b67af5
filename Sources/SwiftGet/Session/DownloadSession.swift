internal import DownloadCore
internal import DownloadEngine

/// Downloads that belong together: a queue with limits, which fetches files and keeps them.
///
/// A session works as long as something refers to it: the session itself, a task or a group of it, a call that waits, a loop
/// over changes, or a handler of an unsettled task. Then it stops, and what is unfinished goes on when the same file is
/// wanted again. An anonymous session is in memory only; its files are the only thing that it leaves. A named one keeps its
/// tasks, and goes on with them when it is opened again.
public final class DownloadSession: Sendable {
  let driver: SessionDriver

  init(_ driver: SessionDriver) {
    self.driver = driver
    driver.core.withLock { $0.kept.session = self }
  }

  deinit { driver.stop(.save) }

  /// A session in memory. It starts with the first add or command, and a configuration with a wrong value fails then.
  public static func anonymous(_ configuration: Configuration = Configuration()) -> DownloadSession {
    DownloadSession(SessionDriver(configuration, SessionDriver.state(configuration, isNamed: false)))
  }

  /// How a session begins.
  public typealias Configuration = DownloadConfiguration

  /// How a session is closed.
  public enum Closing: Hashable, Sendable {
    /// Nothing new begins, and what has begun is finished.
    case finish
    /// Within a second transfers end, and their bytes are kept. Complete files get their names if syncing them does not take
    /// longer.
    case save
    /// As `save`, but nothing more gets its name.
    case now
  }

  /// What a named session had and has lost, in sentences: tasks that could not be read when this process took it, and
  /// damaged databases that were set aside, until somebody removes them. Empty if all is there.
  public var losses: [String] { driver.keeping?.losses ?? [] }

  /// The process that works on the session; nil if none does at present.
  public var worker: DownloadWorker? { driver.core.withLock { $0.state.worker } }

  /// Ends the session. Loops over changes end, waiting calls throw `sessionClosed`, and handlers are called no more.
  ///
  /// It returns when the session has ended: nothing is written any more, and other programs may work on the files. Called
  /// again, it may have it end sooner.
  ///
  /// - Returns: the paths of files that are still open, because a system call takes longer than a second, such as the sync
  ///   of a large file. Nothing else happens to them, and their locks end with the call.
  @discardableResult
  public func close(_ mode: Closing = .save) async -> [String] {
    await driver.close(mode.choice)
  }

  /// Changes limits while files are fetched: rates at once, fewer connections and files as soon as a block is done. Files
  /// beyond a lower limit go back to the queue with their bytes.
  ///
  /// - Throws: `invalidValue` for a value out of its range; then nothing changes.
  public nonisolated(nonsending) func limit(_ change: (inout DownloadLimits) -> Void) async throws(DownloadError) {
    var limits = DownloadLimits()
    change(&limits)
    try await driver.limit(limits, of: nil)
  }

  /// Clears all pauses: those of the session, of groups and of tasks. What has settled stays so.
  @discardableResult public func resumeAll() async throws(DownloadError) -> CommandEffect {
    try await driver.resumeAll()
  }

  /// The newest totals that are known, at once.
  public var latestTotals: DownloadTotals { driver.core.withLock { $0.state.totals } }

  /// All tasks that have not settled as they are, `upToDate`, then what is new. Every loop gets all of it.
  public var changes: Changes { Changes(session: self, interval: SessionAudiences.usualInterval, since: nil) }

  /// As `changes`, with the ends since one that is known already; what had settled before and was begun again is among the
  /// tasks that have not settled. If some of these ends are not in the history any more, `gap` comes first. In a named
  /// session an end is told when it is stored, so that a number stays true after a restart.
  ///
  /// - Parameter end: a number of `DownloadChange.ended`, or `DownloadTotals.lastEnd`; 0 for all.
  public func changes(since end: Int64) -> Changes {
    Changes(session: self, interval: SessionAudiences.usualInterval, since: end)
  }
}
