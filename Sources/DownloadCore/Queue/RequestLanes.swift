/// Requests that have been read from a list and have not begun, in a lane for each host.
///
/// A host that is slow, full or unreachable holds up its own lane only. Of the lanes that may begin something, the one
/// with the earliest request is next.
package struct RequestLanes<Request> {
  private struct Lane {
    /// The next request is the last one of `ahead`, or else the first one of `behind`.
    var ahead: [(number: Int, request: Request)] = []
    var behind: [(number: Int, request: Request)] = []

    var next: Int? { ahead.last?.number ?? behind.first?.number }

    mutating func popFirst() -> Request? {
      if ahead.isEmpty {
        ahead = behind.reversed()
        behind = []
      }
      return ahead.popLast()?.request
    }
  }

  private var lanes: [Origin: Lane] = [:]
  private var nextNumber = 0
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }
  /// Those with requests that wait.
  package var hosts: some Collection<Origin> { lanes.keys }
  /// Whether requests of at most one host wait.
  package var haveOneHost: Bool { lanes.count <= 1 }

  /// Whether a request to this host waits, which comes before a new one.
  package func contains(_ host: Origin) -> Bool { lanes[host] != nil }

  /// Puts a request behind the others of its host.
  package mutating func append(_ request: Request, host: Origin) {
    lanes[host, default: Lane()].behind.append((nextNumber, request))
    nextNumber += 1
    count += 1
  }

  /// Takes the earliest request of a host that has room for it; nil if there is none.
  package mutating func next(_ hasRoom: (Origin) -> Bool) -> Request? {
    var earliest: (host: Origin, number: Int)?
    for (host, lane) in lanes {
      guard let number = lane.next, number < earliest?.number ?? .max, hasRoom(host) else { continue }
      earliest = (host, number)
    }
    guard let host = earliest?.host, let request = lanes[host]?.popFirst() else { return nil }
    if lanes[host]?.next == nil { lanes[host] = nil }
    count -= 1
    return request
  }
}
