import CSwiftGetSQLite
import DownloadCore
import DownloadEngine
import Glibc
import RecordingSystem
import TestSupport
import Testing

@testable import DownloadFiles
@testable import DownloadStore

@Suite struct `Store of a session` {
  private let directory: StoreDirectory

  init() throws { directory = try StoreDirectory() }

  private func row(_ id: UInt64) -> StoredTask {
    StoredTask(
      id: TaskID(id), number: Int64(id), group: "main", rank: Int64(id) << 20, path: Array("dir/f\(id)".utf8),
      request: #"{"urls":["https://h/f\#(id)"]}"#, added: 1_700_000_000_000)
  }

  // MARK: What is there again

  @Test func `a new one is empty`() throws {
    let (store, model, content) = try directory.open()
    #expect(model == StoreModel() && content.numbers == StoredNumbers() && content.damagedTaskCount == 0)
    store.close()
    #expect(directory.temporary.names(in: "session") == ["lock", "session.db"])
    #expect(try directory.read().model == StoreModel())
  }

  @Test func `what was committed is there again, whatever it is`() throws {
    var random = SeededGenerator(seed: Fuzz.seed)
    var model = StoreModel()
    for round in 0..<60 {
      let (store, found, _) = try directory.open()
      #expect(found == model, "round \(round)")
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let changes = random.changes()
        #expect(store.commit(changes) == nil)
        model.apply(changes)
      }
      store.close()
    }
  }

  @Test func `moves keep the order that is wanted`() throws {
    var random = SeededGenerator(seed: Fuzz.seed)
    var order: [TaskID] = []
    var last: UInt64 = 0
    for round in 0..<20 {
      let (store, model, _) = try directory.open()
      let found = model.tasks.values.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }
      #expect(found.map(\.id) == order, "round \(round)")
      var changes: [StoreChange] = []
      for _ in 0..<60 {
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          last += 1
          changes.append(.add(row(last)))
          order.append(TaskID(last))
        }
        // Again and again to the same place, until there is no rank in between.
        guard let moved = order.randomElement(using: &random), let other = order.dropFirst(3).first else { continue }
        let place: StoredTask.Place =
          switch Int.random(in: 0..<6, using: &random) {
          case 0: .first
          case 1: .last
          case 2: .after(other)
          case 3: .before(TaskID(1 << 40))
          default: .before(other)
          }
        changes.append(.edit(moved, [.move(place)]))
        Self.move(moved, to: place, in: &order)
        if Bool.random(using: &random) {
          #expect(store.commit(changes) == nil)
          changes = []
        }
      }
      #expect(store.commit(changes) == nil)
      store.close()
    }
  }

  private static func move(_ task: TaskID, to place: StoredTask.Place, in order: inout [TaskID]) {
    var others = order.filter { $0 != task }
    switch place {
    case .first: others.insert(task, at: 0)
    case .last: others.append(task)
    case .before(let other):
      guard let index = others.firstIndex(of: other) else { return }
      others.insert(task, at: index)
    case .after(let other):
      guard let index = others.firstIndex(of: other) else { return }
      others.insert(task, at: index + 1)
    }
    order = others
  }

  @Test func `ranks that leave no room are given anew`() throws {
    let (store, _, _) = try directory.open()
    var ends = [row(1), row(2)]
    (ends[0].rank, ends[1].rank) = (.max, .min)
    #expect(store.commit(ends.map { .put($0) }) == nil)
    #expect(
      store.commit([.add(row(3)), .add(row(4)), .edit(TaskID(1), [.move(.before(TaskID(2)))]), .add(row(5))]) == nil)
    store.close()
    let tasks = try directory.read().model.tasks.values
    #expect(tasks.sorted { $0.rank < $1.rank }.map(\.id.number) == [1, 2, 3, 4, 5])
  }

  @Test func `what is added follows what was moved to the end before it`() throws {
    let (store, _, _) = try directory.open()
    let moves = [TaskID(1), TaskID(2)].map { StoreChange.edit($0, [.move(.last)]) }
    #expect(store.commit([.add(row(1)), .add(row(2)), .add(row(3))] + moves + [.add(row(4)), .add(row(5))]) == nil)
    store.close()
    let tasks = try directory.read().model.tasks.values
    #expect(tasks.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }.map(\.id.number) == [3, 1, 2, 4, 5])
  }

  @Test func `numbers are not given again when their tasks are forgotten`() throws {
    let (store, _, _) = try directory.open()
    var task = row(7)
    task.end = StoredTask.StoredEnd(kind: .succeeded, number: 3, time: 0, outcome: "{}")
    #expect(store.commit([.put(task)]) == nil)
    #expect(store.commit([.forget(task.id)]) == nil)
    store.close()
    let numbers = try directory.read().content.numbers
    #expect(numbers.task == task.id && numbers.number == 7 && numbers.end == 3)
  }

  @Test func `posts of many threads are all there`() throws {
    let (store, _, _) = try directory.open()
    let answered = Gate()
    let threads = (0..<8).map { thread in
      WorkerThread { [self] in
        for index in 0..<100 {
          store.post([.put(row(UInt64(thread * 100 + index)))]) { error in
            if error == nil { answered.open() }
          }
        }
      }
    }
    for thread in threads { thread?.join() }
    for _ in 0..<800 { answered.wait() }
    store.close()
    #expect(try directory.read().model.tasks.count == 800)
  }

  @Test func `processes that make a session at the same time have only its lock against them`() {
    let others = Locked<[StoreError]>([])
    for round in 0..<200 {
      let path = Array(directory.temporary.path("state\(round)/swiftget/night").utf8)
      let threads = (0..<4).map { _ in
        WorkerThread {
          do throws(StoreError) { _ = try SessionFiles.take(path, isMade: true) } catch {
            if case .held = error { return }
            others.withLock { $0.append(error) }
          }
        }
      }
      for thread in threads { thread?.join() }
    }
    #expect(others.withLock { $0 }.isEmpty)
  }

  @Test func `a directory that was moved opens where it is`() throws {
    let (store, _, _) = try directory.open()
    #expect(store.commit([.put(row(1))]) == nil)
    store.close()
    let moved = directory.temporary.path("moved")
    #expect(rename(directory.temporary.path("session"), moved) == 0)
    var tasks: [StoredTask] = []
    let (again, _) = try SessionStore.open(Array(moved.utf8)) { tasks.append($0) }
    again.close()
    #expect(tasks == [row(1)])
  }

  @Test func `an older copy of the database is that of its time`() throws {
    let (store, _, _) = try directory.open()
    #expect(store.commit([.put(row(1))]) == nil)
    store.close()
    let copy = try readFile(directory.file("session.db"))
    let (second, _, _) = try directory.open()
    #expect(second.commit([.put(row(2)), .forget(TaskID(1))]) == nil)
    second.close()
    try Content.bytes(copy).write(to: directory.file("session.db"))
    #expect(try directory.read().model.tasks == [TaskID(1): row(1)])
  }

  // MARK: Who may open it

  @Test func `one process at a time works on it`() throws {
    let (store, _, _) = try directory.open()
    let error = #expect(throws: StoreError.self) { try directory.open() }
    guard case .held(let holder?) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(holder.process == .current && holder.host == SessionHolder.thisHost && holder.socket == nil)
    store.close()
    #expect(try directory.read().model == StoreModel())
  }

  @Test func `the holder says where it listens`() throws {
    let (store, _, _) = try directory.open()
    try store.listens(at: Array("/run/x y.sock".utf8))
    #expect(SessionFiles.holder(of: directory.path)?.socket == Array("/run/x y.sock".utf8))
    try store.listens(at: nil)
    #expect(SessionFiles.holder(of: directory.path)?.socket == nil)
    store.close()
  }

  @Test func `the process id of an ended holder keeps nobody out`() throws {
    let (store, _, _) = try directory.open()
    store.close()
    // As left by a process that was killed, whose id another program has now.
    try Content.text("pid 1 12345 1\nhost \(SessionHolder.thisHost)\nend\n").write(to: directory.file("lock"))
    #expect(try directory.read().model == StoreModel())
  }

  @Test func `without locks the holder is who is named and runs`() throws {
    let (first, _, _) = try directory.open()
    first.close()
    let child = try SpawnedProgram("/bin/sleep", ["60"])
    let stamp = String(decoding: try #require(ProcessStamp(of: child.identifier)).text, as: UTF8.self)
    let withoutLocks = [Fault(.flock, persists: true, .failure(ENOLCK))]
    let here = "\(stamp)\nhost \(SessionHolder.thisHost)\nend\n"
    try Content.text(here).write(to: directory.file("lock"))
    #expect(throws: StoreError.held(SessionHolder(text: Array(here.utf8)))) {
      try FaultTable.withFaults(withoutLocks) { _ = try directory.read() }
    }
    child.kill()
    _ = child.wait()
    #expect(try FaultTable.withFaults(withoutLocks) { try directory.read().model } == StoreModel())
    // What another host's process does cannot be known.
    let elsewhere = "\(stamp)\nhost other.\(SessionHolder.thisHost)\nend\n"
    try Content.text(elsewhere).write(to: directory.file("lock"))
    #expect(throws: StoreError.held(SessionHolder(text: Array(elsewhere.utf8)))) {
      try FaultTable.withFaults(withoutLocks) { _ = try directory.read() }
    }
    // It has ended as it should.
    try Content.text("").write(to: directory.file("lock"))
    #expect(try FaultTable.withFaults(withoutLocks) { try directory.read().model } == StoreModel())
    #expect(!fileExists(directory.file("lock.claim")))
  }

  @Test func `a claim that a killed process has left counts for seconds`() throws {
    let (first, _, _) = try directory.open()
    first.close()
    let withoutLocks = [Fault(.flock, persists: true, .failure(ENOLCK))]
    try Content.text("").write(to: directory.file("lock.claim"))
    #expect(throws: StoreError.self) {
      try FaultTable.withFaults(withoutLocks) { _ = try directory.read() }
    }
    var times = [timespec(tv_sec: time(nil) - 60, tv_nsec: 0), timespec(tv_sec: time(nil) - 60, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, directory.file("lock.claim"), &times, 0) == 0)
    #expect(try FaultTable.withFaults(withoutLocks) { try directory.read().model } == StoreModel())
  }

  @Test func `a directory that others may write to is refused`() throws {
    let (store, _, _) = try directory.open()
    store.close()
    #expect(chmod(directory.temporary.path("session"), 0o770) == 0)
    #expect(throws: StoreError.notOwnDirectory) { try directory.open() }
  }

  @Test func `a session is made only if that is wanted`() throws {
    #expect(throws: StoreError.missing) { try directory.open(isMade: false) }
    #expect(!fileExists(directory.temporary.path("session")))
    #expect(SessionFiles.holder(of: directory.path) == nil)
  }

  @Test func `a path that SQLite does not take is refused`() throws {
    let long = directory.path + Array("/\(String(repeating: "n", count: 240))".utf8)
    let longer = long + Array("/\(String(repeating: "n", count: 240))".utf8)
    #expect(throws: StoreError.pathTooLong) { try SessionStore.open(longer) { _ in } }
    let (store, _) = try SessionStore.open(long) { _ in }
    store.close()
  }

  // MARK: Damage

  private func damaged(_ error: StoreError?) -> String? {
    guard case .damaged(let aside)? = error else { return nil }
    return String(decoding: aside, as: UTF8.self)
  }

  @Test(arguments: [0, 1, 100, 4095, 4096, 9000]) func `a database that is cut off is set aside`(length: Int) throws {
    let (store, _, _) = try directory.open()
    #expect(store.commit((1...100).map { .put(row($0)) }) == nil)
    store.close()
    #expect(truncate(directory.file("session.db"), off_t(length)) == 0)
    let aside = try #require(damaged(#expect(throws: StoreError.self) { try directory.open() }))
    #expect(try readFile(aside).count == length)
    let (again, model, content) = try directory.open()
    again.close()
    #expect(model == StoreModel())
    #expect(content.damagedDatabases.map { directory.file(String(decoding: $0, as: UTF8.self)) } == [aside])
  }

  @Test func `a log without its database is set aside`() throws {
    let (store, _, _) = try directory.open()
    store.close()
    #expect(unlink(directory.file("session.db")) == 0)
    try Content.text("log").write(to: directory.file("session.db-wal"))
    let aside = try #require(damaged(#expect(throws: StoreError.self) { try directory.open() }))
    #expect(try readFile(aside + "-wal") == Array("log".utf8))
  }

  @Test func `a file that is no database is set aside`() throws {
    let (store, _, _) = try directory.open()
    store.close()
    try Content.text(String(repeating: "no database ", count: 1000)).write(to: directory.file("session.db"))
    #expect(damaged(#expect(throws: StoreError.self) { try directory.open() }) != nil)
    // Another program's database.
    let other = try Database(path: Array(directory.file("session.db").utf8), isNew: true)
    try other.execute("CREATE TABLE tasks (id INTEGER)")
    try other.checkpoint()
    #expect(damaged(#expect(throws: StoreError.self) { try directory.open() }) != nil)
  }

  @Test func `a database of a later version stays as it is`() throws {
    let (store, _, _) = try directory.open()
    store.close()
    do {
      let database = try Database(path: Array(directory.file("session.db").utf8), isNew: false)
      try database.execute("PRAGMA user_version = 9")
    }
    let before = try readFile(directory.file("session.db"))
    #expect(throws: StoreError.laterFormat(9)) { try directory.open() }
    #expect(try readFile(directory.file("session.db")) == before)
  }

  @Test func `a bit that has changed makes no other row`() throws {
    var random = SeededGenerator(seed: Fuzz.seed)
    let (store, _, _) = try directory.open()
    let rows = (1...60).map { random.row(TaskID($0)) }
    #expect(store.commit(rows.map { .put($0) }) == nil)
    store.close()
    let right = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
    let bytes = try readFile(directory.file("session.db"))
    var counts = (whole: 0, rows: 0, none: 0)
    for _ in 0..<300 {
      var changed = bytes
      changed[Int.random(in: changed.indices, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
      try Content.bytes(changed).write(to: directory.file("session.db"))
      do {
        let (model, content) = try directory.read()
        for (id, task) in model.tasks { #expect(right[id] == task) }
        #expect(model.tasks.count + content.damagedTaskCount == rows.count)
        if content.damagedTaskCount > 0 { counts.rows += 1 } else { counts.none += 1 }
        // What was set aside is not reported again.
        if content.damagedTaskCount > 0 { #expect(try directory.read().content.damagedTaskCount == 0) }
      } catch let error as StoreError {
        switch error {
        case .damaged, .laterFormat: counts.whole += 1
        default: #expect(Bool(false), "\(error)")
        }
      }
    }
    #expect(counts.whole > 0 && counts.rows > 0 && counts.none > 0, "\(counts)")
  }

  // MARK: Faults

  @Test func `a post that cannot be committed changes nothing`() throws {
    try Recording.use { system in
      let (store, _, _) = try directory.open(system: system)
      #expect(store.commit([.put(row(1))]) == nil)
      recording_fail(SQLITE_FULL)
      #expect(store.commit([.put(row(2)), .forget(TaskID(1))])?.kind == .outOfSpace)
      recording_fail(0)
      #expect(store.commit([.put(row(3))]) == nil)
      store.close()
      #expect(try directory.read().model.tasks.keys.sorted() == [TaskID(1), TaskID(3)])
    }
  }

  @Test func `what is kept is committed when that works again, and in its order`() throws {
    try Recording.use { system in
      let (store, _, _) = try directory.open(system: system)
      #expect(store.commit([.put(row(1))]) == nil)
      recording_fail(SQLITE_FULL)
      var ended = row(1)
      ended.end = StoredTask.StoredEnd(kind: .failed, number: 1, time: 1, outcome: "{}")
      let isKept = Gate()
      store.post([.put(ended)], isKept: true) { error in if error == nil { isKept.open() } }
      // It waits for what is kept, and is refused.
      #expect(store.commit([.put(row(1))])?.kind == .outOfSpace)
      #expect(store.waitingCount == 1)
      recording_fail(0)
      isKept.wait()
      #expect(store.commit([.put(row(2))]) == nil)
      #expect(store.waitingCount == 0)
      store.close()
      #expect(try directory.read().model.tasks == [TaskID(1): ended, TaskID(2): row(2)])
    }
  }

  @Test func `what is kept at the end is told to be lost`() throws {
    try Recording.use { system in
      let (store, _, _) = try directory.open(system: system)
      recording_fail(SQLITE_IOERR)
      let error = Locked<DatabaseError?>(nil)
      store.post([.put(row(1))], isKept: true) { found in error.withLock { $0 = found } }
      store.close()
      #expect(error.withLock { $0 } != nil)
      recording_fail(0)
      #expect(try directory.read().model == StoreModel())
    }
  }

  @Test func `a full disk refuses a new session, and leaves nothing that is taken for one`() throws {
    try Recording.use { system in
      recording_fail(SQLITE_FULL)
      let error = #expect(throws: StoreError.self) { try directory.open(system: system) }
      guard case .database(let found)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
      #expect(found.kind == .outOfSpace)
      recording_fail(0)
      let (store, model, _) = try directory.open(system: system)
      store.close()
      #expect(model == StoreModel())
    }
  }
}
