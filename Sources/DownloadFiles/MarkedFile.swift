internal import DownloadCore
internal import Glibc

/// Names of finished files that come and go while their marks stay valid.
///
/// A new or a removed name changes the change time of a file, which makes its `VerifiedMark` invalid. Here a mark that was
/// valid before is written again after that.
enum MarkedFile {
  /// Gives a file another name, in the same file system. Does not follow links.
  ///
  /// - Parameters:
  ///   - status: of the file.
  ///   - replaced: a file whose rights it gets before; nil leaves them.
  static func link(
    _ name: [UInt8], _ status: FileStatus, from directory: Int32, to target: Int32, replaced: ReplacedFile? = nil
  ) throws(SystemCallError) {
    try keepingMark(name, status, in: directory) { (file) throws(SystemCallError) in
      if let file { try replaced?.giveRights(to: file) }
      try SystemCalls.linkat(directory, name, target, name, flags: 0)
    }
  }

  /// Renames a file, in the same file system, and fails with EEXIST where the name is taken. Does not follow links.
  static func move(
    _ name: [UInt8], from directory: Int32, to new: [UInt8], in target: Int32
  ) throws(SystemCallError) {
    let status = try SystemCalls.fstatat(directory, name)
    try keepingMark(name, status, in: directory) { (_) throws(SystemCallError) in
      try FileTree.move(directory, name, to: new, in: target)
    }
  }

  /// Removes one of the names of a file.
  static func unlink(_ name: [UInt8], _ status: FileStatus, in directory: Int32) throws(SystemCallError) {
    if status.linkCount == 1 { return try SystemCalls.unlinkat(directory, name) }
    try keepingMark(name, status, in: directory) { (_) throws(SystemCallError) in
      try SystemCalls.unlinkat(directory, name)
    }
  }

  /// - Parameter change: gets the file's descriptor; nil where it is not a regular file that can be read.
  private static func keepingMark(
    _ name: [UInt8], _ status: FileStatus, in directory: Int32,
    _ change: (Int32?) throws(SystemCallError) -> Void
  ) throws(SystemCallError) {
    guard status.kind == .regular,
      let file = try? SystemCalls.openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    else { return try change(nil) }
    let mark = FileAttributes.read(.verified, of: file.raw).flatMap(VerifiedMark.init(bytes:)).flatMap { mark in
      mark.isUntouched(size: status.size, modified: status.modified, changed: status.changed) ? mark : nil
    }
    try change(file.raw)
    // A mark that cannot be written costs the next run a hash.
    guard var mark, let now = try? SystemCalls.fstat(file.raw) else { return }
    mark.writtenAt = now.changed.seconds
    try? SystemCalls.fsetxattr(file.raw, .verified, mark.bytes)
  }
}
