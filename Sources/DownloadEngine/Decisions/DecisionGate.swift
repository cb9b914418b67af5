internal import DownloadCore

/// The questions about items that have no answer yet. An item has one at a time.
///
/// ask ──at once──► decision
///  └──► open ──answered, the next policy asked──► open ──answered──► decision
///         └──time limit──► undecided
///
/// Touched by the loop's thread. Answers come by `WorkerReply.decided`.
final class DecisionGate {
  private struct Open {
    let item: ItemHandle
    let question: EngineQuestion
    /// Index of the policy that is asked.
    let policy: Int
    let until: Instant
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
      lastNumber += 1
      let number = lastNumber
      open[number] = Open(
        item: item, question: question, policy: index, until: policy.timeLimit.map { now + $0 } ?? .distantFuture)
      policy.decide(question, number: number) { [replies] in replies.post(.decided(number: number, $0)) }
      return nil
    }
    return .accepted
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

  /// Gives up the questions whose answers are overdue.
  func takeOverdue(now: Instant) -> [(item: ItemHandle, question: EngineQuestion)] {
    if open.isEmpty { return [] }
    let overdue = open.filter { $0.value.until <= now }.sorted { $0.key < $1.key }
    for (number, known) in overdue {
      open[number] = nil
      policies[known.policy].forget(number: number)
    }
    return overdue.map { ($0.value.item, $0.value.question) }
  }
}
