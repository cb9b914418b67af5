internal import DownloadCore
internal import DownloadFiles
internal import Glibc

/// A finished file that a hook of the user may change. Its mark must not outlive that: it is believed as long as size and
/// times fit, and a hook that runs just after the publication can restore them.
struct HookedFile: Hashable, Sendable {
  private let path: [UInt8]
  /// Of the content that was published.
  private let digest: ContentDigest?
  private let before: State

  private struct State: Hashable {
    let inode: UInt64
    let size: Int64
    let modified: FileTime
    let changed: FileTime

    /// Nil where no regular file has the name.
    init?(_ path: [UInt8]) {
      guard let status = try? SystemCalls.fstatat(SystemCalls.workingDirectory, path), status.kind == .regular else {
        return nil
      }
      inode = status.inode
      size = status.size
      modified = status.modified
      changed = status.changed
    }
  }

  /// Call it before the hook runs.
  ///
  /// - Parameters:
  ///   - path: absolute.
  ///   - digest: of the content; nil where none was computed.
  /// - Returns: nil where there is no such file.
  package init?(path: [UInt8], digest: ContentDigest?) {
    guard let before = State(path) else { return nil }
    self.path = path
    self.digest = digest
    self.before = before
  }

  /// Removes the mark if the hook has changed the content, or if that is not certain. Call it after the hook.
  ///
  /// - Parameter hashes: false takes a file to which something was done for a changed one.
  /// - Returns: whether the content has changed.
  func unmarkIfChanged(hashes: Bool) -> Bool {
    guard let now = State(path), hasChanged(now, hashes: hashes) else { return false }
    if let file = open() {
      for name in [AttributeName.verified, .shatagDigest, .shatagTime, .entityTag] {
        try? SystemCalls.fremovexattr(file.raw, name)
      }
    }
    return true
  }

  private func hasChanged(_ now: State, hashes: Bool) -> Bool {
    if now == before { return false }
    if now.inode != before.inode || now.size != before.size || now.modified != before.modified { return true }
    // No mark is believed on a file whose last change is so long after the publication.
    if now.changed.seconds - before.changed.seconds > VerifiedMark.publicationTime { return false }
    guard hashes, let digest else { return true }
    return currentDigest(digest.algorithm) != digest
  }

  private func open() -> FileDescriptor? {
    try? SystemCalls.openat(SystemCalls.workingDirectory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  }

  private func currentDigest(_ algorithm: DigestAlgorithm) -> ContentDigest? {
    guard let file = open(), let computer = DigestComputer([algorithm]) else { return nil }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
    defer { block.deallocate() }
    var position: Int64 = 0
    while let count = try? SystemCalls.pread(file.raw, into: block, at: position) {
      if count == 0 { return computer.finish().first }
      computer.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
      position += Int64(count)
    }
    return nil
  }
}
