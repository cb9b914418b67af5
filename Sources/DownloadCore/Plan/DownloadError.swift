/// Why an item or the run failed. The code determines the exit status.
///
/// `message` reads `what failed: cause`, without the item's name; `hint` says what the user can do. Neither contains
/// credentials or queries. `Diagnostic` escapes text from servers.
package struct DownloadError: Error, Hashable, Sendable {
  package enum Code: String, Sendable, CaseIterable {
    /// The command line or a list is wrong.
    case usage
    /// A local file, directory or device failed.
    case localIO
    /// No space left. The run stops and can be resumed.
    case diskFull
    /// No usable answer within the allowed attempts. Running again may help.
    case network
    case tls
    case authentication
    /// The server violated the protocol.
    case protocolViolation
    /// The server refused the request (404 and similar).
    case serverRefused
    /// Checksum, size or version does not match.
    case integrity
    /// Another run holds the target.
    case locked
    /// `--max-time` was reached; progress is saved.
    case deadline
    /// A signal ended the run; progress is saved.
    case interrupted
    /// A fault of swiftget.
    case other
  }

  package let code: Code
  package let message: String
  package let hint: String?

  package init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}
