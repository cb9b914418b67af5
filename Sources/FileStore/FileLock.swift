internal import CShims
internal import Glibc

/// An open file and its flock(2) lock. Both are released with this value.
///
/// Closing the descriptor does not release the lock while a child process has a copy of it, between fork and exec.
package struct FileLock: ~Copyable, Sendable {
  package let descriptor: FileDescriptor
  /// False where the file system has no locks.
  let isHeld: Bool

  /// Takes the lock.
  ///
  /// - Throws: EWOULDBLOCK where another process holds it.
  package init(taking descriptor: consuming FileDescriptor) throws(SystemCallError) {
    var isHeld = true
    do throws(SystemCallError) { try SystemCalls.flock(descriptor.raw) } catch {
      if error.errno == EWOULDBLOCK { throw error }
      isHeld = false
    }
    self.init(descriptor, isHeld: isHeld)
  }

  /// - Parameter isHeld: whether `SystemCalls.flock` took the lock on this descriptor.
  init(_ descriptor: consuming FileDescriptor, isHeld: Bool) {
    self.descriptor = descriptor
    self.isHeld = isHeld
  }

  deinit {
    if isHeld { file_unlock(descriptor.raw) }
  }
}
