/// How tasks end, return and wait.
extension QueueMachine {
  /// The item has ended without a result: the task is queued again, or waits.
  ///
  /// - Parameters:
  ///   - until: the time until which it does not begin; nil for none. With `distantFuture` it waits for `endWait`.
  ///   - reason: what it waits for until then.
  package mutating func returned(_ handle: ItemHandle, until: Instant? = nil, for reason: WaitReason = .time) {
    guard let task = giveBack(handle) else { return }
    if task.state == .leaving { return settle(task, .cancelled) }
    tasks[task.id]?.state = .queued
    if let until, !task.isPaused {
      tasks[task.id]?.state = .waiting
      waits.begin(task.id, for: reason, until: until)
    } else if let task = tasks[task.id] {
      line(task)
    }
  }

  package mutating func ended(_ handle: ItemHandle, _ end: TaskEnd) {
    guard let task = giveBack(handle) else { return }
    settle(task, TaskState(end))
  }

  /// The run ends without the task: it is forgotten, and counts as nothing.
  package mutating func left(_ handle: ItemHandle) {
    if let task = giveBack(handle) { forget(task) }
  }

  private mutating func giveBack(_ handle: ItemHandle) -> QueuedTask? {
    guard let item = items.giveBack(handle), let task = tasks[item.task] else { return nil }
    if item.hasPlace { groups[Int(task.group)].placeCount -= 1 }
    return task
  }

  /// - Parameter task: in no lane.
  mutating func settle(_ task: QueuedTask, _ state: TaskState) {
    ends.add(state)
    guard task.state != .leaving, settled.limit > 0 else { return forget(task) }
    tasks[task.id]?.state = state
    settled.append(task.id, hasFailed: state == .failed)
    while let oldest = settled.takeExcess() {
      if let task = tasks[oldest], task.isSettled { forget(task) }
    }
  }

  /// A settled task is to be done again.
  mutating func unsettle(_ task: QueuedTask) {
    ends.takeBack(task.state)
    settled.retried(task.id, hadFailed: task.state == .failed)
    tasks[task.id]?.state = .queued
    tasks[task.id]?.isPaused = false
    if let task = tasks[task.id] { line(task) }
  }

  /// Tasks that are not known any more since the last call, if settled ones are kept.
  package mutating func takeForgotten() -> [TaskID] { settled.takeForgotten() }

  mutating func forget(_ task: QueuedTask) {
    settled.forget(task)
    tasks.remove(task.id)
    hosts.release(task.host)
  }

  // MARK: Waiting

  /// The earliest time at which a task waits no longer.
  package var nextDue: Instant? { waits.nextDue }

  /// Queues the tasks whose time has come.
  package mutating func ticked(now: Instant) {
    while let task = waits.nextDue(now: now) { endWait(of: task) }
  }

  /// The tasks that wait for this, in the order of their ids. Costs time in proportion to the number of tasks that wait.
  package func waiting(for reason: WaitReason) -> [TaskID] { waits.tasks(for: reason) }

  /// The task waits no longer, if it does.
  ///
  /// - Parameter reason: the only one for which the wait is ended; nil for any.
  package mutating func endWait(of id: TaskID, for reason: WaitReason? = nil) {
    guard waits.end(id, for: reason) else { return }
    tasks[id]?.state = .queued
    if let task = tasks[id] { line(task) }
  }
}
