internal import DownloadCore

/// The questions about items that have no answer yet. An item has one at a time.
///
/// ask ──at once──► decision
///  └──► open ──answered, the next policy asked──► open ──answered──► decision
///         └──time limit──► asked again ... ──► undecided
///
/// Touched by the loop's thread. Answers come by `WorkerReply.decided`.
final class DecisionGate {
  private struct Open {
    let item: ItemHandle
    let question: EngineQuestion
    /// Index of the policy that is asked.
    let policy: Int
    let until: Instant
    /// How often it was asked.
    let tryCount: Int
  }

  /// In the order in which they are asked: a file must be accepted by all, and the first names it.
  private let policies: [any EnginePolicy]
  private let replies: Mailbox<WorkerReply>
  private var open: [Int: Open] = [:]
  private var lastNumber = 0

  init(_ policies: [any EnginePolicy], replies: Mailbox<WorkerReply>) {
    self.policies = policies
    self.replies = replies
  }

  func asks(_ kind: EngineQuestion.Kind) -> Bool { policies.contains { $0.kinds.contains(kind) } }

  /// Whether a file that servers have refused may begin again, with another source.
  func mayRenew(after refusal: Failure) -> Bool { policies.contains { $0.mayRenew(after: refusal) } }

  /// When the earliest answer is overdue.
  var nextDeadline: Instant? { open.isEmpty ? nil : open.values.lazy.map(\.until).min() }

  /// - Returns: nil if the answer comes later.
  func ask(_ question: EngineQuestion, of item: ItemHandle, now: Instant) -> EngineDecision? {
    ask(question, of: item, from: 0, now: now)
  }

  private func ask(_ question: EngineQuestion, of item: ItemHandle, from first: Int, now: Instant) -> EngineDecision? {
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
  /// - Returns: nil if it is not waited for, or another policy is asked now.
  func answered(
    _ number: Int, _ decision: EngineDecision, now: Instant
  ) -> (item: ItemHandle, decision: EngineDecision, question: EngineQuestion)? {
    guard let known = open.removeValue(forKey: number) else { return nil }
    guard decision == .accepted else { return (known.item, decision, known.question) }
    return ask(known.question, of: known.item, from: known.policy + 1, now: now).map {
      (known.item, $0, known.question)
    }
  }

  /// Nothing is asked about the item any more.
  func forget(_ item: ItemHandle) {
    for (number, known) in open where known.item == item {
      open[number] = nil
      policies[known.policy].forget(number: number)
    }
  }

  /// Asks again what was not answered in time.
  ///
  /// - Parameter tries: how often an item's question is asked, at least once.
  /// - Returns: the questions that are given up.
  func takeOverdue(now: Instant, tries: (ItemHandle) -> Int) -> [(item: ItemHandle, question: EngineQuestion)] {
    if open.isEmpty { return [] }
    var givenUp: [(item: ItemHandle, question: EngineQuestion)] = []
    for (number, known) in open.filter({ $0.value.until <= now }).sorted(by: { $0.key < $1.key }) {
      open[number] = nil
      policies[known.policy].forget(number: number)
      if known.tryCount < tries(known.item) {
        pose(known.question, of: known.item, to: known.policy, tryCount: known.tryCount + 1, now: now)
      } else {
        givenUp.append((known.item, known.question))
      }
    }
    return givenUp
  }
}
