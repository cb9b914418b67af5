/// Decides whether a download can resume from the part file of an earlier run.
///
/// A validator names versions of one resource, so the bytes of another URL are usually of no use: servers make tags of time
/// and length, which files have in common. They are kept only
/// - if a digest of the request judges the result, or
/// - if the request names that URL as well, or a URL from which it differs only in the query, as signed URLs do, or if the
///   user or the policy has named another URL in the place of that one. Then the new URL's answers must have the same
///   strong entity tag, length and, where both have one, Last-Modified.
package enum ResumePolicy {
  package enum Assessment: Hashable, Sendable {
    /// Resume the recorded version, which every answer must match.
    ///
    /// - Parameters:
    ///   - mirror: index of the mirror whose validators these are, or which takes the place of their URL.
    ///   - expectedDigests: the record's digests. Content was kept because of them, so it must match them as well as
    ///     the digests of this request.
    ///   - isOfOtherURL: whether the bytes came from a URL that the request does not name.
    case resume(
      Representation, mirror: Int, expectedDigests: [ExpectedDigest], isETagReliable: Bool, isOfOtherURL: Bool)
    case startOver(StartOverReason)
  }

  /// - Parameters:
  ///   - done: the valid ranges of the record.
  ///   - hasPieces: whether every recorded piece is going to be verified.
  ///   - mirrors: of the request; not empty.
  ///   - formerURL: whose place the first mirror has taken, if the user or the policy says so.
  package static func assess(
    record: SidecarRecord, done: ByteRangeSet, digests: [ContentDigest], hasPieces: Bool = false,
    mirrors: [Location], formerURL: Location? = nil, trustsLength: Bool
  ) -> Assessment {
    guard !done.isEmpty else { return .startOver(.nothingRecorded) }
    if let coding = record.contentCoding { return .startOver(.coded(coding)) }
    let contradicts = (record.digests + record.claimedDigests).contains { old in
      digests.contains { $0.algorithm == old.algorithm && $0 != old }
    }
    if contradicts { return .startOver(.otherDigest) }
    guard !record.mirrors.isEmpty else { return .startOver(.noSource) }
    let urlHashes = mirrors.map(\.hash)
    var inherited = record.expectedDigests
    let isETagReliable = !record.flags.contains(.unreliableTags)
    let isJudged = !digests.isEmpty || hasPieces
    let source = source(of: record, among: urlHashes, isJudged: isJudged || !inherited.isEmpty)
    let validators = source.validators
    var mirror = urlHashes.firstIndex(of: source.urlHash)
    let isOfOtherURL = mirror == nil
    if isOfOtherURL {
      func isOfRecord(_ location: Location) -> Bool {
        [(record.urlHash, record.url), (source.urlHash, source.url)].contains { hash, url in
          location.hash == hash || location.withoutQuery == url
        }
      }
      let isReplaced = formerURL.map(isOfRecord) ?? false
      let namesakes = mirrors.indices.filter { isOfRecord(mirrors[$0]) || $0 == 0 && isReplaced }
      if !isJudged {
        guard !namesakes.isEmpty, isETagReliable, validators.entityTag != nil, record.completeLength != nil else {
          return .startOver(.otherURL)
        }
      }
      // The digest of this request judges the bytes. What was known of the other URL says nothing of this one.
      if isJudged { inherited = [] }
      mirror = namesakes.first ?? 0
    }
    // Digests of another URL judge nothing before this one's answers agree.
    let hasDigest = isJudged || (!isOfOtherURL && !inherited.isEmpty)
    if !hasDigest, !trustsLength {
      let canIdentify = validators.canIdentify(on: HostConditions(isETagReliable: isETagReliable))
      guard canIdentify else { return .startOver(.noVersion) }
    }
    if !hasDigest, mayMixVersions(record, trustsLength: trustsLength) {
      return .startOver(.severalMirrors)
    }
    return .resume(
      Representation(completeLength: record.completeLength, validators: validators), mirror: mirror ?? 0,
      expectedDigests: inherited, isETagReliable: isETagReliable, isOfOtherURL: isOfOtherURL)
  }

  /// The recorded mirror whose validators later answers must match: one that supplied bytes, and one of the request if
  /// there is one.
  ///
  /// - Parameter isJudged: whether a digest judges the bytes. The original URL is taken then if no other is in the request,
  ///   because mirrors that only an answer named are not asked first.
  private static func source(
    of record: SidecarRecord, among urlHashes: [String], isJudged: Bool
  ) -> SidecarRecord.MirrorState {
    let sources = record.sources.map(\.mirror).filter(record.mirrors.indices.contains)
    let known = (sources + (isJudged ? [0] : [])).first { urlHashes.contains(record.mirrors[$0].urlHash) }
    return record.mirrors[known ?? sources.first ?? 0]
  }

  /// Whether recorded bytes of several mirrors may be of several versions: a digest that would have told is not known any
  /// more, and their strong entity tags do not tell.
  private static func mayMixVersions(_ record: SidecarRecord, trustsLength: Bool) -> Bool {
    let sources = Set(record.sources.map(\.mirror)).filter(record.mirrors.indices.contains)
    guard sources.count > 1 else { return false }
    let tags = sources.map { record.mirrors[$0].strongTag }
    return Set(tags.compactMap { $0 }).count > 1 || (!trustsLength && tags.contains(nil))
  }
}

extension SidecarRecord.MirrorState {
  fileprivate var validators: Validators {
    Validators(
      entityTag: strongTag.flatMap { EntityTag(parsing: [quote] + $0 + [quote]) }, lastModified: lastModified,
      lastModifiedIsStrong: lastModifiedIsStrong)
  }
}

private let quote = UInt8(ascii: "\"")
