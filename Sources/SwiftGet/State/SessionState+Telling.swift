internal import DownloadCore

/// Who is told of what.
extension SessionState {
  /// Bytes and rates of a task have changed.
  mutating func tellProgress(_ record: TaskRecord, _ moment: Moment, _ effects: inout StateEffects) {
    feeds.forEach { $0.append(task: record.id, at: moment.now, &effects) }
    let due = audiences.progressed(record.id, moment.now, &effects)
    if due.isEmpty { return }
    let snapshot = snapshot(record)
    for handler in due { effects.post(snapshot, to: handler, isReplaceable: true) }
  }

  /// Something of a task has changed that is neither its kind of state nor its progress.
  mutating func tellChange(of record: TaskRecord, _ effects: inout StateEffects) {
    let waitsForItsTurn = record.phase == .waiting(.slot) && record.pauses(groups.flags(of: record.group)).isEmpty
    feeds.forEach { feed in
      if !(waitsForItsTurn && feed.isOfBegun) { feed.append(task: record.id, at: nil, &effects) }
    }
    for wait in audiences.tasks[record.id]?.waits ?? [] { effects.signals.append(wait.watcher) }
  }

  /// A task has another state.
  ///
  /// - Parameter isNewState: whether its kind is another one, or it has ended once more.
  mutating func tell(_ record: TaskRecord, _ moment: Moment, _ effects: inout StateEffects, isNewState: Bool) {
    if record.isSettled {
      if isNewState { tellEnd(record, &effects) } else { tellChange(of: record, &effects) }
      return
    }
    feeds.forEach { $0.append(task: record.id, at: nil, &effects) }
    guard let audience = audiences.tasks[record.id] else { return }
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
    guard !feeds.isEmpty || audiences.tasks[record.id] != nil else { return }
    let snapshot = snapshot(record)
    feeds.forEach { $0.append(.ended(snapshot, number: number), of: record.id, &effects) }
    guard let audience = audiences.tasks[record.id] else { return }
    audience.tellEnd(record.phase, snapshot, &effects)
    if let result = record.result {
      sets.arrive(result, in: audience.sets, lastEnd: history.storedEnd, &effects)
    }
    audiences.ended(record.id)
  }

  /// The task has left the session. Its handlers go.
  mutating func tellRemoval(_ record: TaskRecord, _ effects: inout StateEffects) {
    let id = DownloadTaskID(record.id)
    feeds.forEach { $0.append(.removed(id), of: record.id, &effects) }
    guard let audience = audiences.tasks.removeValue(forKey: record.id) else { return }
    audience.tellLast(snapshot(record, state: .removed), &effects)
    let error = record.error(.removed, "the task was removed")
    sets.arrive(.failure(error), in: audience.sets, lastEnd: history.storedEnd, &effects)
  }

  // MARK: Scopes

  /// A task of this group has settled.
  mutating func tellIdle(_ group: GroupID, _ effects: inout StateEffects) {
    if groups[group].tally.unsettledCount == 0 { tellIdle(of: group, &effects) }
    guard groups.unsettledCount == 0 else { return }
    let totals = totals
    audiences.session.tellEnd(totals, &effects)
    feeds.forEach { $0.append(totals: true, &effects) }
  }

  /// Nothing of the group is unsettled.
  mutating func tellIdle(of group: GroupID, _ effects: inout StateEffects) {
    guard audiences.groups[group] != nil else { return }
    let totals = totals(of: group)
    audiences.groups[group]?.tellEnd(totals, &effects)
  }

  /// A report has come: scopes and sets that want the progress get it.
  mutating func tellTotals(_ moment: Moment, _ effects: inout StateEffects) {
    let totals = totals
    audiences.session.tell(totals, moment, &effects)
    for group in Array(audiences.groups.keys) {
      let totals = self.totals(of: group)
      audiences.groups[group]?.tell(totals, moment, &effects)
    }
    sets.tellProgress(moment, lastEnd: history.storedEnd, &effects)
    feeds.forEach { $0.append(totals: false, at: moment.now, &effects) }
  }
}
