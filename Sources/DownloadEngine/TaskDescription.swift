package import DownloadCore

/// What a task is doing, and why: the answer to `EngineCommand.describe`.
package struct TaskDescription: Sendable, Equatable {
  package enum State: Sendable, Equatable {
    /// It may begin when a slot and its host are free.
    case queued
    /// - Parameter remaining: the time until it is looked at again; nil for a wait that something else ends.
    case waiting(WaitReason, remaining: Duration?)
    /// Its target is looked at, before it is known to the file machine.
    case inspecting
    case active(FileProgress)
    case settled
  }

  package var task: TaskID
  package var group: GroupID
  /// In -100...100.
  package var priority: Int
  package var state: State
  /// Whether the task, its group or the session is paused, each by itself.
  package var pauses: PauseFlags
  /// The target's path relative to its place; raw bytes.
  package var name: [UInt8]
  /// The first ones are those of the request. Displays must redact them.
  package var mirrors: [Location]
  /// What is written; empty while it is not active.
  package var done: ByteRangeSet
  /// Those of the mirrors, each once, in their order.
  package var hosts: [HostDescription]
}

/// What a host allows.
package struct HostDescription: Sendable, Equatable {
  package var origin: Origin
  /// Transfers of all tasks there, and how many there may be.
  package var activeCount: Int
  package var limit: Int
  /// Requests per second that it accepts; nil if no limit was met.
  package var requestRate: Double?
  /// How long it is left alone, because it has asked for that or cannot be reached; nil if it is not.
  package var remaining: Duration?
  package var isUnreachable: Bool
}

extension EngineLoop {
  /// Describes the tasks that are named and known, in the order of their ids.
  func describe(_ selection: TaskSelection) -> [TaskDescription] {
    let active = Dictionary(uniqueKeysWithValues: progress().active.map { ($0.task, $0) })
    return queue.standings(of: selection).map { standing in
      let handle = queue.handle(of: standing.task)
      let item = handle.flatMap { items[$0] }
      let request = item?.request ?? requests[standing.task]
      let mirrors = item?.mirrors ?? request?.mirrors.map(\.location) ?? []
      var hosts: [HostDescription] = []
      for mirror in mirrors where !hosts.contains(where: { $0.origin == mirror.origin }) {
        if let host = machine.governor(of: mirror.origin) { hosts.append(describe(mirror.origin, host)) }
      }
      return TaskDescription(
        task: standing.task, group: standing.group, priority: standing.priority,
        state: state(standing, isActive: handle != nil, active[standing.task]), pauses: standing.pauses,
        name: request?.target.name ?? [], mirrors: mirrors, done: handle.map { machine.done(of: $0) } ?? ByteRangeSet(),
        hosts: hosts)
    }
  }

  private func state(
    _ standing: TaskStanding, isActive: Bool, _ progress: FileProgress?
  ) -> TaskDescription.State {
    if standing.isSettled { return .settled }
    if let progress { return .active(progress) }
    if isActive { return .inspecting }
    guard let wait = standing.wait else { return .queued }
    return .waiting(wait.reason, remaining: wait.until == .distantFuture ? nil : max(.zero, wait.until - now))
  }

  private func describe(_ origin: Origin, _ host: HostGovernor) -> HostDescription {
    var remaining: Duration?
    if case .wait(let until) = host.permission(now: now) { remaining = max(.zero, until - now) }
    return HostDescription(
      origin: origin, activeCount: host.active, limit: host.limit, requestRate: host.requestRateLimit,
      remaining: remaining, isUnreachable: host.isUnreachable)
  }
}
