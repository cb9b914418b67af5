package import DownloadCore

/// What may be asked of an engine while it runs.
package enum EngineCommand: Sendable, Equatable {
  /// A further request. Its task must be new.
  case add(DownloadRequest)
  case change(TaskChange, TaskSelection)
  /// Bytes per second, above 0; nil is unlimited.
  case limitRate(run: Int64?, perFile: Int64?)
  /// Ends the run. Active items stay resumable.
  case stop
}

/// Commands from outside, which reach the loop through `Engine.commands`. The queue decides; what it asks for is done here.
extension Engine {
  func obeyCommands() {
    for command in commands.takeAll() { obey(command) }
  }

  private func obey(_ command: EngineCommand) {
    switch command {
    case .add(let request): _ = requests.add(request, to: &queue)
    case .change(let change, let selection):
      if change == .cancel || change == .remove { requests.withdraw(selection, change, &queue) }
      for effect in queue.apply(change, to: selection).effects { perform(effect) }
    case .limitRate(let run, let perFile): rates.change(run: run, perFile: perFile, now: now)
    case .stop: end.wasStopped = true
    }
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
