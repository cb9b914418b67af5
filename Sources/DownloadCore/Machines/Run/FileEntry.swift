/// A file that is worked on: its machine, its place in a queue, and its rate.
package final class FileEntry {
  package internal(set) var machine: FileMachine
  var priority: Int
  var group: GroupID
  /// Whether it has no place, so that it starts no transfer.
  var lacksPlace = false
  /// The host in whose queue it waits.
  var queue: HostEntry? {
    didSet { home?.queuedCount += (queue == nil ? 0 : 1) - (oldValue == nil ? 0 : 1) }
  }
  /// The host of its first mirror.
  private(set) var home: HostEntry?
  /// Mirrors whose requests broke off, and that have served no content since.
  private var brokenMirrors: Set<Int> = []
  /// Body bytes so far, and their rate.
  private var received: Int64 = 0
  private var meter = RateMeter()

  /// What the hosts have answered for each mirror, in the order of their first answers. Usually there is one.
  private var entityTags: [(host: Origin, mirror: Int, evidence: EntityTagEvidence)] = []

  /// Seconds that `meter` remembers.
  private static let rateMemory = 0.25

  init(machine: consuming FileMachine, group: GroupID, priority: Int) {
    self.machine = machine
    self.group = group
    self.priority = priority
  }

  var isQueued: Bool { queue != nil }

  /// The file counts as one of this host, that of its first mirror.
  func joins(_ home: HostEntry) {
    self.home = home
    home.fileCount += 1
  }

  /// - Returns: the host of which it was a file.
  func leaves() -> Origin? {
    defer { home = nil }
    home?.fileCount -= 1
    return home?.origin
  }

  func received(_ byteCount: Int64) { received += byteCount }

  func failed(_ fault: TransferFault, of mirror: Int) {
    switch fault {
    case .reset, .emptyReply, .shortBody, .protocolViolation(.libcurl): brokenMirrors.insert(mirror)
    default: break
    }
  }

  /// Whether a request to the mirror broke off, and none has served content since.
  func isBroken(_ mirror: Int) -> Bool { brokenMirrors.contains(mirror) }

  func served(by mirror: Int) { brokenMirrors.remove(mirror) }

  /// Takes the entity tag of an answer.
  ///
  /// - Parameter lastTransfer: the latest transfer of the run.
  /// - Returns: whether the answer shows that the host's tags do not tell versions apart.
  func refutesEntityTags(
    _ answer: Answer, to transfer: TransferID, lastTransfer: TransferID, from mirror: Int, at host: HostEntry
  ) -> Bool {
    switch answer.meaning {
    case .whole, .range: break
    case .redirect, .notModified, .unavailable, .unacceptable, .refused: return false
    }
    guard let index = entityTags.firstIndex(where: { $0.host == host.origin && $0.mirror == mirror }) else {
      if let evidence = EntityTagEvidence(answer.representation) { entityTags.append((host.origin, mirror, evidence)) }
      return false
    }
    return entityTags[index].evidence.isRefuted(
      by: answer.representation, to: transfer.number, lastTransfer: lastTransfer.number)
  }

  /// Measures the file, its mirrors and its connections, and ends connections that are far slower than the others.
  ///
  /// - Parameter span: seconds since the last measurement.
  /// - Returns: whether a connection or a mirror was left, so that the file may need another transfer.
  func measure(
    span: Double, isSaturated: Bool, hosts: HostTable, now: Instant, _ actions: inout [RunAction]
  ) -> Bool {
    // The first measurement counts whole.
    meter.measure(received, span: span, memory: meter.rate == 0 ? 0 : Self.rateMemory)
    for mirror in machine.mirrors.indices {
      let roundTrip = hosts.conditions(at: machine.origin(ofMirror: mirror)).roundTrip
      machine.observed(mirror: mirror, roundTrip: roundTrip, span: span, isSaturated: isSaturated, now: now)
    }
    let current = hosts.conditions(at: machine.origin(ofMirror: machine.currentMirror))
    machine.observed(rate: meter.rate, host: current, isSaturated: isSaturated, now: now)
    let first = actions.count
    machine.dropLaggards(host: current, now: now, &actions)
    return actions.count > first
  }
}
