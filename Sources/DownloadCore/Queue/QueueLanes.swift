/// The tasks of a group that may begin, in a lane for each host, and the requests of the lanes that are in a spool.
///
/// A host without room holds up its own lane only. Of the lanes that may begin something, the one whose first task comes
/// first is next.
struct QueueLanes {
  struct Entry: Comparable {
    let key: OrderKey
    let id: TaskID

    static func < (left: Self, right: Self) -> Bool { left.key < right.key }
  }

  /// An entry is only removed when it comes first; one whose task has left the lane, or has another key, is skipped.
  private struct Lane {
    var entries = Heap<Entry>()
    /// Tasks of the lane that may begin.
    var readyCount = 0
    /// Where further requests are in the spool.
    var spooled = WaitingLine<Int64>()
    /// Under which key the lane stands in `open`; nil while it does not.
    var openKey: OrderKey?
    var isParked = false

    var isEmpty: Bool { readyCount == 0 && spooled.isEmpty }
  }

  private struct Place: Comparable {
    let key: OrderKey
    let host: Int32

    static func < (left: Self, right: Self) -> Bool { left.key < right.key }
  }

  enum First: Equatable {
    case task(TaskID)
    /// In the spool.
    case spooled(Int64)
  }

  private var lanes: [Int32: Lane] = [:]
  /// Lanes that are not parked. A place whose key is not `openKey` of its lane is skipped.
  private var open = Heap<Place>()

  /// Whether nothing waits at a host of this group.
  func isEmpty(_ host: Int32) -> Bool { lanes[host] == nil }
  /// Whether requests of the host are in the spool, so that further ones have to follow them.
  func isSpooling(_ host: Int32) -> Bool { lanes[host].map { !$0.spooled.isEmpty } ?? false }

  mutating func insert(_ task: QueuedTask) {
    lanes[task.host, default: Lane()].entries.insert(Entry(key: task.key, id: task.id))
    lanes[task.host]?.readyCount += 1
    noteFirst(task.key, of: task.host)
  }

  /// The request follows those of its host.
  ///
  /// - Parameter key: of the next task that is added, which comes last.
  mutating func spool(_ offset: Int64, _ host: Int32, key: OrderKey) {
    lanes[host, default: Lane()].spooled.append(offset)
    noteFirst(key, of: host)
  }

  /// A task is not ready any more, or gets another key.
  ///
  /// - Parameter task: as it was.
  mutating func remove(_ task: QueuedTask, _ tasks: TaskTable) {
    lanes[task.host]?.readyCount -= 1
    guard let lane = lanes[task.host] else { return }
    if lane.isEmpty { return lanes[task.host] = nil }
    // Entries of tasks that have left must not add up.
    guard lane.entries.count > 64, lane.entries.count > 2 * lane.readyCount else { return }
    var seen: Set<TaskID> = [task.id]
    lanes[task.host]?.entries = Heap(
      lane.entries.elements.filter { Self.isValid($0, tasks) && seen.insert($0.id).inserted })
  }

  private static func isValid(_ entry: Entry, _ tasks: TaskTable) -> Bool {
    guard let task = tasks[entry.id] else { return false }
    return task.isReady && task.key == entry.key
  }

  private mutating func noteFirst(_ key: OrderKey, of host: Int32) {
    guard let lane = lanes[host], !lane.isParked, lane.openKey.map({ key < $0 }) ?? true else { return }
    lanes[host]?.openKey = key
    open.insert(Place(key: key, host: host))
  }

  /// The first lane that is not parked, and the key of its first task.
  ///
  /// - Parameter last: the key of a request in the spool, which comes after all tasks.
  mutating func first(_ tasks: TaskTable, last: OrderKey) -> (key: OrderKey, host: Int32)? {
    while let place = open.first {
      guard lanes[place.host]?.openKey == place.key else {
        open.removeFirst()
        continue
      }
      let key = firstKey(of: place.host, tasks, last: last)
      if key <= place.key { return (key, place.host) }
      open.removeFirst()
      lanes[place.host]?.openKey = nil
      noteFirst(key, of: place.host)
    }
    return nil
  }

  private mutating func firstKey(of host: Int32, _ tasks: TaskTable, last: OrderKey) -> OrderKey {
    while let entry = lanes[host]?.entries.first {
      if Self.isValid(entry, tasks) { return isSpooling(host) ? min(entry.key, last) : entry.key }
      lanes[host]?.entries.removeFirst()
    }
    return last
  }

  /// What is first in this lane, which `first` has named. A task stays until it is removed; a request of the spool is
  /// taken.
  mutating func take(from host: Int32, last: OrderKey) -> First? {
    if let entry = lanes[host]?.entries.first, !isSpooling(host) || entry.key < last { return .task(entry.id) }
    guard let offset = lanes[host]?.spooled.popFirst() else { return nil }
    if lanes[host]?.isEmpty == true { lanes[host] = nil }
    return .spooled(offset)
  }

  /// The host has no room: its lane is passed over until `unpark`.
  mutating func park(_ host: Int32) {
    lanes[host]?.isParked = true
    lanes[host]?.openKey = nil
  }

  mutating func unpark(_ host: Int32, _ tasks: TaskTable, last: OrderKey) {
    guard lanes[host]?.isParked == true else { return }
    lanes[host]?.isParked = false
    noteFirst(firstKey(of: host, tasks, last: last), of: host)
  }
}
