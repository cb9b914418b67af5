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
  /// Permission bits only.
  package let mode: UInt32
  package let device: UInt64
  package let inode: UInt64
  /// Names the file has; 0 once the last is gone.
  package let linkCount: UInt64

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
    mode = status.mode & 0o7777
    device = status.device
    inode = status.inode
    linkCount = status.link_count
  }

  /// Whether both are the same file, whatever has been written to it.
  package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}

/// What statfs(2) tells of a file system.
package struct FileSystemStatus: Hashable, Sendable {
  /// Bytes that an unprivileged process may still take.
  package let availableByteCount: Int64
  /// Files are nowhere but in memory (tmpfs, ramfs).
  package let isInMemory: Bool
}

/// The room left where a directory lies.
package enum FreeSpace {
  /// Bytes that an unprivileged process may still take on the file system of `directory`.
  package static func available(in directory: DirectoryHandle) throws(SystemCallError) -> Int64 {
    try SystemCalls.fstatfs(directory.raw).availableByteCount
  }
}
