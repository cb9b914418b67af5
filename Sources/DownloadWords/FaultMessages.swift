package import DownloadCore

/// What a person reads of a transfer's fault: one row for each.
package enum FaultMessages {
  /// The cause, without URL and name, and which other server it comes from.
  package static func message(_ fault: TransferFault, redirectedTo target: Origin?) -> String {
    (target.map { "redirected to \($0.text): " } ?? "") + message(fault)
  }

  /// The cause, without URL and name.
  package static func message(_ fault: TransferFault) -> String {
    switch fault {
    case .nameLookup(let detail), .unknownHost(let detail): "name lookup failed: \(detail)"
    case .connectRefused(let address, let isProxy):
      "connection refused\(address.map { (isProxy ? " by the proxy " : " by ") + $0 } ?? "")"
    case .connectTimeout: "connection timed out"
    case .connectFailed(let detail): "cannot connect: \(detail)"
    case .tlsHandshake(let detail): "TLS handshake failed: \(detail)"
    case .tlsVerification(let detail): "TLS verification failed: \(detail)"
    case .tlsFiles(let detail): "cannot use a certificate or key: \(detail)"
    case .keptConnectionClosed: "the server closed a reused connection"
    case .emptyReply: "the server closed the connection without a response"
    case .reset(let detail): "connection lost: \(detail)"
    case .stalled: "no data received within the stall timeout"
    case .shortBody: "the transfer ended before the end of the file"
    case .unauthenticatedEnd: "the connection closed without TLS close_notify: the file may be truncated"
    case .status(let code), .rateLimited(let code):
      "the server returned \(code)\(reason(of: code).map { " " + $0 } ?? "")"
    case .foreignPage(let host): "a redirect leads to an HTML page of \(host), which is not the file"
    case .refusedOverHTTP1(let code):
      "the server sent no length over HTTP/2, and returned \(code) over HTTP/1.1, which would show the end of the file"
    case .credentialsRefused(let code):
      "the server refused the user name and password (\(code)\(reason(of: code).map { " " + $0 } ?? ""))"
    case .protocolViolation(let violation): "invalid response from the server: \(told(violation))"
    case .expiredRedirect(let code): "the redirect target returned \(code)"
    case .untrustedRedirect(let detail): "TLS verification of the redirect target failed: \(detail)"
    case .tooManyRedirects(let limit): "more than \(limit) redirects"
    case .redirectRefused: "redirect refused: its target is not an http or https URL"
    case .insecureRedirect(let target): "redirect refused: it leads from https to \(target)"
    case .proxy(let detail): "proxy: \(detail)"
    case .proxyStatus(let code) where 500...599 ~= code: "cannot connect: the proxy returned \(code)"
    case .proxyStatus(let code): "the proxy returned \(code)"
    case .tooLarge(let limit): "the file is larger than the limit of \(limit) bytes"
    case .coded(let coding): "the server sent the content in the coding \(Diagnostic.escaped(Array(coding.utf8)))"
    case .wrongLength(let expected, let announced):
      "the size is \(announced) bytes, but the list says \(expected)"
    case .wrongContent: "the content does not match the checksum"
    case .digestUnavailable: "cannot compute the checksum of the second download"
    case .local(let detail): "libcurl: \(detail)"
    }
  }

  /// - Parameters:
  ///   - location: the URL that was asked for.
  ///   - target: where the request was redirected to; nil for the same server.
  ///   - isSaved: whether a part file is left from which the next run goes on.
  package static func hint(
    _ fault: TransferFault, at location: Location, redirectedTo target: Origin? = nil, isSaved: Bool
  ) -> Phrase? {
    switch fault {
    case .status(401), .credentialsRefused: hint(login: fault, redirectedTo: target)
    case .unknownHost: "check the host name"
    case .nameLookup: "check the host name and the network, then run the same command again"
    case .tlsVerification(let detail), .untrustedRedirect(let detail): hint(certificate: detail)
    case .wrongContent: "check the URL and the checksum: one of them may be wrong or out of date"
    case .tlsFiles: "check the files given with \(.cacert), \(.capath), \(.cert) and \(.key)"
    case .rateLimited:
      isSigned(location)
        ? "signed URLs expire; get a new one" : "the server limits requests; run the same command again later"
    case .status(let code): hint(status: code, at: location)
    case .protocolViolation(.unexpectedStatus(let status)) where WholeStatuses.mayAccept(status):
      "if its body is the whole file, use \(.acceptStatus, "\(status)")"
    case .protocolViolation(.unidentified) where isSaved:
      "if the file on the server is new, use \(.noResume) to start over"
    case .expiredRedirect: "check the URL; signed URLs expire"
    case .insecureRedirect: "without \(.httpsOnly), a checksum (\(.checksum)) allows a redirect from https to http"
    case .tooManyRedirects: "raise \(.maxRedirect) if the chain is meant to be that long"
    case .connectRefused(_, isProxy: true):
      "check \(.proxy) and the http_proxy and https_proxy variables, or use \(.noProxy)"
    case .connectRefused, .connectTimeout, .connectFailed:
      isSaved ? goOn : "check host and port, or run the same command again later"
    case .tlsHandshake(let detail) where speaksPlainly(detail):
      "this port does not seem to use TLS; if the server is plain HTTP, use http://"
    case .tlsHandshake, .emptyReply, .reset, .stalled, .shortBody: isSaved ? goOn : later
    case .proxyStatus(let code) where 500...599 ~= code: isSaved ? goOn : later
    case .foreignPage:
      "if it is a login page, log in with \(.netrc), \(.user) or \(.loadCookies); if it is what you want, use \(.acceptHTML)"
    case .unauthenticatedEnd, .refusedOverHTTP1:
      "give a checksum (\(.checksum)), or accept the file with \(.allowUnconfirmed)"
    case .proxyStatus(401): "give the proxy's credentials in its URL: \(.proxy, "http://USER:PASSWORD@HOST:PORT")"
    case .proxy, .proxyStatus: "check \(.proxy), or use \(.noProxy) to connect directly"
    case .tooLarge: "raise or drop \(.maxFilesize)"
    case .coded:
      "swiftget does not decode; without \(.compressed) the coded bytes are stored, and so they are under a name such as "
        + "NAME.gz (\(.output))"
    case .wrongLength: "check the URL and the list: one of them may be wrong or out of date"
    case .keptConnectionClosed, .protocolViolation, .redirectRefused,
      .digestUnavailable, .local:
      nil
    }
  }

  /// Logins are not for servers that only a redirect names, and a netrc file is for https there.
  private static func hint(login fault: TransferFault, redirectedTo target: Origin?) -> Phrase {
    let isMissing = fault == .status(401)
    guard let target else {
      return isMissing
        ? "give credentials with \(.user) or \(.netrc)"
        : "check the user name and password in \(.user), the URL or the netrc file"
    }
    if !isMissing { return "check the user name and password for 'machine \(target.host)' in the netrc file" }
    return target.scheme.isEncrypted
      ? "give credentials for 'machine \(target.host)' in a netrc file (\(.netrc))"
      : "credentials go to \(target.host) over http only if you name its URL yourself"
  }

  /// OpenSSL's words for the answer of a server that does not speak TLS.
  private static func speaksPlainly(_ detail: String) -> Bool {
    ["wrong version number", "packet length too long", "http request"].contains { detail.contains($0) }
  }

  /// Fits the check that failed, by the words of OpenSSL and libcurl.
  private static func hint(certificate detail: String) -> Phrase {
    if detail.contains("expired") || detail.contains("not yet valid") {
      return "check the clock of this machine; if it is right, the server needs a new certificate"
    }
    if detail.contains("does not match") || detail.contains("no alternative certificate subject name") {
      return "the certificate is for another host; check the host name in the URL"
    }
    return "if your own CA signed the certificate, give the CA file with \(.cacert)"
  }

  static let goOn: Phrase = "run the same command again to resume"
  private static let later: Phrase = "run the same command again later"

  private static func hint(status: Int, at location: Location) -> Phrase? {
    switch status {
    case 407: "give the credentials in the proxy URL (\(.proxy)), as USER:PASSWORD@ before the host"
    case 403, 404, 410:
      if isSigned(location) {
        "signed URLs expire; get a new one"
      } else if status == 403 {
        "check the URL, and whether it needs credentials (\(.user), \(.netrc))"
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
    guard let query = location.query else { return false }
    return SecretParameters.kinds(in: query).contains(.signature)
      || query.lowercased().split(separator: "&").contains { $0.hasPrefix("expires=") }
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
    case .missingHead: "no response headers"
    case .oversizedHead: "response headers too large"
    case .malformedHead: "malformed response headers"
    case .invalidContentLength: "an invalid Content-Length"
    case .missingLocation: "a redirect without a Location header"
    case .unconditionalNotModified: "304 Not Modified for an unconditional request"
    case .unexpectedStatus(let status): "unexpected status \(status)"
    case .contentRangeInWhole: "200 with a Content-Range of a part"
    case .unaskedRange: "206 Partial Content for a request without a range"
    case .codedRange: "a response with Content-Encoding to a range request"
    case .unusableContentRange: "206 without a usable Content-Range"
    case .otherRange(let start, let asked): "a Content-Range that starts at \(start) instead of \(asked)"
    case .contradictoryLengths: "a Content-Length that differs from its Content-Range"
    case .unknownRepresentation: "a range that cannot be matched to the file"
    case .rangeBeyondEnd: "a range beyond the end of the file"
    case .sameValidator(let change): "the same ETag or Last-Modified as before, but \(self.change(change))"
    case .unidentified:
      "neither ETag nor Last-Modified, unlike earlier responses; it may be another file"
    case .libcurl(let detail): detail
    }
  }

  /// `its length changed from 10 to 20 bytes`
  static func change(_ change: VersionChange) -> String {
    switch change {
    case .entityTag: "its ETag changed"
    case .lastModified: "its Last-Modified date changed"
    case .length(let now, let was): "its size changed from \(was) to \(now) bytes"
    case .contentCoding: "its Content-Encoding changed"
    case .digest: "its checksum changed"
    case .validators: "its ETag and Last-Modified date changed"
    }
  }
}
