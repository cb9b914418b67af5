/// Why a file failed, or a command.
public struct DownloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The request is wrong: its URL, name, checksum, key or a header.
    case invalidRequest
    /// A local file, directory or device failed.
    case localIO
    /// No space is left.
    case diskFull
    /// No usable answer within the allowed tries.
    case unreachable
    /// The server's certificate, or the TLS connection, cannot be trusted.
    case tls
    /// The server or a proxy wants other credentials.
    case authentication
    /// The server broke the protocol.
    case protocolViolation
    /// The server refused the request (404 and the like).
    case refused
    /// The content is not what it should be: checksum, size or version, or the caller has rejected it.
    case integrity
    /// Another process or session works on the file.
    case busy
    /// The file took longer than it may. Its bytes are kept.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The task was removed.
    case removed
    /// A fault of this library.
    case other
    /// The session has no such task: it was removed, or has left the history.
    case unknownTask
    /// There is no such session, or nobody works on it.
    case unknownSession
    /// The session is closed.
    case sessionClosed
    /// The session's database could not take the command, which has had no effect.
    case notSaved
    /// The session's directory, database or lock cannot be used.
    case unusableStore
    /// The session has not answered in time. The command may take effect later.
    case unacknowledged
    /// The request contradicts a task of the session: another one has its target or its key.
    case conflict
    /// The task's state does not allow the command.
    case invalidState
    /// The session is worked on by another process, which does not ask a policy of this one.
    case policyNeedsOwner
    /// A value is out of its range; the message names the range.
    case invalidValue

    /// The exit status with which the command `swiftget` ends for such an error, above 0.
    public var exitStatus: Int32 {
      switch self {
      case .invalidRequest, .conflict, .invalidValue: 2
      case .localIO, .diskFull, .notSaved, .unusableStore: 3
      case .unreachable: 4
      case .tls: 5
      case .authentication: 6
      case .protocolViolation: 7
      case .refused: 8
      case .integrity: 9
      case .busy, .timedOut: 75
      case .cancelled, .removed, .other, .unknownTask, .unknownSession, .sessionClosed, .unacknowledged, .invalidState,
        .policyNeedsOwner:
        1
      }
    }

    /// Of several errors the first of these decides the exit status.
    package static let precedence: [Int32] = [2, 3, 9, 5, 6, 7, 8, 4, 75, 1]
  }

  /// The facts behind an error, for programs.
  public enum Cause: Hashable, Sendable {
    /// A system call failed; its name and the error number of errno(3).
    case systemCall(String, errno: Int32)
    /// The disk has too few free bytes; how many the file still needs, where that is known.
    case noSpace(needed: Int64?, free: Int64)
    /// The content has another checksum than it must have.
    case checksumMismatch(expected: FileChecksum, found: FileChecksum)
    /// Another process or session works on the file; its process id where that is known.
    case heldTarget(process: Int32?)
    /// A server has answered with this status.
    case status(Int)
  }

  struct Fields: Hashable, Sendable {
    var code: Code
    var cause: Cause?
    var message: String
    var hint: String?
    var url: String?
    var path: String?
    var task: DownloadTaskID?
    var httpStatus: Int?
    var errno: Int32?
    var isRetryable: Bool
  }

  var fields: Boxed<Fields>

  init(_ fields: Fields) { self.fields = Boxed(fields) }

  init(
    _ code: Code, _ message: String, hint: String? = nil, url: String? = nil, path: String? = nil,
    task: DownloadTaskID? = nil, cause: Cause? = nil
  ) {
    self.init(
      Fields(
        code: code, cause: cause, message: message, hint: hint, url: url, path: path, task: task,
        isRetryable: code == .busy))
  }

  /// The kind.
  public var code: Code { fields.value.code }
  /// The exit status with which the command `swiftget` ends for it, above 0.
  public var exitStatus: Int32 { code.exitStatus }
  /// What failed and why, in English, without secrets and without the file's name.
  public var message: String { fields.value.message }
  /// What can be done about it.
  public var hint: String? { fields.value.hint }
  /// The original URL of the file, without a query; nil if the error is about no file.
  public var url: String? { fields.value.url }
  /// The file's path; nil if the error is about no file.
  public var path: String? { fields.value.path }
  /// The task that failed; nil if the error is about no task.
  public var task: DownloadTaskID? { fields.value.task }
  /// The status of the answer that decided; nil where none did.
  public var httpStatus: Int? { fields.value.httpStatus }
  /// As in errno(3), of a system call that failed.
  public var errno: Int32? { fields.value.errno }
  /// The facts behind it, where there are more than the other properties tell.
  public var cause: Cause? { fields.value.cause }
  /// Whether doing the same again may help, without a change by anybody.
  public var isRetryable: Bool { fields.value.isRetryable }

  /// The file and what failed: `/data/model: the server returned 404`.
  public var description: String {
    let subject = path ?? url
    return (subject.map { "\($0): " } ?? "") + message + (hint.map { " (\($0))" } ?? "")
  }

  /// The same error of a task.
  func about(_ task: DownloadTaskID) -> DownloadError {
    var error = self
    error.fields.value.task = task
    return error
  }
}
