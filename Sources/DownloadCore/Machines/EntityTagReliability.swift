/// Whether a host's entity tags tell versions apart.
///
/// The servers behind one name may each give the same version a tag of their own. Contradictions show that: the tags
/// of two answers differ although their modification time and length agree.
package struct EntityTagReliability: Sendable {
  package private(set) var isReliable = true
  private(set) var contradictionCount = 0
  /// The tag that contradicted last; further answers of one new version repeat it.
  private var contradictingTag: EntityTag?

  /// A single contradiction may be a new version of the same second and length.
  private static let leastContradictions = 2

  package init() {}

  /// An earlier run has found the tags to be unreliable.
  mutating func distrust() { isReliable = false }

  /// Compares an answer with the version that is known.
  mutating func compared(_ known: Representation, with other: Representation) {
    guard let mine = known.validators.entityTag, let theirs = other.validators.entityTag,
      mine.opaque != theirs.opaque, known.validators.lastModified == other.validators.lastModified
    else { return }
    // Without a length the modification time must show that the version is the same.
    if let length = other.completeLength, let known = known.completeLength {
      guard length == known else { return }
    } else if other.validators.lastModified == nil {
      return
    }
    contradicted(by: theirs)
  }

  mutating func contradicted(by tag: EntityTag) {
    guard tag != contradictingTag else { return }
    contradictingTag = tag
    contradictionCount += 1
    if contradictionCount >= Self.leastContradictions { isReliable = false }
  }
}
