package import DownloadCore

/// The exit status of the process: wget's numbers where wget has one, then our own.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  /// Every file is in place, verified where anything was known, and on stable storage.
  case success = 0
  case other = 1
  /// Command line or manifest.
  case usage = 2
  case localIO = 3
  /// No usable answer within the allowed attempts, including 429 and 5xx. Running again may help.
  case network = 4
  case tls = 5
  case authentication = 6
  case protocolViolation = 7
  case serverRefused = 8
  case integrity = 9
  /// EX_TEMPFAIL: another run holds a target, or a deadline passed with progress saved.
  case tryLater = 75
  /// 128 + SIGINT
  case interrupted = 130
  /// 128 + SIGTERM, also used for SIGHUP.
  case terminated = 143

  package init(_ code: DownloadError.Code) {
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

  /// After several failures the run ends with the first of these that occurred.
  package static let precedence: [ExitStatus] = [
    .usage, .localIO, .integrity, .tls, .authentication, .protocolViolation, .serverRefused, .network, .tryLater,
    .other, .interrupted,
  ]

  /// The status of a run whose items failed with these codes; success for none.
  ///
  /// The caller handles signals, which end the run with `interrupted` or `terminated` whatever failed before.
  package static func overall(of codes: some Sequence<DownloadError.Code>) -> ExitStatus {
    let occurred = Set(codes.map(ExitStatus.init))
    return precedence.first(where: occurred.contains) ?? .success
  }

  /// The status of two runs together. A signal counts only where nothing else was wrong.
  static func merged(_ one: ExitStatus, _ other: ExitStatus) -> ExitStatus {
    (precedence + [.terminated]).first { $0 == one || $0 == other } ?? .success
  }

  /// The text of the man page.
  package var meaning: String {
    switch self {
    case .success:
      "Every requested file is in place, verified where anything to verify it with is known, and on stable storage."
    case .other: "Another failure, or a fault of swiftget itself."
    case .usage: "The command line or a manifest is wrong; nothing was started."
    case .localIO: "A local file, directory or device failed, or the disk is full."
    case .network: "No usable answer after all tries (429 and 5xx included). Run the same command again."
    case .tls: "The server's certificate or the TLS connection could not be trusted."
    case .authentication: "The server or proxy wants other credentials (401, 407)."
    case .protocolViolation: "The server broke the protocol."
    case .serverRefused: "The server said no (404 and the like)."
    case .integrity: "The content is not what it should be: checksum, size or version."
    case .tryLater: "Another run is at work on the same file, or the time was up with progress saved."
    case .interrupted: "Interrupted by Ctrl-C; the same command goes on from there."
    case .terminated: "Ended by SIGTERM or SIGHUP; the same command goes on from there."
    }
  }
}
