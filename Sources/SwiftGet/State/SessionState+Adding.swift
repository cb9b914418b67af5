internal import DownloadCore

/// What becomes of requests that are added.
extension SessionState {
  /// What the session does with a request.
  struct Addition {
    var added: (id: TaskID, isExisting: Bool, kept: DownloadSession.Differences)
    /// For the engine, in one order.
    var commands: [EngineCommandForm]
    /// What its commands came to, for a task that was there.
    var applies = false
  }

  /// The engine's commands, without the engine.
  enum EngineCommandForm: Sendable {
    case add(FileRequest)
    case replace(FileRequest)
    case pause(TaskID)
    case resume(TaskID)
    case retry(TaskID)
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
    let keyed = request.key.flatMap { keys[$0] }.flatMap { records[$0] }
    let placed = targets[TargetKey(checked.path)].flatMap { records[$0] }
    if let keyed {
      guard keyed.path == checked.path else {
        throw keyed.error(.conflict, "the key '\(request.key ?? "")' belongs to another file")
      }
      return try join(keyed, checked, paused: paused)
    }
    if let placed, isSame(placed, request) { return try join(placed, checked, paused: paused) }
    if let placed, !placed.isSettled {
      throw placed.error(
        .conflict, "another task, of \(placed.request.urls.first.map(PublicURL.text) ?? ""), has the same target")
    }
    lastNumber += 1
    var record = TaskRecord(
      id: new, number: lastNumber, request: request, path: checked.path, group: group, priority: request.priority,
      rank: ranks.upperBound + 1, settings: request.settings)
    ranks = ranks.lowerBound...record.rank
    record.isPaused = paused
    record.total = request.expectedSize
    var file = try fetched(checked, as: record)
    insert(record)
    file.task = new
    file.group = group
    let commands: [EngineCommandForm] = paused ? [.add(file), .pause(new)] : [.add(file)]
    return Addition(added: (new, false, []), commands: commands)
  }

  /// The engine's request, with what the group's settings say.
  private func fetched(_ checked: CheckedRequest, as record: TaskRecord) throws(DownloadError) -> FileRequest {
    if groups[record.group].settings == DownloadSettings() { return checked.file }
    var file = try RequestChecker.remade(checked.request, wholeSettings(of: record), path: record.path)
    file.isNamedByAnswer = checked.file.isNamedByAnswer
    return file
  }

  private func isSame(_ record: TaskRecord, _ request: DownloadRequest) -> Bool {
    (record.settings.url ?? record.request.urls.first) == request.urls.first
  }

  /// A task that is there gets what is new in the request, and goes on or begins again.
  private mutating func join(
    _ record: TaskRecord, _ checked: CheckedRequest, paused: Bool
  ) throws(DownloadError) -> Addition {
    let (id, request) = (record.id, checked.request)
    let hasOtherURL = !isSame(record, request)
    let hasOtherDigest = !request.checksums.isEmpty && Set(request.checksums) != Set(record.request.checksums)
    if hasOtherDigest, !record.isSettled {
      throw record.error(
        .conflict,
        "the task expects \(Self.list(record.request.checksums)), the request \(Self.list(request.checksums))")
    }
    var file = try fetched(checked, as: record)
    file.task = id
    file.group = record.group
    file.priority = record.priority
    file.settings = wholeSettings(of: record).taskSettings
    var commands: [EngineCommandForm] = []
    if hasOtherURL || hasOtherDigest || record.request.headers != request.headers {
      // An active one is put back for a moment.
      if record.isSettled { commands = [.replace(file)] } else { commands = [.pause(id), .replace(file), .resume(id)] }
      let merged = merged(record, request)
      records[id]?.request = merged
      records[id]?.settings.fields.url = nil
      if !record.isSettled, record.isPaused || paused { commands.removeLast() }
    }
    if record.isSettled {
      commands.append(.retry(id))
      if paused { commands.append(.pause(id)) }
    } else if record.isPaused, !paused {
      commands.append(.resume(id))
    }
    return Addition(
      added: (id, true, differences(of: record, request)), commands: commands, applies: !commands.isEmpty)
  }

  /// The request with what the task keeps.
  private func merged(_ record: TaskRecord, _ request: DownloadRequest) -> DownloadRequest {
    var merged = request
    if merged.checksums.isEmpty { merged.checksums = record.request.checksums }
    merged.key = record.request.key
    merged.info = record.request.info
    merged.group = record.request.group
    merged.priority = record.request.priority
    merged.settings = record.request.settings
    return merged
  }

  private func differences(of record: TaskRecord, _ request: DownloadRequest) -> DownloadSession.Differences {
    var differences: DownloadSession.Differences = []
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
