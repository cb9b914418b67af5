internal import DownloadCore

/// A sidecar that is open in this process, on a file system without locks. There the line of `ProcessStamp` keeps other
/// processes out, and this keeps out the other engines of this one.
final class OpenTarget: Sendable {
  private struct File: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private static let all = Lock<Set<File>>([])

  private let file: File

  /// Nil where the file is open in this process already.
  init?(_ status: FileStatus) {
    let file = File(device: status.device, inode: status.inode)
    guard Self.all.withLock({ $0.insert(file).inserted }) else { return nil }
    self.file = file
  }

  deinit { _ = Self.all.withLock { $0.remove(file) } }
}
