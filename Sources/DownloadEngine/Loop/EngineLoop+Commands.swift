internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Commands from outside, which reach the loop through `Engine.post`. The queue decides; what it asks for is done here.
extension EngineLoop {
  func obeyCommands() {
    for order in inbox.takeOrders() {
      itemRunner.releases.beginOrder()
      let answers = order.commands.map(obey)
      if let obeyed = order.obeyed {
        state.tellEvents()
        obeyed(answers, state.events.lastNumber)
      }
      itemRunner.releases.answer(order, answers)
    }
    if inbox.takeReleases() { admission.lookAgain(at: state.queue.waiting(for: .otherRun)) }
    hearStop()
  }

  /// Hears of the loss of the network and of its return, if that is wanted.
  func watchNetwork() {
    guard state.settings.transport.waitsForNetwork, let watch = NetworkWatch() else { return }
    network = watch
    transferRunner.loop.watch(watch.descriptor) { [unowned self] in
      switch network?.change() {
      case .lost: state.machine.networkLost()
      case .returned: networkChanged()
      case nil: break
      }
    }
  }

  private func networkChanged() {
    state.feed { $0.networkChanged(now: state.now, &$1) }
  }

  private func obey(_ command: EngineCommand) -> EngineAnswer {
    switch command {
    case .add(let request): return state.requests.add(request, to: &state.queue) ? .done : .known
    case .restore(let task, let host, let group, let priority, let end):
      return state.requests.restore(task, host, group, priority: priority, end, to: &state.queue) ? .done : .known
    case .replace(let request):
      guard state.requests[request.task] != nil else { return .unknown }
      guard state.requests.replace(request, &state.queue) else { return .active }
    case .rename(let request, let old, let placed): return rename(request, from: old, placed)
    case .change(let change, let selection):
      if change == .cancel || change == .remove { state.requests.withdraw(selection, change, &state.queue) }
      if change.takesBack { itemRunner.releases.awaitClosing { state.queue.covers($0, selection) } }
      var answer = state.queue.apply(change, to: selection)
      answer.finishingCount = answer.effects.count { !perform($0) }
      answer.effects = []
      return .counts(answer)
    case .use(let settings): use(settings)
    case .limit(let group, let limits): limit(group, limits)
    case .set(let settings, let headers, let task): return set(settings, headers: headers, of: task)
    case .networkChanged: networkChanged()
    case .describe(let selection): return .descriptions(describe(selection))
    case .order: return .order(state.queue.order)
    case .tellStatus: state.tell(.status(progress()))
    }
    return .done
  }

  private func rename(_ request: FileRequest, from old: [[UInt8]], _ placed: PlacedFile?) -> EngineAnswer {
    let task = request.task
    if state.queue.handle(of: task) != nil { return .active }
    if itemRunner.releases.isClosing(task) { return .closing }
    do throws(Failure) {
      if case .listed(let new) = request.target { try itemRunner.rename(task, from: old, to: new, placed) }
    } catch { return .refused(error) }
    // The keeper may know it later.
    if state.requests[task] != nil, state.requests.replace(request, &state.queue) { state.requests.use(request) }
    return .done
  }

  /// - Returns: false if the task is not called back.
  @discardableResult
  func perform(_ effect: QueueEffect) -> Bool {
    switch effect {
    case .pause(let handle): return itemRunner.pause(handle)
    case .withdraw(let handle, let withdrawal): return itemRunner.withdraw(handle, withdrawal)
    case .prioritize(let handle, let priority): state.machine.prioritize(handle, priority)
    case .move(let handle, let group): move(handle, to: group)
    case .retry(let task):
      var actions: [RunAction] = []
      let origins = state.requests[task]?.mirrors.map(\.location.origin) ?? []
      state.machine.retry(state.queue.handle(of: task), at: origins, now: state.now, &actions)
      perform(actions)
    case .withdrawn(let task, let withdrawal):
      guard let request = state.requests[task] else { break }
      itemRunner.removeUnfinished(of: request)
      itemRunner.tellUnstarted(request, .withdrawn(withdrawal))
      if state.settledLimit == 0 { state.requests.forget(task) }
    }
    return true
  }
}
