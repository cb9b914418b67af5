internal import DownloadCore

extension Audience {
  /// Bytes and rates have changed. Calls that wait wake up.
  ///
  /// - Returns: the handlers that are to be called now.
  mutating func progressed(_ now: Instant, _ effects: inout StateEffects) -> [Handler<DownloadTaskSnapshot>] {
    for wait in waits { effects.signals.append(wait.watcher) }
    var due: [Handler<DownloadTaskSnapshot>] = []
    for index in progress.indices where progress[index].isDue(now) { due.append(progress[index].handler) }
    return due
  }

  /// The task has settled.
  func tellEnd(_ phase: TaskRecord.Phase, _ snapshot: DownloadTaskSnapshot, _ effects: inout StateEffects) {
    var posts = ends.map { $0.poster(of: snapshot) }
    switch phase {
    case .succeeded(let file): posts += successes.map { $0.poster(of: file) }
    case .failed(let error): posts += failures.map { $0.poster(of: error) }
    default: break
    }
    tellLast(snapshot, then: posts, &effects)
  }

  /// What those hear that follow the task to its end, whichever it is.
  ///
  /// - Parameter posts: to those that hear of this end.
  func tellLast(
    _ snapshot: DownloadTaskSnapshot, then posts: [AfterProgress.Post] = [], _ effects: inout StateEffects
  ) {
    for wait in waits {
      wait.end = snapshot
      effects.signals.append(wait.watcher)
    }
    // The states of a task that begins again soon stay in their order.
    for handler in states { effects.post(snapshot, to: handler) }
    effects.post(last: snapshot, to: progress, then: posts)
  }
}

extension ScopeAudience {
  /// A report has come.
  mutating func tell(_ totals: DownloadTotals, _ moment: Moment, _ effects: inout StateEffects) {
    for wait in waits { effects.signals.append(wait.watcher) }
    for index in progress.indices where progress[index].isDue(moment.now) {
      effects.post(totals, to: progress[index].handler, isReplaceable: true)
    }
  }

  /// All has settled.
  mutating func tellEnd(_ totals: DownloadTotals, _ effects: inout StateEffects) {
    for wait in waits {
      wait.end = totals
      effects.signals.append(wait.watcher)
    }
    waits = []
    effects.post(last: totals, to: progress, then: settled.map { $0.poster(of: totals) })
  }
}
