internal import DownloadCore

extension DownloadSession {
  /// Something new in a session.
  public typealias Change = DownloadChange

  /// The changes of a session. A task's state is there as it is when the loop comes to it; ends are all there.
  public struct Changes: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = Change
    /// It never fails.
    public typealias Failure = Never

    let session: DownloadSession
    let interval: Duration
    let since: Int64?

    /// The same with progress at most once in an interval, which is 250 milliseconds without it.
    ///
    /// - Parameter interval: at least 10 milliseconds.
    public func every(_ interval: Duration) -> Changes {
      Changes(session: session, interval: interval, since: since)
    }

    /// Begins another loop.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: FeedHandle(session, every: interval, since: since)) }

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

  init(_ session: DownloadSession, every interval: Duration, since: Int64?, isOfBegun: Bool = false) {
    self.session = session
    (id, watcher) = session.driver.core.withLock { core -> (Int, Watcher) in
      let id = core.state.openFeed(every: interval, since: since, isOfBegun: isOfBegun)
      core.want(progressEvery: interval)
      return (id, core.state.feeds[id]?.watcher ?? Watcher())
    }
  }

  deinit { session.driver.core.withLock { $0.state.feeds[id] = nil } }

  func next() -> DownloadChange? { session.driver.core.withLock { $0.state.nextChange(id) } }
}
