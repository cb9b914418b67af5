/// Decides which task begins next, and what commands make of tasks. It has no clock, no input and no output.
///
/// Tasks come from sources by `add`, or by `spool` while their host has no room. `next` begins one by giving it a
/// handle; `returned` puts it back, for now or until a time, and `ended` settles it.
///
/// queued ──next──► active ──ended──► succeeded, failed, cancelled ──retry──► queued
///    ▲  ▲            │
///    │  └──returned──┤
///    └──── waiting ◄─┘
///
/// A task is paused by itself, by its group or by the session: three flags, of which each is cleared by itself. A paused
/// task that is active is returned by whoever works on it, so it costs neither a place nor a descriptor.
package struct QueueMachine: ~Copyable {
  struct Group {
    let id: GroupID
    var isPaused = false
    /// Places that its tasks may have; nil is as many as the session has.
    var jobs: Int?
    var placeCount = 0
    var lanes = QueueLanes()

    var mayBegin: Bool { !isPaused && placeCount < jobs ?? .max }
  }

  /// What `next` found.
  package enum Next: Hashable, Sendable {
    case begin(TaskID, ItemHandle)
    /// The request at this place of the spool is to be added.
    case load(Int64)
  }

  var tasks = TaskTable<QueuedTask>()
  /// The first is `main`.
  var groups = [Group(id: .main)]
  var hosts = QueueHosts()
  var items = ItemTable()
  var waits = TaskWaits()
  var settled: SettledTasks
  var ranks = Ranks()
  package var ends = EndTally()

  /// Tasks that may have a place at a time, at least 1.
  package var jobs: Int
  /// Whether everything is paused.
  package var isPaused = false
  /// Whether nothing more is to begin in this run.
  package var finishes = false

  /// - Parameter settledLimit: settled tasks that are kept for a retry at most; the oldest are forgotten.
  package init(jobs: Int = 1024, settledLimit: Int = 0) {
    self.jobs = jobs
    settled = SettledTasks(limit: settledLimit)
  }

  // MARK: Adding

  /// - Parameters:
  ///   - id: that no other task has had.
  ///   - host: that the task asks first.
  ///   - priority: in -100...100; what exceeds it counts as the limit.
  ///   - end: how the task has ended in an earlier process; nil if it has not.
  /// - Returns: false if a known task has it.
  package mutating func add(
    _ id: TaskID, host: Origin, group: GroupID = .main, priority: Int = 0, end: TaskEnd? = nil
  ) -> Bool {
    let number = hosts.use(host)
    let key = OrderKey(priority: priority, rank: ranks.next)
    let task = QueuedTask(id: id, key: key, host: number, group: index(of: group), state: .queued)
    guard tasks.insert(task) else {
      hosts.release(number)
      return false
    }
    ranks.cover(key.rank)
    if let end { settle(task, TaskState(end)) } else { line(task) }
    return true
  }

  /// A request of the main group without priority goes to the spool, because others of its host wait.
  package mutating func spool(_ offset: Int64, host: Origin) {
    let number = hosts.spool(host)
    groups[0].lanes.spool(offset, number, key: lastKey)
  }

  /// Takes all requests out of the spool. They count as never added.
  ///
  /// - Returns: their places there, in the order in which they came.
  package mutating func takeSpooled() -> [Int64] {
    let taken = groups[0].lanes.takeSpooled()
    for (_, host) in taken { hosts.unspool(host) }
    return taken.map(\.offset).sorted()
  }

  /// Whether a request to this host has to follow others that wait.
  package func hasWaiting(_ host: Origin) -> Bool { hosts.hasWaiting(host) }

  /// Tasks that are not settled, and requests in the spool.
  package var unsettledCount: Int { tasks.count - settled.count + hosts.spooledCount }

  /// Whether requests are in the spool.
  package var isSpooling: Bool { hosts.spooledCount > 0 }

  /// Tasks that stand in lanes.
  package var readyCount: Int { hosts.queuedCount - hosts.spooledCount }

  /// Tasks that stand in lanes, and requests in the spool.
  package var queuedCount: Int { hosts.queuedCount }

  /// Whether requests to this host have to go to the spool, to keep their order.
  package func isSpooling(_ host: Origin) -> Bool {
    hosts.number(of: host).map { groups[0].lanes.isSpooling($0) } ?? false
  }

  /// The key of a task that comes last.
  private var lastKey: OrderKey { OrderKey(priority: 0, rank: ranks.next) }

  /// The place of a group in `groups`. One that is named for the first time is made.
  mutating func index(of group: GroupID) -> UInt16 {
    if let known = groups.firstIndex(where: { $0.id == group }) { return UInt16(known) }
    groups.append(Group(id: group))
    return UInt16(groups.count - 1)
  }

  // MARK: Lanes

  /// Puts a task into its lane if it may begin.
  mutating func line(_ task: QueuedTask) {
    guard task.isReady else { return }
    groups[Int(task.group)].lanes.insert(task)
    hosts.waits(at: task.host)
  }

  /// Takes a task out of its lane, if it stands there.
  ///
  /// - Parameter task: as it is before the change.
  mutating func unline(_ task: QueuedTask) {
    guard task.isReady else { return }
    groups[Int(task.group)].lanes.remove(task, tasks)
    hosts.leaves(task.host)
  }

  /// The host may have room that it had not.
  package mutating func roomChanged(at host: Origin) {
    if let number = hosts.unpark(host) { unpark(number) }
  }

  /// Asks all hosts again whether they have room. Time alone may give them some.
  package mutating func unparkAll() {
    for host in hosts.unparkAll() { unpark(host) }
  }

  private mutating func unpark(_ host: Int32) {
    for index in groups.indices { groups[index].lanes.unpark(host, tasks, last: lastKey) }
  }

  // MARK: Beginning

  /// Whether another task may have a place.
  ///
  /// - Parameter besides: places that count as free, because their tasks need no transfer any more.
  package func hasPlace(besides finishingCount: Int = 0) -> Bool { mayBegin && hasFreePlace(besides: finishingCount) }

  /// Whether `jobs` allows one more place, whatever may begin.
  ///
  /// - Parameter besides: as for `hasPlace`.
  package func hasFreePlace(besides finishingCount: Int) -> Bool { items.placeCount - finishingCount < jobs }

  /// Whether the item may have a place now, if it has none yet. While targets were inspected others may have taken all.
  ///
  /// - Parameter besides: as for `hasPlace`.
  package func mayTakePlace(_ handle: ItemHandle, besides finishingCount: Int = 0) -> Bool {
    guard let item = items[handle], !item.hasPlace, let task = tasks[item.task] else { return true }
    let group = groups[Int(task.group)]
    return hasFreePlace(besides: finishingCount) && group.placeCount < group.jobs ?? .max
  }

  /// The same, if places are left for others that come before it in the order of work and may have one, too.
  package func mayTakePlace(
    _ handle: ItemHandle, after some: some Collection<ItemHandle>, _ others: some Collection<ItemHandle>,
    besides finishingCount: Int
  ) -> Bool {
    guard mayTakePlace(handle, besides: finishingCount) else { return false }
    guard let item = items[handle], !item.hasPlace, let task = tasks[item.task] else { return true }
    let group = groups[Int(task.group)]
    var free = (jobs - (items.placeCount - finishingCount), group.jobs.map { $0 - group.placeCount } ?? .max)
    // Mostly there are enough for all.
    if min(free.0, free.1) > some.count + others.count { return true }
    func count(_ other: ItemHandle) {
      guard let item = items[other], !item.hasPlace, let first = tasks[item.task], first.key < task.key,
        mayTakePlace(other, besides: finishingCount)
      else { return }
      free.0 -= 1
      if first.group == task.group { free.1 -= 1 }
    }
    for other in some { count(other) }
    for other in others { count(other) }
    return free.0 > 0 && free.1 > 0
  }

  /// What belongs to items that have not been given back, in the order of work.
  package func inOrder<Value>(_ values: [Value], by item: (Value) -> ItemHandle) -> [Value] {
    let keys = values.map { value in items[item(value)].flatMap { tasks[$0.task]?.key } }
    // Mostly they are in order.
    let isInOrder = zip(keys, keys.dropFirst()).allSatisfy { left, right in
      if let left, let right { left < right } else { false }
    }
    if isInOrder, keys.first != .some(nil) { return values }
    return zip(keys, values).compactMap { key, value in key.map { ($0, value) } }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Whether a task that may begin comes before this item, or might.
  package mutating func hasQueued(before handle: ItemHandle) -> Bool {
    guard mayBegin, let item = items[handle], let key = tasks[item.task]?.key else { return false }
    for index in groups.indices where groups[index].mayBegin {
      if let first = groups[index].lanes.first(tasks, last: lastKey), first.key < key { return true }
    }
    return false
  }

  /// Whether a task only lacks the place of this item to begin.
  ///
  /// - Parameters:
  ///   - besides: as for `hasPlace`.
  ///   - isAnswering: whether a host is worth a place.
  package func isPlaceWanted(
    of handle: ItemHandle, besides finishingCount: Int = 0, isAnswering: (Origin) -> Bool
  ) -> Bool {
    guard mayBegin else { return false }
    return groups.indices.contains { index in
      !groups[index].isPaused && isPlace(of: handle, lackedIn: index, besides: finishingCount)
        && groups[index].lanes.hasReady { isAnswering(hosts[$0]) }
    }
  }

  /// Whether another item, which has no place, only lacks the place of this one.
  package func isPlaceWanted(of handle: ItemHandle, by other: ItemHandle, besides finishingCount: Int = 0) -> Bool {
    guard let item = items[other], !item.hasPlace, let task = tasks[item.task] else { return false }
    return isPlace(of: handle, lackedIn: Int(task.group), besides: finishingCount)
  }

  /// Whether a place for the group would be free only without this item.
  private func isPlace(of handle: ItemHandle, lackedIn index: Int, besides finishingCount: Int) -> Bool {
    guard let item = items[handle], item.hasPlace, let task = tasks[item.task] else { return false }
    func isFree(without count: Int) -> Bool {
      let ofGroup = index == Int(task.group) ? count : 0
      return hasFreePlace(besides: finishingCount + count)
        && groups[index].placeCount - ofGroup < groups[index].jobs ?? .max
    }
    return !isFree(without: 0) && isFree(without: 1)
  }

  /// Whether all tasks are settled, and the spool has no request.
  package var isIdle: Bool { hosts.waitingCount == 0 && tasks.count == settled.count }

  /// Whether nothing is active and nothing may become so before a wait or a pause ends.
  package var hasOnlyWaiting: Bool { items.all.isEmpty && (queuedCount == 0 || isPaused) }

  /// Whether the session lets something begin.
  package var mayBegin: Bool { !isPaused && !finishes && !ends.hasTooManyFailures }

  /// Whether there is a host at which something stands in a lane, and for which this is true.
  package func isAnyHostWaitedFor(where isTrue: (Origin) -> Bool) -> Bool { hosts.isAnyWaitedFor(where: isTrue) }

  /// Begins the first task that may; nil if there is none at the moment.
  ///
  /// - Parameters:
  ///   - isComplete: whether no source has more requests now, which might be for another host.
  ///   - hasRoom: whether a request that asks this host first may begin, given whether no request of another host
  ///     waits. After a false, the host is asked again when `roomChanged` names it.
  package mutating func next(
    isComplete: Bool = true, hasRoom: (Origin, _ isOnlyHost: Bool) -> Bool = { _, _ in true }
  ) -> Next? {
    // The only host may have all places.
    if isComplete, hosts.waitingCount == 1 { unparkAll() }
    while mayBegin {
      var first: (group: Int, key: OrderKey, host: Int32)?
      for index in groups.indices where groups[index].mayBegin {
        guard let found = groups[index].lanes.first(tasks, last: lastKey), first.map({ found.key < $0.key }) ?? true
        else { continue }
        first = (index, found.key, found.host)
      }
      guard let first else { return nil }
      guard hasRoom(hosts[first.host], isComplete && hosts.waitingCount == 1) else {
        hosts.park(first.host)
        for index in groups.indices { groups[index].lanes.park(first.host) }
        continue
      }
      switch groups[first.group].lanes.take(from: first.host, last: lastKey) {
      case .task(let id):
        guard let task = tasks[id] else { return nil }
        return .begin(id, begin(task))
      case .spooled(let offset):
        hosts.unspool(first.host)
        return .load(offset)
      case nil: return nil
      }
    }
    return nil
  }

  private mutating func begin(_ task: QueuedTask) -> ItemHandle {
    unline(task)
    tasks[task.id]?.state = .active
    return items.begin(task.id)
  }

  /// A task that is not active asks another host first from now on. Costs time in proportion to the length of its lane.
  ///
  /// - Returns: false if it is active, or not known.
  package mutating func ask(_ host: Origin, first id: TaskID) -> Bool {
    guard let task = tasks[id], items.handle(of: id) == nil, task.state != .leaving else { return false }
    guard hosts[task.host] != host else { return true }
    unline(task)
    groups[Int(task.group)].lanes.forget(id, at: task.host)
    tasks[id]?.host = hosts.use(host)
    hosts.release(task.host)
    if let task = tasks[id] { line(task) }
    return true
  }

  /// Whether the task is known and has not settled.
  package func isUnsettled(_ task: TaskID) -> Bool { tasks[task].map { !$0.isSettled } ?? false }

  /// Whether the task may begin, or is paused.
  package func isQueued(_ task: TaskID) -> Bool { tasks[task]?.state == .queued }

  /// The handle of a task that has one which has not been given back.
  package func handle(of task: TaskID) -> ItemHandle? { items.handle(of: task) }

  /// The task of a handle that has not been given back.
  package func task(of handle: ItemHandle) -> TaskID? { items[handle]?.task }

  /// The item asks servers from now on, and counts towards `jobs` until it is given back or leaves its place.
  ///
  /// - Returns: its group.
  @discardableResult
  package mutating func takePlace(_ handle: ItemHandle) -> GroupID {
    guard let item = items[handle], let group = tasks[item.task]?.group else { return .main }
    if items.takePlace(handle) { groups[Int(group)].placeCount += 1 }
    return groups[Int(group)].id
  }

  /// The item asks no server until it takes a place again.
  package mutating func leavePlace(_ handle: ItemHandle) {
    guard let item = items[handle], let group = tasks[item.task]?.group, items.leavePlace(handle) else { return }
    groups[Int(group)].placeCount -= 1
  }
}
