/// By what a task is kept from beginning; each is set and cleared by itself.
package struct PauseFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package static let task = PauseFlags(rawValue: 1)
  package static let group = PauseFlags(rawValue: 2)
  package static let session = PauseFlags(rawValue: 4)

  package init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// The limit that keeps a queued task from beginning.
package enum QueueLimit: String, Sendable {
  /// The files of the run at a time.
  case jobs
  /// The files of its group at a time.
  case group
  /// What the host of its first source allows.
  case host
}

/// Where a task stands in the queue.
package struct TaskStanding: Sendable {
  package let task: TaskID
  package let group: GroupID
  package let priority: Int
  package let pauses: PauseFlags
  package let isSettled: Bool
  /// What it waits for, and until when; nil if it does not wait.
  package let wait: (reason: WaitReason, until: Instant)?
  /// What a queued task lacks, as far as that is known; nil if it begins when its turn comes.
  package let limit: QueueLimit?
}

extension QueueMachine {
  /// All known tasks in the order in which they begin, as far as their hosts and groups let them; settled ones stand where
  /// they would begin again.
  package var order: [TaskID] { tasks.all.sorted { ($0.key, $0.id) < ($1.key, $1.id) }.map(\.id) }

  /// Where the tasks that are named and known stand, in the order of their ids.
  package func standings(of selection: TaskSelection) -> [TaskStanding] {
    let named: [QueuedTask]
    switch selection {
    case .task(let id): named = [tasks[id]].compactMap(\.self)
    case .group(let id): named = tasks.all.filter { groups[Int($0.group)].id == id }
    case .all: named = Array(tasks.all)
    }
    return named.map { task in
      var pauses: PauseFlags = task.isPaused ? .task : []
      if groups[Int(task.group)].isPaused { pauses.insert(.group) }
      if isPaused { pauses.insert(.session) }
      return TaskStanding(
        task: task.id, group: groups[Int(task.group)].id, priority: task.key.priority, pauses: pauses,
        isSettled: task.isSettled, wait: waits[task.id], limit: limit(of: task))
    }
  }

  private func limit(of task: QueuedTask) -> QueueLimit? {
    guard task.isReady else { return nil }
    if hosts.isParked(task.host) { return .host }
    let group = groups[Int(task.group)]
    if let jobs = group.jobs, group.placeCount >= jobs { return .group }
    return hasFreePlace(besides: 0) ? nil : .jobs
  }
}
