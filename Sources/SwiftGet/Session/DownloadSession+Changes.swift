internal import DownloadCore

extension DownloadSession {
  /// Something new in a session.
  public enum Change: Sendable {
    /// A task as it is, which has not settled.
    case task(DownloadTask.Snapshot)
    /// A task has settled. The ends of a session are numbered from 1.
    case ended(DownloadTask.Snapshot, number: Int64)
    /// A task was removed.
    case removed(DownloadTask.ID)
    /// The totals of the session.
    case totals(DownloadTotals)
    /// What came before is how everything was; what follows is new.
    case upToDate
    /// The loop was too far behind, and ends are missing. All tasks that have not settled follow, and `upToDate`.
    case gap
  }

  /// The changes of a session. A task's state is there as it is when the loop comes to it; ends are all there.
  public struct Changes: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = Change
    /// It never fails.
    public typealias Failure = Never

    let session: DownloadSession
    let interval: Duration

    /// The same with progress at most once in an interval, which is 250 milliseconds without it.
    ///
    /// - Parameter interval: at least 10 milliseconds.
    public func every(_ interval: Duration) -> Changes { Changes(session: session, interval: interval) }

    /// Begins another loop.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: FeedHandle(session, every: interval)) }

    /// One loop.
    public struct Iterator: AsyncIteratorProtocol {
      let feed: FeedHandle

      /// The next change; nil when the session is closed or the Swift task is cancelled.
      public mutating func next() async -> Change? { await next(isolation: #isolation) }

      /// The next change; nil when the session is closed or the Swift task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
        while true {
          if Task.isCancelled { return nil }
          // What came before the end is still told.
          let isClosed = feed.session.driver.isClosed
          if let change = feed.next() { return change }
          if isClosed { return nil }
          await feed.watcher.next()
        }
      }
    }
  }
}

/// A loop's place in the changes of a session, which goes with it.
final class FeedHandle: Sendable {
  let session: DownloadSession
  let watcher: Watcher
  private let id: Int

  init(_ session: DownloadSession, every interval: Duration) {
    self.session = session
    (id, watcher) = session.driver.core.withLock { core -> (Int, Watcher) in
      let id = core.state.openFeed(every: interval)
      core.state.want(progressEvery: interval)
      core.events?.progressInterval = core.state.progressInterval
      return (id, core.state.feeds[id]?.watcher ?? Watcher())
    }
  }

  deinit { session.driver.core.withLock { _ = $0.state.feeds.removeValue(forKey: id) } }

  func next() -> DownloadSession.Change? { session.driver.core.withLock { $0.state.nextChange(id) } }
}
