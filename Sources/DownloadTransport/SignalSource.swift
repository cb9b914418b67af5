internal import CSwiftGetShims

/// Delivers signals through a descriptor (signalfd).
package final class SignalSource {
  package let descriptor: Int32
  private let signals: [Int32]

  /// Blocks `signals` in this thread and in all threads started later.
  package init(_ signals: [Int32]) {
    self.signals = signals
    descriptor = shim_signalfd(signals, Int32(signals.count))
  }

  /// Has the signals, pending ones included, do again what they did before. In the thread that blocked them.
  package func release() { shim_unblock(signals, Int32(signals.count)) }

  deinit { shim_close(descriptor) }

  /// Does what the signal does by default: stops the process, unless no shell is there to continue it.
  package func stop(by signal: Int32) { shim_stop(signal) }

  /// The next pending signal.
  package func next() -> Int32? {
    let signal = shim_signalfd_read(descriptor)
    return signal == 0 ? nil : signal
  }
}
