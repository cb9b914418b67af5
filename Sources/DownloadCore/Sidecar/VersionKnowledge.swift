/// What is known of the version of which bytes are recorded: what a later run must compare its answers with, and what
/// must judge the content in the end.
package struct VersionKnowledge: Hashable, Sendable {
  /// Bytes; nil while unknown.
  package var completeLength: Int64?
  package var contentCoding: String?
  /// By mirror; nil for those that have told nothing of this version.
  package var validators: [Validators?]
  package var judges: [ExpectedDigest]
  /// False where the host's entity tags were found to differ between answers of one version.
  package var isETagReliable: Bool

  package init(
    completeLength: Int64? = nil, contentCoding: String? = nil, validators: [Validators?] = [],
    judges: [ExpectedDigest] = [], isETagReliable: Bool = true
  ) {
    self.completeLength = completeLength
    self.contentCoding = contentCoding
    self.validators = validators
    self.judges = judges
    self.isETagReliable = isETagReliable
  }
}
