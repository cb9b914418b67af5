import TestSupport

@testable import DownloadCore

/// A queue that is simple and slow: what `QueueMachine` must do.
struct QueueModel {
  struct Task {
    let id: TaskID
    var host: Int
    var group: GroupID
    var priority: Int
    var isPaused = false
    var state = State.queued
    var isLeaving = false
  }

  enum State: Equatable {
    case queued, waiting(Instant), active(ItemHandle), settled(TaskEnd)
  }

  /// In the order of their ranks.
  var tasks: [Task] = []
  var spooled: [(offset: Int64, host: Int)] = []
  var isPaused = false
  var pausedGroups: Set<GroupID> = []
  var limits: [GroupID: Int] = [:]
  var places: Set<ItemHandle> = []

  func index(_ id: TaskID) -> Int? { tasks.firstIndex { $0.id == id } }
  func index(of handle: ItemHandle) -> Int? { tasks.firstIndex { $0.state == .active(handle) } }

  private func placeCount(_ group: GroupID) -> Int {
    tasks.count { task in
      guard task.group == group, case .active(let handle) = task.state else { return false }
      return places.contains(handle)
    }
  }

  /// The task that begins next.
  func next(open: Set<Int>) -> TaskID? {
    var first: Task?
    for task in tasks where task.state == .queued && !task.isPaused && !isPaused && open.contains(task.host) {
      if pausedGroups.contains(task.group) { continue }
      if let limit = limits[task.group], placeCount(task.group) >= limit { continue }
      if first.map({ task.priority > $0.priority }) ?? true { first = task }
    }
    return first?.id
  }

  /// What may be loaded from the spool: the earliest request of each host with room, if no task comes first.
  func loads(open: Set<Int>) -> Set<Int64> {
    if isPaused || pausedGroups.contains(.main) { return [] }
    if let limit = limits[.main], placeCount(.main) >= limit { return [] }
    if let id = next(open: open), let index = index(id), tasks[index].priority >= 0 { return [] }
    var seen: Set<Int> = []
    return Set(spooled.filter { open.contains($0.host) && seen.insert($0.host).inserted }.map(\.offset))
  }

  /// The items that have no place within the limits, in the order of the queue.
  func surplus(jobs: Int, besides finishing: Set<ItemHandle>) -> [ItemHandle] {
    let order = tasks.indices.sorted { (tasks[$0].priority, $1) > (tasks[$1].priority, $0) }
    var (count, counts, surplus) = (0, [GroupID: Int](), [ItemHandle]())
    for task in order.map({ tasks[$0] }) {
      guard case .active(let handle) = task.state, places.contains(handle), !finishing.contains(handle) else {
        continue
      }
      if count >= jobs || counts[task.group] ?? 0 >= limits[task.group] ?? .max {
        surplus.append(handle)
      } else {
        count += 1
        counts[task.group, default: 0] += 1
      }
    }
    return surplus
  }

  /// Whether a request of the group only lacks this place; with an item, whether that one does.
  func isPlaceWanted(of handle: ItemHandle, jobs: Int, open: Set<Int>, by other: ItemHandle?) -> Bool {
    guard places.contains(handle) else { return false }
    let group = tasks[index(of: handle)!].group
    return (0..<3).map { GroupID($0) }.contains { wanting in
      if let other {
        guard tasks[index(of: other)!].group == wanting, !places.contains(other) else { return false }
      } else {
        if isPaused || pausedGroups.contains(wanting) { return false }
        let isReady = tasks.contains {
          $0.group == wanting && $0.state == .queued && !$0.isPaused && open.contains($0.host)
        }
        guard isReady || wanting == .main && spooled.contains(where: { open.contains($0.host) }) else { return false }
      }
      func fits(without count: Int) -> Bool {
        places.count - count < jobs && placeCount(wanting) - (wanting == group ? count : 0) < limits[wanting] ?? .max
      }
      return !fits(without: 0) && fits(without: 1)
    }
  }

  // MARK: Commands

  func selected(_ selection: TaskSelection) -> [TaskID] {
    tasks.filter { task in
      switch selection {
      case .task(let id): task.id == id
      case .group(let group): task.group == group
      case .all: true
      }
    }.map(\.id)
  }

  mutating func apply(_ change: TaskChange, to selection: TaskSelection) {
    switch (selection, change) {
    case (.all, .pause): return isPaused = true
    case (.all, .resume): return isPaused = false
    case (.group(let group), .pause): return _ = pausedGroups.insert(group)
    case (.group(let group), .resume): return _ = pausedGroups.remove(group)
    default: break
    }
    var ids = selected(selection)
    if case .task = selection {
    } else {
      ids.removeAll { id in
        guard case .settled = tasks[index(id)!].state else { return false }
        return change != .retry && change != .remove
      }
      // In the order of the queue; what goes to the front is moved from the last to the first.
      ids.sort { (tasks[index($0)!].priority, index($1)!) > (tasks[index($1)!].priority, index($0)!) }
      if change == .move(.first) { ids.reverse() }
    }
    for id in ids { apply(change, toTask: id) }
  }

  private mutating func apply(_ change: TaskChange, toTask id: TaskID) {
    guard let index = index(id) else { return }
    let isSettled = if case .settled = tasks[index].state { true } else { false }
    switch change {
    case .pause:
      if isSettled || tasks[index].isLeaving { return }
      tasks[index].isPaused = true
      if case .waiting = tasks[index].state { tasks[index].state = .queued }
    case .resume:
      if isSettled { return apply(.retry, toTask: id) }
      tasks[index].isPaused = false
    case .retry:
      if case .active = tasks[index].state { return }
      tasks[index].state = .queued
      if isSettled { tasks[index].isPaused = false }
    case .cancel, .remove:
      if case .active = tasks[index].state {
        if change == .remove { tasks[index].isLeaving = true }
      } else if change == .remove {
        tasks.remove(at: index)
      } else if tasks[index].state != .settled(.succeeded) {
        tasks[index].state = .settled(.withdrawn)
      }
    case .prioritize(let priority): tasks[index].priority = priority
    case .move(let position): move(index, to: position)
    }
  }

  private mutating func move(_ index: Int, to position: QueuePosition) {
    var task = tasks[index]
    switch position {
    case .first:
      tasks.remove(at: index)
      tasks.insert(task, at: 0)
    case .last:
      tasks.remove(at: index)
      tasks.append(task)
    case .before(let id), .after(let id):
      guard id != task.id, self.index(id) != nil else { return }
      tasks.remove(at: index)
      let other = self.index(id)!
      task.priority = tasks[other].priority
      if case .before = position { tasks.insert(task, at: other) } else { tasks.insert(task, at: other + 1) }
    case .group(let group):
      guard group != task.group else { return }
      task.group = group
      tasks.remove(at: index)
      tasks.append(task)
    }
  }

  // MARK: Ends

  mutating func returned(_ handle: ItemHandle, until: Instant?) {
    places.remove(handle)
    guard let index = index(of: handle) else { return }
    if tasks[index].isLeaving { return _ = tasks.remove(at: index) }
    tasks[index].state = until.flatMap { tasks[index].isPaused ? nil : .waiting($0) } ?? .queued
  }

  mutating func ended(_ handle: ItemHandle, _ end: TaskEnd) {
    places.remove(handle)
    guard let index = index(of: handle) else { return }
    if tasks[index].isLeaving { return _ = tasks.remove(at: index) }
    tasks[index].state = .settled(end)
  }

  mutating func ticked(now: Instant) {
    for index in tasks.indices {
      if case .waiting(let until) = tasks[index].state, until <= now { tasks[index].state = .queued }
    }
  }
}
