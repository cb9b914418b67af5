internal import CShims
internal import Glibc

/// The system calls FileStore makes, by the names the manual knows them under.
package enum SystemCall: String, CaseIterable, Sendable {
  case openat, close, dup, pwrite, pread, write, ftruncate, fdatasync, fsync, syncfs, sync
  case syncFileRange = "sync_file_range"
  case renameat, linkat, unlinkat, mkdirat, fstat, fstatat, flock, fsetxattr, fgetxattr
  case futimens, fchmod, fstatfs, poll, getrlimit, sigaction
}

/// A system call that failed: the call's name and its error number, nothing about the file.
///
/// What failed on which file, and what to try, is said one layer up, where the name is known.
package struct SystemCallError: Error, Hashable, Sendable, CustomStringConvertible {
  package let call: SystemCall
  /// As in errno(3).
  package let errno: Int32

  package init(_ call: SystemCall, _ errno: Int32) {
    self.call = call
    self.errno = errno
  }

  /// The file system or the quota is full: the run stops, and freeing space is what helps.
  package var isOutOfSpace: Bool { errno == ENOSPC || errno == EDQUOT }

  /// The file would pass the file system's or the process's limit (`ulimit -f`); freeing space does not help.
  package var isFileTooLarge: Bool { errno == EFBIG }

  /// The process or the system has no descriptor left: fewer files at once would do.
  package var isOutOfDescriptors: Bool { errno == EMFILE || errno == ENFILE }

  /// Permissions or a file system that is mounted read-only: another place would do.
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
