internal import DownloadEngine

/// What a download would do with a file, in a word.
enum PlannedAction: String, CaseIterable {
  /// It is there.
  case skip
  /// It is there, and is hashed first.
  case check
  /// The server's answer decides.
  case ask
  case resume
  case fetch
  /// It is fetched, and replaces what has its name.
  case replace
  case refuse

  init(_ start: PlannedStart) {
    self =
      switch start {
      case .keep: .skip
      case .hash: .check
      case .compareLength, .update, .askName: .ask
      case .resume: .resume
      case .download(let isReplacing, _): isReplacing ? .replace : .fetch
      case .stream: .fetch
      case .refuse: .refuse
      }
  }
}
