internal import CShims

/// An open file and the flock(2) lock on it. Both end with this value.
///
/// Closing the descriptor alone does not end the lock: a child process that has been forked and has not called exec yet
/// holds a copy of the descriptor, and the lock with it.
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
