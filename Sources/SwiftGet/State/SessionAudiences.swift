internal import DownloadCore

/// Who wants to know of the tasks of a session, of its groups and of the session itself.
struct SessionAudiences: Sendable {
  var tasks: [TaskID: Audience] = [:]
  var session = ScopeAudience()
  var groups: [GroupID: ScopeAudience] = [:]
  /// Unsettled tasks with handlers.
  private var handledCount = 0
  /// The shortest interval at which anybody has wanted progress.
  private(set) var progressInterval = SessionAudiences.usualInterval

  static let usualInterval = Duration.milliseconds(250)

  /// Somebody wants progress this often.
  mutating func want(progressEvery interval: Duration) {
    progressInterval = max(.milliseconds(10), min(progressInterval, interval))
  }

  /// Whether somebody is still to be told of something, so that the session goes on without a handle.
  func keepsSession(of groups: GroupTable) -> Bool {
    handledCount > 0
      || groups.unsettledCount > 0
        && (session.hasHandlers
          || self.groups.contains { $0.value.hasHandlers && groups[$0.key].tally.unsettledCount > 0 })
  }

  var handlers: [any DueHandler] {
    tasks.values.flatMap(\.handlers) + session.handlers + groups.values.flatMap(\.handlers)
  }

  /// Of the calls and loops that wait.
  var watchers: [Watcher] {
    tasks.values.flatMap { $0.waits.map(\.watcher) } + session.waits.map(\.watcher)
      + groups.values.flatMap { $0.waits.map(\.watcher) }
  }

  // MARK: Tasks

  /// Sets that the task is in, and its place in each.
  func sets(of id: TaskID) -> [(set: Int, index: Int)] { tasks[id]?.sets ?? [] }

  /// Adds a handler to a task.
  ///
  /// - Parameter isSettled: whether the task has settled.
  mutating func handle(_ id: TaskID, isSettled: Bool, _ add: (inout Audience) -> Void) {
    let hadHandlers = tasks[id]?.hasHandlers ?? false
    add(&tasks[id, default: Audience()])
    if !hadHandlers, !isSettled { handledCount += 1 }
  }

  /// A task has settled, or has begun again.
  mutating func settledChanged(_ id: TaskID, isSettled: Bool) {
    if tasks[id]?.hasHandlers == true { handledCount += isSettled ? -1 : 1 }
  }

  /// Bytes and rates of a task have changed. Calls that wait for it wake up.
  ///
  /// - Returns: the handlers that are to be called now.
  mutating func progressed(
    _ id: TaskID, _ now: Instant, _ effects: inout StateEffects
  ) -> [Handler<DownloadTaskSnapshot>] {
    guard let index = tasks.index(forKey: id) else { return [] }
    return tasks.values[index].progressed(now, &effects)
  }

  /// The task has ended, and who has followed it to its end knows that.
  mutating func ended(_ id: TaskID) {
    tasks[id]?.waits = []
    tasks[id]?.sets = []
    dropIfEmpty(id)
  }

  /// A call that waits for the task has ended.
  mutating func giveUp(_ wait: EndWait<DownloadTaskSnapshot>, for id: TaskID) {
    tasks[id]?.waits.removeAll { $0 === wait }
    dropIfEmpty(id)
  }

  /// Nobody follows a set of these tasks any more.
  mutating func leave(_ set: Int, _ ids: [TaskID]) {
    for id in ids {
      tasks[id]?.sets.removeAll { $0.set == set }
      dropIfEmpty(id)
    }
  }

  private mutating func dropIfEmpty(_ id: TaskID) { if tasks[id]?.isEmpty == true { tasks[id] = nil } }

  // MARK: Session and groups

  /// That of a group, or of the session with nil.
  subscript(scope group: GroupID?) -> ScopeAudience {
    get { group.map { groups[$0] ?? ScopeAudience() } ?? session }
    set { if let group { groups[group] = newValue } else { session = newValue } }
  }

  /// A call that waits for the session, or for this group, has ended.
  mutating func giveUp(_ wait: EndWait<DownloadTotals>, _ group: GroupID?) {
    session.waits.removeAll { $0 === wait }
    if let group { groups[group]?.waits.removeAll { $0 === wait } }
  }
}
