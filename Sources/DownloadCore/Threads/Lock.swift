#if THREAD_SANITIZER
  internal import Glibc

  /// A value and the lock that guards it, with the interface of `Synchronization.Mutex`.
  ///
  /// ThreadSanitizer follows a pthread mutex. It does not see how `Mutex` waits on Linux (Swift 6.3.1), and under
  /// contention reports what a `Mutex` guards as a race. `make sanitize` defines THREAD_SANITIZER.
  package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      self.value = .allocate(capacity: 1)
      self.value.initialize(to: value)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    package borrowing func withLock<Outcome: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Outcome
    ) throws(Failure) -> sending Outcome {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }

    /// - Returns: nil where another thread holds the lock; `body` has not run then.
    package borrowing func withLockIfAvailable<Outcome: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Outcome
    ) throws(Failure) -> sending Outcome? {
      guard pthread_mutex_trylock(mutex) == 0 else { return nil }
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }
  }
#else
  package import Synchronization

  /// A value and the lock that guards it.
  package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
