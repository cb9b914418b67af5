/// What identifies one version of a representation (RFC 9110 section 8.8).
package struct Validators: Hashable, Sendable {
  /// Strong ones only; a weak tag does not promise equal bytes.
  package var entityTag: EntityTag?
  /// Unix seconds.
  package var lastModified: Int64?
  /// At least two seconds older than the answer's `Date` (RFC 9110 section 8.8.2.2).
  package var lastModifiedIsStrong = false

  package init(entityTag: EntityTag? = nil, lastModified: Int64? = nil, lastModifiedIsStrong: Bool = false) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.lastModifiedIsStrong = lastModifiedIsStrong
  }

  package init(of head: ResponseHead) {
    if let tag = head.entityTag, !tag.isWeak { entityTag = tag }
    lastModified = head.lastModified
    lastModifiedIsStrong = head.lastModifiedIsStrong
  }

  /// Whether the answer had neither.
  package var isEmpty: Bool { entityTag == nil && lastModified == nil }

  /// Whether these can tell versions apart at all.
  package func canIdentify(on host: HostConditions) -> Bool {
    (host.isETagReliable && entityTag != nil) || (lastModified != nil && lastModifiedIsStrong)
  }

  package enum Comparison: Hashable, Sendable {
    case same
    case different(Difference)
    /// No validator that both have decides.
    case undecided
  }

  package enum Difference: String, Sendable { case entityTag, lastModified }

  /// Compares the recorded validators with those of a later answer; the lengths are compared elsewhere.
  ///
  /// Strong entity tags first; `Last-Modified` where a tag is missing on either side or not to be relied on.
  package func compared(to answer: Validators, on host: HostConditions) -> Comparison {
    if host.isETagReliable, let mine = entityTag, let other = answer.entityTag {
      return mine.opaque == other.opaque ? .same : .different(.entityTag)
    }
    if let mine = lastModified, let other = answer.lastModified {
      if mine != other { return .different(.lastModified) }
      return lastModifiedIsStrong ? .same : .undecided
    }
    return .undecided
  }
}

/// One version of the wanted bytes, as far as the answers have told.
package struct Representation: Hashable, Sendable {
  /// Nil while unknown (chunked, close-delimited).
  package var completeLength: Int64?
  package var validators: Validators
  /// A `Content-Encoding` that we did not ask for: stored as it is, in one stream.
  package var contentCoding: String?

  package init(completeLength: Int64?, validators: Validators, contentCoding: String? = nil) {
    self.completeLength = completeLength
    self.validators = validators
    self.contentCoding = contentCoding
  }

  /// What a 200 says of it.
  package init(of head: ResponseHead) {
    self.init(
      completeLength: head.isChunked ? nil : head.contentLength, validators: Validators(of: head),
      contentCoding: head.contentEncoding)
  }

  /// The same version, whose length is known from elsewhere if this answer does not tell it.
  func knowing(_ length: Int64?) -> Representation {
    var known = self
    known.completeLength = completeLength ?? length
    return known
  }

  /// Whether both lengths are known and equal.
  package func hasLength(of other: Representation) -> Bool {
    completeLength != nil && completeLength == other.completeLength
  }

  /// Whether another mirror's answer names the same version: equal length, and a strong entity tag or a strong
  /// modification time that agrees.
  package func agreesAcrossMirrors(with other: Representation) -> Bool {
    guard let completeLength, completeLength == other.completeLength else { return false }
    if let mine = validators.entityTag, let theirs = other.validators.entityTag, mine.opaque == theirs.opaque {
      return true
    }
    return validators.lastModifiedIsStrong && other.validators.lastModifiedIsStrong
      && validators.lastModified != nil && validators.lastModified == other.validators.lastModified
  }
}
