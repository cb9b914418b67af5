import DownloadCore
import TestSupport

/// A file on the servers, with its versions over time.
final class SimulatedFile {
  struct Version: Equatable {
    var number: Int
    var length: Int64
    /// Seconds since 1970.
    var modified: Int64
  }

  /// When another version replaces the current one.
  enum Change: Equatable {
    case at(Instant)
    case afterRequests(Int)
    case everyRequest
  }

  let item: Int
  private(set) var versions: [Version]
  /// In order of time.
  var changes: [Change] = []
  var keepsLengthOnChange = false
  /// Whether versions have the same modification time.
  var keepsDateOnChange = false
  /// Whether versions are older than those before them, as after a restored backup.
  var datesGoBack = false
  /// The version whose digest is given; nil for none.
  var digestVersion: Int?
  /// The length that is given; nil for none.
  var expectedLength: Int64?
  /// Whether digests are given in the first run only.
  var forgetsDigests = false
  /// The length of the first version's pieces if their digests are given.
  var pieceLength: Int64?
  private(set) var requestCount = 0
  private(set) var changeCount = 0

  init(item: Int, length: Int64, modified: Int64) {
    self.item = item
    versions = [Version(number: item * 1000, length: length, modified: modified)]
  }

  var current: Version { versions[versions.count - 1] }

  var digests: [ContentDigest] {
    guard let digestVersion, let version = versions.first(where: { $0.number == digestVersion }) else { return [] }
    return [StoredContent(version: version.number, length: version.length).digest]
  }

  /// Whether the request verifies the content.
  var hasGivenDigests: Bool { digestVersion != nil || pieceLength != nil }

  var pieces: PieceHashes? {
    guard let pieceLength else { return nil }
    let content = StoredContent(version: versions[0].number, length: versions[0].length)
    let starts = stride(from: 0, to: versions[0].length, by: Int64.Stride(pieceLength))
    return PieceHashes(
      length: pieceLength,
      digests: starts.map { content.clipped(to: $0..<min($0 + pieceLength, versions[0].length)).digest })
  }

  /// Makes the changes that are due and returns the current version.
  func version(now: Instant, unixTime: Int64, _ random: inout SeededGenerator) -> Version {
    requestCount += 1
    while let change = changes.first {
      switch change {
      case .at(let instant): if now < instant { return current }
      case .afterRequests(let count): if requestCount <= count { return current }
      case .everyRequest: if requestCount == 1 { return current }
      }
      if change != .everyRequest { changes.removeFirst() }
      changeCount += 1
      var next = current
      next.number += 1
      if !keepsDateOnChange { next.modified = datesGoBack ? next.modified - 86_400 : unixTime }
      if !keepsLengthOnChange { next.length = max(1, next.length + Int64.random(in: -50_000...50_000, using: &random)) }
      versions.append(next)
      if change == .everyRequest { break }
    }
    return current
  }
}
