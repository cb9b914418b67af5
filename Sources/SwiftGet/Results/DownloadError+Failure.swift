internal import DownloadCore
internal import DownloadWords
internal import Glibc

/// What the engine's failures are for the caller.
extension DownloadError {
  /// A system call on the caller's own file failed.
  init(cannot operation: String, _ path: String, _ errno: Int32) {
    self.init(
      Fields(
        code: errno == ENOSPC || errno == EDQUOT ? .diskFull : .localIO,
        message: "cannot \(operation) the file: \(SystemMessages.reason(errno))", path: path, errno: errno,
        isRetryable: false))
  }

  /// - Parameters:
  ///   - status: of the answer that decided, if one did.
  ///   - isSaved: whether bytes of the file are kept.
  init(_ failure: Failure, of task: TaskID?, url: Location?, path: String?, status: Int?) {
    var errno: Int32?
    if case .local(let local) = failure.cause { errno = local.errno }
    let code = Code(failure.code)
    self.init(
      Fields(
        code: code, message: FailureWords.message(failure.cause), url: url?.withoutQuery, path: path,
        task: task.map { DownloadTask.ID($0) }, httpStatus: status, errno: errno,
        isRetryable: code.isTransient))
  }
}

extension DownloadError.Code {
  init(_ code: FailureCode) {
    self =
      switch code {
      case .usage: .invalidRequest
      case .localIO: .localIO
      case .diskFull: .diskFull
      case .network: .unreachable
      case .tls: .tls
      case .authentication: .authentication
      case .protocolViolation: .protocolViolation
      case .serverRefused: .refused
      case .integrity: .integrity
      case .locked: .busy
      case .deadline: .timedOut
      case .interrupted: .sessionClosed
      case .other: .other
      }
  }

  fileprivate var isTransient: Bool {
    switch self {
    case .diskFull, .unreachable, .busy, .timedOut: true
    default: false
    }
  }
}
