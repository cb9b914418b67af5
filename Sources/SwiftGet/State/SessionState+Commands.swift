internal import DownloadCore
internal import DownloadEngine

/// What commands that the engine has obeyed change.
extension SessionState {
  /// The effect of a command on one task.
  mutating func obeyed(
    _ change: TaskChange, _ id: TaskID, _ answer: QueueAnswer, _ effect: inout CommandEffect,
    leaving: Leaving = .keepingFile, _ moment: Moment, _ effects: inout StateEffects
  ) {
    guard let record = records[id], !answer.isUnknown || isMoveBeside(change) else {
      // What told of a removal came before.
      if answer.isUnknown { effect.failures.append(Self.unknown(id)) } else { effect.add(answer) }
      if !answer.isUnknown, answer.changedCount > 0 { effect.changedTasks.append(id) }
      return
    }
    if answer.isUnknown {
      effect.failures.append(record.error(.unknownTask, "the task to move to is not in the session"))
      return
    }
    effect.add(answer)
    if storage?.isIdle == true {
      // The engine is paused, and says that of each task.
      effect.stillPaused -= answer.stillPausedCount
      if case .resume = change, !record.pauses(groups.flags(of: record.group)).subtracting(.task).isEmpty {
        effect.stillPaused += 1
      }
    }
    if answer.changedCount > 0 { effect.changedTasks.append(id) }
    guard answer.changedCount > 0 else {
      if case .resume = change { notePauses(record, &effect) }
      return
    }
    switch change {
    case .pause:
      if record.phase == .running, !record.isResumable { effect.notResumable += 1 }
      halt(id, isFinishing: answer.finishingCount > 0, moment, &effects) { $0.isPaused = true }
    case .resume:
      if record.isSettled { restart(id, moment, &effects) }
      self.change(id, moment, &effects) { $0.isPaused = false }
      if let record = records[id] { notePauses(record, &effect) }
    case .retry: restart(id, moment, &effects)
    case .remove:
      if record.isSettled {
        remove(id, moment, &effects)
      } else if answer.finishingCount > 0 {
        records[id]?.leaves = leaving
      }
    case .cancel: break
    case .prioritize(let priority): self.change(id, moment, &effects) { $0.priority = priority }
    case .move(let position): move(id, to: position, moment, &effects)
    }
  }

  private func isMoveBeside(_ change: TaskChange) -> Bool {
    switch change {
    case .move(.before), .move(.after): true
    default: false
    }
  }

  private func notePauses(_ record: TaskRecord, _ effect: inout CommandEffect) {
    let flags = record.pauses(groups.flags(of: record.group))
    if !record.isSettled { effect.pausedBy.formUnion(flags) }
  }

  /// What was active is not any more.
  private mutating func halt(
    _ id: TaskID, isFinishing: Bool, _ moment: Moment, _ effects: inout StateEffects,
    _ body: (inout TaskRecord) -> Void
  ) {
    if !isFinishing { begun[id] = nil }
    change(id, moment, &effects) { record in
      body(&record)
      guard !isFinishing, !record.isSettled else { return }
      record.halt(for: record.wait ?? .slot)
    }
    if let record = records[id] { storeProgress(of: record, &effects) }
  }

  /// A settled task is to be done again, or one that waits does not wait any longer.
  private mutating func restart(_ id: TaskID, _ moment: Moment, _ effects: inout StateEffects) {
    guard let record = records[id] else { return }
    history.remove(id)
    change(id, moment, &effects) { record in
      record.phase = .waiting(record.wait ?? .slot)
      record.endedSince1970 = nil
      record.isPaused = false
      record.failedAttempts = 0
    }
    if record.isSettled { records.reclaimTarget(of: record) }
  }

  // MARK: Flags

  /// The flag of a group, or of the session with nil, has been set or cleared.
  mutating func obeyedFlag(
    _ isPaused: Bool, of group: GroupID?, _ answer: QueueAnswer, _ effect: inout CommandEffect, _ moment: Moment,
    _ effects: inout StateEffects
  ) {
    if group == nil, storage?.isIdle == true {
      // The engine stays paused whatever the flag is.
      if isPaused == groups.session.isPaused { effect.unchanged += 1 } else { effect.changed += 1 }
    } else {
      effect.add(answer)
    }
    let affected = records.all.filter { !$0.isSettled && (group == nil || $0.group == group) }
    let before = affected.map { (record: $0, mark: Mark($0, groups.flags(of: $0.group))) }
    groups[rules: group].isPaused = isPaused
    for (record, mark) in before {
      // The sums of groups count without flags, those of sets with them.
      sets.count(mark.whole, in: audiences.sets(of: record.id), by: -1)
      if isPaused, record.phase == .running || answer.finishingCount == 0 && record.phase == .verifying {
        if record.phase == .running, !record.isResumable { effect.notResumable += 1 }
        groups.count(record.share(), of: record, by: -1)
        records[record.id]?.halt(for: .slot)
        if let halted = records[record.id] {
          groups.count(halted.share(), of: halted, by: 1)
          storeProgress(of: halted, &effects)
        }
        begun[record.id] = nil
      }
      guard let after = records[record.id] else { continue }
      let flags = groups.flags(of: after.group)
      sets.count(Mark(after, flags).whole, in: audiences.sets(of: record.id), by: 1)
      if Mark(after, flags).kind != mark.kind {
        tell(after, moment, &effects, isNewState: true)
      } else {
        tellChange(of: after, &effects)
      }
      if !isPaused, !after.pauses(flags).isEmpty { effect.stillPaused += 1 }
    }
    if !isPaused {
      effect.pausedBy = affected.reduce(into: effect.pausedBy) { $0.formUnion($1.pauses(groups.flags(of: $1.group))) }
    }
    tellTotals(moment, &effects)
    tellSession(&effects)
  }

  // MARK: Order

  /// The engine has the order; what else a move changes is here.
  private mutating func move(
    _ id: TaskID, to position: DownloadCore.QueuePosition, _ moment: Moment, _ effects: inout StateEffects
  ) {
    switch position {
    case .first, .last: break
    case .before(let other), .after(let other):
      guard let priority = records[other]?.priority else { return }
      change(id, moment, &effects) { $0.priority = priority }
    case .group(let group): regroup(id, group, moment, &effects)
    }
  }
}
