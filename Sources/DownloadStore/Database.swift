internal import CSwiftGetSQLite

/// A connection to a SQLite database, for one thread at a time: whoever shares it has a lock for it.
///
/// Nobody but its owner opens the file, so SQLite takes no locks of its own and needs no shared memory. What a transaction
/// has committed is on stable storage.
final class Database: @unchecked Sendable {
  private let connection: OpaquePointer
  /// By their SQL texts, which are few.
  private var statements: [String: Statement] = [:]

  /// SQLite refuses longer paths (`MAX_PATHNAME` in its os_unix.c is 512).
  static let longestPath = 500

  /// - Parameters:
  ///   - path: without NUL, at most `longestPath` bytes.
  ///   - isNew: whether the file is made if it is missing.
  ///   - system: the name of the SQLite VFS, the layer that makes its system calls.
  init(path: [UInt8], isNew: Bool, system: String = "unix-none") throws(DatabaseError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (isNew ? SQLITE_OPEN_CREATE : 0)
    let name = path.map { CChar(bitPattern: $0) } + [0]
    let code = sqlite3_open_v2(name, &opened, flags, system)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
      sqlite3_close_v2(opened)
      throw DatabaseError(code, message)
    }
    connection = opened
    // Exclusive before the first use of the write-ahead log, which then needs no shared memory.
    try execute("PRAGMA locking_mode = EXCLUSIVE")
    // The file says so itself from then on. One that cannot be right is not written to.
    if isNew { try execute("PRAGMA journal_mode = WAL") }
    try execute("PRAGMA synchronous = FULL")
    // A damaged database shows that sooner.
    try execute("PRAGMA cell_size_check = ON")
    // Names of tables in a file from somewhere else run no code.
    try execute("PRAGMA trusted_schema = OFF")
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(connection)
  }

  /// Runs one statement.
  func execute(_ sql: String, _ values: DatabaseValue...) throws(DatabaseError) {
    try query(sql, values) { _ in }
  }

  /// Calls `body` for each row. The row is valid until `body` returns.
  func query(
    _ sql: String, _ values: [DatabaseValue] = [], _ body: (DatabaseRow) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let statement = try statement(sql)
    defer { statement.reset() }
    for (index, value) in values.enumerated() { try check(statement.bind(value, at: Int32(index + 1))) }
    while true {
      let code = statement.step()
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw error(code) }
      try body(DatabaseRow(statement))
    }
  }

  /// The first column of the first row; nil without rows, and for NULL.
  func integer(_ sql: String, _ values: DatabaseValue...) throws(DatabaseError) -> Int64? {
    var found: Int64?
    try query(sql, values) { row in if found == nil { found = row.integer(0) } }
    return found
  }

  /// Whether its pages fit together.
  var isSound: Bool {
    get throws(DatabaseError) {
      var answer: String?
      try query("PRAGMA quick_check(1)") { row in answer = row.text(0) }
      return answer == "ok"
    }
  }

  /// Commits what `body` does, or nothing of it if that or the commit fails.
  func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try execute("BEGIN IMMEDIATE")
    do throws(DatabaseError) {
      try body()
      try execute("COMMIT")
    } catch {
      // After some errors SQLite has done that by itself.
      if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Writes the log into the database and empties it.
  func checkpoint() throws(DatabaseError) {
    try check(sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
  }

  private func statement(_ sql: String) throws(DatabaseError) -> Statement {
    if let statement = statements[sql] { return statement }
    var prepared: OpaquePointer?
    try check(sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
    guard let prepared else { throw DatabaseError(SQLITE_MISUSE, "no statement") }
    let statement = Statement(prepared)
    statements[sql] = statement
    return statement
  }

  private func check(_ code: Int32) throws(DatabaseError) { if code != SQLITE_OK { throw error(code) } }

  private func error(_ code: Int32) -> DatabaseError {
    DatabaseError(code, String(cString: sqlite3_errmsg(connection)))
  }
}

/// What SQLite stores in a column.
enum DatabaseValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  init(_ value: String?) { self = value.map { .text($0) } ?? .null }
}

/// A compiled statement.
final class Statement {
  fileprivate let statement: OpaquePointer

  fileprivate init(_ statement: OpaquePointer) { self.statement = statement }

  deinit { sqlite3_finalize(statement) }

  fileprivate func step() -> Int32 { sqlite3_step(statement) }

  /// It holds no values and no lock on the database any more.
  fileprivate func reset() {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
  }

  fileprivate func bind(_ value: DatabaseValue, at index: Int32) -> Int32 {
    // SQLITE_TRANSIENT: SQLite copies the value at once.
    let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let number): return sqlite3_bind_int64(statement, index, number)
    case .text(var text):
      return text.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) {
          // No address stands for NULL.
          $0.isEmpty
            ? sqlite3_bind_text(statement, index, "", 0, copies)
            : sqlite3_bind_text64(statement, index, $0.baseAddress, UInt64($0.count), copies, UInt8(SQLITE_UTF8))
        }
      }
    case .bytes(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
      return sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), copies)
    }
  }
}

/// One row of a result, with columns counted from 0. SQLite converts values whose type is another one.
struct DatabaseRow {
  private let statement: OpaquePointer

  fileprivate init(_ statement: Statement) { self.statement = statement.statement }

  private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64? {
    isNull(column) ? nil : sqlite3_column_int64(statement, column)
  }

  func bytes(_ column: Int32) -> [UInt8]? {
    if isNull(column) { return nil }
    guard let start = sqlite3_column_blob(statement, column) else { return [] }
    let count = Int(sqlite3_column_bytes(statement, column))
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Nil if it is not UTF-8, too.
  func text(_ column: Int32) -> String? { bytes(column).flatMap { String(validating: $0, as: UTF8.self) } }
}
