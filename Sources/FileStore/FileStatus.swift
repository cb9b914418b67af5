internal import CShims
package import DownloadCore
internal import Glibc

/// What stat(2) tells of a file.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Sendable { case regular, directory, symbolicLink, special }

  package let kind: Kind
  /// Bytes.
  package let size: Int64
  package let modified: FileTime
  /// When the content, a name, the mode or an attribute was changed last, by the file system's clock; nobody can set it.
  package let changed: FileTime
  /// Permission bits only.
  package let mode: UInt32
  package let device: UInt64
  package let inode: UInt64
  /// Names the file has; 0 once the last is gone.
  package let linkCount: UInt64
  /// User id.
  package let owner: UInt32

  init(_ status: file_status) {
    kind =
      switch status.mode & UInt32(S_IFMT) {
      case UInt32(S_IFREG): .regular
      case UInt32(S_IFDIR): .directory
      case UInt32(S_IFLNK): .symbolicLink
      default: .special
      }
    size = status.size
    modified = FileTime(seconds: status.modified_seconds, nanoseconds: status.modified_nanoseconds)
    changed = FileTime(seconds: status.changed_seconds, nanoseconds: status.changed_nanoseconds)
    mode = status.mode & 0o7777
    device = status.device
    inode = status.inode
    linkCount = status.link_count
    owner = status.owner
  }

  /// Whether both are the same file, whatever has been written to it.
  package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}

/// What statfs(2) tells of a file system.
package struct FileSystemStatus: Hashable, Sendable {
  /// Bytes that an unprivileged process may still take.
  package let availableByteCount: Int64
  /// Bytes of the whole file system.
  package let byteCount: Int64
  /// Files are nowhere but in memory (tmpfs, ramfs).
  package let isInMemory: Bool
}

/// The room left on the file system of a directory.
package struct FreeSpace: Hashable, Sendable {
  /// Bytes that an unprivileged process may still take: what df(1) shows as available.
  package let availableByteCount: Int64
  /// How many of those downloads leave free: a hundredth of the file system, at most 8 MiB.
  package let reserve: Int64

  private static let largestReserve: Int64 = 8 << 20

  /// nil where the file system does not tell.
  package init?(in directory: DirectoryHandle) {
    guard let status = try? SystemCalls.fstatfs(directory.raw) else { return nil }
    self.init(status)
  }

  init?(_ status: FileSystemStatus) {
    // Some shares say that they have no bytes at all.
    guard status.byteCount > 0 else { return nil }
    availableByteCount = status.availableByteCount
    reserve = min(status.byteCount / 100, Self.largestReserve)
  }

  /// Bytes that downloads may still take.
  package var usableByteCount: Int64 { max(0, availableByteCount - reserve) }

  package var isExhausted: Bool { usableByteCount == 0 }
}
