package import DownloadCore
package import ManifestWriting

/// The lines of a lock file while the run lasts. Files end in any order, and the lock file has them in that of their
/// numbers.
package final class LockSpool {
  private let lines: NumberedTexts

  /// - Parameter path: the lock file, which need not exist.
  /// - Throws: as `NumberedTexts`.
  package init(path: [UInt8]) throws(FileFailure) { lines = try NumberedTexts(beside: path) }

  /// Takes what was got of a file.
  ///
  /// - Parameters:
  ///   - number: the place of the line; each is taken once.
  ///   - digest: nil if it is to be computed before `write`.
  package func add(_ entry: LockEntry, number: Int, digest: ContentDigest?) {
    lines.add(entry.beginning + (digest.map(LockEntry.end) ?? []), number: number)
  }

  /// Writes the lock file; its name has the old content or the whole new one.
  ///
  /// - Parameter digests: by number, one for each line that was added without one, and no others.
  package func write(digests: [Int: ContentDigest], syncs: Bool) throws(FileFailure) {
    try lines.replaceFile(syncs: syncs) { number, text in
      text + (digests[number].map(LockEntry.end) ?? [])
    }
  }
}
