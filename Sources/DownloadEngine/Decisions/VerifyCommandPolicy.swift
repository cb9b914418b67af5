internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Has complete files judged by their commands (`--verify-command`): a few at a time, and as long as it takes.
final class VerifyCommandPolicy: EnginePolicy {
  private let queue = JudgementQueue()
  private let runner: ChildRunner<JudgementQueue>
  /// Whether the runner has its thread.
  private let isRunning = Lock(false)

  let kinds: Set<EngineQuestion.Kind> = [.validate]
  let timeLimit: Duration? = nil

  init() { runner = ChildRunner(queue, timeLimit: nil) }

  func decision(on question: EngineQuestion) -> EngineDecision? {
    guard case .validate(let file) = question, file.command == nil else { return nil }
    return .accepted
  }

  func decide(_ question: EngineQuestion, number: Int, answer: @escaping @Sendable (EngineDecision) -> Void) {
    guard case .validate(let file) = question, let command = file.command else { return }
    let isStarted = isRunning.withLock { isRunning in
      if !isRunning { isRunning = runner.start() }
      return isRunning
    }
    guard isStarted else { return answer(.undecided(Failure(.threadsUnavailable))) }
    let path = DirectoryHandle.joined(command.placed.directory, file.path)
    let program = command.placed.program
    queue.add(number, command.command(path: path, url: file.url, byteCount: file.byteCount)) { end in
      answer(Self.decision(end, program: program))
    }
    runner.add()
  }

  private static func decision(_ end: ChildEnd, program: [UInt8]) -> EngineDecision {
    switch end {
    case .exited(status: 0): .accepted
    case .notStarted, .cancelled: .undecided(Failure(.unjudged(program: program, end)))
    case .exited, .killed, .timedOut: .rejected(Failure(.rejected(end)))
    }
  }

  func forget(number: Int) { if !queue.remove(number) { runner.cancel(number) } }

  /// Ends what runs, and waits for that; less than a second once there is an order to save.
  func stop(hearing inbox: EngineInbox) {
    guard isRunning.withLock({ $0 }) else { return }
    runner.dropWaiting()
    runner.cancelAll()
    if !runner.waitUntilIdle(by: { inbox.wait(for: $0, onceSaving: Self.patience) }) {
      runner.cancelAll(patience: .zero)
      _ = runner.waitUntilIdle { inbox.wait(for: $0, until: Clock.now() + Self.patience) }
    }
    runner.end()
  }

  /// How long a command may take to end once there is an order to save, before and after it is killed.
  private static let patience = Duration.milliseconds(150)
}

/// Commands that judge files, by the numbers of the questions. It is filled by the loop's thread and emptied by the
/// runner's.
final class JudgementQueue: ChildSource {
  private struct State {
    var waiting: [(tag: Int, command: ChildCommand)] = []
    var answers: [Int: @Sendable (ChildEnd) -> Void] = [:]
  }

  private let state = Lock(State())

  func add(_ number: Int, _ command: ChildCommand, answer: @escaping @Sendable (ChildEnd) -> Void) {
    state.withLock {
      $0.waiting.append((number, command))
      $0.answers[number] = answer
    }
  }

  /// - Returns: whether it was still waiting.
  func remove(_ number: Int) -> Bool {
    state.withLock { state in
      let count = state.waiting.count
      state.waiting.removeAll { $0.tag == number }
      guard state.waiting.count < count else { return false }
      state.answers[number] = nil
      return true
    }
  }

  func next() -> (tag: Int, command: ChildCommand)? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  func ended(_ number: Int, _ end: ChildEnd) {
    let answer = state.withLock { $0.answers.removeValue(forKey: number) }
    answer?(end)
  }

  func dropped(_ count: Int) {}
}
