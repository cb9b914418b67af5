/// Status and fields of one final answer: all that decisions see of it.
///
/// Whatever a server sends, fields hold checked values or nil; a claim that was there but cannot be trusted has a
/// flag of its own (`hasInvalidContentLength`, `hasMalformedContentRange`).
package struct ResponseHead: Hashable, Sendable {
  /// 100 to 999; the parser never hands out 1xx.
  package var status: Int
  package var version: HTTPVersion
  /// Bytes of the body; nil where absent, invalid, or void beside a transfer coding (RFC 9112 section 6.3).
  package var contentLength: Int64?
  /// Two different lengths, or one that is no number.
  package var hasInvalidContentLength = false
  package var contentRange: ContentRange?
  /// Two different ranges, or one outside the grammar: no byte of the body has a known place.
  package var hasMalformedContentRange = false
  /// Nil also where two different ones were sent.
  package var entityTag: EntityTag?
  /// Seconds since 1970; nil also where two different ones were sent.
  package var lastModified: Int64?
  /// The server's clock, seconds since 1970.
  package var date: Int64?
  /// Lower-cased and printable; nil for none and `identity`.
  package var contentEncoding: String?
  package var isChunked = false
  /// What `Accept-Ranges` says: bytes, none, or nothing that is understood.
  package var acceptRanges: Bool?
  /// As sent; see `retryAfter(dateNow:)`.
  package var retryAfterValue: [UInt8]?
  /// As sent, without blanks around it, never empty; a reference that is yet to be resolved.
  package var location: [UInt8]?
  /// `type/subtype` without parameters, lower-cased and printable.
  package var contentType: String?
  /// The connection cannot be used again: `Connection: close`, or HTTP/1.0 without `keep-alive`.
  package var connectionCloses = false
  /// Of the whole representation, from `Repr-Digest` and `Digest`, each once.
  package var representationDigests: [ContentDigest] = []
  /// Of this body; it stands for the whole representation in a 200 only.
  package var contentMD5: ContentDigest?
  /// Schemes of `WWW-Authenticate`, lower-cased, in order.
  package var wwwAuthenticate: [String] = []

  package init(status: Int, version: HTTPVersion = .http11) {
    self.status = status
    self.version = version
  }

  /// Whether `lastModified` may stand for one version alone: it lies two seconds or more before the server's
  /// own clock, so that no second change can hide in the same second (RFC 9110 section 8.8.2.2).
  package var lastModifiedIsStrong: Bool {
    guard let lastModified, let date else { return false }
    let (age, overflow) = date.subtractingReportingOverflow(lastModified)
    return !overflow && age >= 2
  }

  /// Whether only the connection's end tells the body's (RFC 9112 section 6.3), so that a cut looks like an end.
  package var isCloseDelimited: Bool {
    version.isHTTP1 && contentLength == nil && !isChunked && statusAllowsBody
  }

  /// RFC 9110 section 6.4.1; the answer to a HEAD aside, which is never sent.
  package var statusAllowsBody: Bool { status >= 200 && status != 204 && status != 304 }

  /// How long the server asks to be left alone; nil where it does not say, or not so that it can be understood.
  /// - Parameter dateNow: seconds since 1970; the answer's own `Date`, where it has one, is used instead.
  package func retryAfter(dateNow: Int64) -> Duration? {
    retryAfterValue.flatMap { RetryAfter.parse($0, dateNow: date ?? dateNow) }
  }
}
