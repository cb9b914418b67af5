internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Settings and limits, and how they act on what is active.
extension EngineLoop {
  func use(_ wanted: RunSettings) {
    self.wanted = wanted
    var new = wanted.fitting(descriptorLimit: descriptorShare)
    new.target = state.settings.target
    new.asksOnly = state.settings.asksOnly
    new.secrets.cookies = state.settings.secrets.cookies
    state.settings = new
    transferRunner.loop.use(new.transport, new.secrets)
    state.lockedTargets.wait = new.limits.lockWait
    state.queue.jobs = new.limits.jobs ?? EngineState.defaultJobs
    state.queue.ends.failureLimit = new.limits.maxFailures
    transferRunner.limitRates()
    transferRunner.servers.forgetSettings()
    var actions: [RunAction] = []
    state.machine.use(new, now: state.now, &actions)
    for item in state.items.values {
      state.machine.use(itemRunner.fileSettings(of: item), for: item.handle, now: state.now, &actions)
    }
    itemRunner.limitsTimes = itemRunner.limitsTimes || new.limits.maxTime != nil
    perform(actions)
    returnSurplus()
  }

  /// Does less at once where other engines of the process need descriptors, and more where they have ended.
  func fitToShare() {
    let share = state.workers.share(of: descriptorLimit)
    guard share != descriptorShare else { return }
    descriptorShare = share
    admission.mostItems = Admission.mostItems(of: share)
    state.workers.client.groupLimit = max(1, admission.mostItems / 2)
    use(wanted)
  }

  func limit(_ group: GroupID, _ limits: GroupLimits) {
    state.queue.limit(group, jobs: limits.jobs)
    transferRunner.rates.limit(.one(.group(group)), to: limits.rate, now: state.now)
    state.feed { $0.limitConnections(of: group, to: limits.connections, now: state.now, &$1) }
    returnSurplus()
  }

  func set(_ own: TaskSettings?, headers: [String], of task: TaskID) -> EngineAnswer {
    guard state.requests.set(own, headers: headers, of: task) else { return .unknown }
    guard let handle = state.queue.handle(of: task), let item = state.items[handle] else { return .done }
    item.set(own, headers: headers)
    itemRunner.limitsTimes = itemRunner.limitsTimes || own?.maxTime != nil
    transferRunner.rates.limit(.one(.file(handle)), to: own?.limitRate, now: state.now)
    let file = itemRunner.fileSettings(of: item)
    state.feed { $0.use(file, for: handle, now: state.now, &$1) }
    return .done
  }

  func move(_ handle: ItemHandle, to group: GroupID) {
    state.items[handle]?.group = group
    transferRunner.rates.moved()
    state.feed { $0.move(handle, to: group, now: state.now, &$1) }
    returnSurplus()
  }

  /// Gives back the places beyond the limits, the last ones in order. What cannot be gone on with keeps its place.
  private func returnSurplus() {
    // Small files that wait for their names need no place any more.
    for handle in state.queue.surplus(besides: { state.items[$0]?.content.isStaged ?? false }) {
      // What is buffered would be lost, too.
      var hasMore = false
      if let item = state.items[handle] {
        for transfer in transferRunner.transfers.of(item) where state.items[handle] === item {
          if transferRunner.flush(transfer) == .buffered || transferRunner.isWriting(transfer) { hasMore = true }
        }
      }
      if state.machine.mayPause(handle, hasMore: hasMore) { itemRunner.pause(handle) }
    }
  }
}
