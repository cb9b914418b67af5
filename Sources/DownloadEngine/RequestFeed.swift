package import DownloadCore

/// What a source of requests has to give.
package enum NextRequest: Sendable, Equatable {
  case request(DownloadRequest)
  /// There may be more later. `RunCommand.readSource` tells the run to ask again.
  case noneYet
  case end
}

/// Produces the requests of a run one at a time, so that a list is never held in memory.
package protocol RequestSource: AnyObject {
  /// - Throws: a line that cannot be understood (only where the list was not checked before).
  func next() throws(DownloadError) -> NextRequest
  /// The number of requests, if known.
  var itemCount: Int? { get }
}

/// The requests of an array, one after the other.
package final class ArraySource: RequestSource {
  private var left: ArraySlice<DownloadRequest>
  package let itemCount: Int?

  package init(_ requests: [DownloadRequest]) {
    left = requests[...]
    itemCount = requests.count
  }

  package func next() -> NextRequest { left.popFirst().map { .request($0) } ?? .end }
}

/// The requests of a run that have not begun yet: those of its source, and those that commands have added or hold.
///
/// Those that are read while their host has no room wait in its lane, and the source is read on, so that the requests to
/// one host do not keep those to others waiting.
///
/// Nothing comes from the source after its end or after an error.
struct RequestFeed {
  private let source: any RequestSource
  private var hasSourceEnded = false
  private var isSourceEmpty = false
  /// Requests of the source whose hosts had no room.
  private var lanes = RequestLanes<DownloadRequest>()
  /// Whether the last call of `next` has put off reading more of the source, so that transfers do not wait.
  private(set) var isReadingOn = false
  /// Requests that were added or held, by number; those in `ready` may begin.
  private var waiting: [Int: DownloadRequest] = [:]
  private var ready = ItemQueue()
  /// Numbers of added requests.
  private var added: Set<Int> = []
  /// The first number that the source has not used.
  private var sourceEnd = 0

  init(_ source: any RequestSource) { self.source = source }

  /// Whether no request is left, and none will come by itself.
  var isExhausted: Bool { hasSourceEnded && waiting.isEmpty && lanes.isEmpty }

  var itemCount: Int? { source.itemCount.map { $0 + added.count } }

  /// The next request that may begin, or that was withdrawn; nil if there is none at the moment.
  ///
  /// Added requests come before those of the source unless their priority is below 0.
  ///
  /// - Parameters:
  ///   - hasRoom: whether a request that asks this host first may begin, given whether no request of another host waits.
  ///   - isAnswering: whether a host that has no room will have some soon.
  mutating func next(
    _ control: RunControl, hasRoom: (Origin, _ isOnlyHost: Bool) -> Bool = { _, _ in true },
    isAnswering: (Origin) -> Bool = { _ in true }
  ) throws(DownloadError) -> DownloadRequest? {
    if let item = ready.first, waiting[item]?.priority ?? 0 >= 0 { return takeReady() }
    if let request = takeFromLanes(control, { hasRoom($0, false) }) { return request }
    isReadingOn = false
    var readCount = 0
    while !hasSourceEnded, !isSourceEmpty,
      lanes.count < Self.fewInLanes || (lanes.count < Self.mostInLanes && !lanes.hosts.contains(where: isAnswering))
    {
      if readCount == Self.mostReadAtOnce {
        isReadingOn = true
        return nil
      }
      readCount += 1
      hasSourceEnded = true
      switch try source.next() {
      case .request(let request):
        hasSourceEnded = false
        sourceEnd = max(sourceEnd, request.item + 1)
        if control.verdict(on: request.item, of: request.group) == .hold {
          waiting[request.item] = request
          continue
        }
        let host = request.mirrors[0].location.origin
        if !lanes.contains(host), hasRoom(host, false) { return request }
        lanes.append(request, host: host)
      case .noneYet:
        hasSourceEnded = false
        isSourceEmpty = true
      case .end: break
      }
    }
    if lanes.haveOneHost, let request = takeFromLanes(control, { hasRoom($0, true) }) { return request }
    return takeReady()
  }

  /// Requests in memory that wait for room at their hosts, and as many if none of these answers.
  private static let fewInLanes = 1024
  private static let mostInLanes = 24_576
  private static let mostReadAtOnce = 64

  private mutating func takeFromLanes(_ control: RunControl, _ hasRoom: (Origin) -> Bool) -> DownloadRequest? {
    while let request = lanes.next(hasRoom) {
      guard control.verdict(on: request.item, of: request.group) == .hold else { return request }
      waiting[request.item] = request
    }
    return nil
  }

  private mutating func takeReady() -> DownloadRequest? {
    ready.popFirst().flatMap { waiting.removeValue(forKey: $0) }
  }

  // MARK: Commands

  /// - Returns: whether the request is new: its number belongs neither to the source nor to another added request.
  mutating func add(_ request: DownloadRequest, isHeld: Bool) -> Bool {
    guard request.item >= max(sourceEnd, source.itemCount ?? 0), added.insert(request.item).inserted else {
      return false
    }
    waiting[request.item] = request
    if !isHeld { ready.append(request.item, priority: request.priority) }
    return true
  }

  /// The source has requests again, or has ended.
  mutating func readSource() { isSourceEmpty = false }

  /// Applies a change to the requests that wait here.
  ///
  /// - Returns: those that it withdraws, in the order of their numbers.
  mutating func apply(_ change: RunCommand.Change, to selection: RunCommand.Selection) -> [DownloadRequest] {
    if waiting.isEmpty { return [] }
    let selected = waiting.values.filter { selection.includes($0.item, of: $0.group) }.sorted { $0.item < $1.item }
    let numbers = Set(selected.map(\.item))
    let wereReady = ready.removeAll { numbers.contains($0) }
    switch change {
    case .pause: break
    case .resume: for request in selected { ready.append(request.item, priority: request.priority) }
    case .cancel, .remove:
      for request in selected { waiting[request.item] = nil }
      return selected
    case .prioritize(let priority):
      for request in selected { waiting[request.item]?.priority = priority }
      for item in wereReady { ready.append(item, priority: priority) }
    case .moveToBack: for item in wereReady { ready.append(item, priority: waiting[item]?.priority ?? 0) }
    case .moveToFront: for item in wereReady.reversed() { ready.prepend(item, priority: waiting[item]?.priority ?? 0) }
    }
    return []
  }
}
