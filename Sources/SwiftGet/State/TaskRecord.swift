internal import DownloadCore
internal import DownloadFiles

/// What a session knows of one task: 96 bytes and those of its request, because there may be 100,000. What only tasks need
/// that have begun is in a `TaskCourse`.
@dynamicMemberLookup
struct TaskRecord: TaskEntry, Sendable {
  enum Phase: Hashable, Sendable {
    case waiting(DownloadTaskWait)
    case running
    case verifying
    case succeeded(DownloadedFile)
    case failed(DownloadError)
    case cancelled
  }

  let id: TaskID
  private let shortNumber: UInt32
  private(set) var group: GroupID
  private var storedPriority: Int8
  /// By itself.
  var isPaused = false
  private(set) var isGone = false
  /// Of the target: absolute, with a slash at its end. Tasks of one directory share it.
  private(set) var directory: [UInt8]
  private(set) var packed: PackedRequest
  /// Those of the request, with later changes.
  var settings: DownloadSettings
  var phase = Phase.waiting(.slot)
  var bytes: Int64 = 0
  /// -1 if it is unknown.
  private var storedTotal: Int64 = -1
  private var course: Boxed<TaskCourse>?
  /// In which stretches of work of session and group it is counted.
  var sessionStretch: Int32 = 0
  private(set) var groupStretch: Int32 = 0

  /// A new task.
  init(id: TaskID, number: Int, _ checked: CheckedRequest, group: GroupID) {
    self.init(
      id: id, number: number, checked.request, directory: checked.directory, name: checked.name,
      isNamedByAnswer: checked.file.isNamedByAnswer, settings: checked.request.settings,
      priority: checked.request.priority, group: group)
  }

  /// A task that comes from a store.
  ///
  /// - Parameters:
  ///   - request: without directory, name, group, priority and settings.
  ///   - directory: absolute, with a slash at its end.
  init(
    id: TaskID, number: Int, _ request: DownloadRequest, directory: [UInt8], name: [UInt8], isNamedByAnswer: Bool,
    settings: DownloadSettings, priority: Int, group: GroupID
  ) {
    self.id = id
    shortNumber = UInt32(clamping: number)
    self.group = group
    storedPriority = Int8(clamping: priority)
    self.directory = directory
    packed = PackedRequest(request, name: name, isNamedByAnswer: isNamedByAnswer)
    self.settings = settings
    total = request.expectedSize
  }

  /// For people.
  var number: Int { Int(shortNumber) }

  var priority: Int {
    get { Int(storedPriority) }
    set { storedPriority = Int8(clamping: newValue) }
  }

  var total: Int64? {
    get { storedTotal < 0 ? nil : storedTotal }
    set { storedTotal = newValue ?? -1 }
  }

  mutating func leave() {
    (isGone, directory, packed, settings, phase, course) = (true, [], .none, DownloadSettings(), .cancelled, nil)
  }

  // MARK: The request

  /// Of the target, absolute.
  var path: [UInt8] { directory + packed.name }

  /// Whether its path is more than a guess: no answer is still to name it.
  var hasPath: Bool { !packed.isNamedByAnswer || settings.nameSource == nil }

  /// Identifies a task whose file an answer names, or has named: its directory and URL. Nil for others.
  var named: [UInt8]? {
    guard settings.nameSource != nil, let url = urls.first else { return nil }
    return CheckedRequest.named(in: directory, url)
  }

  func hasPath(_ path: [UInt8]) -> Bool {
    let name = packed.name
    return path.count == directory.count + name.count && path.starts(with: directory) && path.suffix(name.count) == name
  }

  var key: String? { packed.key }
  var urls: [String] { packed.urls }
  /// The one that is asked first.
  var url: String? { settings.url ?? urls.first }
  /// Without directory and name, which `path` has.
  var request: DownloadRequest { packed.request }

  /// The task has another request for its target from now on.
  mutating func use(_ request: DownloadRequest) {
    packed = PackedRequest(request, name: Array(packed.name), isNamedByAnswer: packed.isNamedByAnswer)
  }

  /// The target has this path from now on, whatever an answer says.
  mutating func move(to path: [UInt8]) {
    let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    if !path.starts(with: directory) || start > directory.count { directory = Array(path[..<start]) }
    let name = Array(path[directory.count...])
    packed = PackedRequest(packed.request, name: name, isNamedByAnswer: false)
  }

  /// The target of this task that has another name, and else is the same.
  mutating func takeName(of other: TaskRecord) {
    move(to: other.path)
    if case .succeeded(let file) = phase { phase = .succeeded(file.renamed(path)) }
  }

  /// - Parameter stretch: of work of the group.
  mutating func count(in group: GroupID, stretch: Int32) { (self.group, groupStretch) = (group, stretch) }

  // MARK: The course

  /// What has become of it since it has begun.
  subscript<Value: Equatable>(dynamicMember field: WritableKeyPath<TaskCourse, Value>) -> Value {
    get { course?.value[keyPath: field] ?? TaskCourse.none[keyPath: field] }
    set {
      guard self[dynamicMember: field] != newValue else { return }
      var new = course?.value ?? TaskCourse()
      new[keyPath: field] = newValue
      course = Boxed(new)
    }
  }

  // MARK: The state

  /// It is not worked on any more, and has not settled.
  mutating func halt(for wait: DownloadTaskWait) {
    phase = .waiting(wait)
    (self.rate, self.connections, self.lastError) = (0, 0, nil)
  }

  var isSettled: Bool {
    switch phase {
    case .waiting, .running, .verifying: false
    case .succeeded, .failed, .cancelled: true
    }
  }

  /// - Parameter flags: of group and session.
  func pauses(_ flags: DownloadTaskPausedBy) -> DownloadTaskPausedBy {
    isPaused ? flags.union(.task) : flags
  }

  /// - Parameter flags: of group and session.
  func state(_ flags: DownloadTaskPausedBy) -> DownloadTaskState {
    let pauses = pauses(flags)
    switch phase {
    case .waiting(let wait): return pauses.isEmpty ? .waiting(wait) : .paused(by: pauses)
    case .running: return pauses.isEmpty ? .running : .paused(by: pauses)
    case .verifying: return .verifying
    case .succeeded(let file): return .succeeded(file)
    case .failed(let error): return .failed(error)
    case .cancelled: return .cancelled
    }
  }

  func kind(_ flags: DownloadTaskPausedBy) -> DownloadTaskState.Kind {
    switch phase {
    case .waiting: pauses(flags).isEmpty ? .waiting : .paused
    case .running: pauses(flags).isEmpty ? .running : .paused
    case .verifying: .verifying
    case .succeeded: .succeeded
    case .failed: .failed
    case .cancelled: .cancelled
    }
  }

  /// - Parameter flags: of group and session.
  func share(_ flags: DownloadTaskPausedBy = []) -> Tally.Share {
    let kind = kind(flags)
    var condition: DownloadCondition?
    if kind == .waiting, case .waiting(let wait) = phase { condition = DownloadCondition(wait) }
    return Tally.Share(
      kind: kind, bytes: bytes, total: total, rate: self.rate, mayGoOn: mayGoOn(kind), condition: condition)
  }

  /// Whether nothing but other tasks keeps it from going on.
  private func mayGoOn(_ kind: DownloadTaskState.Kind) -> Bool {
    switch kind {
    case .running, .verifying: true
    case .waiting: phase == .waiting(.slot) || phase == .waiting(.checking)
    case .paused, .succeeded, .failed, .cancelled, .removed: false
    }
  }

  var hasFailed: Bool { if case .failed = phase { true } else { false } }

  /// What waiting calls get.
  var result: Result<DownloadedFile, DownloadError>? {
    switch phase {
    case .waiting, .running, .verifying: nil
    case .succeeded(let file): .success(file)
    case .failed(let error): .failure(error)
    case .cancelled: .failure(error(.cancelled, "the task was cancelled"))
    }
  }

  func error(_ code: DownloadError.Code, _ message: String) -> DownloadError {
    DownloadError(
      code, message, url: urls.first.map(PublicURL.text), path: String(decoding: path, as: UTF8.self),
      task: DownloadTaskID(id))
  }

  func progress(_ flags: DownloadTaskPausedBy) -> DownloadProgress {
    var progress = DownloadProgress()
    progress.bytes = bytes
    progress.totalBytes = total
    progress.bytesPerSecond = self.rate > 0 && pauses(flags).isEmpty ? self.rate : nil
    return progress
  }

  /// - Parameters:
  ///   - flags: of group and session.
  ///   - state: in place of the present one.
  func snapshot(
    _ flags: DownloadTaskPausedBy, group name: String, state: DownloadTaskState? = nil
  ) -> DownloadTaskSnapshot {
    let state = state ?? self.state(flags)
    let waits = state.kind == .waiting && state != .waiting(.slot)
    return DownloadTaskSnapshot(
      DownloadTaskSnapshot.Fields(
        id: DownloadTaskID(id), number: number, state: state, progress: progress(flags), packed: packed,
        pathBytes: path, group: name, priority: priority, settings: settings, startedSince1970: self.startedSince1970,
        endedSince1970: self.endedSince1970, head: self.head, failedAttempts: self.failedAttempts,
        lastError: waits ? self.lastError : nil, waitEndSince1970: waits ? self.waitEndSince1970 : nil,
        isResumable: self.isResumable,
        connections: pauses(flags).isEmpty ? self.connections : 0))
  }
}

extension CheckedRequest {
  /// As `TaskRecord.named`.
  var named: [UInt8]? {
    guard file.isNamedByAnswer, request.settings.nameSource != nil, let url = request.urls.first else { return nil }
    return Self.named(in: directory, url)
  }

  static func named(in directory: [UInt8], _ url: String) -> [UInt8] {
    directory + [0] + Array(StoredURL.withoutUserinfo(url).utf8)
  }
}

/// What has become of a task that has begun.
struct TaskCourse: Sendable {
  var rate: Int64 = 0
  /// Transfers that bring it now.
  var connections = 0
  /// Whether its bytes stay useful when it is paused.
  var isResumable = true
  var failedAttempts = 0
  /// Why its last attempt failed, while it waits for the next one.
  var lastError: String?
  /// When it goes on, while it waits for a time that is known.
  var waitEndSince1970: Duration?
  /// What it lacks since it came from a store. It does not begin before it has that.
  var needs: [StoredNeed] = []
  var startedSince1970: Duration?
  var endedSince1970: Duration?
  /// What the last answer said of the file.
  var head: ResponseHead?
  /// The file that this session has put there.
  var placed: PlacedFile?
  /// Whether it is to be forgotten when it ends, and its file with it; nil if it stays.
  var leaves: Leaving?

  static let none = TaskCourse()
}

/// What becomes of the file of a task that leaves.
enum Leaving: Sendable { case keepingFile, deletingFile }
