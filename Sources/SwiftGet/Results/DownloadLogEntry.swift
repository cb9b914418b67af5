internal import DownloadCore
internal import DownloadEngine
internal import DownloadWords

/// Something of note that a session has met, for people. It shows no secrets.
public struct DownloadLogEntry: Hashable, Sendable {
  /// How much it matters.
  public enum Level: String, Hashable, Sendable, CaseIterable {
    /// What is done and why.
    case detail
    /// What is of interest.
    case note
    /// What may be wrong.
    case warning
    /// A task has failed.
    case error
  }

  /// How much it matters.
  public let level: Level
  /// In English, without the name of the file.
  public let message: String
  /// Nil for what concerns no single task.
  public let task: DownloadTaskID?

  /// - Returns: nil for what is of no note.
  init?(_ event: EngineEvent) {
    switch event {
    case .noticed(let notice):
      level =
        switch notice.level {
        case .detail: .detail
        case .note: .note
        case .warning: .warning
        }
      message = Redaction.words(NoticeMessages.text(notice.remark, in: .library))
      task = notice.task.map { DownloadTaskID($0) }
    case .ended(let outcome):
      guard case .failed(let error) = outcome.result else { return nil }
      level = .error
      message = Redaction.words(FailureWords.message(error.cause))
      task = DownloadTaskID(outcome.task)
    case .started, .progressed, .status: return nil
    }
  }
}
