internal import DownloadCore
internal import DownloadEngine
internal import DownloadStore

/// What one call wants of the engine and the store, and what its answers change in the state.
struct SessionOrder: Sendable {
  /// What the call gets.
  struct Reply: Sendable {
    /// At first what is known before the engine answers.
    var effect = CommandEffect()
    /// Of an `add`.
    var added: [Result<AddedTask, DownloadError>] = []
    /// What the engine says of `order`.
    fileprivate(set) var places = QueuePlaces()
    /// What the engine says of `describe`.
    fileprivate(set) var descriptions: [TaskDescription] = []
    /// Whether a task is not renamed only because its files are not closed yet.
    fileprivate(set) var isClosing = false
  }

  private(set) var commands: [EngineCommand] = []
  private(set) var meanings: [AnswerMeaning] = []
  /// Of tasks that the engine holds back, whatever their own flags are.
  private var direct: [(change: TaskChange, task: TaskID)] = []
  var stored = StoreOrder()
  var reply = Reply()
  /// Whether the call is answered before the engine has obeyed, if no answer changes the state.
  var isEarly = false
  /// Tasks of which those hear that follow the session, whatever the engine says.
  var news: [TaskID] = []
  /// Whether flags, limits or settings of the session or a group change.
  private var changesSession = false
  /// The task under the name that it is to have.
  private(set) var renamed: TaskRecord?
  /// Of a `remove`.
  var leaving = Leaving.keepingFile

  mutating func append(_ command: EngineCommand, _ meaning: AnswerMeaning = .nothing) {
    commands.append(command)
    meanings.append(meaning)
  }

  mutating func append(_ change: TaskChange, _ task: TaskID, in state: SessionState) {
    if let row = state.storedEdits(of: change, on: task, leaving: leaving) { stored.rows.append(row) }
    if let record = state.records[task], !record.needs.isEmpty {
      switch change {
      case .pause where !record.isSettled, .resume where !record.isSettled: return direct.append((change, task))
      case .retry where !record.isSettled: return reply.effect.unchanged += 1
      case .retry, .resume:
        append(.change(change, .task(task)), .change(change, task))
        return append(.change(.pause, .task(task)))
      default: break
      }
    }
    append(.change(change, .task(task)), .change(change, task))
  }

  /// A flag of a group, or of the session with nil.
  mutating func append(isPaused: Bool, of group: GroupID?, in state: SessionState) {
    if state.storage != nil {
      var rules = state.groups[rules: group]
      rules.isPaused = isPaused
      stored.rows.append(state.groups.row(of: group, rules))
    }
    let staysPaused = group == nil && state.storage?.isIdle == true
    append(
      .change(isPaused || staysPaused ? .pause : .resume, group.map { .group($0) } ?? .all),
      .flag(isPaused: isPaused, group))
  }

  /// - Parameter addition: of `SessionState.add`, after it.
  mutating func append(_ addition: SessionState.Addition, in state: SessionState) {
    let id = addition.added.id
    news.append(id)
    let first = meanings.count
    for (command, meaning) in addition.commands { append(command, meaning) }
    guard state.storage != nil else { return }
    guard let before = addition.before else {
      if let row = state.storedTask(id, addition.texts, added: Moment.current.wall) { stored.rows.append(.add(row)) }
      stored.add { _ = $0.forget(id) }
      return
    }
    if let row = state.storedRequest(of: id) { stored.rows.append(row) }
    for case .change(let change, _) in meanings[first...] {
      if let row = state.storedEdits(of: change, on: id, leaving: .keepingFile) { stored.rows.append(row) }
    }
    stored.add(undoTo: before)
  }

  /// The state changes when the engine has done it: until then the task may begin under its name.
  mutating func rename(_ file: FileRequest, _ record: TaskRecord, as new: TaskRecord) {
    let old = record.path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    renamed = new
    append(.rename(file, from: old, placed: record.placed), .rename(new))
  }

  /// Settings and limits of a group have changed, or those of the session with nil.
  mutating func store(_ group: GroupID?, of state: SessionState, _ undo: @escaping StoreOrder.Undo) {
    if state.storage != nil { stored.rows.append(state.groups.row(of: group, state.groups[rules: group])) }
    changesSession = true
    stored.add(undo: undo)
  }

  /// Whether the state has to hear of the answers.
  var hasMeaning: Bool {
    meanings.contains { if case .nothing = $0 { false } else { true } }
  }

  /// The order is committed, if it has to be, and goes to the engine.
  mutating func begin(in state: inout SessionState, _ moment: Moment, _ effects: inout StateEffects) {
    for (change, task) in direct {
      var answer = QueueAnswer()
      let isPaused = change == .pause
      if state.records[task]?.isPaused == isPaused { answer.unchangedCount = 1 } else { answer.changedCount = 1 }
      state.obeyed(change, task, answer, &reply.effect, moment, &effects)
    }
    direct = []
    for id in news { if let record = state.records[id] { state.tellChange(of: record, &effects) } }
    if changesSession { state.tellSession(&effects) }
  }

  /// The engine has obeyed.
  mutating func apply(
    _ answers: [EngineAnswer], to state: inout SessionState, _ moment: Moment, _ effects: inout StateEffects
  ) {
    for (meaning, answer) in zip(meanings, answers) {
      if case .order(let tasks) = answer { reply.places = QueuePlaces(tasks) }
      if case .descriptions(let found) = answer { reply.descriptions += found }
      if case .rename(let new) = meaning {
        reply.isClosing = answer == .closing
        if let error = state.renamed(new, answer, &effects) {
          reply.effect.changed -= 1
          reply.effect.changedTasks.removeAll { $0 == new.id }
          reply.effect.failures.append(error)
        }
      }
      guard case .counts(let counts) = answer else { continue }
      switch meaning {
      case .nothing, .rename: break
      case .change(let change, let task):
        state.obeyed(change, task, counts, &reply.effect, leaving: leaving, moment, &effects)
      case .flag(let isPaused, let group):
        state.obeyedFlag(isPaused, of: group, counts, &reply.effect, moment, &effects)
      }
    }
  }
}
