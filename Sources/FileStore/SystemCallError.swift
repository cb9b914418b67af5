internal import CShims
internal import Glibc

/// The system calls that FileStore makes, by their names in the manual.
package enum SystemCall: String, CaseIterable, Sendable {
  case openat, close, dup, pwrite, pread, write, ftruncate, fdatasync, fsync, syncfs, sync
  case syncFileRange = "sync_file_range"
  case renameat, linkat, unlinkat, mkdirat, fstat, fstatat, flock, fsetxattr, fgetxattr
  case futimens, fchmod, fstatfs, poll
}

/// A failed system call: its name and errno. The caller knows the file and adds its name.
package struct SystemCallError: Error, Hashable, Sendable, CustomStringConvertible {
  package let call: SystemCall
  /// As in errno(3).
  package let errno: Int32

  package init(_ call: SystemCall, _ errno: Int32) {
    self.call = call
    self.errno = errno
  }

  /// The file system or the quota is full. The run stops; freeing space helps.
  package var isOutOfSpace: Bool { errno == ENOSPC || errno == EDQUOT }

  /// The file would exceed the limit of the file system or the process (`ulimit -f`). Freeing space does not help.
  package var isFileTooLarge: Bool { errno == EFBIG }

  /// The process or the system has no descriptor left. Fewer concurrent files help.
  package var isOutOfDescriptors: Bool { errno == EMFILE || errno == ENFILE }

  /// Permissions or a read-only file system. Another directory helps.
  package var isForbidden: Bool { errno == EACCES || errno == EPERM || errno == EROFS }

  package var isNameTooLong: Bool { errno == ENAMETOOLONG }

  package var isMissing: Bool { errno == ENOENT }

  /// `No space left on device`.
  package var reason: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, let text = file_error_text(errno, base, 256) else { return "error \(errno)" }
      return String(cString: text)
    }
  }

  /// `open: No space left on device`.
  package var description: String { "\(call.rawValue): \(reason)" }
}
