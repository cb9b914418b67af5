internal import DownloadCore

/// Who wants to know of one task.
struct Audience: Sendable {
  /// Waiting calls and loops, which have an end.
  var waits: [EndWait<DownloadTaskSnapshot>] = []
  /// Sets of tasks that somebody waits for, and the task's place in each.
  var sets: [(set: Int, index: Int)] = []
  var progress: [IntervalHandler<DownloadTaskSnapshot>] = []
  var states: [Handler<DownloadTaskSnapshot>] = []
  var ends: [Handler<DownloadTaskSnapshot>] = []
  var successes: [Handler<DownloadedFile>] = []
  var failures: [Handler<DownloadError>] = []

  var hasHandlers: Bool {
    !progress.isEmpty || !states.isEmpty || !ends.isEmpty || !successes.isEmpty || !failures.isEmpty
  }

  var isEmpty: Bool { !hasHandlers && waits.isEmpty && sets.isEmpty }

  var handlers: [any DueHandler] { progress.map(\.handler) + states + ends + successes + failures }
}

/// Who wants to know of a session or a group.
struct ScopeAudience: Sendable {
  var waits: [EndWait<DownloadTotals>] = []
  var progress: [IntervalHandler<DownloadTotals>] = []
  var settled: [Handler<DownloadTotals>] = []

  var hasHandlers: Bool { !progress.isEmpty || !settled.isEmpty }
  var handlers: [any DueHandler] { progress.map(\.handler) + settled }
}

/// A handler of progress, which is called at most once in an interval.
struct IntervalHandler<Value: Sendable>: Sendable {
  let handler: Handler<Value>
  let interval: Duration
  private var nextCall: Instant?

  init(_ handler: Handler<Value>, every interval: Duration) {
    self.handler = handler
    self.interval = interval
  }

  mutating func isDue(_ now: Instant) -> Bool {
    // Reports come at intervals of their own, a little early or late.
    if let nextCall, nextCall - now > interval / 8 { return false }
    nextCall = now + interval
    return true
  }
}

/// A call or a loop that waits for one task's news and for its end, or until nothing is unsettled in a session or a group.
final class EndWait<Value: Sendable>: Sendable {
  let watcher = Watcher()
  private let ended = Lock<Value?>(nil)

  /// How the task has ended, or the totals at that moment, be it that something was begun again meanwhile.
  var end: Value? {
    get { ended.withLock { $0 } }
    set { ended.withLock { $0 = $0 ?? newValue } }
  }
}
