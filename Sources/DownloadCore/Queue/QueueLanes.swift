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

  private struct Lane {
    /// Those whose task has left the lane or has another key are passed over.
    var entries = Heap<Entry>()
    /// Tasks of the lane that may begin.
    var readyCount = 0
    /// Where further requests are in the spool.
    var spooled = FIFO<Int64>()
    /// Under which key the lane stands in `open`; nil while it does not.
    var openKey: OrderKey?
    var isParked = false

    var isEmpty: Bool { readyCount == 0 && spooled.isEmpty }

    /// - Parameter last: the key of a request in the spool, which comes after all tasks.
    mutating func firstKey(_ tasks: TaskTable<QueuedTask>, last: OrderKey) -> OrderKey {
      while let entry = entries.first {
        if QueueLanes.isValid(entry, tasks) { return spooled.isEmpty ? entry.key : min(entry.key, last) }
        entries.removeFirst()
      }
      return last
    }

    /// - Returns: whether the lane is to stand in `open` under this key.
    mutating func opens(at key: OrderKey) -> Bool {
      guard !isParked, openKey.map({ key < $0 }) ?? true else { return false }
      openKey = key
      return true
    }
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

  /// Whether requests of the host are in the spool, so that further ones have to follow them.
  func isSpooling(_ host: Int32) -> Bool { lanes[host].map { !$0.spooled.isEmpty } ?? false }

  /// Whether something waits in the lane of a host for which this is true.
  func hasReady(where isTrue: (_ host: Int32) -> Bool) -> Bool { lanes.keys.contains(where: isTrue) }

  mutating func insert(_ task: QueuedTask) {
    change(task.host, opensAt: task.key) {
      $0.entries.insert(Entry(key: task.key, id: task.id))
      $0.readyCount += 1
    }
  }

  /// The request follows those of its host.
  ///
  /// - Parameter key: of the next task that is added, which comes last.
  mutating func spool(_ offset: Int64, _ host: Int32, key: OrderKey) {
    change(host, opensAt: key) { $0.spooled.append(offset) }
  }

  /// Takes all requests that are in the spool.
  mutating func takeSpooled() -> [(offset: Int64, host: Int32)] {
    var taken: [(offset: Int64, host: Int32)] = []
    for host in Array(lanes.keys) {
      guard let index = lanes.index(forKey: host) else { continue }
      while let offset = lanes.values[index].spooled.popFirst() { taken.append((offset, host)) }
      if lanes.values[index].isEmpty { lanes.remove(at: index) }
    }
    return taken
  }

  private mutating func change(_ host: Int32, opensAt key: OrderKey, _ body: (inout Lane) -> Void) {
    func apply(_ lane: inout Lane) -> Bool {
      body(&lane)
      return lane.opens(at: key)
    }
    if apply(&lanes[host, default: Lane()]) { open.insert(Place(key: key, host: host)) }
  }

  /// A task is not ready any more, or gets another key.
  ///
  /// - Parameter task: as it was.
  mutating func remove(_ task: QueuedTask, _ tasks: TaskTable<QueuedTask>) {
    guard let index = lanes.index(forKey: task.host) else { return }
    lanes.values[index].readyCount -= 1
    let lane = lanes.values[index]
    if lane.isEmpty {
      lanes.remove(at: index)
    } else if lane.entries.count > 64, lane.entries.count > 2 * lane.readyCount {
      // Entries of tasks that have left must not add up.
      var seen: Set<TaskID> = [task.id]
      lanes.values[index].entries = Heap(
        lane.entries.elements.filter { Self.isValid($0, tasks) && seen.insert($0.id).inserted })
    }
  }

  /// A task that has left the lane with its key, which would make its entry count.
  mutating func forget(_ id: TaskID, at host: Int32) {
    guard let index = lanes.index(forKey: host) else { return }
    lanes.values[index].entries = Heap(lanes.values[index].entries.elements.filter { $0.id != id })
  }

  private static func isValid(_ entry: Entry, _ tasks: TaskTable<QueuedTask>) -> Bool {
    guard let task = tasks[entry.id] else { return false }
    return task.isReady && task.key == entry.key
  }

  /// The first lane that is not parked, and the key of its first task.
  ///
  /// - Parameter last: the key of a request in the spool, which comes after all tasks.
  mutating func first(_ tasks: TaskTable<QueuedTask>, last: OrderKey) -> (key: OrderKey, host: Int32)? {
    while let place = open.first {
      guard let index = lanes.index(forKey: place.host), lanes.values[index].openKey == place.key else {
        open.removeFirst()
        continue
      }
      let key = lanes.values[index].firstKey(tasks, last: last)
      if key <= place.key { return (key, place.host) }
      lanes.values[index].openKey = key
      open.replaceFirst(Place(key: key, host: place.host))
    }
    return nil
  }

  /// What is first in this lane, which `first` has named. A task stays until it is removed; a request of the spool is
  /// taken.
  mutating func take(from host: Int32, last: OrderKey) -> First? {
    guard let index = lanes.index(forKey: host) else { return nil }
    if let entry = lanes.values[index].entries.first, lanes.values[index].spooled.isEmpty || entry.key < last {
      return .task(entry.id)
    }
    guard let offset = lanes.values[index].spooled.popFirst() else { return nil }
    if lanes.values[index].isEmpty { lanes.remove(at: index) }
    return .spooled(offset)
  }

  /// The host has no room: its lane is passed over until `unpark`.
  mutating func park(_ host: Int32) {
    guard let index = lanes.index(forKey: host) else { return }
    lanes.values[index].isParked = true
    lanes.values[index].openKey = nil
  }

  mutating func unpark(_ host: Int32, _ tasks: TaskTable<QueuedTask>, last: OrderKey) {
    guard let index = lanes.index(forKey: host), lanes.values[index].isParked else { return }
    lanes.values[index].isParked = false
    let key = lanes.values[index].firstKey(tasks, last: last)
    if lanes.values[index].opens(at: key) { open.insert(Place(key: key, host: host)) }
  }
}
