internal import DownloadCore
internal import DownloadJSON

/// Obeys the calls of other programs that are about a session, whichever way they come.
struct ControlAnswers {
  let session: DownloadSession

  /// Obeys a call when its turn has come, and returns its result.
  typealias PreparedCall = @Sendable () async throws(DownloadError) -> JSONObject

  /// Does what does not depend on the calls before this one.
  func prepared(_ method: ControlMethod, _ parameters: ControlParameters) -> PreparedCall {
    guard method == .add else { return { () async throws(DownloadError) in try await obey(method, parameters) } }
    let request = Result { () throws(DownloadError) in
      let adder = Adder(session.driver, paused: try parameters.flag("paused"))
      return (adder, try adder.check(parameters.requests()))
    }
    return { () async throws(DownloadError) in
      let (adder, checked) = try request.get()
      return try await add(checked, by: adder)
    }
  }

  private func obey(_ method: ControlMethod, _ parameters: ControlParameters) async throws(DownloadError) -> JSONObject
  {
    switch method {
    case .methods: return methods
    case .session: return session.settingsText
    case .groups: return session.groupsText
    case .totals: return try await totals(parameters)
    case .list: return try await list(parameters)
    case .order: return try await order(parameters)
    case .ends: return try await ends(parameters)
    case .describe: return try await describe(parameters)
    case .subscribe, .unsubscribe:
      throw DownloadError(.invalidState, "nobody works on the session, so there is no news")
    case .add: return try await prepared(method, parameters)()
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
    case .continueWork:
      var object = JSONObject()
      object.add("continues", session.driver.core.withLock { $0.ending.continuation.ask() })
      return object
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
        entry.add("parameters", method.entry.parameters)
        entry.add("summary", method.entry.summary)
        return entry
      })
    return object
  }

  private func totals(_ parameters: ControlParameters) async throws(DownloadError) -> JSONObject {
    // A client that hears that all has settled has heard of all ends, or finds their number here.
    await session.driver.endsAreStored()
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

  /// Tasks with ids after `after`, as objects or as arrays of the values of `fields`; `next` is what the next page begins
  /// after, null at the end.
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
    let fields = try parameters.texts("fields")
    let wantsRows = try parameters.flag("rows")
    if wantsRows, fields == nil { throw DownloadError(.invalidValue, "\"rows\" needs \"fields\"") }
    let (page, isLast) = session.driver.core.withLock { core in
      core.state.page(after: after?.number, limit: Int(limit), selectors)
    }
    var object = JSONObject()
    if wantsRows {
      let members = (fields ?? []).map(TaskMember.named)
      object.add("rows", page.map { $0.row(members) })
    } else {
      let members = fields.map { fields in TaskMember.all.filter { fields.contains($0.name) } } ?? TaskMember.all
      object.add("tasks", page.map { $0.json(members) })
    }
    object.add("next", isLast ? nil : page.last?.id.description)
    if after == nil, let selectors {
      let unknown = session.driver.core.withLock { $0.state.unknown(selectors) }
      if !unknown.isEmpty { object.add("unknown", unknown.map(\.text)) }
    }
    return object
  }

  private static let longestOrder = 100_000

  /// Ids from the place `from` on; `next` is the place of the next page, null at the end.
  private func order(_ parameters: ControlParameters) async throws(DownloadError) -> JSONObject {
    let from = try parameters.number("from") ?? 0
    guard from >= 0 else { throw DownloadError(.invalidValue, "\"from\" is at least 0") }
    let all = try await session.driver.places().tasks
    let page = all.dropFirst(Int(clamping: from)).prefix(Self.longestOrder)
    var object = JSONObject()
    object.add("tasks", page.map { DownloadTaskID($0).description })
    object.add("next", page.endIndex < all.endIndex ? Int64(page.endIndex) : nil)
    return object
  }

  /// Settled tasks after the end with the number `since`; `next` is the number after which the next page begins, null at
  /// the end. `gap` is true if the session does not have some of the ends any more.
  private func ends(_ parameters: ControlParameters) async throws(DownloadError) -> JSONObject {
    let limit = try parameters.number("limit") ?? Self.longestPage
    guard 1...Self.longestPage ~= limit else {
      throw DownloadError(.invalidValue, "\"limit\" is in 1...\(Self.longestPage)")
    }
    let since = try parameters.number("since") ?? 0
    let selectors = try parameters.selectors()
    await session.driver.endsAreStored()
    let (page, next, hasGap) = session.driver.core.withLock { core in
      core.state.ends(after: since, limit: Int(limit), selectors)
    }
    var object = JSONObject()
    object.add(
      "tasks",
      page.map { task, number in
        var entry = task.json
        entry.add("seq", number)
        return entry
      })
    object.add("next", next)
    object.add("gap", hasGap)
    return object
  }

  private static let mostDescribed = 100

  private func describe(_ parameters: ControlParameters) async throws(DownloadError) -> JSONObject {
    let tasks = try parameters.tasks() ?? []
    guard tasks.count <= Self.mostDescribed else {
      throw DownloadError(.invalidValue, "one call describes at most \(Self.mostDescribed) tasks")
    }
    var object = JSONObject()
    object.add("tasks", try await session.driver.describe(tasks).map(\.json))
    return object
  }

  private func add(
    _ requests: [Result<CheckedRequest, DownloadError>], by adder: Adder
  ) async throws(DownloadError) -> JSONObject {
    var object = JSONObject()
    var (added, failures): ([JSONObject], [JSONObject]) = ([], [])
    let results = try await adder.add(requests)
    let numbers = session.driver.core.withLock { core in
      results.map { (try? $0.get()).flatMap { core.state.records[$0.id]?.number } ?? 0 }
    }
    for (index, result) in results.enumerated() {
      switch result {
      case .success(let task):
        var entry = JSONObject()
        entry.add("id", DownloadTaskID(task.id).description)
        entry.add("number", Int64(numbers[index]))
        entry.add("existing", task.isExisting)
        if task.isRestarted { entry.add("restarted", true) }
        if !task.kept.isEmpty { entry.add("kept", task.kept.names) }
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
    var object = driver.core.withLock { $0.state.groups.sessionText }
    let losses = losses
    if !losses.isEmpty { object.add("losses", losses) }
    object.add("configuration", driver.configuration.json)
    return object
  }

  fileprivate var groupsText: JSONObject {
    var object = JSONObject()
    object.add("groups", driver.core.withLock { $0.state.groups.groupsText })
    return object
  }
}

extension SessionState {
  /// Some settled tasks in the order of their ends, the number of the last end that was looked at, unless none comes
  /// after it, and whether some ends after `number` are forgotten.
  fileprivate func ends(
    after number: Int64, limit: Int, _ terms: [DownloadSelector]?
  ) -> (tasks: [(DownloadTaskSnapshot, Int64)], next: Int64?, hasGap: Bool) {
    let filter = terms.map { TaskFilter($0, self) }
    var tasks: [(DownloadTaskSnapshot, Int64)] = []
    var last = number
    for end in history.ends(after: number) where end.number <= history.storedEnd {
      if tasks.count == limit { return (tasks, last, number < history.lastForgotten) }
      last = end.number
      guard let record = records[end.task], filter?.selects(record) ?? true else { continue }
      tasks.append((snapshot(record), end.number))
    }
    return (tasks, nil, number < history.lastForgotten)
  }

  /// Some tasks in the order of their ids, and whether none comes after them.
  fileprivate func page(
    after: TaskID?, limit: Int, _ terms: [DownloadSelector]?
  ) -> (tasks: [DownloadTaskSnapshot], isLast: Bool) {
    var (tasks, isLast): ([DownloadTaskSnapshot], Bool) = ([], true)
    visit(terms.map { TaskFilter($0, self) }, after: after) { record in
      isLast = tasks.count < limit
      if isLast { tasks.append(snapshot(record)) }
      return isLast
    }
    return (tasks, isLast)
  }
}
