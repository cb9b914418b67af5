internal import CShims

/// A descriptor by which one thread wakes another (eventfd).
package final class Wakeup: Sendable {
  /// Readable while a signal is pending.
  package let descriptor: Int32

  package init() { descriptor = shim_eventfd() }

  deinit { shim_close(descriptor) }

  package func signal() { shim_eventfd_signal(descriptor) }

  /// Takes pending signals back without waiting.
  package func clear() { shim_eventfd_clear(descriptor, 0) }

  /// Waits for a signal and takes it back.
  package func wait() { shim_eventfd_clear(descriptor, 1) }
}

/// Signals as readable events instead of interruptions (signalfd).
package final class SignalSource {
  package let descriptor: Int32

  /// Blocks `signals` in this thread and in all threads started later.
  package init(_ signals: [Int32]) { descriptor = shim_signalfd(signals, Int32(signals.count)) }

  deinit { shim_close(descriptor) }

  /// Until a source takes them, has `signals` end the process at once, with the exit status that a run ended by them
  /// has: whatever waits then need not hear them. SIGUSR1 does nothing.
  package static func leave(on signals: [Int32]) { shim_leave_on_signals(signals, Int32(signals.count)) }

  /// The next pending signal.
  package func next() -> Int32? {
    let signal = shim_signalfd_read(descriptor)
    return signal == 0 ? nil : signal
  }
}
