internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Answers questions about tasks, and about the run.
extension EngineLoop {
  func progress() -> RunProgress {
    state.meter.snapshot(
      items: state.items.values, transfers: transferRunner.transfers.all, machine: state.machine,
      itemCount: state.requests.itemCount,
      connectionCount: transferRunner.loop.exchangeCount, now: state.now)
  }

  /// Describes the tasks that are named and known, in the order of their ids.
  func describe(_ selection: TaskSelection) -> [TaskDescription] {
    state.meter.measure(state.items.values, now: state.now)
    return state.queue.standings(of: selection).map { standing in
      let handle = state.queue.handle(of: standing.task)
      let item = handle.flatMap { state.items[$0] }
      let request = item?.request ?? state.requests[standing.task]
      let mirrors = item?.mirrors ?? request?.mirrors.map(\.location) ?? []
      var hosts: [HostDescription] = []
      for mirror in mirrors where !hosts.contains(where: { $0.origin == mirror.origin }) {
        if let host = state.machine.governor(of: mirror.origin) { hosts.append(describe(mirror.origin, host)) }
      }
      return TaskDescription(
        task: standing.task, group: standing.group, priority: standing.priority,
        activity: activity(standing, isActive: handle != nil, item.flatMap(progress)), pauses: standing.pauses,
        name: request?.target.name ?? [], mirrors: mirrors,
        done: handle.map { state.machine.done(of: $0) } ?? ByteRangeSet(),
        hosts: hosts)
    }
  }

  private func progress(of item: ActiveItem) -> FileProgress? {
    state.meter.progress(
      of: item, transferRunner.transfers.all.filter { $0.item === item }, state.machine, now: state.now)
  }

  private func activity(
    _ standing: TaskStanding, isActive: Bool, _ progress: FileProgress?
  ) -> TaskDescription.Activity {
    if standing.isSettled { return .settled }
    if let progress { return .active(progress) }
    if isActive { return .inspecting }
    guard let wait = standing.wait else { return .queued(standing.limit) }
    return .waiting(wait.reason, remaining: wait.until == .distantFuture ? nil : max(.zero, wait.until - state.now))
  }

  private func describe(_ origin: Origin, _ host: HostGovernor) -> HostDescription {
    var remaining: Duration?
    if case .wait(let until) = host.permission(now: state.now) { remaining = max(.zero, until - state.now) }
    return HostDescription(
      origin: origin, activeCount: host.active, limit: host.limit, requestRate: host.requestRateLimit,
      remaining: remaining, isUnreachable: host.isUnreachable)
  }
}
