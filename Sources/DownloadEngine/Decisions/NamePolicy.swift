internal import DownloadCore

/// Names files by the URL to which redirects have led, or by the Content-Disposition field of the answer
/// (`--name-from`).
final class NamePolicy: EnginePolicy {
  private let source: TargetSettings.NameSource
  let kinds: Set<EngineQuestion.Kind> = [.name]

  /// Nil where no answer names files.
  init?(_ settings: RunSettings) {
    guard settings.target.takesSuggestedNames else { return nil }
    source = settings.target.nameSource
  }

  func decision(on question: EngineQuestion) -> EngineDecision? {
    guard case .name(let file) = question else { return nil }
    switch source {
    case .url: return .named(nil)
    case .answer:
      return .named(file.contentDisposition.flatMap(ContentDisposition.fileName).flatMap(TargetName.fromServer))
    case .lastURL:
      if file.request.mirrors.contains(where: { $0.location == file.location }) { return .named(nil) }
      return .named(TargetName.fromServer(TargetName.fromURLPath(file.location.path)))
    }
  }

  func decide(_ question: EngineQuestion, number: Int, answer: @escaping @Sendable (EngineDecision) -> Void) {}
}
