internal import CSwiftGetShims
package import DownloadCore
internal import Glibc

/// The result of stat(2).
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Sendable { case regular, directory, symbolicLink, special }

  package let kind: Kind
  /// Bytes.
  package let size: Int64
  package let modified: FileTime
  /// When content, name, mode or attributes changed last, by the file system's clock. Programs cannot set it.
  package let changed: FileTime
  /// Permission bits only.
  package let mode: UInt32
  package let device: UInt64
  package let inode: UInt64
  /// The number of names (hard links); 0 once the last is removed.
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

  /// Whether both are the same inode; its content may have changed.
  package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}

/// The result of statfs(2).
package struct FileSystemStatus: Hashable, Sendable {
  /// Bytes that an unprivileged process may still allocate.
  package let availableByteCount: Int64
  /// The size of the file system in bytes.
  package let byteCount: Int64
  /// Whether files exist in memory only (tmpfs, ramfs).
  package let isInMemory: Bool
  /// Whether it is an overlay of several trees.
  package let isOverlay: Bool
  /// Whether another machine or a program of the user has the files (NFS, SMB, FUSE and the like).
  package var isRemote = false
  /// The most bytes of a name; 0 where the file system does not tell.
  package let nameLimit: Int
}
