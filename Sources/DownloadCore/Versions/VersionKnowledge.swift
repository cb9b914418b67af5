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

extension SidecarRecord {
  /// A record without ranges.
  ///
  /// - Parameters:
  ///   - url: identifies the download.
  ///   - mirrors: the request's mirrors.
  package init(target: [UInt8], url: Location, mirrors: [Location], bootID: String, knowledge: VersionKnowledge) {
    self.init(target: target, url: url.withoutQuery, urlHash: url.hash, bootID: bootID)
    completeLength = knowledge.completeLength
    contentCoding = knowledge.contentCoding
    self.mirrors = mirrors.enumerated().map { index, location in
      let validators = knowledge.validators.indices.contains(index) ? knowledge.validators[index] : nil
      return MirrorState(
        url: location.withoutQuery, urlHash: location.hash, strongTag: validators?.entityTag?.opaque,
        lastModified: validators?.lastModified, lastModifiedIsStrong: validators?.lastModifiedIsStrong ?? false)
    }
    digests = knowledge.expectedDigests.filter { $0.source == .given }.map(\.digest)
    claimedDigests = knowledge.expectedDigests.filter { $0.source == .server }.map(\.digest)
    if !knowledge.isETagReliable { flags.insert(.unreliableTags) }
  }
}
