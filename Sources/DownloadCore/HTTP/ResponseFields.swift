/// Collects the fields of one answer into its head.
///
/// A field that must not be repeated (RFC 9110 section 5.3) counts only where all copies agree.
struct ResponseFields: Sendable {
  /// The most digests and the most challenges kept, so that a hostile head does not cost memory.
  private static let maximumListCount = 16
  private static let maximumCookieCount = 50
  /// The most links kept.
  private static let maximumLinkCount = 64

  private(set) var head: ResponseHead
  private var hasTransferCoding = false
  private var hasIdentityCoding = false
  /// Whether Content-Encoding is what an object store was told with an upload (`aws-chunked`). What it stores comes as it
  /// is, ranges included.
  private var hasUploadCoding = false
  private var keepsAlive = false
  private var entityTags = Agreement<EntityTag>()
  private var lastModifieds = Agreement<Int64>()

  init(_ head: ResponseHead = ResponseHead(status: 100)) { self.head = head }

  enum Field: Sendable {
    case connection, contentDisposition, contentEncoding, contentLength, contentMD5, contentRange,
      contentType, date
    case digest, entityTag, lastModified, link, location, rateLimit, rateLimitRemaining, representationDigest,
      retryAfter
    case setCookie, transferEncoding, wwwAuthenticate
  }

  /// Takes a line without its line end.
  ///
  /// - Parameters:
  ///   - field: as `field(of:)` has found it.
  ///   - nameLength: of its name.
  mutating func take(_ line: UnsafeRawBufferPointer, _ field: Field, nameLength: Int) {
    let value = Array(UnsafeRawBufferPointer(rebasing: line[(nameLength + 1)...]).trimmed)
    switch field {
    case .connection: takeConnection(value)
    // Of repeated ones the first counts.
    case .contentDisposition: head.contentDisposition = head.contentDisposition ?? value
    case .contentEncoding: takeContentEncoding(value)
    case .contentLength: takeContentLength(value)
    case .contentMD5: head.contentMD5 = DigestFields.contentMD5(value)
    case .contentRange: takeContentRange(value)
    case .contentType:
      let essence = value.prefix(while: { $0 != UInt8(ascii: ";") }).trimmed
      head.contentType = essence.isEmpty ? nil : essence.loweredPrintable
    case .date: head.date = HTTPDate.parse(value)
    case .digest: add(DigestFields.instanceDigest(value))
    case .entityTag: entityTags.take(EntityTag(parsing: value))
    case .lastModified: lastModifieds.take(HTTPDate.parse(value))
    case .link: head.links += LinkField.links(of: value).prefix(Self.maximumLinkCount - head.links.count)
    // The first one counts, as in libcurl and browsers.
    case .location: if head.location == nil, !value.isEmpty { head.location = value }
    case .rateLimit: if RateLimitField.remaining(of: value) == 0 { head.hasUsedUpRequests = true }
    case .rateLimitRemaining: if Int64(digits: value) == 0 { head.hasUsedUpRequests = true }
    case .representationDigest: add(DigestFields.representationDigest(value))
    case .retryAfter: head.retryAfterValue = value
    case .setCookie:
      if head.isRedirect, head.redirectCookies.count < Self.maximumCookieCount { head.redirectCookies.append(value) }
    case .transferEncoding: takeTransferEncoding(value)
    case .wwwAuthenticate:
      let room = Self.maximumListCount - head.wwwAuthenticate.count
      head.wwwAuthenticate += FieldList.challengeSchemes(of: value).prefix(room)
    }
  }

  /// The head after the last field.
  mutating func finish() -> ResponseHead {
    head.entityTag = entityTags.value
    head.lastModified = lastModifieds.value
    if head.hasInvalidContentLength { head.contentLength = nil }
    if head.hasMalformedContentRange { head.contentRange = nil }
    if head.version.isHTTP1 {
      // RFC 9112 section 6.3: a transfer coding overrides the length, as it does in libcurl.
      if hasTransferCoding { head.contentLength = nil }
      head.hasIdentityCoding = hasIdentityCoding && !hasTransferCoding
      if head.version == .http10, !keepsAlive { head.connectionCloses = true }
    } else {
      head.isChunked = false
      head.connectionCloses = false
    }
    return head
  }

  // MARK: Names

  /// The field of a non-empty line and the length of its name; nil for unused fields. Decides by the first byte.
  static func field(of line: UnsafeRawBufferPointer) -> (Field, Int)? {
    switch line[0] | 0x20 {
    case UInt8(ascii: "c"):
      match(line, "content-length", .contentLength) ?? match(line, "content-type", .contentType)
        ?? match(line, "content-range", .contentRange) ?? match(line, "content-encoding", .contentEncoding)
        ?? match(line, "connection", .connection) ?? match(line, "content-md5", .contentMD5)
        ?? match(line, "content-disposition", .contentDisposition)
    case UInt8(ascii: "d"): match(line, "date", .date) ?? match(line, "digest", .digest)
    case UInt8(ascii: "e"): match(line, "etag", .entityTag)
    case UInt8(ascii: "l"):
      match(line, "last-modified", .lastModified) ?? match(line, "location", .location) ?? match(line, "link", .link)
    case UInt8(ascii: "r"):
      match(line, "retry-after", .retryAfter) ?? match(line, "repr-digest", .representationDigest)
        ?? match(line, "ratelimit", .rateLimit) ?? match(line, "ratelimit-remaining", .rateLimitRemaining)
    case UInt8(ascii: "s"): match(line, "set-cookie", .setCookie)
    case UInt8(ascii: "t"): match(line, "transfer-encoding", .transferEncoding)
    case UInt8(ascii: "w"): match(line, "www-authenticate", .wwwAuthenticate)
    case UInt8(ascii: "x"):
      match(line, "x-ratelimit-remaining", .rateLimitRemaining)
        ?? match(line, "x-rate-limit-remaining", .rateLimitRemaining)
    default: nil
    }
  }

  /// field-line = field-name ":" OWS field-value OWS. The position of the colon excludes most names at once.
  @inline(__always)
  private static func match(_ line: UnsafeRawBufferPointer, _ name: StaticString, _ field: Field) -> (Field, Int)? {
    let length = name.utf8CodeUnitCount
    guard line.count > length, line[length] == UInt8(ascii: ":"), line.starts(withFolded: name) else { return nil }
    return (field, length)
  }

  // MARK: Values

  /// Content-Length = 1*DIGIT. A list of equal numbers, as some proxies send it, is accepted (RFC 9110 section 8.6).
  private mutating func takeContentLength(_ value: [UInt8]) {
    var isEmpty = true
    for element in FieldList.elements(of: value) {
      isEmpty = false
      guard let length = Int64(digits: element), head.contentLength == nil || head.contentLength == length else {
        head.hasInvalidContentLength = true
        return
      }
      head.contentLength = length
    }
    if isEmpty { head.hasInvalidContentLength = true }
  }

  private mutating func takeContentRange(_ value: [UInt8]) {
    guard let range = ContentRange(parsing: value), head.contentRange == nil || head.contentRange == range else {
      head.hasMalformedContentRange = true
      return
    }
    head.contentRange = range
  }

  private mutating func takeContentEncoding(_ value: [UInt8]) {
    for coding in FieldList.elements(of: value) {
      if coding.equals(folded: "aws-chunked") {
        hasUploadCoding = true
        head.contentEncoding = nil
      }
      if hasUploadCoding { return }
      if Self.changesNoBytes(coding) { continue }
      let known = head.contentEncoding.map { $0 + ", " } ?? ""
      // Bounds the time for a hostile list.
      if known.utf8.count > 64 { return }
      head.contentEncoding = known + coding.loweredPrintable
    }
  }

  /// Whether a content coding is none. Servers send `none`, character sets and transfer encodings there.
  private static func changesNoBytes(_ coding: ArraySlice<UInt8>) -> Bool {
    switch coding.loweredPrintable {
    case "identity", "none", "binary", "7bit", "8bit", "utf-8", "utf8", "us-ascii", "iso-8859-1": true
    default: false
    }
  }

  private mutating func takeTransferEncoding(_ value: [UInt8]) {
    for coding in FieldList.elements(of: value) {
      // Of RFC 2616: no coding.
      if coding.equals(folded: "identity") {
        hasIdentityCoding = true
        continue
      }
      hasTransferCoding = true
      // The last coding frames the body.
      head.isChunked = coding.equals(folded: "chunked")
    }
  }

  private mutating func takeConnection(_ value: [UInt8]) {
    for option in FieldList.elements(of: value) {
      if option.equals(folded: "close") { head.connectionCloses = true }
      if option.equals(folded: "keep-alive") { keepsAlive = true }
    }
  }

  private mutating func add(_ digests: [ContentDigest]) {
    for digest in digests where head.representationDigests.count < Self.maximumListCount {
      if !head.representationDigests.contains(digest) { head.representationDigests.append(digest) }
    }
  }
}

/// The value of a field that must not be repeated: nil where two copies differ, valid or not.
private struct Agreement<Value: Equatable & Sendable>: Sendable {
  private(set) var value: Value?
  private var isSeen = false
  private var isBroken = false

  mutating func take(_ new: Value?) {
    if isSeen, new != value { isBroken = true }
    isSeen = true
    value = isBroken ? nil : new
  }
}
