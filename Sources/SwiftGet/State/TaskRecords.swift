internal import DownloadCore

/// The tasks of a session, which are found by their ids, targets and keys.
struct TaskRecords: Sendable {
  private var table = TaskTable<TaskRecord>()
  private var targets = TaskIndex()
  /// Tasks whose files answers name, or have named, by directory and URL.
  private var named = TaskIndex()
  private var keys = TaskIndex()
  /// Those of the last new task. Tasks that are added together share theirs, which take less memory then.
  private var lastSettings = DownloadSettings()
  /// Of the last new task, for people.
  var lastNumber = 0

  // MARK: Ids

  /// In the order of their ids.
  var all: some Sequence<TaskRecord> { table.all }

  /// Those with greater ids than this one; nil is all.
  func all(after id: TaskID?) -> some Sequence<TaskRecord> { table.all(after: id) }

  /// Where the task is; nil if it is not known.
  func place(of id: TaskID) -> Int? { table.place(of: id) }

  /// Nil for an id that is not known. Who changes the path of a task calls `retarget` before.
  subscript(_ id: TaskID) -> TaskRecord? {
    get { table[id] }
    set { table[id] = newValue }
  }

  /// - Parameter place: of `place(of:)`, after which no task was removed.
  subscript(place place: Int) -> TaskRecord {
    get { table[place: place] }
    _modify { yield &table[place: place] }
  }

  // MARK: Targets and keys

  /// The task that a request wants: that of its target, or of its URL and directory if an answer is to name the file.
  func task(of checked: CheckedRequest) -> TaskID? {
    guard let bytes = checked.named else { return task(at: checked.path) }
    return named.task(of: bytes) { table[$0]?.named == bytes }
  }

  /// The task that has this target, absolute, or had it last.
  func task(at path: [UInt8]) -> TaskID? { targets.task(of: path) { table[$0]?.hasPath(path) == true } }

  /// Nil also for a task that was removed, but whose file is still getting its name.
  func task(key: String) -> TaskID? {
    let found = keys.task(of: Array(key.utf8)) { table[$0]?.key == key }
    return found.flatMap { table[$0]?.leaves == nil ? $0 : nil }
  }

  /// The task is found by this path from now on.
  mutating func retarget(_ id: TaskID, to path: [UInt8]) {
    if let former = table[id]?.path { targets.remove(id, former) }
    setTarget(path, to: id)
  }

  /// A task that begins again is found by its target, unless another one is.
  mutating func reclaimTarget(of record: TaskRecord) {
    let path = record.path
    if record.hasPath, task(at: path) == nil { setTarget(path, to: record.id) }
  }

  private mutating func setTarget(_ path: [UInt8], to id: TaskID) {
    targets.insert(id, path) { [table] in table[$0].map { !$0.hasPath(path) } ?? false }
  }

  // MARK: Which tasks there are

  /// - Returns: false if a task has the id.
  mutating func insert(_ record: TaskRecord) -> Bool {
    var record = record
    if record.settings == lastSettings { record.settings = lastSettings } else { lastSettings = record.settings }
    guard table.insert(record) else { return false }
    if record.hasPath { setTarget(record.path, to: record.id) }
    if let bytes = record.named {
      named.insert(record.id, bytes) { [table] in table[$0].map { $0.named != bytes } ?? false }
    }
    if let key = record.key {
      keys.insert(record.id, Array(key.utf8)) { [table] in table[$0].map { $0.key != key } ?? false }
    }
    return true
  }

  /// - Returns: the task, which is not known any more; nil if it was not.
  mutating func remove(_ id: TaskID) -> TaskRecord? {
    guard let record = table[id] else { return nil }
    targets.remove(id, record.path)
    if let bytes = record.named { named.remove(id, bytes) }
    if let key = record.key { keys.remove(id, Array(key.utf8)) }
    table.remove(id)
    return record
  }
}
