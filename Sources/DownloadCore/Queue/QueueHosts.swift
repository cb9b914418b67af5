/// The hosts that tasks of a queue ask first. Each has a number as long as a task or a request in the spool uses it.
struct QueueHosts {
  private struct Host {
    let origin: Origin
    /// Tasks that are known, and requests in the spool.
    var useCount = 0
    /// Those that stand in lanes.
    var waitingCount = 0
  }

  private var hosts: [Host] = []
  private var numbers: [Origin: Int32] = [:]
  private var free: [Int32] = []
  /// Hosts without room, whose lanes are parked.
  private var parked: Set<Int32> = []
  /// Hosts at which something stands in a lane.
  private(set) var waitingCount = 0
  /// Tasks that stand in lanes, and requests in the spool.
  private(set) var queuedCount = 0
  /// Requests in the spool.
  private(set) var spooledCount = 0

  subscript(number: Int32) -> Origin { hosts[Int(number)].origin }

  /// The number of a host that is in use.
  func number(of host: Origin) -> Int32? { numbers[host] }

  func hasWaiting(_ host: Origin) -> Bool { numbers[host].map { hosts[Int($0)].waitingCount > 0 } ?? false }

  /// Whether there is a host at which something stands in a lane, and for which this is true.
  func isAnyWaitedFor(where isTrue: (Origin) -> Bool) -> Bool {
    hosts.contains { $0.waitingCount > 0 && isTrue($0.origin) }
  }

  /// Counts one more use, until `release`.
  mutating func use(_ host: Origin) -> Int32 {
    let number: Int32
    if let known = numbers[host] {
      number = known
    } else if let unused = free.popLast() {
      hosts[Int(unused)] = Host(origin: host)
      number = unused
    } else {
      hosts.append(Host(origin: host))
      number = Int32(hosts.count - 1)
    }
    numbers[host] = number
    hosts[Int(number)].useCount += 1
    return number
  }

  mutating func release(_ number: Int32) {
    hosts[Int(number)].useCount -= 1
    guard hosts[Int(number)].useCount == 0 else { return }
    numbers[hosts[Int(number)].origin] = nil
    parked.remove(number)
    free.append(number)
  }

  /// Something stands in a lane of the host.
  mutating func waits(at number: Int32) {
    queuedCount += 1
    hosts[Int(number)].waitingCount += 1
    if hosts[Int(number)].waitingCount == 1 { waitingCount += 1 }
  }

  /// It has left the lane.
  mutating func leaves(_ number: Int32) {
    queuedCount -= 1
    hosts[Int(number)].waitingCount -= 1
    if hosts[Int(number)].waitingCount == 0 { waitingCount -= 1 }
  }

  /// A request to the host goes to the spool.
  ///
  /// - Returns: the host's number.
  mutating func spool(_ host: Origin) -> Int32 {
    let number = use(host)
    spooledCount += 1
    waits(at: number)
    return number
  }

  /// The request has left the spool.
  mutating func unspool(_ number: Int32) {
    spooledCount -= 1
    leaves(number)
    release(number)
  }

  mutating func park(_ number: Int32) { parked.insert(number) }

  func isParked(_ number: Int32) -> Bool { parked.contains(number) }

  /// - Returns: its number; nil if it is not parked.
  mutating func unpark(_ host: Origin) -> Int32? {
    guard !parked.isEmpty, let number = numbers[host] else { return nil }
    return parked.remove(number)
  }

  /// - Returns: the hosts that were parked.
  mutating func unparkAll() -> Set<Int32> {
    defer { parked.removeAll() }
    return parked
  }
}
