internal import DownloadCore
internal import DownloadFiles

/// Decides whether a file goes on from what an earlier run left of it. The engine does so, a dry run tells it.
enum LeftoverPolicy {
  /// What is kept.
  struct Resumption {
    var representation: Representation
    /// The ranges that are not fetched again.
    var done: ByteRangeSet
    var mirror: Int
    var expectedDigests: [ExpectedDigest]
    var isETagReliable: Bool
    /// Whether the bytes came from a URL that the request does not name.
    var isOfOtherURL: Bool
    /// Bytes of the part file behind this offset are not part of the content.
    var partEnd: Int64
  }

  enum Assessment {
    case resume(Resumption)
    /// The remark is for the user.
    case startOver(Notice.Level, Remark)
    /// There is nothing to go on from.
    case nothing
  }

  /// Bytes at the end of a complete file that are fetched again to learn its version.
  private static let confirmedByteCount: Int64 = 4096

  /// - Parameter part: the part file, if there is one; asked for only where it matters.
  static func assess(
    _ record: SidecarRecord, _ request: FileRequest, _ settings: RunSettings,
    part: () throws(PartOpenError) -> LeftPart?
  ) throws(PartOpenError) -> Assessment {
    guard settings.target.resumes else { return .startOver(.detail, .startingOver(.asked)) }
    guard let part = try part() else { return .nothing }
    if part.wasExposed { return .startOver(.note, .startingOver(.exposedPart)) }
    var done = record.believed(bootID: BootID.current)
    let end = done.ranges.last?.upperBound ?? 0
    guard part.size >= end else { return .startOver(.note, .sidecarExceedsPart) }
    switch ResumePolicy.assess(
      record: record, done: done, digests: request.digests, hasPieces: request.pieces != nil,
      mirrors: request.mirrors.map(\.location), formerURL: request.formerURL,
      trustsLength: settings.file.trustsLength)
    {
    case .startOver(let reason): return done.isEmpty ? .nothing : .startOver(.note, .startingOver(reason))
    case .resume(let representation, let mirror, let expectedDigests, let isETagReliable, let isOfOtherURL):
      if let digest = expectedDigests.first(where: { !Digests.isAvailable($0.digest.algorithm) }) {
        return .startOver(.note, .startingOver(.digestUnavailable(digest.digest.algorithm)))
      }
      if isOfOtherURL, request.digests.isEmpty, request.pieces == nil, let length = representation.completeLength,
        done.contains(0..<length)
      {
        // Everything is there, but the new URL's server has to confirm that it has the same version.
        done.remove(max(0, length - confirmedByteCount)..<length)
      }
      return .resume(
        Resumption(
          representation: representation, done: done, mirror: mirror, expectedDigests: expectedDigests,
          isETagReliable: isETagReliable, isOfOtherURL: isOfOtherURL, partEnd: end))
    }
  }
}
