/// Which commands run: in order, at most a few at once, and none for longer than its time.
///
/// ```
/// waiting ──start──► running ──time is over, cancelled──► asked ──patience is over──► killed ──patience is over──► given up
///                       └────────────────────────ended────┴──────────────────────────────┘
/// ```
package struct ChildMachine: Sendable {
  package enum Action: Hashable, Sendable {
    /// Start the next command that waits, under this number. `ended` follows, also if it cannot be started.
    case start(Int)
    /// Ask the command and its children to end (SIGTERM).
    case askToEnd(Int)
    /// End the command and its children (SIGKILL).
    case kill(Int)
    /// Not even that has ended the command: nobody waits for it any more. It counts as ended.
    case giveUp(Int)
  }

  /// Why a command ended.
  package enum Cause: Hashable, Sendable { case itself, timeLimit, cancelled }

  private enum Stage {
    case running(until: Instant)
    case asked(Cause, until: Instant)
    case killed(Cause, until: Instant)
  }

  /// Commands that run at the same time.
  package static let most = 4
  /// How long a command may take to end after it was asked to, and after it was killed.
  package static let patience = Duration.seconds(5)

  private let timeLimit: Duration?
  private var stages: [Int: Stage] = [:]
  private var nextNumber = 0
  package private(set) var waitingCount = 0

  /// - Parameter timeLimit: for each command; nil is unlimited.
  package init(timeLimit: Duration?) { self.timeLimit = timeLimit }

  /// Whether nothing runs or waits.
  package var isIdle: Bool { stages.isEmpty && waitingCount == 0 }

  /// The latest time for the next `ticked`.
  package var nextDeadline: Instant {
    stages.values.reduce(.distantFuture) { earliest, stage in
      switch stage {
      case .running(let until), .asked(_, let until), .killed(_, let until): min(earliest, until)
      }
    }
  }

  /// Further commands wait.
  package mutating func added(_ count: Int, now: Instant, _ actions: inout [Action]) {
    waitingCount += count
    fill(now: now, &actions)
  }

  /// A command has ended, or could not be started.
  ///
  /// - Returns: why; nil if that was told before.
  package mutating func ended(_ number: Int, now: Instant, _ actions: inout [Action]) -> Cause? {
    guard let stage = stages.removeValue(forKey: number) else { return nil }
    fill(now: now, &actions)
    switch stage {
    case .running: return .itself
    case .asked(let cause, _), .killed(let cause, _): return cause
    }
  }

  package mutating func ticked(now: Instant, _ actions: inout [Action]) {
    for (number, stage) in stages.sorted(by: { $0.key < $1.key }) {
      switch stage {
      case .running(let until): if now >= until { ask(number, .timeLimit, now: now, &actions) }
      case .asked(let cause, let until):
        guard now >= until else { continue }
        stages[number] = .killed(cause, until: now + Self.patience)
        actions.append(.kill(number))
      case .killed(_, let until):
        // The driver answers with `ended`.
        if now >= until { actions.append(.giveUp(number)) }
      }
    }
  }

  /// Nothing that waits is started any more.
  ///
  /// - Returns: how much waited.
  package mutating func dropWaiting() -> Int {
    defer { waitingCount = 0 }
    return waitingCount
  }

  /// The command is not wanted any more.
  package mutating func cancel(_ number: Int, now: Instant, _ actions: inout [Action]) {
    if case .running? = stages[number] { ask(number, .cancelled, now: now, &actions) }
  }

  /// No running command is wanted any more.
  ///
  /// - Parameter patience: how long one may take to end, also if it was asked to before.
  package mutating func cancelAll(patience: Duration = patience, now: Instant, _ actions: inout [Action]) {
    for number in stages.keys.sorted() {
      switch stages[number] {
      case .running?: ask(number, .cancelled, patience: patience, now: now, &actions)
      case .asked(let cause, let until)?: stages[number] = .asked(cause, until: min(until, now + patience))
      case .killed?, nil: break
      }
    }
  }

  private mutating func ask(
    _ number: Int, _ cause: Cause, patience: Duration = patience, now: Instant, _ actions: inout [Action]
  ) {
    stages[number] = .asked(cause, until: now + patience)
    actions.append(.askToEnd(number))
  }

  private mutating func fill(now: Instant, _ actions: inout [Action]) {
    while waitingCount > 0, stages.count < Self.most {
      waitingCount -= 1
      stages[nextNumber] = .running(until: timeLimit.map { now + $0 } ?? .distantFuture)
      actions.append(.start(nextNumber))
      nextNumber += 1
    }
  }
}
