internal import DownloadCore
internal import DownloadEngine

/// What one call wants of the engine, and what its answers change in the state.
struct SessionOrder: Sendable {
  /// The meaning of an answer.
  enum Meaning: Sendable {
    case nothing
    case change(TaskChange, TaskID)
    case flag(isPaused: Bool, GroupID?)
  }

  private(set) var commands: [EngineCommand] = []
  private(set) var meanings: [Meaning] = []
  /// What is known before the engine answers.
  var effect = CommandEffect()
  /// Of a `remove`.
  var leaving = Leaving.keepingFile

  mutating func append(_ command: EngineCommand, _ meaning: Meaning = .nothing) {
    commands.append(command)
    meanings.append(meaning)
  }

  mutating func append(_ change: TaskChange, _ task: TaskID) {
    append(.change(change, .task(task)), .change(change, task))
  }

  /// - Parameter form: of `SessionState.add`.
  /// - Parameter isExisting: whether the answers change the state; a new task is in it as wanted.
  mutating func append(_ form: SessionState.EngineCommandForm, isExisting: Bool) {
    func both(_ change: TaskChange, _ task: TaskID) {
      append(.change(change, .task(task)), isExisting ? .change(change, task) : .nothing)
    }
    switch form {
    case .add(let file): append(.add(file))
    case .replace(let file): append(.replace(file))
    case .pause(let task): both(.pause, task)
    case .resume(let task): both(.resume, task)
    case .retry(let task): both(.retry, task)
    }
  }

  /// Whether the state has to hear of the answers.
  var hasMeaning: Bool {
    meanings.contains { if case .nothing = $0 { false } else { true } }
  }

  /// The engine has obeyed.
  mutating func apply(
    _ answers: [EngineAnswer], to state: inout SessionState, _ moment: Moment, _ effects: inout StateEffects
  ) {
    for (meaning, answer) in zip(meanings, answers) {
      guard case .counts(let counts) = answer else { continue }
      switch meaning {
      case .nothing: break
      case .change(let change, let task):
        state.obeyed(change, task, counts, &effect, leaving: leaving, moment, &effects)
      case .flag(let isPaused, let group): state.obeyedFlag(isPaused, of: group, counts, &effect, moment, &effects)
      }
    }
  }
}
