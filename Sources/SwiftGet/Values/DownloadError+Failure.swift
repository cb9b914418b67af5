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
    let (code, cause) = (Code(failure.code), Cause(failure.cause, status))
    var errno: Int32?
    if case .systemCall(_, let number)? = cause { errno = number }
    var status = status
    if case .status(let code)? = cause { status = code }
    self.init(
      Fields(
        code: code, cause: cause, message: FailureWords.message(failure.cause), url: url?.withoutQuery, path: path,
        task: task.map { DownloadTaskID($0) }, httpStatus: status, errno: errno,
        isRetryable: code.isTransient))
  }
}

extension DownloadError.Cause {
  /// - Parameter status: of the last answer.
  fileprivate init?(_ cause: Failure.Cause, _ status: Int?) {
    switch cause {
    case .local(let local): self = .systemCall(local.call, errno: local.errno)
    case .spaceShort(let needed, _, let space): self = .noSpace(needed: needed, free: space.free)
    case .spaceExhausted(let space): self = .noSpace(needed: nil, free: space.free)
    case .mismatch(let mismatch, _), .outputMismatch(let mismatch):
      self = .checksumMismatch(expected: FileChecksum(mismatch.expected), found: FileChecksum(mismatch.actual))
    case .locked(let process): self = .heldTarget(process: process)
    case .transfer(let fault, _, _, _):
      guard let status = fault.status(lastAnswer: status) else { return nil }
      self = .status(status)
    default: return nil
    }
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
