internal import CShims

/// An open file and its flock(2) lock. Both are released with this value.
///
/// Closing the descriptor does not release the lock while a child process has a copy of it, between fork and exec.
struct FileLock: ~Copyable, Sendable {
  let descriptor: FileDescriptor
  /// False where the file system has no locks.
  let isHeld: Bool

  /// - Parameter isHeld: whether `SystemCalls.flock` took the lock on this descriptor.
  init(_ descriptor: consuming FileDescriptor, isHeld: Bool) {
    self.descriptor = descriptor
    self.isHeld = isHeld
  }

  deinit {
    if isHeld { file_unlock(descriptor.raw) }
  }
}
