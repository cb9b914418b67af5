/// What a task waits for.
package enum WaitReason: Hashable, Sendable {
  /// Another run holds its target.
  case otherRun
  /// Its file system is full.
  case fullDisk
  /// A job of its earlier beginning still has its files.
  case ownFiles
  /// Only the time.
  case time
}

/// How a task ended.
package enum TaskEnd: Hashable, Sendable { case succeeded, failed, withdrawn }

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

  private struct Host {
    let origin: Origin
    /// Tasks that are known, and requests in the spool.
    var useCount = 0
    /// Those that stand in lanes.
    var waitingCount = 0
  }

  struct Item {
    let task: TaskID
    /// Whether it counts towards `jobs`.
    var hasPlace = false
  }

  /// What `next` found.
  package enum Next: Hashable, Sendable {
    case begin(TaskID, ItemHandle)
    /// The request at this place of the spool is to be added.
    case load(Int64)
  }

  var tasks = TaskTable()
  /// The first is `main`.
  var groups = [Group(id: .main)]
  private var hosts: [Host] = []
  private var hostNumbers: [Origin: Int32] = [:]
  private var freeHosts: [Int32] = []
  private var parkedHosts: Set<Int32> = []
  /// Hosts at which something stands in a lane.
  private var waitingHostCount = 0
  /// Tasks that stand in lanes, and requests in the spool.
  package private(set) var queuedCount = 0
  /// Requests in the spool.
  private var spooledCount = 0
  var items: [ItemHandle: Item] = [:]
  var handles: [TaskID: ItemHandle] = [:]
  private var nextHandle = 0
  private(set) var waits: [TaskID: Wait] = [:]
  private var dueTimes = Heap<DueTime>()
  /// Settled tasks, the oldest first.
  private var settled = WaitingLine<TaskID>()
  private var settledCount = 0
  /// How many of a task's entries in `settled` are of ends after which it was retried.
  private var retriedEnds: [TaskID: Int] = [:]
  private var lastRank: Int64 = 0
  private var firstRank: Int64 = 0
  private(set) var placeCount = 0
  package private(set) var failedCount = 0
  package private(set) var endedCount = 0

  /// Tasks that may have a place at a time, at least 1.
  package var jobs: Int
  /// Whether everything is paused.
  package var isPaused = false
  /// Whether nothing more is to begin in this run.
  package var finishes = false
  /// Once it is exceeded nothing begins any more.
  package var failureLimit: FailureLimit?
  /// Tasks in all, if known; for a failure limit that is a share of them.
  package var expectedCount: Int?
  /// Settled tasks that are kept for a retry at most; the oldest are forgotten.
  private let settledLimit: Int
  private var forgotten: [TaskID] = []

  struct Wait {
    let reason: WaitReason
    let until: Instant
  }

  private struct DueTime: Comparable {
    let at: Instant
    let task: TaskID

    static func < (left: Self, right: Self) -> Bool { left.at < right.at }
  }

  package init(jobs: Int = 1024, settledLimit: Int = 0) {
    self.jobs = jobs
    self.settledLimit = settledLimit
  }

  // MARK: Adding

  /// - Parameters:
  ///   - id: that no other task has had.
  ///   - host: that the task asks first.
  ///   - priority: in -100...100; what exceeds it counts as the limit.
  /// - Returns: false if a known task has it.
  package mutating func add(
    _ id: TaskID, host: Origin, group: GroupID = .main, priority: Int = 0
  ) -> Bool {
    let number = number(of: host)
    let key = OrderKey(priority: priority, rank: lastRank + OrderKey.gap)
    let task = QueuedTask(id: id, key: key, host: number, group: index(of: group), state: .queued)
    guard tasks.insert(task) else {
      release(number)
      return false
    }
    lastRank = key.rank
    line(task)
    return true
  }

  /// A request of the main group without priority goes to the spool, because others of its host wait.
  package mutating func spool(_ offset: Int64, host: Origin) {
    let number = number(of: host)
    groups[0].lanes.spool(offset, number, key: lastKey)
    spooledCount += 1
    waits(at: number)
  }

  /// Takes all requests out of the spool. They count as never added.
  ///
  /// - Returns: their places there, in the order in which they came.
  package mutating func takeSpooled() -> [Int64] {
    let taken = groups[0].lanes.takeSpooled()
    for (_, host) in taken {
      spooledCount -= 1
      leaves(host)
      release(host)
    }
    return taken.map(\.offset).sorted()
  }

  /// Whether a request to this host has to follow others that wait.
  package func hasWaiting(_ host: Origin) -> Bool {
    hostNumbers[host].map { hosts[Int($0)].waitingCount > 0 } ?? false
  }

  /// Tasks that are not settled, and requests in the spool.
  package var unsettledCount: Int { tasks.count - settledCount + spooledCount }

  /// Whether requests are in the spool.
  package var isSpooling: Bool { spooledCount > 0 }

  /// Tasks that stand in lanes.
  package var readyCount: Int { queuedCount - spooledCount }

  /// Whether requests to this host have to go to the spool, to keep their order.
  package func isSpooling(_ host: Origin) -> Bool {
    hostNumbers[host].map { groups[0].lanes.isSpooling($0) } ?? false
  }

  /// The key of a task that comes last.
  private var lastKey: OrderKey { OrderKey(priority: 0, rank: lastRank + OrderKey.gap) }

  /// The place of a group in `groups`. One that is named for the first time is made.
  mutating func index(of group: GroupID) -> UInt16 {
    if let known = groups.firstIndex(where: { $0.id == group }) { return UInt16(known) }
    groups.append(Group(id: group))
    return UInt16(groups.count - 1)
  }

  private mutating func number(of host: Origin) -> Int32 {
    let number: Int32
    if let known = hostNumbers[host] {
      hosts[Int(known)].useCount += 1
      return known
    }
    if let free = freeHosts.popLast() {
      hosts[Int(free)] = Host(origin: host)
      number = free
    } else {
      hosts.append(Host(origin: host))
      number = Int32(hosts.count - 1)
    }
    hostNumbers[host] = number
    hosts[Int(number)].useCount += 1
    return number
  }

  private mutating func release(_ host: Int32) {
    hosts[Int(host)].useCount -= 1
    guard hosts[Int(host)].useCount == 0 else { return }
    hostNumbers[hosts[Int(host)].origin] = nil
    parkedHosts.remove(host)
    freeHosts.append(host)
  }

  // MARK: Lanes

  /// Puts a task into its lane if it may begin.
  mutating func line(_ task: QueuedTask) {
    guard task.isReady else { return }
    groups[Int(task.group)].lanes.insert(task)
    waits(at: task.host)
  }

  /// Takes a task out of its lane, if it stands there.
  ///
  /// - Parameter task: as it is before the change.
  mutating func unline(_ task: QueuedTask) {
    guard task.isReady else { return }
    groups[Int(task.group)].lanes.remove(task, tasks)
    leaves(task.host)
  }

  private mutating func waits(at host: Int32) {
    queuedCount += 1
    hosts[Int(host)].waitingCount += 1
    if hosts[Int(host)].waitingCount == 1 { waitingHostCount += 1 }
  }

  private mutating func leaves(_ host: Int32) {
    queuedCount -= 1
    hosts[Int(host)].waitingCount -= 1
    if hosts[Int(host)].waitingCount == 0 { waitingHostCount -= 1 }
  }

  /// The host may have room that it had not.
  package mutating func roomChanged(at host: Origin) {
    guard !parkedHosts.isEmpty, let number = hostNumbers[host], parkedHosts.remove(number) != nil else { return }
    unpark(number)
  }

  /// Asks all hosts again whether they have room. Time alone may give them some.
  package mutating func unparkAll() {
    for host in parkedHosts { unpark(host) }
    parkedHosts.removeAll()
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
  package func hasFreePlace(besides finishingCount: Int) -> Bool { placeCount - finishingCount < jobs }

  /// Whether the item may have a place now, if it has none yet. While targets were inspected others may have taken all.
  ///
  /// - Parameter besides: as for `hasPlace`.
  package func mayTakePlace(_ handle: ItemHandle, besides finishingCount: Int = 0) -> Bool {
    guard let item = items[handle], !item.hasPlace, let task = tasks[item.task] else { return true }
    let group = groups[Int(task.group)]
    return hasFreePlace(besides: finishingCount) && group.placeCount < group.jobs ?? .max
  }

  package var hasTooManyFailures: Bool {
    failureLimit?.isExceeded(failedCount: failedCount, endedCount: endedCount, itemCount: expectedCount) ?? false
  }

  /// Whether all tasks are settled, and the spool has no request.
  package var isIdle: Bool { waitingHostCount == 0 && tasks.count == settledCount }

  /// Whether nothing is active and nothing may become so before a wait or a pause ends.
  package var hasOnlyWaiting: Bool { items.isEmpty && (queuedCount == 0 || isPaused) }

  /// Whether the session lets something begin.
  package var mayBegin: Bool { !isPaused && !finishes && !hasTooManyFailures }

  /// Whether there is a host at which something stands in a lane, and for which this is true.
  package func isAnyHostWaitedFor(where isTrue: (Origin) -> Bool) -> Bool {
    hosts.contains { $0.waitingCount > 0 && isTrue($0.origin) }
  }

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
    if isComplete, waitingHostCount == 1 { unparkAll() }
    while mayBegin {
      var first: (group: Int, key: OrderKey, host: Int32)?
      for index in groups.indices where groups[index].mayBegin {
        guard let found = groups[index].lanes.first(tasks, last: lastKey), first.map({ found.key < $0.key }) ?? true
        else { continue }
        first = (index, found.key, found.host)
      }
      guard let first else { return nil }
      guard hasRoom(hosts[Int(first.host)].origin, isComplete && waitingHostCount == 1) else {
        parkedHosts.insert(first.host)
        for index in groups.indices { groups[index].lanes.park(first.host) }
        continue
      }
      switch groups[first.group].lanes.take(from: first.host, last: lastKey) {
      case .task(let id):
        guard let task = tasks[id] else { return nil }
        return .begin(id, begin(task))
      case .spooled(let offset):
        spooledCount -= 1
        leaves(first.host)
        release(first.host)
        return .load(offset)
      case nil: return nil
      }
    }
    return nil
  }

  private mutating func begin(_ task: QueuedTask) -> ItemHandle {
    unline(task)
    tasks[task.id]?.state = .active
    let handle = ItemHandle(nextHandle)
    nextHandle += 1
    items[handle] = Item(task: task.id)
    handles[task.id] = handle
    return handle
  }

  /// Whether the task is known and has not settled.
  package func isUnsettled(_ task: TaskID) -> Bool { tasks[task].map { !$0.isSettled } ?? false }

  /// Whether the task may begin, or is paused.
  package func isQueued(_ task: TaskID) -> Bool { tasks[task]?.state == .queued }

  /// The handle of a task that has one which has not been given back.
  package func handle(of task: TaskID) -> ItemHandle? { handles[task] }

  /// The task of a handle that has not been given back.
  package func task(of handle: ItemHandle) -> TaskID? { items[handle]?.task }

  /// The item asks servers from now on, and counts towards `jobs` until it is given back.
  ///
  /// - Returns: its group.
  @discardableResult
  package mutating func takePlace(_ handle: ItemHandle) -> GroupID {
    guard let item = items[handle], let group = tasks[item.task]?.group else { return .main }
    if !item.hasPlace {
      items[handle]?.hasPlace = true
      countPlace(1, of: group)
    }
    return groups[Int(group)].id
  }

  // MARK: Ends

  /// The item has ended without a result: the task is queued again, or waits.
  ///
  /// - Parameters:
  ///   - until: the time until which it does not begin; nil for none. With `distantFuture` it waits for `endWait`.
  ///   - reason: what it waits for until then.
  package mutating func returned(_ handle: ItemHandle, until: Instant? = nil, for reason: WaitReason = .time) {
    guard let task = giveBack(handle) else { return }
    if task.state == .leaving { return settle(task, .cancelled) }
    tasks[task.id]?.state = .queued
    if let until, !task.isPaused {
      tasks[task.id]?.state = .waiting
      waits[task.id] = Wait(reason: reason, until: until)
      if until < .distantFuture { dueTimes.insert(DueTime(at: until, task: task.id)) }
    } else if let task = tasks[task.id] {
      line(task)
    }
  }

  package mutating func ended(_ handle: ItemHandle, _ end: TaskEnd) {
    guard let task = giveBack(handle) else { return }
    settle(task, end == .succeeded ? .succeeded : end == .failed ? .failed : .cancelled)
  }

  /// The run ends without the task: it is forgotten, and counts as nothing.
  package mutating func left(_ handle: ItemHandle) {
    if let task = giveBack(handle) { forget(task) }
  }

  private mutating func giveBack(_ handle: ItemHandle) -> QueuedTask? {
    guard let item = items.removeValue(forKey: handle) else { return nil }
    handles[item.task] = nil
    guard let task = tasks[item.task] else { return nil }
    if item.hasPlace { countPlace(-1, of: task.group) }
    return task
  }

  private mutating func countPlace(_ change: Int, of group: UInt16) {
    groups[Int(group)].placeCount += change
    placeCount += change
  }

  /// - Parameter task: in no lane.
  mutating func settle(_ task: QueuedTask, _ state: TaskState) {
    endedCount += 1
    if state == .failed { failedCount += 1 }
    guard task.state != .leaving, settledLimit > 0 else { return forget(task) }
    tasks[task.id]?.state = state
    settled.append(task.id)
    settledCount += 1
    while settledCount > settledLimit, let oldest = settled.popFirst() {
      if let count = retriedEnds[oldest] {
        retriedEnds[oldest] = count > 1 ? count - 1 : nil
      } else if let task = tasks[oldest], task.isSettled {
        forget(task)
      }
    }
  }

  /// A settled task is to be done again.
  mutating func unsettle(_ task: QueuedTask) {
    endedCount -= 1
    if task.state == .failed { failedCount -= 1 }
    settledCount -= 1
    retriedEnds[task.id, default: 0] += 1
    tasks[task.id]?.state = .queued
    tasks[task.id]?.isPaused = false
    if let task = tasks[task.id] { line(task) }
  }

  /// Tasks that are not known any more since the last call, if settled ones are kept.
  package mutating func takeForgotten() -> [TaskID] {
    if forgotten.isEmpty { return [] }
    defer { forgotten.removeAll(keepingCapacity: true) }
    return forgotten
  }

  mutating func forget(_ task: QueuedTask) {
    if settledLimit > 0 { forgotten.append(task.id) }
    if task.isSettled { settledCount -= 1 }
    tasks.remove(task.id)
    release(task.host)
  }

  // MARK: Waiting

  /// The earliest time at which a task waits no longer.
  package var nextDue: Instant? { dueTimes.first?.at }

  /// Queues the tasks whose time has come.
  package mutating func ticked(now: Instant) {
    while let due = dueTimes.first, due.at <= now {
      dueTimes.removeFirst()
      if waits[due.task]?.until == due.at { endWait(of: due.task) }
    }
  }

  /// The tasks that wait for this, in the order of their ids. Costs time in proportion to the number of tasks that wait.
  package func waiting(for reason: WaitReason) -> [TaskID] {
    waits.filter { $0.value.reason == reason }.keys.sorted()
  }

  /// The task waits no longer, if it does.
  ///
  /// - Parameter reason: the only one for which the wait is ended; nil for any.
  package mutating func endWait(of id: TaskID, for reason: WaitReason? = nil) {
    guard let wait = waits[id], reason == nil || wait.reason == reason else { return }
    waits[id] = nil
    tasks[id]?.state = .queued
    if let task = tasks[id] { line(task) }
  }

  // MARK: Order

  mutating func rankBeforeAll() -> Int64 {
    firstRank -= OrderKey.gap
    return firstRank
  }

  mutating func rankAfterAll() -> Int64 {
    lastRank += OrderKey.gap
    return lastRank
  }

  /// Ranks before and after all others stay so.
  mutating func cover(_ rank: Int64) {
    firstRank = min(firstRank, rank)
    lastRank = max(lastRank, rank)
  }

  mutating func change(group: UInt16, of task: QueuedTask) {
    if let handle = handles[task.id], items[handle]?.hasPlace == true {
      countPlace(-1, of: task.group)
      countPlace(1, of: group)
    }
    tasks[task.id]?.group = group
  }

  /// Makes the gaps between ranks as wide as they were.
  mutating func renumber() {
    let all = tasks.all.sorted { $0.key.rank < $1.key.rank }
    for task in all { unline(task) }
    (firstRank, lastRank) = (0, 0)
    for var task in all {
      task.key = OrderKey(priority: task.key.priority, rank: rankAfterAll())
      tasks[task.id] = task
      line(task)
    }
  }
}
