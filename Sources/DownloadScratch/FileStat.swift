package import Glibc

extension stat {
  /// What a path leads to through links; nil where it cannot be looked at, as errno(3) says then.
  package init?(of path: [UInt8]) {
    self.init()
    if path.withCString({ fstatat(AT_FDCWD, $0, &self, 0) }) != 0 { return nil }
  }

  /// An open file.
  package init?(of descriptor: Int32) {
    self.init()
    if fstat(descriptor, &self) != 0 { return nil }
  }

  /// `S_IFREG` and the like.
  package var type: mode_t { st_mode & S_IFMT }
}
