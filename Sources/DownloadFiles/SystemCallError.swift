package import DownloadCore
internal import Glibc

/// The system calls that DownloadFiles makes, by their names in the manual.
package enum SystemCall: String, CaseIterable, Sendable {
  case openat, close, dup, pwrite, pread, write, ftruncate, fdatasync, fsync, syncfs, sync
  case syncFileRange = "sync_file_range"
  case renameat, linkat, unlinkat, mkdirat, fstat, fstatat, flock, fsetxattr, fremovexattr, fgetxattr, getxattrat
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

  package var isMissing: Bool { errno == ENOENT }

  /// What the errno says about a remedy.
  package var kind: LocalFailure.Kind {
    switch errno {
    case ENOSPC, EDQUOT: .outOfSpace
    case EFBIG: .fileTooLarge
    case EMFILE, ENFILE: .outOfDescriptors
    case EACCES, EPERM, EROFS: .forbidden
    case ENAMETOOLONG: .nameTooLong
    case EILSEQ: .nameRefused
    // Of calls with a name FAT, NTFS and shares refuse like this what their names cannot have.
    case EINVAL where [.openat, .mkdirat, .renameat, .linkat, .fstatat].contains(call): .nameRefused
    default: .other
    }
  }

  /// `openat: errno 28`, for debugging and tests.
  package var description: String { "\(call.rawValue): errno \(errno)" }
}
