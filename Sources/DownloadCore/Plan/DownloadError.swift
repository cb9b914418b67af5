/// Why an item or the run failed: a code that decides the exit status, and words for a person.
///
/// `message` reads `what failed: cause`, without the item's name in front; `hint` says what to try.
/// Neither ever holds credentials, a query or unescaped server text beyond what `Diagnostic` escapes.
package struct DownloadError: Error, Hashable, Sendable {
  package enum Code: String, Sendable, CaseIterable {
    /// The command line or the manifest is wrong.
    case usage
    /// A local file, directory or device failed.
    case localIO
    /// No space left; the run stops, resumable.
    case diskFull
    /// No usable answer within the attempts allowed; running again may help.
    case network
    case tls
    case authentication
    /// The server broke the protocol.
    case protocolViolation
    /// The server answered, and the answer is no (404 and the like).
    case serverRefused
    /// Checksum, size or version does not fit.
    case integrity
    /// Another run holds the target.
    case locked
    /// `--max-time` or `--deadline` was reached with progress saved.
    case deadline
    /// A signal ended the run with progress saved.
    case interrupted
    /// Our own fault.
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
