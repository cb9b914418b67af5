/// Why one transfer did not bring what was asked, in the words that decisions need.
///
/// Transport makes it from a libcurl code, the machines from an answer that cannot be accepted.
package enum TransferFault: Error, Hashable, Sendable {
  case nameLookup(String)
  case connectRefused
  case connectTimeout
  case connectFailed(String)
  /// The handshake broke off without a verdict on the certificate.
  case tlsHandshake(String)
  /// The certificate was refused.
  case tlsVerification(String)
  /// A certificate or key of ours cannot be read or used.
  case tlsFiles(String)
  /// A kept connection was closed by the server before it answered: nobody's fault.
  case keptConnectionClosed
  /// A new connection was closed or reset before an answer.
  case emptyReply
  /// The connection broke in the middle of the answer.
  case reset(String)
  case stalled
  /// The body ended before the announced length.
  case shortBody
  /// A body that only its connection ends, over TLS and without close_notify: whether it is whole nobody can tell.
  case unauthenticatedEnd
  case status(Int)
  /// The answer breaks HTTP, or does not fit what was asked.
  case protocolViolation(String)
  /// Where a redirect led does not serve any more (signed URLs expire); the original URL may lead elsewhere.
  case expiredRedirect(status: Int)
  /// Where a redirect led has a certificate that is refused.
  case untrustedRedirect(String)
  case tooManyRedirects(Int)
  case redirectRefused(String)
  /// From https down to http, where no digest will judge the result.
  case insecureRedirect(to: String)
  case proxy(String)
  /// A body, or an announced length, beyond `--max-filesize`.
  case tooLarge(limit: Int64)
  /// The length differs from the one that the manifest states.
  case wrongLength(expected: Int64, announced: Int64)
  /// Everything came from this mirror, and a digest that the user knows denies it.
  case wrongContent
  /// Out of memory, an unknown option, and whatever else is no fault of the network.
  case local(String)

  /// What a fault says about the next step. One total switch decides what is transient.
  package enum Kind: Hashable, Sendable {
    /// Nothing happened: the same request at once, no attempt is counted.
    case unanswered
    /// The host as a whole does not answer; it is retried as a host.
    case hostSilent
    /// The host asks for fewer or later requests.
    case pushedBack
    /// Worth another attempt.
    case transient
    /// No further request to this mirror.
    case permanent
  }

  package var kind: Kind {
    switch self {
    case .keptConnectionClosed: .unanswered
    case .nameLookup, .connectRefused, .connectTimeout, .connectFailed, .tlsHandshake: .hostSilent
    case .emptyReply, .reset, .stalled, .shortBody, .unauthenticatedEnd, .protocolViolation, .expiredRedirect,
      .untrustedRedirect:
      .transient
    case .status(let code):
      switch code {
      case 429, 503: .pushedBack
      case 408, 425, 500, 502, 504, 520...524: .transient
      default: .permanent
      }
    case .tlsVerification, .tlsFiles, .tooManyRedirects, .redirectRefused, .insecureRedirect, .proxy, .tooLarge,
      .wrongLength, .wrongContent, .local:
      .permanent
    }
  }

  /// The code of the item's failure, once no attempt is left.
  package var code: DownloadError.Code {
    switch self {
    case .keptConnectionClosed, .nameLookup, .connectRefused, .connectTimeout, .connectFailed, .tlsHandshake,
      .emptyReply, .reset, .stalled, .shortBody, .unauthenticatedEnd, .proxy:
      .network
    case .tlsVerification, .tlsFiles, .untrustedRedirect: .tls
    case .status(let code), .expiredRedirect(let code):
      switch code {
      case 401, 407: .authentication
      case 408, 425, 429, 500, 502, 503, 504, 520...524: .network
      default: .serverRefused
      }
    case .protocolViolation, .tooManyRedirects, .redirectRefused, .insecureRedirect: .protocolViolation
    case .tooLarge, .wrongLength, .wrongContent: .integrity
    case .local: .other
    }
  }

  /// The cause in words, without URL and name.
  package var text: String {
    switch self {
    case .nameLookup(let detail): "name lookup failed: \(detail)"
    case .connectRefused: "connection refused"
    case .connectTimeout: "connecting timed out"
    case .connectFailed(let detail): "cannot connect: \(detail)"
    case .tlsHandshake(let detail): "TLS handshake failed: \(detail)"
    case .tlsVerification(let detail): "TLS verification failed: \(detail)"
    case .tlsFiles(let detail): "cannot use a certificate or key: \(detail)"
    case .keptConnectionClosed: "the server closed a kept connection"
    case .emptyReply: "the server closed the connection without an answer"
    case .reset(let detail): "the connection broke: \(detail)"
    case .stalled: "no data arrived within the time limit"
    case .shortBody: "the body ended before its announced length"
    case .unauthenticatedEnd: "the connection ended without TLS close_notify, so the body may be cut short"
    case .status(let code): "the server answered \(code)\(TransferFault.reason(of: code).map { " " + $0 } ?? "")"
    case .protocolViolation(let detail): "the server broke the protocol: \(detail)"
    case .expiredRedirect(let code): "where it redirects to answered \(code)"
    case .untrustedRedirect(let detail): "where it redirects to: TLS verification failed: \(detail)"
    case .tooManyRedirects(let limit): "more than \(limit) redirects"
    case .redirectRefused(let detail): "redirect refused: \(detail)"
    case .insecureRedirect(let target): "redirect refused: from https down to \(target)"
    case .proxy(let detail): "proxy: \(detail)"
    case .tooLarge(let limit): "the file is larger than --max-filesize (\(limit) bytes)"
    case .wrongLength(let expected, let announced):
      "the length is \(announced) bytes where the list says \(expected)"
    case .wrongContent: "its content is not what the checksum describes"
    case .local(let detail): detail
    }
  }

  package var hint: String? {
    switch self {
    case .nameLookup: "check the host name and the network, then run the same command again"
    case .tlsVerification: "if the server's certificate is signed by your own authority, name it with --cacert"
    case .tlsFiles: "check the files that --cacert, --capath, --cert and --key name"
    case .status(401): "give credentials with --user or --netrc"
    case .status(407): "put the proxy's credentials into its URL (--proxy), as USER:PASSWORD@ before the host"
    case .status(403), .status(404), .status(410), .expiredRedirect: "check the URL; signed URLs expire"
    case .status where code == .network: "the server is busy or in trouble; run the same command again later"
    case .insecureRedirect: "a redirect from https to http is taken only where a checksum will judge the result"
    case .tooManyRedirects: "raise --max-redirect if the chain is meant to be that long"
    case .connectRefused, .connectTimeout, .connectFailed, .tlsHandshake, .emptyReply, .reset, .stalled, .shortBody:
      "run the same command again to go on from here"
    case .unauthenticatedEnd: "name its checksum, or take what comes with --allow-unconfirmed"
    case .proxy: "check --proxy, or go without it by --no-proxy"
    case .tooLarge: "raise or drop --max-filesize"
    case .wrongLength: "the server has another file than the list describes, or the list is out of date"
    default: nil
    }
  }

  private static func reason(of code: Int) -> String? {
    switch code {
    case 204: "No Content"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 407: "Proxy Authentication Required"
    case 408: "Request Timeout"
    case 410: "Gone"
    case 416: "Range Not Satisfiable"
    case 429: "Too Many Requests"
    case 451: "Unavailable For Legal Reasons"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: nil
    }
  }
}
