/// Whether a download may go on from what an earlier run left.
package enum ResumePolicy {
  package enum Decision: Hashable, Sendable {
    /// What the earlier run knew of the version, and the request's mirror that told it: every answer is compared with
    /// it. The digests on whose strength bytes were kept judge the content, whoever gives digests now.
    case resume(Representation, mirror: Int, judges: [ExpectedDigest], isETagReliable: Bool)
    case startOver(StartOverReason)
  }

  /// - Parameters:
  ///   - done: the record's ranges that are believed now.
  ///   - hasPieces: every piece that is there will be verified.
  ///   - urlHashes: of the whole URLs of this request, the original one first; not empty.
  package static func decision(
    record: SidecarRecord, done: ByteRangeSet, digests: [ContentDigest], hasPieces: Bool = false,
    urlHashes: [String], trustsLength: Bool
  ) -> Decision {
    guard !done.isEmpty else { return .startOver(.nothingRecorded) }
    if let coding = record.contentCoding { return .startOver(.coded(coding)) }
    let recorded = record.digests + record.claimedDigests
    let isSameContent = !digests.isEmpty && recorded.contains { digests.contains($0) }
    let contradicts = recorded.contains { old in
      digests.contains { $0.algorithm == old.algorithm && $0 != old }
    }
    if contradicts { return .startOver(.otherDigest) }
    let judges = record.judges
    let isETagReliable = !record.flags.contains(.unreliableTags)
    guard record.mirrors.indices.contains(0) else { return .startOver(.noSource) }
    let index = record.sources.first.map(\.mirror).flatMap { record.mirrors.indices.contains($0) ? $0 : nil } ?? 0
    let mirror = record.mirrors[index]
    var validators = Validators(
      entityTag: mirror.strongTag.flatMap { EntityTag(parsing: [quote] + $0 + [quote]) },
      lastModified: mirror.lastModified,
      lastModifiedIsStrong: mirror.lastModifiedIsStrong)
    if record.urlHash != urlHashes[0], !isSameContent {
      // Another URL: only an equal strong entity tag with an equal length can show that it is the same content.
      guard isETagReliable, validators.entityTag != nil, record.completeLength != nil else {
        return .startOver(.otherURL)
      }
      validators.lastModified = nil
      validators.lastModifiedIsStrong = false
    }
    if digests.isEmpty, judges.isEmpty, !hasPieces, !trustsLength,
      !validators.canIdentify(on: HostConditions(isETagReliable: isETagReliable))
    {
      return .startOver(.noVersion)
    }
    return .resume(
      Representation(completeLength: record.completeLength, validators: validators),
      mirror: urlHashes.firstIndex(of: mirror.urlHash) ?? 0, judges: judges, isETagReliable: isETagReliable)
  }

  private static let quote = UInt8(ascii: "\"")
}
