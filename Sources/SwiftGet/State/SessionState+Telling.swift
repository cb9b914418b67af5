internal import DownloadCore

/// Who is told of what.
extension SessionState {
  /// Bytes and rates of a task have changed.
  mutating func tellProgress(_ record: TaskRecord, _ moment: Moment, _ effects: inout StateEffects) {
    for feed in feeds.keys { feeds[feed]?.append(task: record.id, at: moment.now, &effects) }
    guard let index = audiences.index(forKey: record.id) else { return }
    for wait in audiences.values[index].waits { effects.signals.append(wait.watcher) }
    for place in audiences.values[index].progress.indices
    where audiences.values[index].progress[place].isDue(moment.now) {
      effects.post(snapshot(record), to: audiences.values[index].progress[place].handler, isReplaceable: true)
    }
  }

  /// Something of a task has changed that is neither its kind of state nor its progress.
  mutating func tellChange(of record: TaskRecord, _ effects: inout StateEffects) {
    let waitsForItsTurn = record.phase == .waiting(.slot) && record.pauses(groups.flags(of: record.group)).isEmpty
    for (id, feed) in feeds where !(waitsForItsTurn && feed.isOfBegun) {
      feeds[id]?.append(task: record.id, at: nil, &effects)
    }
    for wait in audiences[record.id]?.waits ?? [] { effects.signals.append(wait.watcher) }
  }

  /// A task has another state.
  ///
  /// - Parameter isNewState: whether its kind is another one, or it has ended once more.
  mutating func tell(_ record: TaskRecord, _ moment: Moment, _ effects: inout StateEffects, isNewState: Bool) {
    if record.isSettled {
      if isNewState { tellEnd(record, &effects) } else { tellChange(of: record, &effects) }
      return
    }
    for feed in feeds.keys { feeds[feed]?.append(task: record.id, at: nil, &effects) }
    guard let audience = audiences[record.id] else { return }
    effects.signals += audience.waits.map(\.watcher)
    guard !audience.states.isEmpty || !audience.progress.isEmpty else { return }
    let snapshot = snapshot(record)
    for handler in audience.progress { effects.post(snapshot, to: handler.handler, isReplaceable: true) }
    if isNewState { for handler in audience.states { effects.post(snapshot, to: handler) } }
  }

  /// A task has settled.
  private mutating func tellEnd(_ record: TaskRecord, _ effects: inout StateEffects) {
    let number = history.end(record.id, hasFailed: record.hasFailed, isStored: storage == nil)
    if storage != nil, let end = record.storedEnd(number: number) {
      effects.rows.append(
        .edit(record.id, [.settled(end, started: record.startedSince1970?.wholeMilliseconds)]))
    }
    guard !feeds.isEmpty || audiences[record.id] != nil else { return }
    let snapshot = snapshot(record)
    for feed in feeds.keys { feeds[feed]?.append(.ended(snapshot, number: number), of: record.id, &effects) }
    guard let audience = audiences[record.id] else { return }
    var posts = audience.ends.map { $0.poster(of: snapshot) }
    switch record.phase {
    case .succeeded(let file): posts += audience.successes.map { $0.poster(of: file) }
    case .failed(let error): posts += audience.failures.map { $0.poster(of: error) }
    default: break
    }
    tellEnd(snapshot, audience, then: posts, &effects)
    for (set, index) in audience.sets { arrive(record.result, set, index, &effects) }
    audiences[record.id]?.waits = []
    audiences[record.id]?.sets = []
    if audiences[record.id]?.isEmpty == true { audiences[record.id] = nil }
  }

  /// What those hear that follow a task to its end, whichever it is.
  ///
  /// - Parameter posts: to those that hear of this end.
  private func tellEnd(
    _ snapshot: DownloadTaskSnapshot, _ audience: Audience, then posts: [AfterProgress.Post] = [],
    _ effects: inout StateEffects
  ) {
    for wait in audience.waits {
      wait.end = snapshot
      effects.signals.append(wait.watcher)
    }
    // The states of a task that begins again soon stay in their order.
    for handler in audience.states { effects.post(snapshot, to: handler) }
    effects.post(last: snapshot, to: audience.progress, then: posts)
  }

  /// The task has left the session. Its handlers go.
  mutating func tellRemoval(_ record: TaskRecord, _ effects: inout StateEffects) {
    let id = DownloadTaskID(record.id)
    for feed in feeds.keys { feeds[feed]?.append(.removed(id), of: record.id, &effects) }
    guard let audience = audiences.removeValue(forKey: record.id) else { return }
    let snapshot = snapshot(record, state: .removed)
    tellEnd(snapshot, audience, &effects)
    let error = record.error(.removed, "the task was removed")
    for (set, index) in audience.sets { arrive(.failure(error), set, index, &effects) }
  }

  // MARK: Scopes

  /// A task of this group has settled.
  mutating func tellIdle(_ group: GroupID, _ effects: inout StateEffects) {
    if groups[group].tally.unsettledCount == 0 { tellIdle(of: group, &effects) }
    guard groups.unsettledCount == 0 else { return }
    let totals = totals
    sessionAudience.tellEnd(totals, &effects)
    for feed in feeds.keys { feeds[feed]?.append(totals: true, &effects) }
  }

  /// Nothing of the group is unsettled.
  mutating func tellIdle(of group: GroupID, _ effects: inout StateEffects) {
    guard groupAudiences[group] != nil else { return }
    let totals = totals(of: group)
    groupAudiences[group]?.tellEnd(totals, &effects)
  }

  /// A report has come: scopes and sets that want the progress get it.
  mutating func tellTotals(_ moment: Moment, _ effects: inout StateEffects) {
    let totals = totals
    sessionAudience.tell(totals, moment, &effects)
    for group in Array(groupAudiences.keys) {
      let totals = self.totals(of: group)
      groupAudiences[group]?.tell(totals, moment, &effects)
    }
    for set in Array(sets.keys) { sets[set]?.tellProgress(moment, lastEnd: history.storedEnd, &effects) }
    for feed in feeds.keys { feeds[feed]?.append(totals: false, at: moment.now, &effects) }
  }

  /// Somebody wants progress this often.
  mutating func want(progressEvery interval: Duration) {
    progressInterval = max(.milliseconds(10), min(progressInterval, interval))
  }

  static let usualInterval = Duration.milliseconds(250)
}
