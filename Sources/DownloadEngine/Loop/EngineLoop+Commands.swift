internal import DownloadCore
internal import DownloadTransport

/// Commands from outside, which reach the loop through `Engine.post`. The queue decides; what it asks for is done here.
extension EngineLoop {
  func obeyCommands() {
    for order in inbox.takeOrders() {
      releases.beginOrder()
      let answers = order.commands.map(obey)
      if let obeyed = order.obeyed {
        tellEvents()
        obeyed(answers, events.lastNumber)
      }
      releases.answer(order, answers)
    }
    if inbox.takeReleases() { lookAgain(at: queue.waiting(for: .otherRun)) }
    hearStop()
  }

  /// Hears of the loss of the network and of its return, if that is wanted.
  func watchNetwork() {
    guard settings.transport.waitsForNetwork, let watch = NetworkWatch() else { return }
    network = watch
    loop.watch(watch.descriptor) { [unowned self] in
      switch network?.change() {
      case .lost: machine.networkLost()
      case .returned: networkChanged()
      case nil: break
      }
    }
  }

  private func networkChanged() {
    var actions: [RunAction] = []
    machine.networkChanged(now: now, &actions)
    perform(actions)
  }

  private func obey(_ command: EngineCommand) -> EngineAnswer {
    switch command {
    case .add(let request): return requests.add(request, to: &queue) ? .done : .known
    case .restore(let task, let host, let group, let priority, let end):
      return requests.restore(task, host, group, priority: priority, end, to: &queue) ? .done : .known
    case .replace(let request):
      guard requests[request.task] != nil else { return .unknown }
      guard requests.replace(request, &queue) else { return .active }
    case .change(let change, let selection):
      if change == .cancel || change == .remove { requests.withdraw(selection, change, &queue) }
      if change.takesBack { releases.awaitClosing { queue.covers($0, selection) } }
      var answer = queue.apply(change, to: selection)
      answer.finishingCount = answer.effects.count { !perform($0) }
      answer.effects = []
      return .counts(answer)
    case .use(let settings): use(settings)
    case .limit(let group, let limits): limit(group, limits)
    case .set(let settings, let headers, let task): return set(settings, headers: headers, of: task)
    case .networkChanged: networkChanged()
    case .describe(let selection): return .descriptions(describe(selection))
    case .order: return .order(queue.order)
    case .tellStatus: tell(.status(progress()))
    }
    return .done
  }

  /// - Returns: false if the task is not called back.
  @discardableResult
  func perform(_ effect: QueueEffect) -> Bool {
    switch effect {
    case .pause(let handle): return pause(handle)
    case .withdraw(let handle, let withdrawal): return withdraw(handle, withdrawal)
    case .prioritize(let handle, let priority): machine.prioritize(handle, priority)
    case .move(let handle, let group): move(handle, to: group)
    case .retry(let task):
      var actions: [RunAction] = []
      let origins = requests[task]?.mirrors.map(\.location.origin) ?? []
      machine.retry(queue.handle(of: task), at: origins, now: now, &actions)
      perform(actions)
    case .withdrawn(let task, let withdrawal):
      guard let request = requests[task] else { break }
      removeUnfinished(of: request)
      reportUnstarted(request, .withdrawn(withdrawal))
      if settledLimit == 0 { requests.forget(task) }
    }
    return true
  }

  /// Records what there is, closes it and gives the place back. A file that is being published is not called back, and a
  /// stream cannot be begun again.
  @discardableResult
  func pause(_ handle: ItemHandle) -> Bool {
    guard let item = items[handle] else {
      forgetSource(handle)
      queue.returned(handle)
      return true
    }
    guard case .file = item.destination, !machine.isPublishing(handle) else { return false }
    for transfer in transfers.of(item) where items[handle] === item { flush(transfer) }
    guard items[handle] === item else { return true }
    recordNow(item, isLast: true)
    takeBack(item)
    return true
  }

  /// Nobody is asked any more from where the item is to be fetched.
  private func forgetSource(_ handle: ItemHandle) {
    if sources.take(handle) != nil { gate.forget(handle) }
  }

  /// Has the storage thread close the item's files. The task may begin again when that is done.
  func release(_ item: ActiveItem) {
    guard let storage = item.storage else { return }
    item.storage = nil
    releases.began(item.task)
    storage.release(item.task)
  }

  /// A task that is to begin again while a job of its earlier beginning holds its lock waits for that.
  func waitsForRelease(_ task: TaskID, _ handle: ItemHandle) -> Bool {
    guard releases.isClosing(task) else { return false }
    queue.returned(handle, until: .distantFuture, for: .ownFiles)
    return true
  }

  func released(_ task: TaskID) {
    workers.tellRelease()
    if releases.ended(task) { queue.endWait(of: task, for: .ownFiles) }
  }

  /// Ends an item, and removes its part file and sidecar.
  private func withdraw(_ handle: ItemHandle, _ withdrawal: Withdrawal) -> Bool {
    guard let item = items[handle] else {
      forgetSource(handle)
      if let task = queue.task(of: handle), let request = requests[task] {
        removeUnfinished(of: request)
        endUnstarted(request, handle, .withdrawn(withdrawal))
      }
      return true
    }
    guard !machine.isPublishing(handle) else { return false }
    if item.storage == nil { removeUnfinished(of: item.request) }
    report(item, .withdrawn(withdrawal), byteCount: 0)
    item.storage?.removeLater()
    forget(item)
    return true
  }

  /// Removes what an earlier beginning of the task has stored, if no other run works on it.
  private func removeUnfinished(of request: FileRequest) {
    guard requests.hasBegun(request.task), case .listed(let components) = request.target,
      let target = try? place.target(of: components, creating: false)
    else { return }
    // After the jobs of the earlier beginning, which the writer may have to hand on.
    let thread = workers.storage(of: target.directory)
    let writer = workers.writer(of: target.directory).port
    releases.began(request.task)
    for job in [.removeUnfinished(target), .release(request.task)] as [StorageJob] {
      writer.post(.handOn(job, to: thread))
    }
  }
}
