import CSwiftGetShims
import Glibc

/// A failure of the test support. A test that throws it says nothing about the program.
package struct TestSupportError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// A failed system call, with the text of `errno`.
  static func systemCall(_ call: String, _ code: Int32) -> TestSupportError {
    TestSupportError("\(call): \(String(cString: strerror(code)))")
  }
}

/// Held while a descriptor exists that is not yet marked close-on-exec, and while a child is started.
///
/// Tests run in parallel in one process. A connection that another test's child inherits would stay open after its
/// server has closed it. The value is unused, but a value of size zero would share its address with the lock.
let descriptorGuard = Locked(0)

/// Marks a descriptor to be closed when a child starts.
package func keepFromChildren(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

/// Raises this process's soft limit of descriptors, as the program does, and returns the limit now in force.
package func raiseDescriptorLimit() -> Int { max(64, file_raise_descriptor_limit(8192)) }

/// Runs `body` on a detached thread.
package func startThread(_ body: @escaping @Sendable () -> Void) {
  let context = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { context in
      Unmanaged<ThreadBody>.fromOpaque(context!).takeRetainedValue().run()
      return nil
    }, context)
  precondition(status == 0, "no thread for a test: \(String(cString: strerror(status)))")
  pthread_detach(thread)
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Seconds on the monotonic clock.
package func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Whether the tests run under ThreadSanitizer, at a tenth of their speed.
#if THREAD_SANITIZER
  package let isThreadSanitized = true
#else
  package let isThreadSanitized = false
#endif

/// Whether engines of these tests have part files written by writers from the start, as on a slow device.
package let suspectsDevices = getenv("SWIFTGET_SUSPECTS_DEVICES") != nil

/// Sleeps on this thread; zero and less return at once.
package func pause(seconds: Double) {
  guard seconds > 0 else { return }
  usleep(UInt32(min(seconds * 1e6, 4e9)))
}

/// Checks `condition` every five milliseconds; false if it did not hold in time.
package func eventually(within limit: Duration = .seconds(60), _ condition: () throws -> Bool) rethrows -> Bool {
  let end = monotonicSeconds() + Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
  while try !condition() {
    if monotonicSeconds() > end { return false }
    pause(seconds: 0.005)
  }
  return true
}
