internal import DownloadCore

/// Names files by the URL to which redirects have led, or by the Content-Disposition field of the answer
/// (`--name-from`).
final class NamePolicy: EnginePolicy {
  private let settings: TargetSettings
  let kinds: Set<EngineQuestion.Kind> = [.name]

  /// - Parameter settings: for files that have none of their own.
  init(_ settings: TargetSettings) { self.settings = settings }

  func decision(on question: EngineQuestion) -> EngineDecision? {
    guard case .name(let file) = question else { return nil }
    switch settings.nameSource(for: file.request) {
    // Other policies may name it.
    case .url: return .accepted
    case .answer:
      return .named(file.contentDisposition.flatMap(ContentDisposition.fileName).flatMap(TargetName.fromServer))
    case .lastURL:
      if file.request.mirrors.contains(where: { $0.location == file.answer.location }) { return .named(nil) }
      return .named(TargetName.fromServer(TargetName.fromURLPath(file.answer.location.path)))
    }
  }

  func decide(_ question: EngineQuestion, number: Int, answer: @escaping @Sendable (EngineDecision) -> Void) {}
}
