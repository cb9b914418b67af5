package import DownloadCore
internal import Glibc

/// The exit status of the process: wget's numbers where wget has one, then our own.
package enum ExitStatus: Sendable, Hashable {
  /// Every file is in place, verified where anything was known, and on stable storage.
  case success
  /// As `success`, and a file was downloaded or replaced: the number of `--changed-exit`.
  case changed(Int32)
  case other
  /// Command line or manifest.
  case usage
  case localIO
  /// No usable answer within the allowed attempts, including 429 and 5xx. Running again may help.
  case network
  case tls
  case authentication
  case protocolViolation
  case serverRefused
  case integrity
  /// EX_TEMPFAIL: another run holds a target, or a deadline passed with progress saved.
  case tryLater
  case interrupted
  /// Also used for SIGHUP.
  case terminated

  /// All but `changed`, whose number the user chooses.
  package static let fixed: [ExitStatus] = [
    .success, .other, .usage, .localIO, .network, .tls, .authentication, .protocolViolation, .serverRefused, .integrity,
    .tryLater, .interrupted, .terminated,
  ]

  /// What the process ends with, 0 to 255.
  package var rawValue: Int32 {
    switch self {
    case .success: 0
    case .changed(let number): number
    case .other: 1
    case .usage: 2
    case .localIO: 3
    case .network: 4
    case .tls: 5
    case .authentication: 6
    case .protocolViolation: 7
    case .serverRefused: 8
    case .integrity: 9
    case .tryLater: 75
    // 128 + SIGINT, 128 + SIGTERM
    case .interrupted: 130
    case .terminated: 143
    }
  }

  package var isSuccess: Bool {
    switch self {
    case .success, .changed: true
    default: false
    }
  }

  package init(_ code: Failure.Code) {
    switch code {
    case .usage: self = .usage
    case .localIO, .diskFull: self = .localIO
    case .network: self = .network
    case .tls: self = .tls
    case .authentication: self = .authentication
    case .protocolViolation: self = .protocolViolation
    case .serverRefused: self = .serverRefused
    case .integrity: self = .integrity
    case .locked, .deadline: self = .tryLater
    case .interrupted: self = .interrupted
    case .other: self = .other
    }
  }

  /// The status of a run that an error has ended.
  package init(_ error: Failure) {
    if case .signal(let number) = error.cause { self.init(signal: number) } else { self.init(error.code) }
  }

  /// The status of a run that a signal has ended.
  package init(signal: Int32) { self = signal == SIGINT ? .interrupted : .terminated }

  /// After several failures the run ends with the first of these that occurred.
  package static let precedence: [ExitStatus] = [
    .usage, .localIO, .integrity, .tls, .authentication, .protocolViolation, .serverRefused, .network, .tryLater,
    .other, .interrupted,
  ]

  /// The status of a run whose items failed with these codes; success for none.
  ///
  /// The caller handles signals, which end the run with `interrupted` or `terminated` whatever failed before.
  package static func overall(of codes: some Sequence<Failure.Code>) -> ExitStatus {
    let occurred = Set(codes.map(ExitStatus.init))
    return precedence.first(where: occurred.contains) ?? .success
  }
}
