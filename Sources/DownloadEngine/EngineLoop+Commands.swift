package import DownloadCore

/// What may be asked of an engine while it runs.
package enum EngineCommand: Sendable, Equatable {
  /// A further request. Its task must be new.
  case add(DownloadRequest)
  case change(TaskChange, TaskSelection)
  /// Bytes per second, above 0; nil is unlimited.
  case limitRate(run: Int64?, perFile: Int64?)
  /// Files at a time, at least 1; of a group nil is as many as the session has.
  case limitJobs(Int)
  case limitGroup(GroupID, jobs: Int?)
  /// `EngineEvent.status` follows.
  case tellStatus
}

/// What a command came to.
package enum EngineAnswer: Sendable, Equatable {
  case done
  /// Of `add`: a task with this id is known.
  case known
  case counts(QueueAnswer)
}

/// Answers that are given when these tasks have nothing open any more.
struct HeldAnswer {
  var tasks: Set<TaskID>
  let answers: [EngineAnswer]
  let answer: @Sendable ([EngineAnswer]) -> Void
}

/// Commands from outside, which reach the loop through `Engine.post`. The queue decides; what it asks for is done here.
extension EngineLoop {
  func obeyCommands() {
    for order in inbox.takeOrders() {
      let closingBefore = closing
      let answers = order.commands.map(obey)
      guard let answer = order.answer else { continue }
      let tasks = closing.subtracting(closingBefore)
      if tasks.isEmpty {
        answer(answers)
      } else {
        heldAnswers.append(HeldAnswer(tasks: tasks, answers: answers, answer: answer))
      }
    }
    hearStop()
  }

  private func obey(_ command: EngineCommand) -> EngineAnswer {
    switch command {
    case .add(let request): return requests.add(request, to: &queue) ? .done : .known
    case .change(let change, let selection):
      if change == .cancel || change == .remove { requests.withdraw(selection, change, &queue) }
      var answer = queue.apply(change, to: selection)
      for effect in answer.effects { perform(effect) }
      answer.effects = []
      return .counts(answer)
    case .limitRate(let run, let perFile): rates.change(run: run, perFile: perFile, now: now)
    case .limitJobs(let jobs): queue.jobs = max(1, jobs)
    case .limitGroup(let group, let jobs): queue.limit(group, jobs: jobs.map { max(1, $0) })
    case .tellStatus: tell(.status(progress()))
    }
    return .done
  }

  func perform(_ effect: QueueEffect) {
    switch effect {
    case .pause(let handle): pause(handle)
    case .withdraw(let handle, let withdrawal): withdraw(handle, withdrawal)
    case .prioritize(let handle, let priority): machine.prioritize(handle, priority)
    case .withdrawn(let task, let withdrawal):
      guard let request = requests[task] else { return }
      removeUnfinished(of: request)
      reportUnstarted(request, .withdrawn(withdrawal))
      requests.forget(task)
    }
  }

  /// Records what there is, closes it and gives the place back. A file that is being published is not called back, and a
  /// stream cannot be begun again.
  private func pause(_ handle: ItemHandle) {
    guard let item = items[handle] else { return queue.returned(handle) }
    guard case .file = item.destination, !machine.isPublishing(handle) else { return }
    for transfer in transfers.of(item) where items[handle] === item { flush(transfer) }
    guard items[handle] === item else { return }
    recordNow(item)
    requests.takeBack(item.request)
    forget(item)
    item.storage = nil
    closing.insert(item.task)
    workers.storage.jobs.post(.release(item.task))
    queue.returned(handle)
  }

  /// A task that is to begin again while a job of its earlier beginning holds its lock waits for that.
  func waitsForRelease(_ task: TaskID, _ handle: ItemHandle) -> Bool {
    guard closing.contains(task) else { return false }
    queue.returned(handle, until: .distantFuture, for: .ownFiles)
    return true
  }

  func released(_ task: TaskID) {
    closing.remove(task)
    queue.endWait(of: task)
    for index in heldAnswers.indices.reversed() where heldAnswers[index].tasks.remove(task) != nil {
      guard heldAnswers[index].tasks.isEmpty else { continue }
      let held = heldAnswers.remove(at: index)
      held.answer(held.answers)
    }
  }

  /// Ends an item, and removes its part file and sidecar.
  private func withdraw(_ handle: ItemHandle, _ withdrawal: Withdrawal) {
    guard let item = items[handle] else {
      guard let task = queue.task(of: handle), let request = requests[task] else { return }
      return endUnstarted(request, handle, .withdrawn(withdrawal))
    }
    guard !machine.isPublishing(handle) else { return }
    item.storage?.removeAll()
    report(item, .withdrawn(withdrawal), byteCount: 0)
    forget(item)
  }

  /// Removes what an earlier beginning of the task has stored, if no other run works on it.
  private func removeUnfinished(of request: DownloadRequest) {
    guard requests.hasBegun(request.task), case .listed(let components) = request.target,
      let target = try? place.target(of: components)
    else { return }
    workers.storage.jobs.post(.removeUnfinished(target))
  }
}
