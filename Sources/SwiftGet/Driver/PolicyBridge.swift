internal import DownloadCore
internal import DownloadEngine

/// Asks the caller's closures what the engine wants to know. Each question is a Swift task of its own.
final class PolicyBridge: EnginePolicy {
  private let policy: DownloadPolicy
  private let asked = Lock<[Int: Task<Void, Never>]>([:])
  let kinds: Set<EngineQuestion.Kind>
  let timeLimit: Duration?

  /// Nil for a policy that decides nothing.
  init?(_ policy: DownloadPolicy) {
    var kinds: Set<EngineQuestion.Kind> = []
    if policy.validate != nil { kinds.insert(.validate) }
    if policy.name != nil { kinds.insert(.name) }
    guard !kinds.isEmpty else { return nil }
    self.policy = policy
    self.kinds = kinds
    timeLimit = policy.timeLimit
  }

  /// Whether answers name files.
  var names: Bool { kinds.contains(.name) }

  func decide(_ question: EngineQuestion, number: Int, answer: @escaping @Sendable (EngineDecision) -> Void) {
    // The entry is there before the task can remove it.
    asked.withLock { asked in
      asked[number] = Task { [weak self] in
        guard let self else { return answer(.undecided(Failure(.undecided))) }
        answer(await decision(question))
        _ = self.asked.withLock { $0.removeValue(forKey: number) }
      }
    }
  }

  func forget(number: Int) { asked.withLock { $0.removeValue(forKey: number) }?.cancel() }

  private func decision(_ question: EngineQuestion) async -> EngineDecision {
    do {
      switch question {
      case .validate(let file):
        guard let validate = policy.validate else { return .accepted }
        switch try await validate(UnpublishedDownload(file)) {
        case .accept: return .accepted
        case .reject(let reason):
          return .rejected(Failure(.worded(.integrity, message: "rejected: \(reason)", hint: nil)))
        }
      case .name(let file):
        guard let name = policy.name else { return .named(nil) }
        guard let text = try await name(UnnamedDownload(file)) else { return .named(nil) }
        guard let made = TargetName.fromServer(Array(text.utf8)) else {
          return .undecided(Failure(.worded(.usage, message: "'\(text)' is no name for a file", hint: nil)))
        }
        return .named(made)
      }
    } catch {
      return .undecided(Failure(.worded(.localIO, message: "the policy failed: \(error)", hint: nil)))
    }
  }
}
