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
  case protocolViolation(ProtocolViolation)
  /// Where a redirect led does not serve any more (signed URLs expire); the original URL may lead elsewhere.
  case expiredRedirect(status: Int)
  /// Where a redirect led has a certificate that is refused.
  case untrustedRedirect(String)
  case tooManyRedirects(Int)
  /// The target is no http or https URL.
  case redirectRefused
  /// From https down to http, where no digest will judge the result.
  case insecureRedirect(to: String)
  case proxy(String)
  /// The proxy refused a tunnel with this status.
  case proxyStatus(Int)
  /// A body, or an announced length, beyond `--max-filesize`.
  case tooLarge(limit: Int64)
  /// The length differs from the one that the manifest states.
  case wrongLength(expected: Int64, announced: Int64)
  /// Everything came from this mirror, and a digest that the user knows denies it.
  case wrongContent
  /// The digest of a second fetch cannot be computed.
  case digestUnavailable
  /// Out of memory, an unknown option, and whatever else is no fault of the network, in libcurl's words.
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
    case .proxyStatus(let code): 500...599 ~= code ? .hostSilent : .permanent
    case .tlsVerification, .tlsFiles, .tooManyRedirects, .redirectRefused, .insecureRedirect, .proxy, .tooLarge,
      .wrongLength, .wrongContent, .digestUnavailable, .local:
      .permanent
    }
  }

  /// The code of the item's failure, once no attempt is left.
  package var code: FailureCode {
    switch self {
    case .keptConnectionClosed, .nameLookup, .connectRefused, .connectTimeout, .connectFailed, .tlsHandshake,
      .emptyReply, .reset, .stalled, .shortBody, .unauthenticatedEnd, .proxy, .proxyStatus:
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
    case .digestUnavailable, .local: .other
    }
  }
}
