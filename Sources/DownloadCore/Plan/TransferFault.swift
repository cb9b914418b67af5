/// Why a transfer failed.
///
/// DownloadTransport derives it from a libcurl code; the machines derive it from an answer that they cannot accept. Associated
/// strings are details for messages and never affect a decision.
package enum TransferFault: Error, Hashable, Sendable {
  /// No address was found; the network may be down.
  case nameLookup(String)
  /// The resolver says that there is no such name.
  case unknownHost(String)
  /// - Parameter by: `host:port` of the server or the proxy that refused; nil where it is unknown.
  case connectRefused(by: String? = nil, isProxy: Bool = false)
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
  /// The server refuses requests because of their number, with a status that otherwise means a refusal for good.
  case rateLimited(status: Int)
  /// The server answered over HTTP/2 without a length, and refused the same request over HTTP/1.1.
  case refusedOverHTTP1(status: Int)
  /// A redirect led to this host, which sent an HTML page for a name that is not a page's.
  case foreignPage(from: String)
  /// The server refused the name and password that were sent.
  case credentialsRefused(status: Int)
  /// The answer violates HTTP or does not match the request.
  case protocolViolation(ProtocolViolation)
  /// The target of a redirect no longer serves the file, for example because a signed URL has expired. The original URL
  /// may redirect elsewhere.
  case expiredRedirect(status: Int)
  /// The certificate of a redirect's target is not trusted.
  case untrustedRedirect(String)
  case tooManyRedirects(Int)
  /// The target is no http or https URL.
  case redirectRefused
  /// From https to http, without a given digest that verifies the content.
  case insecureRedirect(to: String)
  case proxy(String)
  /// The proxy refused a tunnel with this status.
  case proxyStatus(Int)
  /// A body, or an announced length, exceeds `--max-filesize`.
  case tooLarge(limit: Int64)
  /// The server has coded the content, which was asked for as it is, and the file's name is not usual for that coding.
  case coded(String)
  /// The length differs from the one in the manifest.
  case wrongLength(expected: Int64, announced: Int64)
  /// All content came from this mirror and does not match a given digest.
  case wrongContent
  /// The digest of a second fetch cannot be computed.
  case digestUnavailable
  /// A local failure, such as no memory or an option that libcurl does not know, in libcurl's words.
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

  /// The server answered and does not serve the request to us.
  package var isRefusal: Bool {
    switch self {
    case .status, .rateLimited, .credentialsRefused, .refusedOverHTTP1: true
    default: false
    }
  }

  var isUnknownHost: Bool { if case .unknownHost = self { true } else { false } }
  /// As it is told after an answer over HTTP/2 that had no length: it is not the URL that the server refuses.
  var afterStream: TransferFault {
    switch self {
    case .status(let code) where kind == .permanent: .refusedOverHTTP1(status: code)
    case .expiredRedirect(let code): .refusedOverHTTP1(status: code)
    default: self
    }
  }

  /// The server says that there is no such file.
  package var isAbsence: Bool {
    switch self {
    case .status(let code), .expiredRedirect(let code): code == 404 || code == 410
    default: false
    }
  }

  /// Whether it tells of a network or a server in trouble, and nothing of what was asked for: it may pass by itself. A name
  /// that the resolver does not know is mistyped more often than just made.
  package var isOutage: Bool {
    switch self {
    case .unknownHost, .rateLimited, .protocolViolation, .unauthenticatedEnd, .expiredRedirect, .untrustedRedirect:
      false
    default: kind != .permanent
    }
  }

  /// Whether it may be the HEAD that the server refuses, so that a GET has to be tried. Servers answer a HEAD with any
  /// status, 404 included, for files that a GET brings; a login, a wait and a broken server are the same for both.
  var concernsMethod: Bool {
    switch self {
    case .status(let code):
      code == 501 || (300..<500).contains(code) && code != 401 && code != 429
    case .protocolViolation: true
    default: false
    }
  }

  package var kind: Kind {
    switch self {
    case .keptConnectionClosed: .unanswered
    case .nameLookup, .unknownHost, .connectRefused, .connectTimeout, .connectFailed, .tlsHandshake: .unreachable
    // A server that sends megabytes of fields does so again.
    case .protocolViolation(.oversizedHead): .permanent
    case .emptyReply, .reset, .stalled, .shortBody, .unauthenticatedEnd, .protocolViolation, .expiredRedirect,
      .untrustedRedirect:
      .transient
    case .status(let code):
      switch code {
      case 429, 503: .throttled
      case 408, 425, 500, 502, 504, 520...524: .transient
      default: .permanent
      }
    case .rateLimited: .throttled
    case .proxyStatus(let code): 500...599 ~= code ? .unreachable : .permanent
    case .refusedOverHTTP1, .foreignPage, .credentialsRefused, .tlsVerification, .tlsFiles, .tooManyRedirects,
      .redirectRefused, .insecureRedirect,
      .proxy, .tooLarge, .coded, .wrongLength, .wrongContent, .digestUnavailable, .local:
      .permanent
    }
  }

  /// The error code of the item once no attempt is left.
  package var code: FailureCode {
    switch self {
    case .keptConnectionClosed, .nameLookup, .unknownHost, .connectRefused, .connectTimeout, .connectFailed,
      .tlsHandshake,
      .emptyReply, .reset, .stalled, .shortBody, .unauthenticatedEnd, .proxy:
      .network
    // Some proxies refuse a password with the status that servers have for it.
    case .proxyStatus(let code): code == 401 ? .authentication : .network
    case .tlsVerification, .tlsFiles, .untrustedRedirect: .tls
    case .status(let code), .expiredRedirect(let code), .refusedOverHTTP1(let code):
      switch code {
      case 401, 407: .authentication
      case 408, 425, 429, 500, 502, 503, 504, 520...524: .network
      default: .serverRefused
      }
    case .rateLimited, .foreignPage: .serverRefused
    case .credentialsRefused: .authentication
    case .protocolViolation, .tooManyRedirects, .redirectRefused, .insecureRedirect, .coded: .protocolViolation
    case .tooLarge, .wrongLength, .wrongContent: .integrity
    case .digestUnavailable, .local: .other
    }
  }

  /// The status of the answer that the fault is about; nil where there was no answer.
  /// - Parameter lastAnswer: the status of the last answer before the fault.
  package func status(lastAnswer: Int?) -> Int? {
    switch self {
    case .status(let code), .rateLimited(let code), .credentialsRefused(let code), .expiredRedirect(let code),
      .proxyStatus(let code), .refusedOverHTTP1(let code):
      code
    case .reset, .stalled, .shortBody, .unauthenticatedEnd, .protocolViolation, .tooManyRedirects, .redirectRefused,
      .foreignPage, .insecureRedirect, .tooLarge, .coded, .wrongLength, .wrongContent, .digestUnavailable:
      lastAnswer
    case .nameLookup, .unknownHost, .connectRefused, .connectTimeout, .connectFailed, .tlsHandshake, .tlsVerification,
      .tlsFiles,
      .keptConnectionClosed, .emptyReply, .untrustedRedirect, .proxy, .local:
      nil
    }
  }
}
