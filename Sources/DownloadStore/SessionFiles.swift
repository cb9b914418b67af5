internal import DownloadFiles
internal import Glibc

/// The directory of a session: its database, and the lock that says who works on it.
///
/// Only the holder of the lock opens the database. `session.db` is there from the first moment as a whole: it is made under
/// another name, and one that cannot be right gets another name, with its log.
package struct SessionFiles: ~Copyable, Sendable {
  private let directory: FileDescriptor
  private let path: [UInt8]
  let lock: SessionLock

  private static let database = Array("session.db".utf8)
  private static let options = Array("options".utf8)
  private static let unfinished = Array("session.db.new".utf8)
  /// Where a process listens whose usual place is gone.
  package static let socket = Array("session.sock".utf8)
  private static let damaged = Array("session.db.damaged-".utf8)
  /// SQLite's write-ahead log.
  private static let log = Array("-wal".utf8)

  /// Takes the session.
  ///
  /// - Parameters:
  ///   - path: absolute.
  ///   - isMade: whether missing directories are made, for their owner only.
  static func take(_ path: [UInt8], isMade: Bool) throws(StoreError) -> SessionFiles {
    guard path.count + unfinished.count + 1 <= Database.longestPath else { throw .pathTooLong }
    let directory = try open(path, isMade: isMade)
    let lock = try SessionLock.take(in: directory.raw)
    return SessionFiles(directory: directory, path: path, lock: lock)
  }

  /// The process that works on the session, as far as its lock file tells; nil if there is no such session.
  package static func holder(of path: [UInt8]) -> SessionHolder? {
    guard let directory = try? open(path, isMade: false) else { return nil }
    return SessionLock.holder(in: directory.raw)
  }

  private static func open(_ path: [UInt8], isMade: Bool) throws(StoreError) -> FileDescriptor {
    do throws(SystemCallError) {
      if isMade { try make(path) }
      let opened = try SystemCalls.openat(SystemCalls.workingDirectory, path, O_RDONLY | O_DIRECTORY)
      let status = try SystemCalls.fstat(opened.raw)
      if status.owner == SystemCalls.user, status.mode & 0o022 == 0 { return opened }
    } catch { throw error.isMissing ? .missing : .file(error) }
    throw .notOwnDirectory
  }

  /// Makes the directory, and those above it that are missing.
  private static func make(_ path: [UInt8]) throws(SystemCallError) {
    let parent = WholeFile.split(directory: path).directory
    do throws(SystemCallError) {
      guard try makeLast(of: path) else { return }
    } catch {
      guard error.isMissing, parent != path else { throw error }
      try make(parent)
      // Another process may make it at the same time.
      _ = try makeLast(of: path)
    }
    // The name is to outlast a power cut as the database in it does.
    let opened = try SystemCalls.openat(SystemCalls.workingDirectory, parent, O_RDONLY | O_DIRECTORY)
    try SystemCalls.fsync(opened.raw)
  }

  /// - Returns: false if it is there.
  private static func makeLast(of path: [UInt8]) throws(SystemCallError) -> Bool {
    do throws(SystemCallError) {
      try SystemCalls.mkdirat(SystemCalls.workingDirectory, path, mode: 0o700)
      return true
    } catch {
      if error.errno == EEXIST { return false }
      throw error
    }
  }

  // MARK: The database

  /// Opens the database. One that is missing is made if `isMade`.
  ///
  /// - Parameter system: the SQLite VFS.
  /// - Throws: `damaged` if it cannot be right. It has another name then, and the next call finds none.
  func openDatabase(isMade: Bool, system: String) throws(StoreError) -> Database {
    var laterFormat: Int64?
    try remove(Self.unfinished)
    switch try size(Self.database) {
    case nil:
      // A log without its database is of one that somebody has taken away. SQLite would read it into a new one.
      if try size(Self.database + Self.log) != nil { throw .damaged(aside: try setAside()) }
      guard isMade else { throw .missing }
      try makeDatabase(system: system)
    case 0: throw .damaged(aside: try setAside())
    default: break
    }
    do throws(DatabaseError) {
      let database = try Database(path: path(Self.database), isNew: false, system: system)
      switch try StoreTables(database: database).format() {
      case nil: break
      case let format? where format > StoreTables.format: laterFormat = format
      default: if try database.isSound { return database }
      }
    } catch {
      guard error.kind == .damaged else { throw .database(error) }
    }
    if let laterFormat { throw .laterFormat(laterFormat) }
    throw .damaged(aside: try setAside())
  }

  /// Databases that were set aside, by their names.
  var damagedDatabases: [[UInt8]] { Self.damagedDatabases(in: directory.raw) }

  static func damagedDatabases(in directory: Int32) -> [[UInt8]] {
    guard let names = try? DirectoryNames.read(directory) else { return [] }
    return names.filter { $0.starts(with: Self.damaged) && !$0.suffix(Self.log.count).elementsEqual(Self.log) }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func makeDatabase(system: String) throws(StoreError) {
    do throws(DatabaseError) {
      // Closed again: then it has no log.
      let database = try Database(path: path(Self.unfinished), isNew: true, system: system)
      try StoreTables(database: database).create()
      try database.checkpoint()
    } catch {
      try? remove(Self.unfinished)
      throw .database(error)
    }
    do throws(SystemCallError) {
      let made = try SystemCalls.openat(directory.raw, Self.unfinished, O_RDWR)
      try SystemCalls.fchmod(made.raw, mode: FileMode.ownerOnly)
      try SystemCalls.fsync(made.raw)
      try SystemCalls.renameat(directory.raw, Self.unfinished, directory.raw, Self.database, replacing: true)
      try SystemCalls.fsync(directory.raw)
    } catch { throw .file(error) }
  }

  /// Gives the database, which is closed, another name, with its log.
  func setAside() throws(StoreError) -> [UInt8] {
    let name = Self.damaged + Array(String(time(nil)).utf8)
    var aside = name
    var count = 1
    while try isTaken(aside) {
      count += 1
      aside = name + Array("-\(count)".utf8)
    }
    var suffixes: [[UInt8]] = []
    for suffix in [[], Self.log] where try size(Self.database + suffix) != nil { suffixes.append(suffix) }
    do throws(SystemCallError) {
      for suffix in suffixes {
        try SystemCalls.renameat(
          directory.raw, Self.database + suffix, directory.raw, aside + suffix, replacing: false)
      }
      try SystemCalls.fsync(directory.raw)
      return path(aside)
    } catch { throw .file(error) }
  }

  private func isTaken(_ name: [UInt8]) throws(StoreError) -> Bool {
    if try size(name) != nil { return true }
    return try size(name + Self.log) != nil
  }

  /// In bytes; nil if there is no such file.
  private func size(_ name: [UInt8]) throws(StoreError) -> Int64? {
    do throws(SystemCallError) { return try SystemCalls.fstatat(directory.raw, name).size } catch {
      if error.isMissing { return nil }
      throw .file(error)
    }
  }

  private func remove(_ name: [UInt8]) throws(StoreError) {
    for suffix in [[], Self.log] {
      do throws(SystemCallError) { try SystemCalls.unlinkat(directory.raw, name + suffix) } catch {
        if !error.isMissing { throw .file(error) }
      }
    }
  }

  /// Removes the session: databases, those that were set aside too, its options, the lock file, and the directory if nothing
  /// else is in it.
  func removeAll() throws(StoreError) {
    for name in damagedDatabases + [Self.unfinished, Self.database, Self.options, Self.socket] { try remove(name) }
    do throws(SystemCallError) {
      // Last, so that whoever finds it finds a whole session.
      try SystemCalls.unlinkat(directory.raw, SessionLock.name)
    } catch { throw .file(error) }
    try? SystemCalls.rmdirat(SystemCalls.workingDirectory, path)
  }

  private func path(_ name: [UInt8]) -> [UInt8] { Self.path(name, in: path) }

  private static func path(_ name: [UInt8], in directory: [UInt8]) -> [UInt8] { directory + [UInt8(ascii: "/")] + name }

  /// The file in which the session in this directory keeps options of the processes that work on it. Only the command
  /// writes it, each time as a whole, and knows its form.
  package static func options(in path: [UInt8]) -> [UInt8] { Self.path(options, in: path) }
}
