/// Decides whether a download can resume from the part file of an earlier run.
package enum ResumePolicy {
  package enum Decision: Hashable, Sendable {
    /// Resume the recorded version, which every answer must match.
    ///
    /// - Parameters:
    ///   - mirror: index of the mirror whose validators these are.
    ///   - expectedDigests: the record's digests. Content was kept because of them, so it must match them as well as
    ///     the digests of this request.
    case resume(Representation, mirror: Int, expectedDigests: [ExpectedDigest], isETagReliable: Bool)
    case startOver(StartOverReason)
  }

  /// - Parameters:
  ///   - done: the valid ranges of the record.
  ///   - hasPieces: whether every recorded piece is going to be verified.
  ///   - urlHashes: hashes of the mirrors' whole URLs, the original one first; not empty.
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
    let expectedDigests = record.expectedDigests
    let isETagReliable = !record.flags.contains(.unreliableTags)
    guard record.mirrors.indices.contains(0) else { return .startOver(.noSource) }
    let isJudged = !digests.isEmpty || !expectedDigests.isEmpty
    let index = source(of: record, among: isJudged ? urlHashes : nil)
    let mirror = record.mirrors[index]
    var validators = Validators(
      entityTag: mirror.strongTag.flatMap { EntityTag(parsing: [quote] + $0 + [quote]) },
      lastModified: mirror.lastModified,
      lastModifiedIsStrong: mirror.lastModifiedIsStrong)
    if record.urlHash != urlHashes[0], !isSameContent {
      // For another URL, only an equal strong entity tag together with an equal length identifies the content.
      guard isETagReliable, validators.entityTag != nil, record.completeLength != nil else {
        return .startOver(.otherURL)
      }
      validators.lastModified = nil
      validators.lastModifiedIsStrong = false
    }
    if digests.isEmpty, expectedDigests.isEmpty, !hasPieces, !trustsLength,
      !validators.canIdentify(on: HostConditions(isETagReliable: isETagReliable))
    {
      return .startOver(.noVersion)
    }
    if !isJudged, !hasPieces, mayMixVersions(record, trustsLength: trustsLength) {
      return .startOver(.severalMirrors)
    }
    return .resume(
      Representation(completeLength: record.completeLength, validators: validators),
      mirror: urlHashes.firstIndex(of: mirror.urlHash) ?? 0, expectedDigests: expectedDigests,
      isETagReliable: isETagReliable)
  }

  /// The recorded mirror whose validators later answers must match: one that supplied bytes.
  ///
  /// - Parameter urlHashes: where a digest judges the bytes, of the request's mirrors. One of these is taken then, because
  ///   mirrors that only an answer named are not asked first.
  private static func source(of record: SidecarRecord, among urlHashes: [String]?) -> Int {
    let sources = record.sources.map(\.mirror).filter(record.mirrors.indices.contains)
    let asked = urlHashes.flatMap { hashes in
      (sources + [0]).first { hashes.contains(record.mirrors[$0].urlHash) }
    }
    return asked ?? sources.first ?? 0
  }

  /// Whether recorded bytes of several mirrors may be of several versions: a digest that would have told is not known any
  /// more, and their strong entity tags do not tell.
  private static func mayMixVersions(_ record: SidecarRecord, trustsLength: Bool) -> Bool {
    let sources = Set(record.sources.map(\.mirror)).filter(record.mirrors.indices.contains)
    guard sources.count > 1 else { return false }
    let tags = sources.map { record.mirrors[$0].strongTag }
    return Set(tags.compactMap { $0 }).count > 1 || (!trustsLength && tags.contains(nil))
  }

  private static let quote = UInt8(ascii: "\"")
}
