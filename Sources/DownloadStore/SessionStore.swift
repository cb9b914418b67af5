internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadTransport
internal import Glibc

/// The store of a session that this process works on: its tasks, groups and settings in a SQLite database.
///
/// What `post` has confirmed outlasts a power cut; what it has not is there as a whole, or not at all. Several posts are
/// committed together, in the order in which they came.
package final class SessionStore: Sendable {
  /// What a session had when it was opened.
  package struct Content: Sendable {
    package var session = StoredSession()
    package var groups: [StoredGroup] = []
    package var numbers = StoredNumbers()
    /// Tasks whose rows could not be read and were set aside.
    package var damagedTaskCount = 0
    /// Databases of the session that could not be right and were set aside by this start or an earlier one: their names
    /// in the session's directory.
    package var damagedDatabases: [[UInt8]] = []
  }

  private struct Post: Sendable {
    let changes: [StoreChange]
    let isKept: Bool
    let answer: (@Sendable (DatabaseError?) -> Void)?
  }

  private enum Message: Sendable {
    case post(Post)
    case close
  }

  /// What the thread works with.
  private struct Core: Sendable {
    let tables: StoreTables
    var numbers: StoredNumbers
  }

  private let core: Lock<Core?>
  /// Nil once the session is given back.
  private let files: Lock<SessionFiles?>
  private let mailbox = Mailbox<Message>()
  private let waiting = Lock(0)
  private let hasEnded = Wakeup()

  /// Opens the session in this directory, and calls `body` for each task in the order of their ids.
  ///
  /// - Parameters:
  ///   - path: absolute.
  ///   - isMade: whether a session that is missing is made.
  ///   - system: the SQLite VFS; tests have one of their own.
  ///   - begin: called before the first task, with the session and its groups.
  package static func open(
    _ path: [UInt8], isMade: Bool = true, system: String = "unix-none",
    begin: (StoredSession, [StoredGroup]) -> Void = { _, _ in }, _ body: (StoredTask) -> Void
  ) throws(StoreError) -> (SessionStore, Content) {
    let files = try SessionFiles.take(path, isMade: isMade)
    let loaded: Result<(StoreTables, Content), DatabaseError>
    do {
      let tables = StoreTables(database: try files.openDatabase(isMade: isMade, system: system))
      loaded = Result { () throws(DatabaseError) in (tables, try load(tables, begin, body)) }
    }
    switch loaded {
    case .success((let tables, var content)):
      content.damagedDatabases = files.damagedDatabases
      let store = SessionStore(files, Core(tables: tables, numbers: content.numbers))
      guard WorkerThread({ store.run() }) != nil else { throw .noThread }
      return (store, content)
    case .failure(let error):
      guard error.kind == .damaged else { throw .database(error) }
      throw .damaged(aside: try files.setAside())
    }
  }

  /// Removes the session in this directory.
  ///
  /// - Parameter body: called with each task before.
  package static func delete(_ path: [UInt8], _ body: (StoredTask) -> Void) throws(StoreError) {
    let files = try SessionFiles.take(path, isMade: false)
    do throws(StoreError) {
      let tables = StoreTables(database: try files.openDatabase(isMade: false, system: "unix-none"))
      do throws(DatabaseError) { _ = try tables.readTasks(body) } catch { throw .database(error) }
    } catch {
      // There is nothing to be read.
      switch error {
      case .damaged, .missing: break
      default: throw error
      }
    }
    try files.removeAll()
  }

  /// Databases of the session in this directory that were damaged and set aside, by their names.
  package static func damagedDatabases(of path: [UInt8]) -> [[UInt8]] {
    guard let directory = try? SystemCalls.openat(SystemCalls.workingDirectory, path, O_RDONLY | O_DIRECTORY) else {
      return []
    }
    return SessionFiles.damagedDatabases(in: directory.raw)
  }

  private static func load(
    _ tables: StoreTables, _ begin: (StoredSession, [StoredGroup]) -> Void, _ body: (StoredTask) -> Void
  ) throws(DatabaseError) -> Content {
    var content = Content()
    (content.session, content.numbers) = try tables.session()
    content.groups = try tables.groups()
    begin(content.session, content.groups)
    var numbers = content.numbers
    content.damagedTaskCount = try tables.readTasks { task in
      numbers.cover(task)
      body(task)
    }
    content.numbers = numbers
    return content
  }

  private init(_ files: consuming SessionFiles, _ core: Core) {
    self.files = Lock(files)
    self.core = Lock(core)
  }

  /// Tells other processes where this one listens.
  package func listens(at socket: [UInt8]?) throws(StoreError) {
    try files.withLock { (files) throws(StoreError) in try files?.lock.write(socket: socket) }
  }

  /// Has all changes committed at once, or none.
  ///
  /// - Parameters:
  ///   - isKept: whether it must not get lost. It is tried again until it can be committed, and what comes later waits for
  ///     it; other posts are refused meanwhile.
  ///   - answer: on the store's thread, when the changes are on stable storage, or refused.
  package func post(
    _ changes: [StoreChange], isKept: Bool = false, answer: (@Sendable (DatabaseError?) -> Void)? = nil
  ) {
    mailbox.post(.post(Post(changes: changes, isKept: isKept, answer: answer)))
  }

  /// Posts that are kept until they can be committed.
  package var waitingCount: Int { waiting.withLock { $0 } }

  /// Commits what was posted, closes the database and gives the session back. What cannot be committed now is lost.
  package func close() {
    mailbox.post(.close)
    hasEnded.wait()
    // For whoever closes it once more.
    hasEnded.signal()
  }

  // MARK: The thread

  /// Until a post that is kept is tried again.
  private static let retryMilliseconds: Int32 = 1000

  private func run() {
    var kept: [Post] = []
    var isClosing = false
    while !isClosing {
      var posts = kept
      for message in waitForMessages(atMost: kept.isEmpty ? -1 : Self.retryMilliseconds) {
        switch message {
        case .post(let post): posts.append(post)
        case .close: isClosing = true
        }
      }
      let answers: [Answer]
      (kept, answers) = commit(posts)
      waiting.withLock { [kept] in $0 = kept.count }
      for answer in answers { answer.post.answer?(answer.error) }
    }
    for post in kept { post.answer?(DatabaseError.closed) }
    core.withLock { $0 = nil }
    files.withLock { $0 = nil }
    hasEnded.signal()
  }

  private func waitForMessages(atMost milliseconds: Int32) -> [Message] {
    let messages = mailbox.takeAll()
    if !messages.isEmpty { return messages }
    var entry = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, milliseconds)
    return mailbox.takeAll()
  }

  private typealias Answer = (post: Post, error: DatabaseError?)

  /// - Returns: the posts that are kept, and the answers to the others.
  private func commit(_ posts: [Post]) -> (kept: [Post], answers: [Answer]) {
    if posts.isEmpty || commit(posts) == nil { return ([], posts.map { ($0, nil) }) }
    // One by one, so that one that cannot be does not take others with it.
    var kept: [Post] = []
    var answers: [Answer] = []
    var blocking: DatabaseError?
    for post in posts {
      let error = blocking ?? (commit([post]) as DatabaseError?)
      if let error, post.isKept {
        blocking = error
        kept.append(post)
      } else {
        answers.append((post, error))
      }
    }
    return (kept, answers)
  }

  /// - Returns: nil if they are committed.
  private func commit(_ posts: [Post]) -> DatabaseError? {
    core.withLock { core -> DatabaseError? in
      guard let tables = core?.tables, var numbers = core?.numbers else { return DatabaseError.closed }
      do throws(DatabaseError) {
        try tables.database.transaction { () throws(DatabaseError) in
          for post in posts { try tables.apply(post.changes, &numbers) }
        }
        core?.numbers = numbers
        return nil
      } catch { return error }
    }
  }
}
