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

  /// Measures the file, its mirrors and its connections, and ends connections that are far slower than the others.
  ///
  /// - Parameter span: seconds since the last measurement.
  /// - Returns: whether a connection or a mirror was left, so that the file may need another transfer.
  func measure(
    span: Double, isSaturated: Bool, hosts: HostTable, now: Instant, _ actions: inout [RunAction]
  ) -> Bool {
    measureRate(span: span)
    for mirror in machine.mirrors.indices {
      let roundTrip = hosts.conditions(at: machine.origin(ofMirror: mirror)).roundTrip
      machine.observed(mirror: mirror, roundTrip: roundTrip, span: span, isSaturated: isSaturated, now: now)
    }
    let current = hosts.conditions(at: machine.origin(ofMirror: machine.currentMirror))
    machine.observed(rate: rate, host: current, isSaturated: isSaturated, now: now)
    let first = actions.count
    machine.dropLaggards(host: current, now: now, &actions)
    return actions.count > first
  }

  private func measureRate(span: Double) {
    let current = Double(received - measured) / span
    rate = rate == 0 ? current : rate + (current - rate) * min(1, span / Self.rateMemory)
    measured = received
  }
}
