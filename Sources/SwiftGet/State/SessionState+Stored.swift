internal import DownloadCore
internal import DownloadJSON
internal import DownloadStore

/// Settings as a row has them, which the requests of a list mostly share.
struct StoredSettings {
  let settings: DownloadSettings
  let text: String
  /// What the text leaves out.
  let secrets: [StoredNeed]

  init(_ settings: DownloadSettings) {
    self.settings = settings
    text = settings.json.string
    secrets = settings.secrets
  }
}

/// What a session keeps in its store.
extension SessionState {
  /// The session's own directory: a target below it is stored relative to it, so that both can be moved together.
  struct Storage: Sendable {
    /// Absolute, with a slash at its end.
    let directory: [UInt8]
    /// What is stored with new tasks: the closures without which they do not begin.
    let policies: [StoredNeed]
    /// Whether the session is open for commands only: its engine is paused, and nothing begins.
    var isIdle = false

    /// - Parameter needs: what the task lacks already.
    func texts(
      of request: DownloadRequest, isNamedByAnswer: Bool, _ settings: StoredSettings, needs: [StoredNeed] = []
    ) -> StoredTexts {
      let missing = needs + settings.secrets + policies.filter { !needs.contains($0) }
      let request = request.json(isNamedByAnswer: isNamedByAnswer, missing: missing)
      return StoredTexts(request: request.string, settings: settings.text)
    }

    func stored(_ path: [UInt8]) -> [UInt8] {
      path.starts(with: directory) ? Array(path[directory.count...]) : path
    }

    func absolute(_ path: [UInt8]) -> [UInt8] { path.first == UInt8(ascii: "/") ? path : directory + path }
  }

  // MARK: Rows

  /// The row of a task that is new in the store.
  ///
  /// - Parameter texts: of the task; nil if it was checked before this process worked on the session.
  func storedTask(_ id: TaskID, _ texts: StoredTexts?, added: Duration) -> StoredTask? {
    guard let storage, let record = records[id] else { return nil }
    let texts = texts ?? self.texts(of: record, storage)
    return StoredTask(
      id: id, number: Int64(record.number), key: record.key, group: groups[record.group].name,
      priority: Int64(record.priority), rank: 0, want: record.isPaused ? .paused : .run,
      path: storage.stored(record.path), request: texts.request, settings: texts.settings,
      added: added.wholeMilliseconds)
  }

  private func texts(of record: TaskRecord, _ storage: Storage) -> StoredTexts {
    storage.texts(
      of: record.request, isNamedByAnswer: record.packed.isNamedByAnswer, StoredSettings(record.settings),
      needs: record.needs)
  }

  /// What is stored of a task's request and settings, after a change of them.
  func storedRequest(of id: TaskID) -> StoreChange? { records[id].flatMap { storedRequest(of: $0) } }

  func storedRequest(of record: TaskRecord) -> StoreChange? {
    guard let storage else { return nil }
    let texts = texts(of: record, storage)
    return .edit(record.id, [.path(storage.stored(record.path)), .request(texts.request), .settings(texts.settings)])
  }

  /// Has the store keep how far a task is that is not worked on any more.
  func storeProgress(of record: TaskRecord, _ effects: inout StateEffects) {
    guard let storage, !storage.isIdle, let progress = record.storedProgress else { return }
    effects.rows.append(.edit(record.id, [progress]))
  }

  /// What a command that is given now changes in the row of a task.
  func storedEdits(of change: TaskChange, on id: TaskID, leaving: Leaving) -> StoreChange? {
    guard storage != nil, let record = records[id] else { return nil }
    let edits: [StoredTask.Edit]
    switch change {
    case .pause: edits = record.isSettled ? [] : [.want(.paused)]
    case .resume: edits = record.isSettled ? [.unsettled] : [.want(.run)]
    case .retry: edits = record.isSettled ? [.unsettled] : []
    case .cancel:
      switch record.phase {
      case .succeeded, .cancelled: edits = []
      default: edits = [.want(.cancelled)]
      }
    case .remove: edits = [.want(leaving == .deletingFile ? .removedWithFile : .removed)]
    case .prioritize(let priority): edits = [.priority(Int64(priority))]
    case .move(.first): edits = [.move(.first)]
    case .move(.last): edits = [.move(.last)]
    case .move(.before(let other)): edits = beside(other, .move(.before(other)))
    case .move(.after(let other)): edits = beside(other, .move(.after(other)))
    case .move(.group(let group)): edits = group == record.group ? [] : [.group(groups[group].name), .move(.last)]
    }
    return edits.isEmpty ? nil : .edit(id, edits)
  }

  private func beside(_ other: TaskID, _ move: StoredTask.Edit) -> [StoredTask.Edit] {
    records[other].map { [.priority(Int64($0.priority)), move] } ?? []
  }

  // MARK: Restoring

  /// All tasks of an earlier process are there.
  ///
  /// - Parameter ends: of the tasks that have settled, by their numbers.
  mutating func restore(_ numbers: StoredNumbers, ends: [Int64: TaskID]) {
    records.lastNumber = Int(clamping: numbers.number)
    history.restore(ends, last: numbers.end) { [records] in records[$0]?.hasFailed ?? false }
  }

  /// What a row says, whatever the task needs; nil for one that makes no sense.
  mutating func record(of row: StoredTask) -> TaskRecord? {
    var directory: [UInt8] = []
    return record(of: row, sharing: &directory) { _ in false }
  }

  /// - Parameters:
  ///   - directory: of the task before, whose bytes this one shares if it is the same.
  ///   - lacks: whether this process has nothing that meets a need.
  mutating func record(
    of row: StoredTask, sharing directory: inout [UInt8], lacks: (StoredNeed) -> Bool
  ) -> TaskRecord? {
    guard let storage, let group = groups.id(of: row.group),
      let text = JSONValue(text: row.request).flatMap({ StoredRequestText(json: $0) }),
      let settings = DownloadSettings(text: row.settings),
      text.request.urls.first.flatMap({ RequestChecker.origin(of: settings.url ?? $0) }) != nil
    else { return nil }
    let path = storage.absolute(row.path)
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash + 1 < path.count else { return nil }
    let own = path[...slash]
    if !own.elementsEqual(directory) { directory = Array(own) }
    var record = TaskRecord(
      id: row.id, number: Int(clamping: row.number), text.request, directory: directory,
      name: Array(path[(slash + 1)...]),
      isNamedByAnswer: text.isNamedByAnswer, settings: settings, priority: Int(clamping: row.priority), group: group)
    record.isPaused = row.want == .paused
    record.startedSince1970 = row.started.map { .milliseconds($0) }
    record.needs = text.needs.filter(lacks)
    // Without its secret it would meet the need.
    if record.needs.contains(.proxy) { record.settings.fields.proxy = nil }
    if let end = row.end {
      guard record.restore(end) else { return nil }
    } else {
      if let progress = row.progress { record.restore(progress: progress) }
      if let wait = record.wait { record.phase = .waiting(wait) }
    }
    return record
  }
}

extension TaskRecord {
  /// What it waits for before it may begin at all; nil if it lacks nothing.
  var wait: DownloadTaskWait? {
    guard let first = self.needs.first else { return nil }
    if case .policy(let kind) = first { return .policy(kind.rawValue) }
    return .credentials(first.text)
  }
}
