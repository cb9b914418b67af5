internal import DownloadCore
internal import DownloadEngine

/// A task that a request was added as, or that was there. As that of `DownloadSession.Added`.
struct AddedTask: Sendable {
  let id: TaskID
  var isExisting = false
  var isRestarted = false
  var kept: DownloadDifferences = []
}

/// What becomes of requests that are added.
extension SessionState {
  /// What the session does with a request.
  struct Addition {
    var added: AddedTask
    /// For the engine, in one order.
    var commands: [(EngineCommand, AnswerMeaning)]
    /// The task as it was; nil for a new one.
    var before: TaskRecord?
    /// Of a new one that is stored.
    var texts: StoredTexts?
  }

  /// Takes a request in, or finds the task that it wants already.
  ///
  /// - Parameters:
  ///   - new: the id for a new task.
  ///   - paused: whether the task is to be paused by itself.
  /// - Throws: `conflict` where the request contradicts a task.
  mutating func add(
    _ checked: CheckedRequest, as new: TaskID, paused: Bool
  ) throws(DownloadError) -> Addition {
    let request = checked.request
    guard let group = groups.id(of: request.group ?? GroupTable.main) else {
      throw DownloadError(.invalidValue, "there are too many groups")
    }
    let path = checked.path
    // The engine cannot begin again what is only pinned, or what leaves: another task looks at the file.
    func known(_ id: TaskID?) -> TaskRecord? {
      guard let id, !history.isOnlyPinned(id), let record = records[id], record.leaves == nil else { return nil }
      return record
    }
    let placed = known(records.task(of: checked))
    if let keyed = known(request.key.flatMap { records.task(key: $0) }) {
      guard keyed.hasPath(path) else {
        throw keyed.error(.conflict, "the key '\(request.key ?? "")' belongs to another file")
      }
      return try join(keyed, checked, paused: paused)
    }
    if let placed, isSame(placed, request) { return try join(placed, checked, paused: paused) }
    if let placed, !placed.isSettled {
      throw placed.error(
        .conflict, "another task, of \(placed.urls.first.map(PublicURL.text) ?? ""), has the same target")
    }
    records.lastNumber += 1
    var record = TaskRecord(id: new, number: records.lastNumber, checked, group: group)
    record.isPaused = paused
    var file = checked.file
    if groups[group].rules.settings != DownloadSettings() { file = try self.file(of: record, request) }
    insert(record)
    file.task = new
    file.group = group
    var addition = Addition(added: AddedTask(id: new), commands: [(.add(file), .nothing)], texts: checked.texts)
    if paused { addition.commands.append((.change(.pause, .task(new)), .nothing)) }
    return addition
  }

  /// Who logs in makes no other task.
  private func isSame(_ record: TaskRecord, _ request: DownloadRequest) -> Bool {
    record.url.map(StoredURL.withoutUserinfo) == request.urls.first.map(StoredURL.withoutUserinfo)
  }

  /// A task that is there gets what is new in the request, and goes on or begins again.
  private mutating func join(
    _ record: TaskRecord, _ checked: CheckedRequest, paused: Bool
  ) throws(DownloadError) -> Addition {
    let (id, request, own) = (record.id, checked.request, record.request)
    let hasOtherURL = record.url != request.urls.first
    let hasOtherDigest = !request.checksums.isEmpty && Set(request.checksums) != Set(own.checksums)
    if hasOtherDigest, !record.isSettled {
      throw record.error(
        .conflict,
        "the task expects \(Self.list(own.checksums)), the request \(Self.list(request.checksums))")
    }
    // It is the task's own URL that gives way.
    var changed = record
    changed.settings.fields.url = nil
    // Of the proxy only what is no secret is stored.
    let givesProxy = record.needs.contains(.proxy) && request.settings.proxy != nil
    if givesProxy { changed.settings.proxy = request.settings.proxy }
    let merged = Self.merged(own, request)
    let file = try file(of: changed, merged)
    // That the engine pauses a task that lacks something, or resumes it, changes nothing here.
    func told(_ change: TaskChange) -> (EngineCommand, AnswerMeaning) {
      (.change(change, .task(id)), .change(change, id))
    }
    var commands: [(EngineCommand, AnswerMeaning)] = []
    let hasOtherCredential = request.credential != nil && own.credential != request.credential
    let hasOtherHeaders = !request.headers.isEmpty && own.headers != request.headers
    if hasOtherURL || hasOtherDigest || hasOtherCredential || givesProxy || hasOtherHeaders {
      records[id]?.use(merged)
      records[id]?.settings = changed.settings
      let isMet = meetNeeds(of: id)
      // An active one is put back for a moment.
      if record.isSettled || !record.needs.isEmpty {
        commands = [(.replace(file), .nothing)]
        if isMet, !record.isSettled, !record.isPaused { commands.append((.change(.resume, .task(id)), .nothing)) }
      } else {
        commands = [told(.pause), (.replace(file), .nothing), told(.resume)]
        if record.isPaused || paused { commands.removeLast() }
      }
    }
    let lacks = records[id].map { !$0.needs.isEmpty } ?? false
    if record.isSettled {
      commands.append(told(.retry))
      if lacks { commands.append((.change(.pause, .task(id)), .nothing)) }
      if paused { commands.append(told(.pause)) }
    } else if record.isPaused, !paused {
      commands.append(told(.resume))
    }
    let added = AddedTask(
      id: id, isExisting: true, isRestarted: record.isSettled, kept: differences(of: record, request))
    return Addition(added: added, commands: commands, before: record)
  }

  /// The task has another request, or other settings.
  ///
  /// - Returns: whether it has lacked something, and lacks nothing more.
  mutating func meetNeeds(of id: TaskID) -> Bool {
    guard let record = records[id], !record.needs.isEmpty else { return false }
    let (request, settings) = (record.request, groups.settings(of: record))
    let needs = record.needs.filter { need in
      !need.isMet(
        by: settings.credential ?? request.credential, (settings.headers ?? []) + request.headers,
        urls: request.urls + [settings.url].compactMap(\.self), proxy: settings.proxy)
    }
    var changed = record
    changed.needs = needs
    if !record.isSettled { changed.phase = .waiting(changed.wait ?? .slot) }
    records[id] = changed
    return needs.isEmpty
  }

  /// The request with what the task keeps: its key and info, and what the request does not say.
  private static func merged(_ own: DownloadRequest, _ request: DownloadRequest) -> DownloadRequest {
    var merged = request
    if merged.checksums.isEmpty { merged.checksums = own.checksums }
    // What a server was told may be meant for that server alone.
    let (one, other) = (own.urls.first, request.urls.first)
    if one == other || one.flatMap(RequestChecker.origin(of:)) == other.flatMap(RequestChecker.origin(of:)) {
      if merged.headers.isEmpty { merged.headers = own.headers }
      if merged.credential == nil { merged.credential = own.credential }
    }
    if merged.expectedSize == nil { merged.expectedSize = own.expectedSize }
    if merged.urls.count == 1, own.urls.first == merged.urls.first { merged.urls = own.urls }
    merged.key = own.key
    merged.info = own.info
    return merged
  }

  private func differences(of record: TaskRecord, _ request: DownloadRequest) -> DownloadDifferences {
    var differences: DownloadDifferences = []
    if groups[record.group].name != request.group ?? GroupTable.main { differences.insert(.group) }
    if record.priority != request.priority { differences.insert(.priority) }
    if record.request.info != request.info { differences.insert(.info) }
    if record.settings != request.settings { differences.insert(.settings) }
    return differences
  }

  private static func list(_ checksums: [FileChecksum]) -> String {
    checksums.isEmpty ? "none" : checksums.map(\.description).joined(separator: ", ")
  }
}
