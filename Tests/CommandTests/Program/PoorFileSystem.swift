import Glibc
import TestSupport

/// A file system without some calls. The program meets it everywhere, through a library that is loaded before the C
/// library.
enum PoorFileSystem: String, CaseIterable {
  /// As many clusters mount NFS and Lustre.
  case network
  /// FUSE, and kernels before the calls.
  case old
  case fat
  /// As some that FUSE brings.
  case unsynced

  /// The calls that fail, with errno. `O_TMPFILE` is openat with that flag.
  private var calls: [String: Int32] {
    switch self {
    case .network:
      ["O_TMPFILE": EOPNOTSUPP, "fsetxattr": EOPNOTSUPP, "fgetxattr": EOPNOTSUPP, "flock": ENOLCK, "renameat2": EINVAL]
    case .old:
      [
        "O_TMPFILE": EISDIR, "fsetxattr": ENOSYS, "fgetxattr": ENOSYS, "flock": ENOSYS, "renameat2": ENOSYS,
        "syncfs": ENOSYS, "sync_file_range": ENOSYS, "fstatfs": ENOSYS,
      ]
    case .fat:
      [
        "O_TMPFILE": EOPNOTSUPP, "fsetxattr": EOPNOTSUPP, "fgetxattr": EOPNOTSUPP, "flock": EOPNOTSUPP,
        "renameat2": EINVAL, "linkat": EPERM, "fchmod": EPERM, "futimens": EPERM,
      ]
    case .unsynced:
      [
        "fsetxattr": EOPNOTSUPP, "fgetxattr": EOPNOTSUPP, "fsync": EINVAL, "fdatasync": EOPNOTSUPP, "syncfs": ENOSYS,
      ]
    }
  }

  func apply(to invocation: inout ProgramInvocation) throws { try invocation.fail(calls) }
}

extension ProgramInvocation {
  /// Makes calls of the C library fail with these errnos; see `FailingCalls.c`.
  mutating func fail(_ calls: [String: Int32]) throws {
    environment["LD_PRELOAD"] = try productPath("libFailingCalls.so")
    environment["FAILING_CALLS"] = calls.map { "\($0)=\($1)" }.joined(separator: " ")
  }
}
