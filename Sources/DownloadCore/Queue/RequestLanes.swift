/// Requests that have been read from a list and have not begun, in a lane for each host.
///
/// A host that is slow, full or unreachable holds up its own lane only. Of the lanes that may begin something, the one
/// with the earliest request is next.
package struct RequestLanes<Request> {
  private var lanes: [Origin: WaitingLine<(number: Int, request: Request)>] = [:]
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
    lanes[host, default: WaitingLine()].append((nextNumber, request))
    nextNumber += 1
    count += 1
  }

  /// Takes the earliest request of a host that has room for it; nil if there is none.
  package mutating func next(_ hasRoom: (Origin) -> Bool) -> Request? {
    var earliest: (host: Origin, number: Int)?
    for (host, lane) in lanes {
      guard let number = lane.first?.number, number < earliest?.number ?? .max, hasRoom(host) else { continue }
      earliest = (host, number)
    }
    guard let host = earliest?.host, let request = lanes[host]?.popFirst()?.request else { return nil }
    if lanes[host]?.isEmpty == true { lanes[host] = nil }
    count -= 1
    return request
  }
}
