internal import DownloadCore

/// What the session makes of the engine's answer to a command.
enum AnswerMeaning: Sendable {
  case nothing
  case change(TaskChange, TaskID)
  case flag(isPaused: Bool, GroupID?)
  /// The task has this name if the engine has renamed its files.
  case rename(TaskRecord)
}
