import DownloadCore
import Glibc
import TestSupport

@testable import DownloadStore

/// What a store should have.
struct StoreModel: Equatable {
  var tasks: [TaskID: StoredTask] = [:]
  var groups: [String: StoredGroup] = [:]
  var session = StoredSession()
  var numbers = StoredNumbers()

  mutating func apply(_ changes: [StoreChange]) {
    for change in changes {
      switch change {
      case .put(let task), .add(let task):
        tasks[task.id] = task
        numbers.cover(task)
      case .edit(let id, let edits):
        for edit in edits { tasks[id]?.apply(edit) }
        if let task = tasks[id] { numbers.cover(task) }
      case .forget(let id): tasks[id] = nil
      case .putGroup(let group): groups[group.name] = group
      case .putSession(let session): self.session = session
      }
    }
  }
}

extension StoredTask {
  /// Without moves.
  fileprivate mutating func apply(_ edit: Edit) {
    switch edit {
    case .want(let want): if !isLeaving || want == .removedWithFile { self.want = want }
    case .group(let group): self.group = group
    case .priority(let priority): self.priority = priority
    case .move: break
    case .path(let path): self.path = path
    case .request(let request): self.request = request
    case .settings(let settings): self.settings = settings
    case .progress(let progress, let started):
      if end != nil { return }
      self.progress = progress
      if let started { self.started = started }
    case .settled(let end, let started):
      self.end = end
      progress = nil
      if let started { self.started = started }
      if !isLeaving { want = .run }
    case .unsettled:
      end = nil
      if !isLeaving { want = .run }
    }
  }
}

/// A session's directory in a temporary one.
struct StoreDirectory {
  let temporary: TemporaryDirectory
  var path: [UInt8] { Array(temporary.path("session").utf8) }

  init() throws { temporary = try TemporaryDirectory(in: "/dev/shm") }

  /// The store, what it has, and what came with it.
  func open(
    isMade: Bool = true, system: String = "unix-none"
  ) throws -> (store: SessionStore, model: StoreModel, content: SessionStore.Content) {
    var model = StoreModel()
    let (store, content) = try SessionStore.open(path, isMade: isMade, system: system) { model.tasks[$0.id] = $0 }
    model.session = content.session
    model.numbers = content.numbers
    for group in content.groups { model.groups[group.name] = group }
    return (store, model, content)
  }

  /// Opens, reads and closes.
  func read() throws -> (model: StoreModel, content: SessionStore.Content) {
    let (store, model, content) = try open(isMade: false)
    store.close()
    return (model, content)
  }

  func file(_ name: String) -> String { temporary.path("session/\(name)") }
}

extension SessionStore {
  /// Posts and waits for the answer.
  func commit(_ changes: [StoreChange]) -> DatabaseError? {
    let answer = Locked<DatabaseError?>(nil)
    let isAnswered = Gate()
    post(changes) { error in
      answer.withLock { $0 = error }
      isAnswered.open()
    }
    isAnswered.wait()
    return answer.withLock { $0 }
  }
}

/// A semaphore that is passed once it is open.
final class Gate: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func open() { sem_post(semaphore) }

  func wait() { while sem_wait(semaphore) != 0 {} }
}

extension SeededGenerator {
  mutating func text(_ longest: Int) -> String {
    let alphabet = Array("ab \"\\{}'%é漢\u{0}\n")
    return String(
      (0..<Int.random(in: 0...longest, using: &self)).map { _ in alphabet.randomElement(using: &self) ?? "x" })
  }

  mutating func end() -> StoredTask.StoredEnd {
    StoredTask.StoredEnd(
      kind: StoredTask.StoredEnd.Kind.allCases.randomElement(using: &self) ?? .failed,
      number: Int64.random(in: 1...1_000_000, using: &self), time: Int64.random(in: 0...(.max), using: &self),
      outcome: text(50))
  }

  mutating func want() -> StoredTask.Want { StoredTask.Want.allCases.randomElement(using: &self) ?? .run }

  mutating func edit() -> StoredTask.Edit {
    switch Int.random(in: 0..<9, using: &self) {
    case 0: .want(want())
    case 1: .group(text(8))
    case 2: .priority(Int64.random(in: -100...100, using: &self))
    case 3: .path([UInt8.random(in: 0...255, using: &self)])
    case 4: .request(text(300))
    case 5: .settings(text(30))
    case 6: .settled(end(), started: Bool.random(using: &self) ? 7 : nil)
    case 7: .progress(text(30), started: Bool.random(using: &self) ? 8 : nil)
    default: .unsettled
    }
  }

  mutating func row(_ id: TaskID) -> StoredTask {
    let end = Bool.random(using: &self) ? end() : nil
    return StoredTask(
      id: id, number: Int64(truncatingIfNeeded: id.number), key: Bool.random(using: &self) ? text(20) : nil,
      group: text(8), priority: Int64.random(in: -100...100, using: &self),
      rank: Int64.random(in: .min ... .max, using: &self),
      want: want(),
      path: (0..<Int.random(in: 0...40, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) },
      request: text(300), settings: text(30), added: Int64.random(in: 0...(.max), using: &self),
      started: Bool.random(using: &self) ? Int64.random(in: 0...(.max), using: &self) : nil, end: end,
      progress: end == nil && Bool.random(using: &self) ? text(30) : nil)
  }

  /// One to many changes, of tasks 1 to 40 and groups of short names.
  mutating func changes() -> [StoreChange] {
    (0..<Int.random(in: 1...12, using: &self)).map { _ in
      let id = TaskID(UInt64.random(in: 1...40, using: &self) | (Bool.random(using: &self) ? 1 << 63 : 0))
      switch Int.random(in: 0..<10, using: &self) {
      case 0: return .forget(id)
      case 1, 2:
        return .putGroup(
          StoredGroup(name: text(2), isPaused: Bool.random(using: &self), limits: text(20), settings: text(20)))
      case 3:
        var session = StoredSession()
        session.isPaused = Bool.random(using: &self)
        session.limits = text(20)
        session.settings = text(20)
        return .putSession(session)
      case 4...6: return .edit(id, (0..<Int.random(in: 1...3, using: &self)).map { _ in edit() })
      default: return .put(row(id))
      }
    }
  }
}
