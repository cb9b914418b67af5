internal import CSwiftGetShims

/// A descriptor with which one thread wakes another (eventfd).
package final class Wakeup: Sendable {
  /// Readable while a signal is pending.
  package let descriptor: Int32

  package init() { descriptor = shim_eventfd() }

  deinit { shim_close(descriptor) }

  package func signal() { shim_eventfd_signal(descriptor) }

  /// Clears pending signals without waiting.
  package func clear() { shim_eventfd_clear(descriptor, 0) }

  /// Waits for a signal and clears it.
  package func wait() { shim_eventfd_clear(descriptor, 1) }
}
