/// Whether a download may go on from what an earlier run left.
package enum ResumePolicy {
  package enum Decision: Hashable, Sendable {
    /// What the earlier run knew of the version, and the mirror it knew it from; every answer is compared with it.
    case resume(Representation, mirror: Int)
    case startOver(reason: String)
  }

  /// - Parameters:
  ///   - done: the record's ranges that are believed now.
  ///   - hasPieces: every piece that is there will be verified.
  ///   - urlHash: of the whole original URL of this request.
  package static func decision(
    record: SidecarRecord, done: ByteRangeSet, digests: [ContentDigest], hasPieces: Bool = false, urlHash: String,
    trustsLength: Bool
  ) -> Decision {
    guard !done.isEmpty else { return .startOver(reason: "nothing usable was recorded") }
    let isSameContent = !digests.isEmpty && record.digests.contains { digests.contains($0) }
    let contradicts = record.digests.contains { old in
      digests.contains { $0.algorithm == old.algorithm && $0 != old }
    }
    if contradicts { return .startOver(reason: "the part file belongs to another checksum") }
    guard record.mirrors.indices.contains(0) else { return .startOver(reason: "the sidecar names no source") }
    let index = record.sources.first.map(\.mirror).flatMap { record.mirrors.indices.contains($0) ? $0 : nil } ?? 0
    let mirror = record.mirrors[index]
    var validators = Validators(
      entityTag: mirror.strongTag.flatMap { EntityTag(parsing: [quote] + $0 + [quote]) },
      lastModified: mirror.lastModified,
      lastModifiedIsStrong: mirror.lastModifiedIsStrong)
    if record.urlHash != urlHash, !isSameContent {
      // Another URL: only an equal strong entity tag with an equal length can show that it is the same content.
      guard validators.entityTag != nil, record.completeLength != nil else {
        return .startOver(reason: "the part file belongs to another URL")
      }
      validators.lastModified = nil
      validators.lastModifiedIsStrong = false
    }
    if digests.isEmpty, !hasPieces, !trustsLength, !validators.canIdentify(isETagReliable: true) {
      return .startOver(reason: "the server named no version to go on with")
    }
    return .resume(Representation(completeLength: record.completeLength, validators: validators), mirror: index)
  }

  private static let quote = UInt8(ascii: "\"")
}
