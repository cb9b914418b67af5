internal import DownloadCore
internal import DownloadFiles
internal import DownloadStore

/// What a change of the state leads to outside of it, when the lock is given back.
struct StateEffects: Sendable {
  var signals: [Watcher] = []
  var due: [any DueHandler] = []
  /// Tasks of which the engine is to say what they do.
  var questions: [TaskID] = []
  /// Files of removed tasks that have just got their names.
  var deletions: [(path: [UInt8], file: PlacedFile)] = []
  /// What must not get lost.
  var rows: [StoreChange] = []

  mutating func post<Value>(_ value: Value, to handler: Handler<Value>, isReplaceable: Bool = false) {
    if handler.post(value, isReplaceable: isReplaceable) { due.append(handler) }
  }

  /// Posts the last value of something to its handlers of progress, and its end to others, which are called after them.
  mutating func post<Value>(
    last value: Value, to progress: [IntervalHandler<Value>], then ends: [AfterProgress.Post]
  ) {
    guard !progress.isEmpty else { return due += ends.compactMap { $0() } }
    let after = AfterProgress(count: progress.count, ends)
    for entry in progress where entry.handler.post(value, isReplaceable: false, then: after.arrive) {
      due.append(entry.handler)
    }
  }

  func perform() {
    for (path, file) in deletions { file.delete(at: path) }
    for watcher in signals { watcher.signal() }
    HandlerRuns.run(due)
  }
}

/// The time of a change.
struct Moment: Sendable {
  /// Since 1970, by the system's clock.
  let wall: Duration
  /// By a clock that nobody sets.
  let now: Instant
}
