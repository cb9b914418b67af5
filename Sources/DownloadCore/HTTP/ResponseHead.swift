/// Status and fields of a final answer.
///
/// Fields hold validated values or nil. `hasInvalidContentLength` and `hasMalformedContentRange` tell an invalid field
/// from a missing one.
package struct ResponseHead: Hashable, Sendable {
  /// 100 to 999; the parser never returns 1xx.
  package var status: Int
  package var version: HTTPVersion
  /// Bytes of the body; nil where absent, invalid, or overridden by a transfer coding (RFC 9112 section 6.3).
  package var contentLength: Int64?
  /// Two different lengths, or one that is not a number.
  package var hasInvalidContentLength = false
  package var contentRange: ContentRange?
  /// Two different ranges, or a malformed one: the offset of the body is unknown.
  package var hasMalformedContentRange = false
  /// Nil also where the server sent two different ones.
  package var entityTag: EntityTag?
  /// Seconds since 1970; nil also where the server sent two different ones.
  package var lastModified: Int64?
  /// The server's clock, seconds since 1970.
  package var date: Int64?
  /// Lower case and printable; nil for none, `identity` and other values that change no bytes.
  package var contentEncoding: String?
  /// The value of Content-Disposition; see `ContentDisposition`.
  package var contentDisposition: [UInt8]?
  package var isChunked = false
  /// `Transfer-Encoding: identity` and no other coding. A length then still delimits the body.
  package var hasIdentityCoding = false
  /// As sent; see `retryAfter(dateNow:)`.
  package var retryAfterValue: [UInt8]?
  /// A field that tells how many requests the client may send says that there are none left.
  package var hasUsedUpRequests = false
  /// The values of Set-Cookie fields of a redirect.
  package var redirectCookies: [[UInt8]] = []
  /// As sent, trimmed, never empty; an unresolved reference.
  package var location: [UInt8]?
  /// `type/subtype` without parameters, lower case and printable.
  package var contentType: String?
  /// The connection cannot be reused: `Connection: close`, or HTTP/1.0 without `keep-alive`.
  package var connectionCloses = false
  /// Digests of the whole representation, from `Repr-Digest` and `Digest`, without duplicates.
  package var representationDigests: [ContentDigest] = []
  /// The digest of this body, which is the whole representation in a 200 only.
  package var contentMD5: ContentDigest?
  /// Links of `Link` fields to other URLs of the file and to the next page, in order.
  package var links: [FieldLink] = []
  /// Schemes of `WWW-Authenticate`, lower case, in order.
  package var wwwAuthenticate: [String] = []
  /// A 401 to a request with credentials. The transport sets it.
  package var refusesCredentials = false

  package init(status: Int, version: HTTPVersion = .http11) {
    self.status = status
    self.version = version
  }

  /// Whether `lastModified` identifies a single version: it is at least two seconds before the server's clock, so that
  /// there was no second change within the same second (RFC 9110 section 8.8.2.2).
  package var lastModifiedIsStrong: Bool {
    guard let lastModified, let date else { return false }
    let (age, overflow) = date.subtractingReportingOverflow(lastModified)
    return !overflow && age >= 2
  }

  package var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

  /// Whether the end of the connection is the end of the body (RFC 9112 section 6.3), so that a truncated body looks
  /// complete.
  package var isCloseDelimited: Bool {
    version.isHTTP1 && contentLength == nil && !isChunked && statusAllowsBody
  }

  /// Whether the end of the stream is the end of the body (RFC 9113 section 8.1).
  package var isStreamDelimited: Bool { !version.isHTTP1 && contentLength == nil && statusAllowsBody }

  /// RFC 9110 section 6.4.1, except for answers to HEAD, which is never sent.
  package var statusAllowsBody: Bool { status >= 200 && status != 204 && status != 304 }

  /// The delay of `Retry-After`; nil where it is missing or malformed.
  /// - Parameter dateNow: seconds since 1970, used where the answer has no `Date`.
  package func retryAfter(dateNow: Int64) -> Duration? {
    retryAfterValue.flatMap { RetryAfter.parse($0, dateNow: date ?? dateNow) }
  }
}
