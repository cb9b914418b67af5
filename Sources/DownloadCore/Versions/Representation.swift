/// What identifies one version of a representation (RFC 9110 section 8.8).
package struct Validators: Hashable, Sendable {
  /// Strong tags only. Equal weak tags do not imply equal bytes.
  package var entityTag: EntityTag?
  /// Seconds since 1970.
  package var lastModified: Int64?
  /// At least two seconds older than the answer's `Date` (RFC 9110 section 8.8.2.2).
  package var lastModifiedIsStrong = false

  /// Whether there is neither.
  package var isEmpty: Bool { entityTag == nil && lastModified == nil }

  /// Whether these identify a version.
  package func canIdentify(on host: HostConditions) -> Bool {
    (host.isETagReliable && entityTag != nil) || (lastModified != nil && lastModifiedIsStrong)
  }

  package enum Comparison: Hashable, Sendable {
    case same
    case different(Difference)
    /// No common validator decides.
    case undecided
  }

  package enum Difference: String, Sendable { case entityTag, lastModified }

  /// Compares the recorded validators with those of a later answer. Lengths are compared elsewhere.
  ///
  /// Strong entity tags come first, then `Last-Modified` if a tag is missing on either side or unreliable.
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

/// One version of the content, as far as it is known from answers.
package struct Representation: Hashable, Sendable {
  /// Nil while unknown (chunked, close-delimited).
  package var completeLength: Int64?
  package var validators: Validators
  /// A `Content-Encoding` that was not requested. The coded bytes are stored, from a single transfer.
  package var contentCoding: String?

  /// The same version with this length if its own is unknown.
  func knowing(_ length: Int64?) -> Representation {
    var known = self
    known.completeLength = completeLength ?? length
    return known
  }

  /// Whether both lengths are known and equal.
  package func hasLength(of other: Representation) -> Bool {
    completeLength != nil && completeLength == other.completeLength
  }

  /// Compares with another mirror's answer: mirrors have one version if their lengths and strong entity tags are equal.
  ///
  /// Modification times do not count. Mirrors that are built from different sources on one day have equal ones.
  package func comparedAcrossMirrors(to other: Representation) -> Validators.Comparison {
    guard let mine = validators.entityTag, let theirs = other.validators.entityTag else { return .undecided }
    if mine.opaque != theirs.opaque { return .different(.entityTag) }
    return hasLength(of: other) ? .same : .undecided
  }

  /// Whether an answer of another URL has the version that an earlier run recorded: an equal length and strong entity tag,
  /// and an equal modification time where both have one. Servers make tags of time and length, so a tag alone tells little.
  package func agreesAcrossURLs(with other: Representation, on host: HostConditions) -> Bool {
    guard hasLength(of: other), host.isETagReliable, let mine = validators.entityTag?.opaque,
      mine == other.validators.entityTag?.opaque
    else { return false }
    guard let time = validators.lastModified, let otherTime = other.validators.lastModified else { return true }
    return time == otherTime
  }
}
