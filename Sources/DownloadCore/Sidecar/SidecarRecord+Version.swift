extension SidecarRecord {
  /// A record without ranges.
  ///
  /// - Parameter mirrors: the request's mirrors, the original URL first.
  package init(target: [UInt8], mirrors: [Location], bootID: String, knowledge: VersionKnowledge) {
    self.init(target: target, url: mirrors[0].withoutQuery, urlHash: mirrors[0].hash, bootID: bootID)
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

  /// The digests that the whole content must have. Ranges may have been kept or combined because of them.
  package var expectedDigests: [ExpectedDigest] {
    digests.map { ExpectedDigest($0, .given) } + claimedDigests.map { ExpectedDigest($0, .server) }
  }
}

extension Location {
  /// Identifies the whole URL in a sidecar without revealing it: 16 hexadecimal digits.
  package var hash: String { StableHash.hexadecimal(StableHash.fnv1a(text)) }
}
