import DownloadCore

/// What a person reads of a transfer's fault: one row for each.
enum FaultMessages {
  /// The cause, without URL and name.
  static func message(_ fault: TransferFault) -> String {
    switch fault {
    case .nameLookup(let detail): "name lookup failed: \(detail)"
    case .connectRefused(let address, let isProxy):
      "connection refused\(address.map { (isProxy ? " by the proxy " : " by ") + $0 } ?? "")"
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
    case .status(let code): "the server answered \(code)\(reason(of: code).map { " " + $0 } ?? "")"
    case .credentialsRefused(let code):
      "the server refused the name and password (\(code)\(reason(of: code).map { " " + $0 } ?? ""))"
    case .protocolViolation(let violation): "the server broke the protocol: \(told(violation))"
    case .expiredRedirect(let code): "where it redirects to answered \(code)"
    case .untrustedRedirect(let detail): "where it redirects to: TLS verification failed: \(detail)"
    case .tooManyRedirects(let limit): "more than \(limit) redirects"
    case .redirectRefused: "redirect refused: its target is no http or https URL"
    case .insecureRedirect(let target): "redirect refused: from https down to \(target)"
    case .proxy(let detail): "proxy: \(detail)"
    case .proxyStatus(let code) where 500...599 ~= code: "cannot connect: the proxy answered \(code)"
    case .proxyStatus(let code): "proxy: it answered \(code)"
    case .tooLarge(let limit): "the file is larger than --max-filesize (\(limit) bytes)"
    case .wrongLength(let expected, let announced):
      "the length is \(announced) bytes where the list says \(expected)"
    case .wrongContent: "its content is not what the checksum describes"
    case .digestUnavailable: "the digest of a second fetch cannot be computed"
    case .local(let detail): "libcurl: \(detail)"
    }
  }

  /// - Parameters:
  ///   - location: the URL that was asked for.
  ///   - isSaved: whether a part file is left from which the next run goes on.
  static func hint(_ fault: TransferFault, at location: Location, isSaved: Bool) -> String? {
    switch fault {
    case .nameLookup: "check the host name and the network, then run the same command again"
    case .tlsVerification(let detail): hint(certificate: detail)
    case .tlsFiles: "check the files that --cacert, --capath, --cert and --key name"
    case .status(let code): hint(status: code, at: location)
    case .protocolViolation(.unidentified) where isSaved:
      "if the server has another file now, --no-resume fetches that one from its beginning"
    case .credentialsRefused: "check the name and password of --user, the URL or the netrc file"
    case .expiredRedirect: "check the URL; signed URLs expire"
    case .insecureRedirect: "a redirect from https to http is taken only where a checksum will judge the result"
    case .tooManyRedirects: "raise --max-redirect if the chain is meant to be that long"
    case .connectRefused(_, isProxy: true): "check --proxy and the environment, or go without it by --no-proxy"
    case .connectRefused, .connectTimeout, .connectFailed:
      isSaved ? goOn : "check host and port, or run the same command again later"
    case .tlsHandshake(let detail) where speaksPlainly(detail):
      "this port may not speak TLS; if that is meant, use http://"
    case .tlsHandshake, .emptyReply, .reset, .stalled, .shortBody: isSaved ? goOn : later
    case .proxyStatus(let code) where 500...599 ~= code: isSaved ? goOn : later
    case .unauthenticatedEnd: "name its checksum, or take what comes with --allow-unconfirmed"
    case .proxy, .proxyStatus: "check --proxy, or go without it by --no-proxy"
    case .tooLarge: "raise or drop --max-filesize"
    case .wrongLength: "the server has another file than the list describes, or the list is out of date"
    case .keptConnectionClosed, .protocolViolation, .untrustedRedirect, .redirectRefused, .wrongContent,
      .digestUnavailable, .local:
      nil
    }
  }

  /// OpenSSL's words for the answer of a server that does not speak TLS.
  private static func speaksPlainly(_ detail: String) -> Bool {
    ["wrong version number", "packet length too long", "http request"].contains { detail.contains($0) }
  }

  /// Fits the check that failed, by the words of OpenSSL and libcurl.
  private static func hint(certificate detail: String) -> String {
    if detail.contains("expired") || detail.contains("not yet valid") {
      return "check the date of this machine; if it is right, only the server's operator can help"
    }
    if detail.contains("does not match") || detail.contains("no alternative certificate subject name") {
      return "the certificate is another host's; check the host name in the URL"
    }
    return "if the server's certificate is signed by your own authority, name it with --cacert"
  }

  static let goOn = "run the same command again to go on from here"
  private static let later = "run the same command again later"

  private static func hint(status: Int, at location: Location) -> String? {
    switch status {
    case 401: "give credentials with --user or --netrc"
    case 407: "put the right credentials of the proxy into its URL (--proxy), as USER:PASSWORD@ before the host"
    case 403, 404, 410:
      if isSigned(location) {
        "signed URLs expire; get a new one"
      } else if status == 403 {
        "check the URL, and whether it needs credentials (--user, --netrc)"
      } else {
        "check the URL"
      }
    default:
      TransferFault.status(status).code == .network
        ? "the server is busy or in trouble; run the same command again later" : nil
    }
  }

  /// Whether the URL seems to carry a signature with a limited lifetime, as object stores give them out.
  private static func isSigned(_ location: Location) -> Bool {
    let names = ["signature", "x-amz-", "x-goog-", "sig", "token", "expires", "key-pair-id"]
    return (location.query ?? "").lowercased().split(separator: "&").contains { parameter in
      names.contains { name in
        name.hasSuffix("-") ? parameter.hasPrefix(name) : parameter.split(separator: "=").first.map(String.init) == name
      }
    }
  }

  /// The reason phrase of RFC 9110, for statuses that people meet.
  private static func reason(of status: Int) -> String? {
    switch status {
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

  // MARK: Answers

  private static func told(_ violation: ProtocolViolation) -> String {
    switch violation {
    case .missingHead: "an answer without a head"
    case .oversizedHead: "an oversized response head"
    case .malformedHead: "a malformed response head"
    case .invalidContentLength: "an invalid Content-Length"
    case .missingLocation: "a redirect without Location"
    case .unconditionalNotModified: "304 to an unconditional request"
    case .unexpectedStatus(let status): "status \(status) to a request for a file"
    case .contentRangeInWhole: "200 with a Content-Range"
    case .unaskedRange: "206 to a request without a range"
    case .codedRange: "a coded answer to a range request"
    case .unusableContentRange: "206 without a usable Content-Range"
    case .otherRange(let start, let asked): "a Content-Range from \(start) where \(asked) was asked for"
    case .contradictoryLengths: "a Content-Length that differs from its Content-Range"
    case .unknownRepresentation: "a range of an unknown representation"
    case .rangeBeyondEnd: "a range beyond the complete length"
    case .sameValidator(let change): "the known validator, but \(self.change(change))"
    case .unidentified:
      "an answer that nothing shows to be the file: it has neither ETag nor Last-Modified, as earlier answers had"
    case .reported(let detail): detail
    }
  }

  /// `its length changed from 10 to 20 bytes`
  static func change(_ change: VersionChange) -> String {
    switch change {
    case .entityTag: "its entity tag changed"
    case .lastModified: "its modification time changed"
    case .length(let now, let was): "its length changed from \(was) to \(now) bytes"
    case .contentCoding: "its content coding changed"
    case .digest: "its digest changed"
    case .validators: "its validators changed"
    }
  }
}
