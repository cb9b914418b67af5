internal import DownloadCore
internal import DownloadEngine
internal import DownloadTransport

/// Asks the caller's closures what the engine wants to know. Each question is a Swift task of its own.
final class PolicyBridge: EnginePolicy {
  private let policy: DownloadPolicy
  private let asked = Lock<[Int: Task<Void, Never>]>([:])
  /// What a session knows of a task; nil for nothing.
  let snapshot = Lock<(@Sendable (TaskID) -> DownloadTaskSnapshot?)?>(nil)
  let kinds: Set<EngineQuestion.Kind>
  let timeLimit: Duration?

  /// Nil for a policy that decides nothing.
  init?(_ policy: DownloadPolicy) {
    var kinds: Set<EngineQuestion.Kind> = []
    if policy.source != nil || policy.credential != nil { kinds.insert(.source) }
    if policy.accepts != nil { kinds.insert(.accept) }
    if policy.validate != nil { kinds.insert(.validate) }
    if policy.name != nil { kinds.insert(.name) }
    guard !kinds.isEmpty else { return nil }
    self.policy = policy
    self.kinds = kinds
    timeLimit = policy.timeLimit
  }

  /// Whether answers name files.
  var names: Bool { kinds.contains(.name) }

  func decision(on question: EngineQuestion) -> EngineDecision? {
    guard case .source(let file) = question, file.refusal == nil, policy.source == nil else { return nil }
    return .accepted
  }

  func mayRenew(after refusal: Failure) -> Bool {
    switch refusal.code {
    case .authentication: true
    case .serverRefused: policy.source != nil
    default: false
    }
  }

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
      case .source(let file): return try await source(of: file)
      case .accept(let file): return try await acceptance(of: file)
      case .validate(let file):
        guard let validate = policy.validate else { return .accepted }
        switch try await validate(UnpublishedDownload(file)) {
        case .accept: return .accepted
        case .reject(let reason):
          return .rejected(Failure(.integrity, "rejected: \(reason)"))
        }
      case .name(let file):
        guard let name = policy.name else { return .named(nil) }
        guard let text = try await name(UnnamedDownload(file)) else { return .named(nil) }
        guard let made = TargetName.fromServer(Array(text.utf8)) else {
          return .undecided(Failure(.usage, "'\(text)' is no name for a file"))
        }
        return .named(made)
      }
    } catch let error as DownloadError where error.code == .invalidRequest || error.code == .invalidValue {
      return .undecided(Failure(.usage, "the policy failed: \(error.message)"))
    } catch {
      return .unanswered(Failure(.localIO, "the policy failed: \(error)"))
    }
  }

  // MARK: Answers

  private func acceptance(of file: AnsweredFile) async throws -> EngineDecision {
    guard let accepts = policy.accepts else { return .accepted }
    guard let snapshot = snapshot.withLock({ $0 })?(file.request.task) else {
      return .undecided(Failure(.undecided))
    }
    if try await accepts(ResponseHead(file.answer), snapshot) { return .accepted }
    return .rejected(
      Failure(.serverRefused, "the policy does not accept the answer, whose status is \(file.answer.status)"))
  }

  // MARK: Sources

  private func source(of file: UnbegunFile) async throws -> EngineDecision {
    let task = file.request.task
    guard let snapshot = snapshot.withLock({ $0 })?(task) else { return .accepted }
    let refusal = file.refusal.map {
      DownloadError($0, of: task, url: file.request.mirrors[0].location, path: snapshot.path, status: nil)
    }
    var request = file.request
    if let refusal, refusal.code == .authentication, let credential = policy.credential,
      let answer = try await credential(DownloadPolicy.Challenge(task: snapshot, refusal: refusal))
    {
      try RequestChecker.add(answer, to: &request)
      return .use(request)
    }
    if let source = policy.source, let answer = try await source(snapshot, refusal) {
      try RequestChecker.use(answer.url, answer.headers, in: &request)
      return .use(request)
    }
    return file.refusal.map { .rejected($0) } ?? .accepted
  }
}
