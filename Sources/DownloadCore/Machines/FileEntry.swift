/// A file of the run: its machine, its place in a queue, and its rate.
package final class FileEntry {
  package internal(set) var machine: FileMachine
  /// Whether it waits in a host's queue.
  var isQueued = false
  /// Bytes per second lately.
  private(set) var rate: Double = 0
  /// Body bytes so far, and at the last measurement.
  private var received: Int64 = 0
  private var measured: Int64 = 0

  /// Seconds of which `rate` keeps a memory.
  private static let rateMemory = 0.25

  init(machine: consuming FileMachine) { self.machine = machine }

  func received(_ byteCount: Int64) { received += byteCount }

  /// - Parameter span: seconds since the last measurement.
  func measureRate(span: Double) {
    let current = Double(received - measured) / span
    rate = rate == 0 ? current : rate + (current - rate) * min(1, span / Self.rateMemory)
    measured = received
  }
}
