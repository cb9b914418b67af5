internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadJSON
internal import DownloadTransport

/// The commands, for whatever they reach.
extension DownloadReach {
  private func order(
    _ prepare: @Sendable (inout SessionDriver.SessionCore) throws(DownloadError) -> SessionOrder
  ) async throws(DownloadError) -> CommandEffect {
    guard let session else { return CommandEffect() }
    return try await session.driver.order(prepare).effect
  }

  func command(_ change: TaskChange) async throws(DownloadError) -> CommandEffect {
    try await obey(change.method) { parameters in
      if case .prioritize(let priority) = change { parameters.add("priority", Int64(priority)) }
    } here: { () async throws(DownloadError) in
      try await order { (core) throws(DownloadError) in
        var order = SessionOrder()
        switch (target, change) {
        case (.session, .pause), (.session, .resume):
          order.append(isPaused: change == .pause, of: nil, in: core.state)
        case (.group(let name), .pause), (.group(let name), .resume):
          let group = try core.state.group(name)
          order.append(isPaused: change == .pause, of: group, in: core.state)
        default:
          let ids = core.state.reached(target, &order.reply.effect, with: change)
          for id in ids { order.append(change, id, in: core.state) }
        }
        return order
      }
    }
  }

  func move(to position: QueuePosition) async throws(DownloadError) -> CommandEffect {
    try await obey(.move) {
      $0.add("to", verbatim: position.controlText)
    } here: { () async throws(DownloadError) in
      let places = try await self.places()
      return try await order { (core) throws(DownloadError) in
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
        let ids = places.sorted(core.state.reached(target, &order.reply.effect, with: .move(place)))
        for id in isReversed ? ids.reversed() : ids { order.append(.move(place), id, in: core.state) }
        return order
      }
    }
  }

  /// Where the tasks stand in the order of work; nothing where they keep the order in which they are named.
  func places() async throws(DownloadError) -> QueuePlaces {
    guard let session else { return QueuePlaces() }
    if case .tasks = target { return QueuePlaces() }
    return try await session.driver.places()
  }

  func remove(deletingFiles: Bool) async throws(DownloadError) -> CommandEffect {
    try await obey(.remove) {
      $0.add("files", deletingFiles)
    } here: { () async throws(DownloadError) in
      let files = Lock<[(path: [UInt8], file: PlacedFile)]>([])
      let effect = try await order { (core) throws(DownloadError) in
        var order = SessionOrder()
        order.leaving = deletingFiles ? .deletingFile : .keepingFile
        let ids = core.state.reached(target, &order.reply.effect, with: .remove)
        for id in ids { order.append(.remove, id, in: core.state) }
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
  }

  func set(_ change: DownloadSettings) async throws(DownloadError) -> CommandEffect {
    try RequestChecker.check(change)
    return try await obey(.set) {
      $0.add("settings", change.controlText)
    } here: { () async throws(DownloadError) in
      var reply = try await setOnce(change)
      let end = Clock.now() + .seconds(5)
      while reply.isClosing, Clock.now() < end {
        await SessionDriver.pause(for: .milliseconds(10))
        reply = try await setOnce(change)
      }
      return reply.effect
    }
  }

  private func setOnce(_ change: DownloadSettings) async throws(DownloadError) -> SessionOrder.Reply {
    guard let session else { return SessionOrder.Reply() }
    return try await session.driver.order { (core) throws(DownloadError) in
      switch target {
      case .session:
        try change.requireNothingOfOneTask()
        if change.fields.ifExists != nil {
          throw DownloadError(.invalidValue, "what is done with files that exist stands in the session's configuration")
        }
        let before = core.state.groups.session.settings
        core.state.groups.session.settings.apply(change)
        var order = SessionOrder()
        order.append(.use(try SessionDriver.settings(core)))
        order.store(nil, of: core.state) { $0.groups.session.settings = before }
        order.reply.effect.changed = 1
        return order
      case .group(let name):
        try change.requireNothingOfOneTask()
        let group = try core.state.group(name)
        let before = core.state.groups[group].rules.settings
        core.state.groups[group].rules.settings.apply(change)
        var order = try core.state.order(change, for: core.state.ids(in: group), isOwn: false)
        order.store(group, of: core.state) { $0.groups[group].rules.settings = before }
        order.reply.effect.changed += order.commands.isEmpty ? 1 : 0
        return order
      case .tasks, .selection:
        var effect = CommandEffect()
        let ids = core.state.reached(target, &effect, with: nil)
        var order = try core.state.order(change, for: ids, isOwn: true)
        order.reply.effect.failures = effect.failures
        return order
      }
    }
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
    records.all.filter { $0.group == group }.map(\.id)
  }

  /// The tasks that a command reaches, in the order in which they were added or are named. Of a group or the session some
  /// commands reach those that have settled, too.
  ///
  /// - Parameters:
  ///   - effect: gets errors for tasks that are not known.
  ///   - change: nil for a change of settings.
  func reached(_ target: DownloadReach.Target, _ effect: inout CommandEffect, with change: TaskChange?) -> [TaskID] {
    let ids = all(target)
    switch target {
    case .tasks:
      for id in ids where records[id] == nil { effect.failures.append(Self.unknown(id)) }
      return ids.filter { records[$0] != nil }
    case .selection: return ids
    case .session, .group:
      let reachesSettled = change == .retry || change == .remove || change == nil
      return reachesSettled ? ids : ids.filter { records[$0]?.isSettled == false }
    }
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
      if isOwn, storage != nil { order.stored.add(undoTo: record) }
      if isOwn { record.settings.apply(change) }
      if let checksum = change.fields.checksum {
        var request = record.request
        request.checksums = [checksum].compactMap(\.self)
        record.use(request)
      }
      var renamed = record
      if let name = change.fields.name {
        guard ids.count == 1 else { throw DownloadError(.invalidValue, "a name is set for one task only") }
        guard change.fields.url == nil, change.fields.credential == nil, change.fields.checksum == nil else {
          throw DownloadError(.invalidValue, "a name is set without a URL, a checksum or a credential")
        }
        try rename(&renamed, name ?? nil)
      }
      let file = try file(of: renamed)
      new.append(record)
      if renamed.path != record.path { order.rename(file, record, as: renamed) }
      if change.fields.url != nil || change.fields.credential != nil || change.fields.checksum != nil {
        // An active one is put back for a moment.
        let isActive = !record.isSettled && record.needs.isEmpty
        if isActive { order.append(.change(.pause, .task(id))) }
        order.append(.replace(file))
        if isActive, !record.isPaused { order.append(.change(.resume, .task(id))) }
      }
      // The file that is there is looked at again.
      var isDoneAgain = false
      if change.fields.checksum != nil, case .succeeded = record.phase { isDoneAgain = true }
      if isDoneAgain { order.append(.retry, id, in: self) }
      order.append(.set(file.settings, headers: file.headers, id))
      if !isDoneAgain {
        order.reply.effect.changed += 1
        order.reply.effect.changedTasks.append(id)
      }
    }
    for record in new {
      let id = record.id
      records[id] = record
      order.news.append(id)
      if meetNeeds(of: id), !record.isSettled, !record.isPaused { order.append(.change(.resume, .task(id))) }
      guard isOwn, var stored = records[id] else { continue }
      if let renamed = order.renamed { stored.takeName(of: renamed) }
      if let row = storedRequest(of: stored) { order.stored.rows.append(row) }
    }
    return order
  }
}

extension SessionDriver {
  /// Changes the limits of a group, or of the session with nil.
  func limit(_ change: DownloadLimits, of name: String?) async throws(DownloadError) {
    try RequestChecker.check(change)
    var parameters = JSONObject()
    if let name { parameters.add("group", name) }
    parameters.add("limits", change.json)
    try await obey(.limit, parameters, { _ in () }) { () async throws(DownloadError) in
      _ = try await order { (core) throws(DownloadError) in
        var order = SessionOrder()
        if let name {
          if change.requests != nil {
            throw DownloadError(.invalidValue, "requestsPerSecond is a limit of the session")
          }
          let group = try core.state.group(name)
          let before = core.state.groups[group].rules.limits
          core.state.groups[group].rules.limits.apply(change)
          order.append(.limit(group, core.state.groups[group].rules.limits.groupLimits))
          order.store(group, of: core.state) { $0.groups[group].rules.limits = before }
        } else {
          let before = core.state.groups.session.limits
          core.state.groups.session.limits.apply(change)
          order.append(.use(try Self.settings(core)))
          order.store(nil, of: core.state) { $0.groups.session.limits = before }
        }
        return order
      }
    }
  }

  func resumeAll() async throws(DownloadError) -> CommandEffect {
    try await obey(.resumeAll, JSONObject(), { CommandEffect(json: $0) }) { () async throws(DownloadError) in
      try await order { (core) throws(DownloadError) in
        var order = SessionOrder()
        if core.state.groups.session.isPaused { order.append(isPaused: false, of: nil, in: core.state) }
        for group in core.state.groups.ids where core.state.groups[group].rules.isPaused {
          order.append(isPaused: false, of: group, in: core.state)
        }
        for record in core.state.records.all where record.isPaused && !record.isSettled {
          order.append(.resume, record.id, in: core.state)
        }
        return order
      }.effect
    }
  }
}
