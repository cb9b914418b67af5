internal import DownloadCore

/// One wanted file in a session. It is a handle: a session and an id, and it keeps the session going.
public struct DownloadTask: Identifiable, Hashable, Sendable {
  /// Identifies a task for life.
  public typealias ID = DownloadTaskID
  /// What is known of a task at one moment.
  public typealias Snapshot = DownloadTaskSnapshot
  /// What a task does, or how it has ended.
  public typealias State = DownloadTaskState
  /// What a task waits for.
  public typealias Wait = DownloadTaskWait
  /// By what a task is paused.
  public typealias PausedBy = DownloadTaskPausedBy

  /// The task's id.
  public let id: ID
  /// The session of the task.
  public let session: DownloadSession

  /// Same session, same task.
  public static func == (left: DownloadTask, right: DownloadTask) -> Bool {
    left.id == right.id && left.session === right.session
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// What is known of the task now, at once. A task that the session does not know any more is `removed`.
  public var latest: Snapshot { session.driver.latest(id.number) }

  /// What is known of the task now.
  ///
  /// - Throws: `unknownTask` if it was removed or has left the history.
  public var snapshot: Snapshot {
    get async throws(DownloadError) {
      guard let snapshot = session.driver.core.withLock({ $0.state.snapshot(id.number) }) else {
        throw SessionState.unknown(id.number)
      }
      return snapshot
    }
  }

  /// The task as it is, then as it becomes; the last value is its end. A slow loop misses values, never the end.
  public var changes: Changes { Changes(task: self) }

  /// Waits for the file, also while the task is paused.
  ///
  /// - Parameter onProgress: called on the caller's isolation, now and then.
  /// - Throws: `DownloadError` if the task has failed, was cancelled or removed, or the session is closed;
  ///   `CancellationError` if the Swift task is cancelled, which leaves the task alone.
  public nonisolated(nonsending) func result(
    onProgress: (Snapshot) -> Void = { _ in }
  ) async throws -> DownloadedFile {
    let end = try await session.driver.end(of: id.number, onProgress: onProgress)
    switch end.state {
    case .succeeded(let file): return file
    case .failed(let error): throw error
    case .removed: throw DownloadError(.removed, "the task was removed", path: end.path, task: id)
    default: throw DownloadError(.cancelled, "the task was cancelled", path: end.path, task: id)
    }
  }

  /// The snapshots of a task, one after the other.
  public struct Changes: AsyncSequence, Sendable {
    /// A snapshot.
    public typealias Element = Snapshot
    /// It never fails.
    public typealias Failure = Never

    let task: DownloadTask

    /// Begins another loop.
    public func makeAsyncIterator() -> Iterator { Iterator(task: task) }

    /// One loop.
    public struct Iterator: AsyncIteratorProtocol {
      private let task: DownloadTask
      private let wait: EndWait<DownloadTaskSnapshot>?
      private var isFirst = true
      private var hasEnded = false

      init(task: DownloadTask) {
        self.task = task
        wait = task.session.driver.wait(for: task.id.number)
      }

      /// The next snapshot; nil after the end, when the session is closed, or the Swift task is cancelled.
      public mutating func next() async -> Snapshot? { await next(isolation: #isolation) }

      /// The next snapshot; nil after the end, when the session is closed, or the Swift task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Snapshot? {
        guard !hasEnded else { return nil }
        guard let wait else {
          hasEnded = true
          let latest = task.latest
          return latest.state.isSettled ? latest : nil
        }
        if !isFirst, wait.end == nil { await wait.watcher.next() }
        isFirst = false
        if let end = wait.end {
          hasEnded = true
          return end
        }
        if Task.isCancelled || task.session.driver.isClosed {
          hasEnded = true
          task.session.driver.giveUp(wait, for: task.id.number)
          return nil
        }
        return task.latest
      }
    }
  }
}
