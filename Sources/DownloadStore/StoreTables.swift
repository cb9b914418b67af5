internal import DownloadCore

/// The tables of a session's database, and the rows in them.
struct StoreTables: Sendable {
  let database: Database

  /// `PRAGMA application_id`: `sget`.
  static let application: Int64 = 0x7367_6574
  /// `PRAGMA user_version`.
  static let format: Int64 = 1

  private static let columns =
    "id, number, key, task_group, priority, rank, want, path, request, settings, added, started, end_kind, end_number, "
    + "ended, outcome"
  private static let columnCount = 16

  /// Makes the tables of an empty session.
  func create() throws(DatabaseError) {
    try database.transaction { () throws(DatabaseError) in
      for statement in [
        """
        CREATE TABLE tasks (
          id INTEGER PRIMARY KEY, number INTEGER NOT NULL, key TEXT, task_group TEXT NOT NULL, priority INTEGER NOT NULL,
          rank INTEGER NOT NULL, want INTEGER NOT NULL, path BLOB NOT NULL, request TEXT NOT NULL,
          settings TEXT NOT NULL, added INTEGER NOT NULL, started INTEGER, end_kind INTEGER, end_number INTEGER,
          ended INTEGER, outcome TEXT, checksum INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX tasks_by_rank ON tasks (rank)",
        // Rows that could not be read, as they were.
        "CREATE TABLE damaged_tasks AS SELECT * FROM tasks",
        """
        CREATE TABLE task_groups (
          name TEXT PRIMARY KEY, is_paused INTEGER NOT NULL, limits TEXT NOT NULL, settings TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE session (
          one INTEGER PRIMARY KEY CHECK (one = 1), is_paused INTEGER NOT NULL, limits TEXT NOT NULL,
          settings TEXT NOT NULL, last_task INTEGER NOT NULL, last_number INTEGER NOT NULL, last_end INTEGER NOT NULL
        ) STRICT
        """,
        "INSERT INTO session VALUES (1, 0, '{}', '{}', 0, 0, 0)",
        "PRAGMA application_id = \(Self.application)",
        "PRAGMA user_version = \(Self.format)",
      ] { try database.execute(statement) }
    }
  }

  /// The format of the database; nil if it is not a session's.
  func format() throws(DatabaseError) -> Int64? {
    guard try database.integer("PRAGMA application_id") == Self.application else { return nil }
    return try database.integer("PRAGMA user_version")
  }

  // MARK: Reading

  /// Calls `body` for each task, in the order of their ids. Rows that cannot be read are set aside.
  ///
  /// - Returns: how many these were.
  func readTasks(_ body: (StoredTask) -> Void) throws(DatabaseError) -> Int {
    var damaged: [Int64] = []
    try database.query("SELECT \(Self.columns), checksum FROM tasks ORDER BY id") { row in
      if let task = Self.task(row) { body(task) } else { damaged.append(row.integer(0) ?? 0) }
    }
    if !damaged.isEmpty {
      try database.transaction { () throws(DatabaseError) in
        for id in damaged {
          try database.execute("INSERT INTO damaged_tasks SELECT * FROM tasks WHERE id = ?", .integer(id))
          try database.execute("DELETE FROM tasks WHERE id = ?", .integer(id))
        }
      }
    }
    return damaged.count
  }

  /// The row of a task; nil if there is none, or it is damaged.
  func task(_ id: TaskID) throws(DatabaseError) -> StoredTask? {
    var task: StoredTask?
    try database.query(
      "SELECT \(Self.columns), checksum FROM tasks WHERE id = ?", [.integer(Int64(bitPattern: id.number))]
    ) { row in task = Self.task(row) }
    return task
  }

  func groups() throws(DatabaseError) -> [StoredGroup] {
    var groups: [StoredGroup] = []
    try database.query("SELECT name, is_paused, limits, settings FROM task_groups ORDER BY name") { row in
      guard let name = row.text(0), let limits = row.text(2), let settings = row.text(3) else { return }
      groups.append(StoredGroup(name: name, isPaused: row.integer(1) == 1, limits: limits, settings: settings))
    }
    return groups
  }

  func session() throws(DatabaseError) -> (StoredSession, StoredNumbers) {
    var session = StoredSession()
    var numbers = StoredNumbers()
    try database.query("SELECT is_paused, limits, settings, last_task, last_number, last_end FROM session") { row in
      session.isPaused = row.integer(0) == 1
      session.limits = row.text(1) ?? session.limits
      session.settings = row.text(2) ?? session.settings
      numbers.task = TaskID(UInt64(bitPattern: row.integer(3) ?? 0))
      numbers.number = row.integer(4) ?? 0
      numbers.end = row.integer(5) ?? 0
    }
    return (session, numbers)
  }

  /// Nil if it is damaged.
  private static func task(_ row: DatabaseRow) -> StoredTask? {
    guard let id = row.integer(0), let number = row.integer(1), let group = row.text(3), let priority = row.integer(4),
      let rank = row.integer(5), let want = row.integer(6).flatMap(StoredTask.Want.init), let path = row.bytes(7),
      let request = row.text(8), let settings = row.text(9), let added = row.integer(10)
    else { return nil }
    var end: StoredTask.StoredEnd?
    if let kind = row.integer(12) {
      guard let kind = StoredTask.StoredEnd.Kind(rawValue: kind), let number = row.integer(13),
        let time = row.integer(14),
        let outcome = row.text(15)
      else { return nil }
      end = StoredTask.StoredEnd(kind: kind, number: number, time: time, outcome: outcome)
    }
    let task = StoredTask(
      id: TaskID(UInt64(bitPattern: id)), number: number, key: row.text(2), group: group, priority: priority,
      rank: rank, want: want, path: path, request: request, settings: settings, added: added, started: row.integer(11),
      end: end, progress: end == nil ? row.text(15) : nil)
    return checksum(values(task)) == row.integer(Int32(columnCount)) ? task : nil
  }

  // MARK: Writing

  /// In a transaction. `numbers` is what the rows were given.
  func apply(_ changes: [StoreChange], _ numbers: inout StoredNumbers) throws(DatabaseError) {
    // Of the task that the last change has added at the end.
    var lastRank: Int64?
    for change in changes {
      let rankBefore = lastRank.take()
      switch change {
      case .put(let task):
        try put(task)
        numbers.cover(task)
      case .add(var task):
        task.rank = try rank(of: .last, last: rankBefore) ?? 0
        try put(task)
        numbers.cover(task)
        lastRank = task.rank
      case .edit(let id, let edits):
        guard var task = try task(id) else { break }
        for edit in edits { try apply(edit, to: &task) }
        try put(task)
        numbers.cover(task)
      case .forget(let id):
        try database.execute("DELETE FROM tasks WHERE id = ?", .integer(Int64(bitPattern: id.number)))
      case .putGroup(let group):
        try database.execute(
          "INSERT OR REPLACE INTO task_groups VALUES (?, ?, ?, ?)", .text(group.name), .integer(group.isPaused ? 1 : 0),
          .text(group.limits), .text(group.settings))
      case .putSession(let session):
        try database.execute(
          "UPDATE session SET is_paused = ?, limits = ?, settings = ?", .integer(session.isPaused ? 1 : 0),
          .text(session.limits), .text(session.settings))
      }
    }
    try database.execute(
      "UPDATE session SET last_task = ?, last_number = ?, last_end = ?",
      .integer(Int64(bitPattern: numbers.task.number)), .integer(numbers.number), .integer(numbers.end))
  }

  private static let putting =
    "INSERT OR REPLACE INTO tasks (\(columns), checksum) VALUES ("
    + Array(repeating: "?", count: columnCount + 1).joined(separator: ", ") + ")"

  func put(_ task: StoredTask) throws(DatabaseError) {
    var values = Self.values(task)
    values.append(.integer(Self.checksum(values)))
    try database.query(Self.putting, values) { _ in }
  }

  /// In the order of `columns`.
  private static func values(_ task: StoredTask) -> [DatabaseValue] {
    [
      .integer(Int64(bitPattern: task.id.number)), .integer(task.number), DatabaseValue(task.key), .text(task.group),
      .integer(task.priority), .integer(task.rank), .integer(task.want.rawValue), .bytes(task.path),
      .text(task.request), .text(task.settings), .integer(task.added), DatabaseValue(task.started),
      DatabaseValue(task.end?.kind.rawValue), DatabaseValue(task.end?.number), DatabaseValue(task.end?.time),
      DatabaseValue(task.end.map(\.outcome) ?? task.progress),
    ]
  }

  /// SQLite does not notice a bit that a disk has changed within a value.
  private static func checksum(_ values: [DatabaseValue]) -> Int64 {
    var hash = StableHash.seed
    for value in values {
      switch value {
      case .null: hash = StableHash.fnv1a([0], continuing: hash)
      case .integer(let number):
        withUnsafeBytes(of: number.littleEndian) { hash = StableHash.fnv1a($0, continuing: hash) }
      case .text(let text):
        hash = StableHash.fnv1a(text, continuing: hash)
        hash = StableHash.fnv1a([0xff], continuing: hash)
      case .bytes(let bytes):
        hash = StableHash.fnv1a(bytes, continuing: hash)
        hash = StableHash.fnv1a([0xff], continuing: hash)
      }
    }
    return Int64(bitPattern: hash)
  }
}
