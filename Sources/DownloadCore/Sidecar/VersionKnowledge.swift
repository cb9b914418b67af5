/// The version of the recorded bytes: the validators that answers of a later run must match, and the digests that the
/// content must have.
package struct VersionKnowledge: Hashable, Sendable {
  /// Bytes; nil while unknown.
  package var completeLength: Int64?
  package var contentCoding: String?
  /// By mirror; nil for a mirror that has not sent validators of this version.
  package var validators: [Validators?]
  package var expectedDigests: [ExpectedDigest]
  /// False if the host sent different entity tags for one version.
  package var isETagReliable: Bool

  package init(
    completeLength: Int64? = nil, contentCoding: String? = nil, validators: [Validators?] = [],
    expectedDigests: [ExpectedDigest] = [], isETagReliable: Bool = true
  ) {
    self.completeLength = completeLength
    self.contentCoding = contentCoding
    self.validators = validators
    self.expectedDigests = expectedDigests
    self.isETagReliable = isETagReliable
  }
}
