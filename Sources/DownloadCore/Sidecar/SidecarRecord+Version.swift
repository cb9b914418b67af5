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

extension SidecarRecord {
  /// A record without any range.
  ///
  /// - Parameter mirrors: of the request, the original URL first.
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
    digests = knowledge.judges.filter { $0.source == .given }.map(\.digest)
    claimedDigests = knowledge.judges.filter { $0.source == .server }.map(\.digest)
    if !knowledge.isETagReliable { flags.insert(.unreliableTags) }
  }

  /// The digests on whose strength the ranges may have been kept or put together.
  package var judges: [ExpectedDigest] {
    digests.map { ExpectedDigest($0, .given) } + claimedDigests.map { ExpectedDigest($0, .server) }
  }
}

extension Location {
  /// Names the whole URL in a sidecar without showing it: 16 hexadecimal digits.
  package var hash: String { StableHash.hexadecimal(StableHash.fnv1a(text)) }
}

extension FileMachine {
  /// What a sidecar is to say of the version.
  var knowledge: VersionKnowledge {
    // Where only a connection's end has told the length, a later run must not take it for granted.
    let isLengthCertain = !isCloseDelimited || isConfirmed
    return VersionKnowledge(
      completeLength: isLengthCertain ? representation?.completeLength : nil,
      contentCoding: representation?.contentCoding,
      validators: mirrors.map(\.validators), judges: judges.expected.filter(\.source.isOutside),
      isETagReliable: !distrustsETags)
  }
}

extension RunMachine {
  /// What the item's sidecar is to say of the version; nothing where the item is not at work.
  package func knowledge(of item: Int) -> VersionKnowledge {
    guard let entry = file(item) else { return VersionKnowledge() }
    var knowledge = entry.machine.knowledge
    let origin = entry.machine.origin(ofMirror: entry.machine.currentMirror)
    if governor(of: origin)?.isETagReliable == false { knowledge.isETagReliable = false }
    return knowledge
  }
}
