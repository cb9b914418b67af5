package import DownloadCore
internal import FileStore
package import ManifestWriting

/// The lines of a lock file while the run lasts. Files end in any order, and the lock file has them in that of their
/// numbers, so the lines wait in an unnamed file beside it. Memory: about 40 bytes for each.
package final class LockSpool {
  private struct Line {
    let number: Int
    let offset: Int64
    let byteCount: Int32
    /// Whether the line is whole; else its digest is missing at the end.
    let hasDigest: Bool
  }

  private let path: [UInt8]
  private let file: FileDescriptor
  private var lines: [Line] = []
  /// Lines that are not written yet, and where they begin.
  private var pending: [UInt8] = []
  private var pendingOffset: Int64 = 0
  /// The first failed write. The lock file is not made then.
  private var failure: SystemCallError?

  private static let blockByteCount = 64 << 10

  /// - Parameter path: the lock file, which need not exist.
  /// - Throws: where no file can be made in its directory, and where something else than a regular file has its name.
  package init(path: [UInt8]) throws(FileFailure) {
    self.path = path
    if let status = try? SystemCalls.fstatat(SystemCalls.workingDirectory, path) {
      switch status.kind {
      case .directory: throw FileFailure(path, .obstacle(.directory))
      case .special: throw FileFailure(path, .obstacle(.special))
      case .regular, .symbolicLink: break
      }
    }
    do throws(SystemCallError) { file = try UnnamedFile.beside(path) } catch {
      throw FileFailure(path, .failed(.create, errno: error.errno))
    }
  }

  /// Takes what was got of a file.
  ///
  /// - Parameters:
  ///   - number: the place of the line; each is taken once.
  ///   - digest: nil if it is to be computed before `write`.
  package func add(_ entry: LockEntry, number: Int, digest: ContentDigest?) {
    let text = entry.beginning + (digest.map(LockEntry.end) ?? [])
    lines.append(
      Line(
        number: number, offset: pendingOffset + Int64(pending.count), byteCount: Int32(text.count),
        hasDigest: digest != nil))
    pending += text
    if pending.count >= Self.blockByteCount { flush() }
  }

  private func flush() {
    do throws(SystemCallError) {
      if failure == nil { try SystemCalls.pwriteAll(file.raw, pending, at: pendingOffset) }
    } catch { failure = error }
    pendingOffset += Int64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes the lock file; its name has the old content or the whole new one.
  ///
  /// - Parameter digests: by number, one for each line that was added without one.
  package func write(digests: [Int: ContentDigest], syncs: Bool) throws(FileFailure) {
    flush()
    lines.sort { $0.number < $1.number }
    do throws(SystemCallError) {
      if let failure { throw failure }
      try WholeFile.replace(path, durability: syncs ? .contentAndName : .none) { (write) throws(SystemCallError) in
        var text: [UInt8] = []
        for line in lines {
          text += try SystemCalls.preadAll(file.raw, limit: Int(line.byteCount), at: line.offset)
          if !line.hasDigest, let digest = digests[line.number] { text += LockEntry.end(digest) }
          if text.count >= Self.blockByteCount {
            try write(text)
            text.removeAll(keepingCapacity: true)
          }
        }
        try write(text)
      }
    } catch {
      throw FileFailure(path, .failed(.write, errno: error.errno))
    }
  }
}
