internal import DownloadCore

/// The questions about items that have no answer yet. An item has one at a time.
///
/// ask ──at once──► decision
///  └──► open ──answered, the next policy asked──► open ──answered──► decision
///         ├──unanswered──► wait ──► asked again ... ──► undecided
///         └──time limit──► asked again ... ──► undecided
///
/// Touched by the loop's thread. Answers come by `WorkerReply.decided`.
final class DecisionGate {
  private struct Open {
    let item: ItemHandle
    let question: EngineQuestion
    /// Index of the policy that is asked.
    let policy: Int
    /// When an answer is overdue, or the question is asked again.
    let until: Instant
    /// How often it was asked.
    let tryCount: Int
    /// Whether it has no answer yet, and is to be asked again.
    var isWaiting = false
  }

  /// In the order in which they are asked: a file must be accepted by all, and the first names it.
  private let policies: [any EnginePolicy]
  private let kinds: Set<EngineQuestion.Kind>
  private let replies: Mailbox<WorkerReply>
  /// What is asked, or is to be asked again, about where tasks come from.
  var sources = SourceQuestions()
  private var open: [Int: Open] = [:]
  private var lastNumber = 0

  init(_ policies: [any EnginePolicy], replies: Mailbox<WorkerReply>) {
    self.policies = policies
    kinds = policies.reduce(into: []) { $0.formUnion($1.kinds) }
    self.replies = replies
  }

  func asks(_ kind: EngineQuestion.Kind) -> Bool { kinds.contains(kind) }

  /// Whether a task that servers have refused may begin again: a policy may name another source, and there was progress
  /// since it was asked for that.
  func mayRenew(_ task: TaskID, after refusal: Failure, doneByteCount: Int64) -> Bool {
    policies.contains { $0.mayRenew(after: refusal) }
      && sources.mayRenew(task, after: refusal, doneByteCount: doneByteCount)
  }

  /// When the earliest answer is overdue.
  var nextDeadline: Instant? { open.isEmpty ? nil : open.values.lazy.map(\.until).min() }

  /// Asks from where a task that is about to begin is fetched. Its request waits among the `sources` for an answer that
  /// comes later.
  func askSource(of request: FileRequest, _ item: ItemHandle, now: Instant) -> EngineDecision? {
    let file = UnbegunFile(request: request, refusal: sources.refusal(of: request.task))
    let decision = ask(.source(file), of: item, now: now)
    if decision == nil { sources.await(item, request) }
    return decision
  }

  /// - Parameter first: the index of the policy that is asked first.
  /// - Returns: nil if the answer comes later.
  func ask(_ question: EngineQuestion, of item: ItemHandle, from first: Int = 0, now: Instant) -> EngineDecision? {
    for index in policies.indices.dropFirst(first) where policies[index].kinds.contains(question.kind) {
      let policy = policies[index]
      if let decision = policy.decision(on: question) {
        if decision == .accepted { continue }
        return decision
      }
      pose(question, of: item, to: index, tryCount: 1, now: now)
      return nil
    }
    return .accepted
  }

  private func pose(_ question: EngineQuestion, of item: ItemHandle, to index: Int, tryCount: Int, now: Instant) {
    let policy = policies[index]
    lastNumber += 1
    let number = lastNumber
    open[number] = Open(
      item: item, question: question, policy: index, until: policy.timeLimit.map { now + $0 } ?? .distantFuture,
      tryCount: tryCount)
    policy.decide(question, number: number) { [replies] in replies.post(.decided(number: number, $0)) }
  }

  /// An answer has come.
  ///
  /// - Parameters:
  ///   - retries: how often an item's question is asked, and how long it waits in between.
  ///   - random: in 0..<1.
  /// - Returns: nil if it is not waited for, another policy is asked now, or the question is asked again later.
  func answered(
    _ number: Int, _ decision: EngineDecision, now: Instant, retries: (ItemHandle) -> Retries, random: Double
  ) -> (item: ItemHandle, decision: EngineDecision, question: EngineQuestion)? {
    guard let known = open[number], !known.isWaiting else { return nil }
    open[number] = nil
    if case .unanswered(let error) = decision {
      let retries = retries(known.item)
      guard known.tryCount < retries.tries else { return (known.item, .undecided(error), known.question) }
      open[number] = Open(
        item: known.item, question: known.question, policy: known.policy,
        until: now + retries.backoff(failures: known.tryCount, random: random), tryCount: known.tryCount,
        isWaiting: true)
      return nil
    }
    guard decision == .accepted else { return (known.item, decision, known.question) }
    return ask(known.question, of: known.item, from: known.policy + 1, now: now).map {
      (known.item, $0, known.question)
    }
  }

  /// Nobody is asked any more from where the item is to be fetched.
  func forgetSource(of item: ItemHandle) {
    if sources.take(item) != nil { forget(item) }
  }

  /// Nothing is asked about the item any more.
  func forget(_ item: ItemHandle) {
    for (number, known) in open where known.item == item {
      open[number] = nil
      if !known.isWaiting { policies[known.policy].forget(number: number) }
    }
  }

  /// The engine ends: nothing is asked any more.
  func forgetAll() {
    for (number, known) in open where !known.isWaiting { policies[known.policy].forget(number: number) }
    open = [:]
  }

  /// Asks again what was not answered in time, or what has waited for that.
  ///
  /// - Parameter retries: how often an item's question is asked.
  /// - Returns: the questions that are given up.
  func takeOverdue(now: Instant, retries: (ItemHandle) -> Retries) -> [(item: ItemHandle, question: EngineQuestion)] {
    if open.isEmpty { return [] }
    var givenUp: [(item: ItemHandle, question: EngineQuestion)] = []
    for (number, known) in open.filter({ $0.value.until <= now }).sorted(by: { $0.key < $1.key }) {
      open[number] = nil
      if !known.isWaiting { policies[known.policy].forget(number: number) }
      if known.isWaiting || known.tryCount < retries(known.item).tries {
        pose(known.question, of: known.item, to: known.policy, tryCount: known.tryCount + 1, now: now)
      } else {
        givenUp.append((known.item, known.question))
      }
    }
    return givenUp
  }
}
