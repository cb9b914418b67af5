/// The kind of a failure. Determines the exit status, and is a value of the JSON output.
package enum FailureCode: String, Sendable, CaseIterable {
  /// The command line or a list is wrong.
  case usage
  /// A local file, directory or device failed.
  case localIO = "local_io"
  /// No space left. The run stops and can be resumed.
  case diskFull = "disk_full"
  /// No usable answer within the allowed attempts. Running again may help.
  case network
  case tls
  case authentication
  /// The server violated the protocol.
  case protocolViolation = "protocol_violation"
  /// The server refused the request (404 and similar).
  case serverRefused = "server_refused"
  /// Checksum, size or version does not match.
  case integrity
  /// Another run holds the target.
  case locked
  /// `--max-time` or `--deadline` was reached; progress is saved.
  case deadline
  /// A signal ended the run; progress is saved.
  case interrupted
  /// A fault of swiftget.
  case other
}
