/// The tasks that a command is for, of those that the queue knows.
package enum TaskSelection: Hashable, Sendable {
  case task(TaskID)
  case group(GroupID)
  case all
}

/// What is to become of tasks.
package enum TaskChange: Hashable, Sendable {
  /// Transfers end; what is stored stays. Of a group, or of all, it holds for tasks that come later, too.
  case pause
  /// Clears this flag, no other one. A task that has settled is done again.
  case resume
  /// Ends it. Its unfinished data is removed. A file that is being published is not called back.
  case cancel
  /// As `cancel`, and the queue forgets it.
  case remove
  /// A settled task is done again, and one that waits does not wait any longer.
  case retry
  /// The highest priority comes first. In -100...100.
  case prioritize(Int)
  case move(QueuePosition)

  /// Whether no task that it names is written to once it is answered.
  package var takesBack: Bool { self == .pause || self == .cancel || self == .remove }
}

/// Where a task is moved to.
package enum QueuePosition: Hashable, Sendable {
  /// Of its priority.
  case first, last
  /// The task gets the priority of the other one.
  case before(TaskID), after(TaskID)
  /// Behind all others of its priority there.
  case group(GroupID)
}

/// What the driver has to do for a command.
package enum QueueEffect: Hashable, Sendable {
  /// To be answered by `returned`; ignored while the file is being published.
  case pause(ItemHandle)
  /// To be answered by `ended`; ignored while the file is being published.
  case withdraw(ItemHandle, Withdrawal)
  case prioritize(ItemHandle, Int)
  /// The task has ended without being active. What an earlier beginning has stored is to be removed.
  case withdrawn(TaskID, Withdrawal)
  case move(ItemHandle, GroupID)
  /// What the task or its hosts are waited for does not count any more.
  case retry(TaskID)
}

/// What a command came to.
package struct QueueAnswer: Hashable, Sendable {
  package var changedCount = 0
  /// Tasks that were as wanted, or cannot be so.
  package var unchangedCount = 0
  /// Of a `resume`: those that are still paused, by themselves, by their group or by the session.
  package var stillPausedCount = 0
  /// Tasks that a pause or a withdrawal does not call back, because their files are being published.
  package var finishingCount = 0
  /// Whether the selection names a task that is not known.
  package var isUnknown = false
  package var effects: [QueueEffect] = []

  package init() {}
}

extension QueueMachine {
  /// Costs constant time for the flag of a group or of all, apart from its active tasks, and about the logarithm of the
  /// number of tasks for one task.
  package mutating func apply(_ change: TaskChange, to selection: TaskSelection) -> QueueAnswer {
    var answer = QueueAnswer()
    switch (selection, change) {
    case (.all, .pause), (.all, .resume):
      Self.set(&isPaused, change == .pause, &answer)
      if isPaused { pauseActive(&answer) { _ in true } }
    case (.group(let id), .pause), (.group(let id), .resume):
      let index = index(of: id)
      Self.set(&groups[Int(index)].isPaused, change == .pause, &answer)
      if groups[Int(index)].isPaused { pauseActive(&answer) { $0.group == index } }
    case (.task(let id), _):
      if let task = tasks[id] { apply(change, to: task, &answer) } else { answer.isUnknown = true }
    case (.group(let id), _):
      let index = index(of: id)
      for task in named(change, { $0.group == index }) { apply(change, to: task, &answer) }
    case (.all, _):
      for task in named(change, { _ in true }) { apply(change, to: task, &answer) }
    }
    return answer
  }

  package func covers(_ task: TaskID, _ selection: TaskSelection) -> Bool {
    switch selection {
    case .task(let id): id == task
    case .group(let id): tasks[task].map { groups[Int($0.group)].id == id } ?? false
    case .all: true
    }
  }

  /// - Parameter jobs: places of the group at a time, at least 1; nil for as many as the session has.
  package mutating func limit(_ group: GroupID, jobs: Int?) { groups[Int(index(of: group))].jobs = jobs }

  /// The items that have places beyond the limits: the last ones in order. Those that can be gone on with are to be
  /// `returned`.
  ///
  /// - Parameter isFinishing: whether an item's place counts as free, as for `hasPlace`.
  package func surplus(besides isFinishing: (ItemHandle) -> Bool = { _ in false }) -> [ItemHandle] {
    guard items.placeCount > jobs || groups.contains(where: { $0.placeCount > $0.jobs ?? .max }) else { return [] }
    var (count, counts) = (0, [Int](repeating: 0, count: groups.count))
    let placed = items.all.compactMap { handle, item in
      item.hasPlace && !isFinishing(handle) ? tasks[item.task].map { (handle, $0) } : nil
    }
    return placed.sorted { $0.1.key < $1.1.key }.filter { _, task in
      let group = Int(task.group)
      guard count < jobs, counts[group] < groups[group].jobs ?? .max else { return true }
      count += 1
      counts[group] += 1
      return false
    }.map(\.0)
  }

  private static func set(_ flag: inout Bool, _ value: Bool, _ answer: inout QueueAnswer) {
    if flag == value { answer.unchangedCount += 1 } else { answer.changedCount += 1 }
    flag = value
  }

  private func pauseActive(_ answer: inout QueueAnswer, _ isNamed: (QueuedTask) -> Bool) {
    let active = items.all.filter { tasks[$0.value.task].map(isNamed) ?? false }
    answer.effects += active.keys.sorted().map { .pause($0) }
  }

  /// Those that a command for many names: what has settled is named for a retry, or to be removed.
  private func named(_ change: TaskChange, _ isNamed: (QueuedTask) -> Bool) -> [QueuedTask] {
    let all = tasks.all.filter { isNamed($0) && (!$0.isSettled || change == .retry || change == .remove) }
    // Each is moved in turn.
    let isReversed = change == .move(.first)
    return all.sorted { isReversed ? $1.key < $0.key : $0.key < $1.key }
  }

  private mutating func apply(_ change: TaskChange, to task: QueuedTask, _ answer: inout QueueAnswer) {
    let before = answer.effects.count
    var hasChanged = true
    switch change {
    case .pause: hasChanged = pause(task, &answer)
    case .resume:
      if task.isSettled { answer.effects.append(.retry(task.id)) }
      hasChanged = resume(task)
      if isPaused || groups[Int(task.group)].isPaused { answer.stillPausedCount += 1 }
    case .cancel: hasChanged = withdraw(task, .cancelled, &answer)
    case .remove: hasChanged = withdraw(task, .removed, &answer)
    case .retry:
      hasChanged = retry(task)
      answer.effects.append(.retry(task.id))
    case .prioritize(let priority):
      let key = OrderKey(priority: priority, rank: task.key.rank)
      hasChanged = key != task.key
      if hasChanged { rekey(task, key, &answer) }
    case .move(let position): hasChanged = move(task, to: position, &answer)
    }
    if hasChanged || change != .retry && answer.effects.count > before {
      answer.changedCount += 1
    } else {
      answer.unchangedCount += 1
    }
  }

  private mutating func pause(_ task: QueuedTask, _ answer: inout QueueAnswer) -> Bool {
    if task.isSettled || task.state == .leaving || task.isPaused { return false }
    unline(task)
    tasks[task.id]?.isPaused = true
    if let handle = items.handle(of: task.id) { answer.effects.append(.pause(handle)) }
    endWait(of: task.id)
    return true
  }

  private mutating func resume(_ task: QueuedTask) -> Bool {
    if task.isSettled { return retry(task) }
    guard task.isPaused else { return false }
    tasks[task.id]?.isPaused = false
    if let task = tasks[task.id] { line(task) }
    return true
  }

  private mutating func retry(_ task: QueuedTask) -> Bool {
    switch task.state {
    case .waiting: endWait(of: task.id)
    case .succeeded, .failed, .cancelled: unsettle(task)
    case .queued, .active, .leaving, .gone: return false
    }
    return true
  }

  private mutating func withdraw(_ task: QueuedTask, _ withdrawal: Withdrawal, _ answer: inout QueueAnswer) -> Bool {
    switch task.state {
    case .active:
      if let handle = items.handle(of: task.id) { answer.effects.append(.withdraw(handle, withdrawal)) }
      if withdrawal == .removed { tasks[task.id]?.state = .leaving }
    case .queued, .waiting:
      endWait(of: task.id)
      if let task = tasks[task.id] { unline(task) }
      answer.effects.append(.withdrawn(task.id, withdrawal))
      if withdrawal == .removed { tasks[task.id]?.state = .leaving }
      if let task = tasks[task.id] { settle(task, .cancelled) }
    case .succeeded, .failed, .cancelled:
      if task.state == .failed { answer.effects.append(.withdrawn(task.id, withdrawal)) }
      if withdrawal == .removed {
        forget(task)
      } else if task.state == .failed {
        tasks[task.id]?.state = .cancelled
      } else {
        return false
      }
    case .leaving, .gone: return false
    }
    return true
  }

  private mutating func rekey(
    _ task: QueuedTask, _ key: OrderKey, group: UInt16? = nil, _ answer: inout QueueAnswer
  ) {
    unline(task)
    if let group { change(group: group, of: task) }
    tasks[task.id]?.key = key
    if let task = tasks[task.id] { line(task) }
    if key.priority != task.key.priority, let handle = items.handle(of: task.id) {
      answer.effects.append(.prioritize(handle, key.priority))
    }
  }

  private mutating func move(_ task: QueuedTask, to position: QueuePosition, _ answer: inout QueueAnswer) -> Bool {
    let priority = task.key.priority
    switch position {
    case .first: rekey(task, OrderKey(priority: priority, rank: ranks.beforeAll()), &answer)
    case .last: rekey(task, OrderKey(priority: priority, rank: ranks.afterAll()), &answer)
    case .before(let id): return move(task, beside: id, isBefore: true, &answer)
    case .after(let id): return move(task, beside: id, isBefore: false, &answer)
    case .group(let id):
      let group = index(of: id)
      guard group != task.group else { return false }
      rekey(task, OrderKey(priority: priority, rank: ranks.afterAll()), group: group, &answer)
      guard let handle = items.handle(of: task.id) else { break }
      answer.effects.append(groups[Int(group)].isPaused ? .pause(handle) : .move(handle, id))
    }
    return true
  }

  /// Costs time in proportion to the number of tasks.
  private mutating func move(
    _ task: QueuedTask, beside id: TaskID, isBefore: Bool, _ answer: inout QueueAnswer
  ) -> Bool {
    guard id != task.id else { return false }
    for _ in 0..<2 {
      guard let other = tasks[id] else { break }
      let others = tasks.all.lazy.filter { $0.id != task.id }.map(\.key.rank)
      let rank = other.key.rank
      let next =
        isBefore
        ? others.filter { $0 < rank }.max() ?? rank - 2 * OrderKey.gap
        : others.filter { $0 > rank }.min() ?? rank + 2 * OrderKey.gap
      let middle = next + (rank - next) / 2
      if middle != rank, middle != next {
        ranks.cover(middle)
        rekey(task, OrderKey(priority: other.key.priority, rank: middle), &answer)
        return true
      }
      renumber()
    }
    answer.isUnknown = true
    return false
  }

  private mutating func change(group: UInt16, of task: QueuedTask) {
    if let handle = items.handle(of: task.id), items[handle]?.hasPlace == true {
      groups[Int(task.group)].placeCount -= 1
      groups[Int(group)].placeCount += 1
    }
    tasks[task.id]?.group = group
  }

  /// Makes the gaps between ranks as wide as they were.
  private mutating func renumber() {
    let all = tasks.all.sorted { $0.key.rank < $1.key.rank }
    for task in all { unline(task) }
    ranks = Ranks()
    for var task in all {
      task.key = OrderKey(priority: task.key.priority, rank: ranks.afterAll())
      tasks[task.id] = task
      line(task)
    }
  }
}
