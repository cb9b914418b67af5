internal import DownloadCore
internal import DownloadEngine

/// The commands, for whatever they reach.
extension DownloadReach {
  private func order(
    _ prepare: @Sendable (inout SessionDriver.Core) throws(DownloadError) -> SessionOrder
  ) async throws(DownloadError) -> CommandEffect {
    guard let session else { return CommandEffect() }
    let effect = try await session.driver.order(prepare)
    // For one task it is an error.
    if case .tasks(let ids) = target, ids.count == 1, let error = effect.failures.first { throw error }
    return effect
  }

  func command(_ change: TaskChange) async throws(DownloadError) -> CommandEffect {
    try await order { (core) throws(DownloadError) in
      var order = SessionOrder()
      switch (target, change) {
      case (.session, .pause), (.session, .resume):
        order.append(.change(change, .all), .flag(isPaused: change == .pause, nil))
      case (.group(let name), .pause), (.group(let name), .resume):
        let group = try core.state.group(name)
        order.append(.change(change, .group(group)), .flag(isPaused: change == .pause, group))
      default:
        for id in core.state.reached(target, &order.effect, with: change) { order.append(change, id) }
      }
      return order
    }
  }

  func move(to position: QueuePosition) async throws(DownloadError) -> CommandEffect {
    try await order { (core) throws(DownloadError) in
      var order = SessionOrder()
      let place: DownloadCore.QueuePosition
      var isReversed = false
      switch position {
      case .first: (place, isReversed) = (.first, true)
      case .last: place = .last
      case .before(let task): place = .before(task.id.number)
      case .after(let task): (place, isReversed) = (.after(task.id.number), true)
      case .group(let name): place = .group(try core.state.group(name))
      }
      let ids = core.state.reached(target, &order.effect, with: .move(place))
      for id in isReversed ? ids.reversed() : ids { order.append(.move(place), id) }
      return order
    }
  }

  func remove(deletingFiles: Bool) async throws(DownloadError) -> CommandEffect {
    let files = Lock<[(path: [UInt8], file: PlacedFile)]>([])
    let effect = try await order { (core) throws(DownloadError) in
      var order = SessionOrder()
      order.leaving = deletingFiles ? .deletingFile : .keepingFile
      let ids = core.state.reached(target, &order.effect, with: .remove)
      for id in ids { order.append(.remove, id) }
      if deletingFiles {
        let placed = ids.compactMap { core.state.records[$0] }.compactMap { record in
          record.placed.map { (record.path, $0) }
        }
        files.withLock { $0 = placed }
      }
      return order
    }
    for (path, file) in files.withLock({ $0 }) { file.delete(at: path) }
    return effect
  }

  func set(_ change: DownloadSettings) async throws(DownloadError) -> CommandEffect {
    try RequestChecker.check(change)
    return try await order { (core) throws(DownloadError) in
      switch target {
      case .session:
        try change.requireNoURL()
        core.state.settings.apply(change)
        var order = SessionOrder()
        order.append(.use(try SessionDriver.settings(core)))
        order.effect.changed = 1
        return order
      case .group(let name):
        try change.requireNoURL()
        let group = try core.state.group(name)
        core.state.groups[group].settings.apply(change)
        var order = try core.state.order(change, for: core.state.ids(in: group), isOwn: false)
        order.effect.changed += order.commands.isEmpty ? 1 : 0
        return order
      case .tasks, .selection:
        var effect = CommandEffect()
        let ids = core.state.reached(target, &effect, with: nil)
        var order = try core.state.order(change, for: ids, isOwn: true)
        order.effect.failures = effect.failures
        return order
      }
    }
  }
}

extension DownloadSettings {
  fileprivate func requireNoURL() throws(DownloadError) {
    if url != nil { throw DownloadError(.invalidValue, "a URL is set for one task only") }
  }
}

extension SessionState {
  mutating func group(_ name: String) throws(DownloadError) -> GroupID {
    guard (1...RequestChecker.mostKeyBytes).contains(name.utf8.count), let group = groups.id(of: name) else {
      throw DownloadError(.invalidValue, "the name of a group has 1 to \(RequestChecker.mostKeyBytes) bytes")
    }
    return group
  }

  func ids(in group: GroupID) -> [TaskID] {
    records.values.filter { $0.group == group }.sorted(by: Self.isBefore).map(\.id)
  }

  /// The tasks that a command reaches, in the order of work. Of a group or the session those that have settled are reached
  /// by some commands only.
  ///
  /// - Parameters:
  ///   - effect: gets errors for tasks that are not known.
  ///   - change: nil for a change of settings.
  func reached(_ target: DownloadReach.Target, _ effect: inout CommandEffect, with change: TaskChange?) -> [TaskID] {
    switch target {
    case .tasks(let ids):
      for id in ids where records[id] == nil { effect.failures.append(Self.unknown(id)) }
      return ids.filter { records[$0] != nil }
    case .selection(let terms): return selected(terms)
    case .session, .group:
      let group = if case .group(let name) = target { groups.known(name) } else { GroupID?.none }
      if case .group = target, group == nil { return [] }
      let reachesSettled = change == .retry || change == .remove || change == nil
      return records.values.filter { record in
        (group == nil || record.group == group) && (reachesSettled || !record.isSettled)
      }.sorted(by: Self.isBefore).map(\.id)
    }
  }

  /// What a task is fetched with: its own settings over those of its group.
  func wholeSettings(of record: TaskRecord) -> DownloadSettings {
    var settings = groups[record.group].settings
    settings.apply(record.settings)
    return settings
  }

  /// Changes the settings of tasks.
  ///
  /// - Parameter isOwn: whether they are the tasks' own; else their group's have changed.
  /// - Throws: for a value that is wrong for one of them; then nothing has changed.
  mutating func order(
    _ change: DownloadSettings, for ids: [TaskID], isOwn: Bool
  ) throws(DownloadError) -> SessionOrder {
    var order = SessionOrder()
    var new: [TaskRecord] = []
    for id in ids {
      guard var record = records[id] else { continue }
      if isOwn { record.settings.apply(change) }
      var file = try RequestChecker.remade(record.request, wholeSettings(of: record), path: record.path)
      file.task = id
      file.group = record.group
      file.priority = record.priority
      new.append(record)
      if change.fields.url != nil || change.fields.credential != nil {
        // An active one is put back for a moment.
        if !record.isSettled { order.append(.change(.pause, .task(id))) }
        order.append(.replace(file))
        if !record.isSettled, !record.isPaused { order.append(.change(.resume, .task(id))) }
      }
      order.append(.set(file.settings, headers: file.headers, id))
      order.effect.changed += 1
    }
    for record in new { records[record.id]?.settings = record.settings }
    return order
  }
}

extension SessionDriver {
  /// Changes the limits of a group, or of the session with nil.
  func limit(_ change: DownloadLimits, of name: String?) async throws(DownloadError) {
    try RequestChecker.check(change)
    _ = try await order { (core) throws(DownloadError) in
      var order = SessionOrder()
      if let name {
        let group = try core.state.group(name)
        core.state.groups[group].limits.apply(change)
        order.append(.limit(group, core.state.groups[group].limits.groupLimits))
      } else {
        core.state.limits.apply(change)
        order.append(.use(try Self.settings(core)))
      }
      return order
    }
  }

  func resumeAll() async throws(DownloadError) -> CommandEffect {
    try await order { (core) throws(DownloadError) in
      var order = SessionOrder()
      if core.state.isPaused { order.append(.change(.resume, .all), .flag(isPaused: false, nil)) }
      for group in core.state.groups.ids where core.state.groups[group].isPaused {
        order.append(.change(.resume, .group(group)), .flag(isPaused: false, group))
      }
      let paused = core.state.records.values.filter { $0.isPaused && !$0.isSettled }.sorted(by: SessionState.isBefore)
      for record in paused { order.append(.resume, record.id) }
      return order
    }
  }
}
