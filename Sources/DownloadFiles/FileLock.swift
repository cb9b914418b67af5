internal import CSwiftGetShims
internal import Glibc

/// An open file and its flock(2) lock. Both are released with this value.
///
/// Closing the descriptor does not release the lock while a child process has a copy of it, between fork and exec.
package struct FileLock: ~Copyable, Sendable {
  package let descriptor: FileDescriptor
  /// False where the file system has no locks.
  package let isHeld: Bool

  /// Takes the lock.
  ///
  /// - Throws: EWOULDBLOCK where another process holds it.
  package init(taking descriptor: consuming FileDescriptor) throws(SystemCallError) {
    let isHeld = try Self.take(descriptor.raw)
    self.init(descriptor, isHeld: isHeld)
  }

  /// Takes the lock on a descriptor.
  ///
  /// - Returns: false where the file system has no locks.
  /// - Throws: EWOULDBLOCK where another process holds it.
  static func take(_ descriptor: Int32) throws(SystemCallError) -> Bool {
    do {
      try SystemCalls.flock(descriptor)
      return true
    } catch let error where [ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL].contains(error.errno) {
      return false
    }
  }

  /// - Parameter isHeld: what `take` returned for this descriptor.
  init(_ descriptor: consuming FileDescriptor, isHeld: Bool) {
    self.descriptor = descriptor
    self.isHeld = isHeld
  }

  deinit {
    if isHeld { file_unlock(descriptor.raw) }
  }
}
