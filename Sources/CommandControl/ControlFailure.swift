package import DownloadWords
internal import SwiftGet

/// Why a command of `swiftget ctl` could not be done.
package struct ControlFailure: Error, Sendable, Equatable {
  package let status: ControlStatus
  package let message: String
  package let hint: String?
  /// Whether the connection ended before the answer came, so that nobody knows what became of the call.
  let isLost: Bool

  /// A failure of status 3.
  package init(_ message: String, hint: String? = nil) { self.init(.store, message, hint: hint) }

  init(_ status: ControlStatus, _ message: String, hint: String? = nil, isLost: Bool = false) {
    (self.status, self.message, self.hint, self.isLost) = (status, message, hint, isLost)
  }

  /// What the library says.
  init(_ error: DownloadError) {
    self.init(ControlStatus(error.code), error.message, hint: error.hint)
  }

  package var diagnostic: Diagnostic { Diagnostic(message: message, hint: hint) }
}

/// The exit status of `swiftget ctl`.
package enum ControlStatus: Sendable, Hashable {
  case done
  /// Nothing matched, or something could not be done.
  case notDone
  case usage
  /// The session's database, its lock or its socket.
  case store
  case noSession
  case timedOut
  /// `wait`: as a run of the files.
  case run(Int32)

  package var rawValue: Int32 {
    switch self {
    case .done: 0
    case .notDone: 1
    case .usage: 2
    case .store: 3
    case .noSession: 4
    case .timedOut: 75
    case .run(let status): status
    }
  }

  init(_ code: DownloadError.Code) {
    switch code {
    case .invalidRequest, .invalidValue: self = .usage
    case .unknownSession: self = .noSession
    case .localIO, .diskFull, .busy, .sessionClosed, .notSaved, .unusableStore, .unacknowledged: self = .store
    case .unreachable, .tls, .authentication, .protocolViolation, .refused, .integrity, .timedOut, .cancelled, .removed,
      .other, .unknownTask, .conflict, .invalidState, .policyNeedsOwner:
      self = .notDone
    }
  }
}
