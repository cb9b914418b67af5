internal import DownloadCore
internal import DownloadListWriting
internal import DownloadScratch

/// The lines of a lock file while the run lasts. Files end in any order, and the lock file has them in that of their
/// numbers. Neither the lines nor the names of files without digests are in memory.
final class LockSpool {
  private let lines: NumberedTexts
  /// Names of files whose digests are not known yet.
  private let undigested: NumberedTexts

  /// - Parameter path: the lock file, which need not exist.
  /// - Throws: as `NumberedTexts`.
  package init(path: [UInt8]) throws(FileFailure) {
    lines = try NumberedTexts(beside: path)
    undigested = try NumberedTexts(beside: path)
  }

  /// Takes what was got of a file.
  ///
  /// - Parameters:
  ///   - number: the place of the line; each is taken once.
  ///   - digest: nil if it is to be computed before `write`.
  func add(_ entry: LockEntry, number: Int, digest: ContentDigest?) {
    lines.add(entry.beginning + (digest.map(LockEntry.end) ?? []), number: number)
    if digest == nil { undigested.add(entry.name, number: number) }
  }

  /// The first file without a digest whose number is not below `number`; nil if there is none.
  func undigested(from number: Int) throws(FileFailure) -> (number: Int, name: [UInt8])? {
    try undigested.first(from: number).map { ($0.number, $0.text) }
  }

  /// The name of a file that was added without a digest.
  func name(ofUndigested number: Int) throws(FileFailure) -> [UInt8] { try undigested.text(number) ?? [] }

  /// Completes the line of a file that was added without a digest.
  func complete(number: Int, _ digest: ContentDigest) throws(FileFailure) {
    lines.add((try lines.text(number) ?? []) + LockEntry.end(digest), number: number)
  }

  /// Writes the lock file, when every line is complete; its name has the old content or the whole new one.
  ///
  /// - Parameter isPrivate: whether only the user may read it.
  func write(isPrivate: Bool, syncs: Bool) throws(FileFailure) {
    try lines.replaceFile(isPrivate: isPrivate, syncs: syncs)
  }
}
