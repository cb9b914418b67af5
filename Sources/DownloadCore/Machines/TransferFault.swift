/// Why a transfer failed.
///
/// Transport derives it from a libcurl code; the machines derive it from an answer that they cannot accept. Associated
/// strings are details for messages and never affect a decision.
package enum TransferFault: Error, Hashable, Sendable {
  case nameLookup(String)
  case connectRefused
  case connectTimeout
  case connectFailed(String)
  /// The handshake failed before the certificate was checked.
  case tlsHandshake(String)
  /// The server's certificate is not trusted.
  case tlsVerification(String)
  /// A local certificate or key file cannot be read or used.
  case tlsFiles(String)
  /// The server closed a reused connection before it answered. Normal when a keep-alive timeout expires.
  case keptConnectionClosed
  /// The server closed or reset a new connection before it answered.
  case emptyReply
  /// The connection broke in the middle of the answer.
  case reset(String)
  case stalled
  /// The body ended before the announced length.
  case shortBody
  /// A close-delimited body over TLS ended without close_notify, so it may be truncated.
  case unauthenticatedEnd
  case status(Int)
  /// The answer violates HTTP or does not match the request.
  case protocolViolation(String)
  /// The target of a redirect no longer serves the file, for example because a signed URL has expired. The original URL
  /// may redirect elsewhere.
  case expiredRedirect(status: Int)
  /// The certificate of a redirect's target is not trusted.
  case untrustedRedirect(String)
  case tooManyRedirects(Int)
  case redirectRefused(String)
  /// From https to http, without a given digest that verifies the content.
  case insecureRedirect(to: String)
  case proxy(String)
  /// A body, or an announced length, exceeds `--max-filesize`.
  case tooLarge(limit: Int64)
  /// The length differs from the one in the manifest.
  case wrongLength(expected: Int64, announced: Int64)
  /// All content came from this mirror and does not match a given digest.
  case wrongContent
  /// A local failure, such as no memory or an option that libcurl does not know.
  case local(String)

  /// What a fault means for the next attempt. The switch in `kind` is the only place that decides it.
  package enum Kind: Hashable, Sendable {
    /// The request had no effect. It is repeated at once, and no attempt is counted.
    case unanswered
    /// The whole host is unreachable; one probe at a time stands in for all its items.
    case unreachable
    /// The host asks for fewer requests, or for requests at a later time.
    case throttled
    /// The next attempt may succeed.
    case transient
    /// No further request to this mirror.
    case permanent
  }

  package var kind: Kind {
    switch self {
    case .keptConnectionClosed: .unanswered
    case .nameLookup, .connectRefused, .connectTimeout, .connectFailed, .tlsHandshake: .unreachable
    case .emptyReply, .reset, .stalled, .shortBody, .unauthenticatedEnd, .protocolViolation, .expiredRedirect,
      .untrustedRedirect:
      .transient
    case .status(let code):
      switch code {
      case 429, 503: .throttled
      case 408, 425, 500, 502, 504, 520...524: .transient
      default: .permanent
      }
    case .tlsVerification, .tlsFiles, .tooManyRedirects, .redirectRefused, .insecureRedirect, .proxy, .tooLarge,
      .wrongLength, .wrongContent, .local:
      .permanent
    }
  }

  /// The error code of the item once no attempt is left.
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
