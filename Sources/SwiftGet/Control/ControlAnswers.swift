internal import DownloadCore
internal import DownloadJSON

/// Obeys the calls of other programs that are about a session, whichever way they come.
struct ControlAnswers {
  let session: DownloadSession

  /// - Returns: the result of the call.
  func obey(_ method: ControlMethod, _ parameters: ControlParameters) async throws(DownloadError) -> JSONObject {
    switch method {
    case .methods: return methods
    case .session: return session.settingsText
    case .groups: return session.groupsText
    case .totals: return try await totals(parameters)
    case .list: return try await list(parameters)
    case .subscribe, .unsubscribe:
      throw DownloadError(.invalidState, "nobody works on the session, so there is no news")
    case .add: return try await add(parameters)
    case .pause: return try await command(.pause, parameters)
    case .resume: return try await command(.resume, parameters)
    case .cancel: return try await command(.cancel, parameters)
    case .retry: return try await command(.retry, parameters)
    case .remove:
      return try await effect(
        parameters, parameters.reach(in: session).remove(deletingFiles: parameters.flag("files")))
    case .prioritize:
      guard let priority = try parameters.number("priority").flatMap({ Int(exactly: $0) }), -100...100 ~= priority
      else {
        throw DownloadError(.invalidValue, "a priority is in -100...100")
      }
      return try await command(.prioritize(priority), parameters)
    case .move:
      return try await effect(
        parameters, parameters.reach(in: session).move(to: parameters.position(in: session)))
    case .set: return try await effect(parameters, parameters.reach(in: session).set(parameters.settings()))
    case .limit:
      let group = try parameters.text("group")
      try await session.driver.limit(parameters.limits(), of: group)
      return session.settingsText
    case .resumeAll: return try await session.resumeAll().json(namesTasks: parameters.flag("ids"))
    case .stop:
      _ = try parameters.closing()
      return JSONObject()
    }
  }

  private func command(
    _ change: TaskChange, _ parameters: ControlParameters
  ) async throws(DownloadError) -> JSONObject {
    try await effect(parameters, parameters.reach(in: session).command(change))
  }

  private func effect(_ parameters: ControlParameters, _ effect: CommandEffect) throws(DownloadError) -> JSONObject {
    try effect.json(namesTasks: parameters.flag("ids"))
  }

  private var methods: JSONObject {
    var object = JSONObject()
    object.add(
      "methods",
      ControlMethod.allCases.map { method in
        var entry = JSONObject()
        entry.add("method", method.rawValue)
        entry.add("parameters", method.parameters)
        entry.add("summary", method.summary)
        return entry
      })
    return object
  }

  private func totals(_ parameters: ControlParameters) async throws(DownloadError) -> JSONObject {
    // A client that hears that all has settled has heard of all ends, or finds their number here.
    while session.driver.core.withLock({ $0.state.lastEnd > $0.state.storedEnd }) {
      do { try await Task.sleep(for: .milliseconds(2)) } catch { break }
    }
    if let selectors = try parameters.selectors() {
      return session.driver.core.withLock { core in
        // All are counted already.
        selectors == [.all] ? core.state.wholeTotals.json : core.state.totals(of: .selection(selectors)).json
      }
    }
    guard let group = try parameters.text("group") else { return session.latestTotals.json }
    return try await session.group(group).totals.json
  }

  private static let longestPage: Int64 = 1000

  /// Tasks with ids after `after`; `next` is what the next page begins after, null at the end.
  private func list(_ parameters: ControlParameters) async throws(DownloadError) -> JSONObject {
    let limit = try parameters.number("limit") ?? Self.longestPage
    guard 1...Self.longestPage ~= limit else {
      throw DownloadError(.invalidValue, "\"limit\" is in 1...\(Self.longestPage)")
    }
    var after: DownloadTaskID?
    if let text = try parameters.text("after") {
      guard let id = DownloadTaskID(text) else { throw DownloadError(.invalidValue, "\"after\" is an id") }
      after = id
    }
    let selectors = try parameters.selectors()
    let fields = try parameters.texts("fields").map { Set($0) }
    let (page, isLast) = session.driver.core.withLock { core in
      core.state.page(after: after?.number, limit: Int(limit), selectors)
    }
    var object = JSONObject()
    object.add("tasks", page.map { $0.json(fields) })
    object.add("next", isLast ? nil : page.last?.id.description)
    if after == nil, let selectors {
      let unknown = session.driver.core.withLock { $0.state.unknown(selectors) }
      if !unknown.isEmpty { object.add("unknown", unknown.map(\.text)) }
    }
    return object
  }

  private func add(_ parameters: ControlParameters) async throws(DownloadError) -> JSONObject {
    let paused = try parameters.flag("paused")
    let requests = try parameters.requests()
    let adder = Adder(session.driver, paused: paused)
    var results = try await adder.add(requests.compactMap { try? $0.get() })[...]
    var object = JSONObject()
    var (added, failures): ([JSONObject], [JSONObject]) = ([], [])
    for (index, request) in requests.enumerated() {
      let result: Result<Adder.Added, DownloadError> =
        if case .failure(let error) = request { .failure(error) } else {
          results.popFirst() ?? .failure(SessionDriver.closed)
        }
      switch result {
      case .success(let task):
        var entry = JSONObject()
        entry.add("id", DownloadTaskID(task.id).description)
        entry.add("number", Int64(session.driver.latest(task.id).number))
        entry.add("existing", task.isExisting)
        added.append(entry)
      case .failure(let error):
        var entry = error.json
        entry.add("index", Int64(index))
        failures.append(entry)
      }
    }
    object.add("added", added)
    object.add("failures", failures)
    return object
  }
}

extension DownloadSession {
  fileprivate var settingsText: JSONObject {
    driver.core.withLock { core in
      var object = JSONObject()
      object.add("paused", core.state.isPaused)
      object.add("limits", core.state.limits.json)
      object.add("settings", core.state.settings.json)
      return object
    }
  }

  fileprivate var groupsText: JSONObject {
    driver.core.withLock { core in
      var object = JSONObject()
      object.add(
        "groups",
        core.state.groups.all.filter(\.isKnown).map { group in
          var entry = JSONObject()
          entry.add("name", group.name)
          entry.add("paused", group.isPaused)
          entry.add("files", Int64(group.taskCount))
          entry.add("limits", group.limits.json)
          entry.add("settings", group.settings.json)
          return entry
        })
      return object
    }
  }
}

extension SessionState {
  /// Some tasks in the order of their ids, and whether none comes after them.
  fileprivate func page(
    after: TaskID?, limit: Int, _ terms: [DownloadSelector]?
  ) -> (tasks: [DownloadTaskSnapshot], isLast: Bool) {
    let filter = terms.map { TaskFilter($0, self) }
    var tasks: [DownloadTaskSnapshot] = []
    for record in records.all(after: after) where filter?.selects(record) ?? true {
      if tasks.count == limit { return (tasks, false) }
      tasks.append(snapshot(record))
    }
    return (tasks, true)
  }
}
