internal import DownloadCore
internal import DownloadWords

/// The sentences of failures.
enum FailureWords {
  /// That of the command, unless it names a command or a run: a program has neither.
  static func message(_ cause: Failure.Cause) -> String {
    switch cause {
    case .targetTaken(by: .otherRequest): "another file of this session has this name"
    case .rejected: "the file was rejected"
    case .changedByJudge: "the file was changed while it was validated"
    case .unjudged, .undecided: "a question about the file was not answered"
    case .streamUnjudged: "a stream cannot be validated"
    case .runDeadline, .signal: "the session was stopped"
    default: Failure(cause).message(in: .library)
    }
  }
}
