@testable import DownloadCore
import TestSupport

/// The queue of the run, commands in its middle, and what must be true after each of them.
extension SimulatedDownload {
  static func selection(_ item: Int) -> TaskSelection { .task(TaskID(position: item)) }

  static func group(of item: Int) -> GroupID { GroupID(UInt16(item % 3)) }

  /// Makes a queue of the items that have not ended.
  func fillQueue() {
    queue = QueueMachine(jobs: world.settings.limits.jobs ?? 1024, settledLimit: 1000)
    for item in items.indices where items[item].result == nil {
      let host = world.locations[item][0].origin
      let isNew = queue.add(TaskID(position: item), host: host, group: Self.group(of: item))
      if !isNew { problem("item \(item) is known") }
    }
  }

  func item(of handle: ItemHandle) -> Int? { queue.task(of: handle).map { Int($0.number) } }

  func file(_ item: Int) -> FileEntry? { items[item].handle.flatMap { run.file($0) } }

  /// The item of a transfer that starts.
  func number(of order: TransferOrder) -> Int { item(of: order.item) ?? 0 }

  /// What the driver has to begin.
  func nextItem() -> (item: Int, handle: ItemHandle)? {
    let jobs = queue.jobs
    while true {
      let next = queue.next(hasRoom: { run.hasRoom(at: $0, isOnlyHost: $1, jobs: jobs, now: now) })
      if next == nil, lendPlace() { continue }
      guard case .begin(let task, let handle)? = next else { break }
      let item = Int(task.number)
      if isPaused(item) { problem("item \(item) is paused and begins") }
      if let other = items[item].handle { problem("item \(item) begins while it is \(other.number)") }
      if case .concluded? = items[item].result {
        // The file that is there is kept.
        queue.ended(handle, .succeeded)
        continue
      }
      items[item].handle = handle
      items[item].beginningCount += 1
      return (item, handle)
    }
    return nil
  }

  func lendPlace() -> Bool {
    guard lentPlaces.lend(&queue, &run, now: now) else { return false }
    lentPlaceCount += 1
    return true
  }

  func end(_ item: Int, _ handle: ItemHandle, _ end: TaskEnd) {
    run.forget(handle)
    queue.ended(handle, end)
    endWrites(of: item)
    items[item].handle = nil
  }

  // MARK: Commands

  func command(_ change: TaskChange, _ selection: TaskSelection) {
    note("command \(change) \(selection)")
    commandCount += 1
    forgetPausesOfEnded()
    if change == .pause { paused.insert(selection) }
    if change == .resume { paused.remove(selection) }
    for effect in queue.apply(change, to: selection).effects {
      switch effect {
      case .pause(let handle): pause(handle)
      case .withdraw(let handle, let withdrawal):
        if run.isPublishing(handle) { continue }
        guard let item = item(of: handle) else { return problem("nothing has the handle \(handle.number)") }
        stopTransfers(of: item)
        end(item, handle, .withdrawn)
        withdraw(item, withdrawal)
      case .prioritize(let handle, let priority): run.prioritize(handle, priority)
      case .move: problem("the groups stay")
      case .retry(let task):
        let item = Int(task.number)
        items[item].restsUntil = [:]
        items[item].redirectWaits = [:]
        for location in world.locations[item] {
          world.hosts[world.hostIndex(of: location)].retryAt = .zero
        }
        var actions: [RunAction] = []
        run.retry(items[item].handle, at: world.locations[item].map(\.origin), now: now, &actions)
        perform(actions)
      case .withdrawn(let task, let withdrawal):
        let item = Int(task.number)
        if items[item].handle != nil { problem("item \(item) is active and ends as if it were not") }
        withdraw(item, withdrawal)
      }
    }
    for item in items.indices {
      switch (change, items[item].result) {
      case (.retry, .failed), (.retry, .withdrawn), (.resume, .failed), (.resume, .withdrawn):
        // Whatever waits again has no result.
        guard queue.isUnsettled(TaskID(position: item)) else { break }
        items[item].result = nil
        beginAgain(item)
      default: break
      }
    }
    forgetPausesOfEnded()
    checkCommands()
  }

  func use(_ limits: Limits) {
    note("limits \(limits)")
    // A connection that was given up leaves a rest.
    commandCount += 1
    for item in items.indices { items[item].plannedCount -= transfers.values.count { $0.item == item } }
    var actions: [RunAction] = []
    for (group, count) in limits.groups.enumerated() {
      actions = []
      run.limitConnections(of: GroupID(UInt16(group)), to: count, now: now, &actions)
      self.limits.groups[group] = count
      perform(actions)
    }
    self.limits = limits
    world.settings.limits.maxConnectionsPerHost = limits.perHost
    world.settings.limits.maxConnections = limits.all
    world.settings.file.maxConnections = limits.perFile
    actions = []
    run.use(world.settings, now: now, &actions)
    for (handle, file) in run.files {
      var settings = file.machine.settings
      settings.maxConnections = limits.perFile
      run.use(settings, for: handle, now: now, &actions)
    }
    perform(actions)
    checkNoneIsBeyond(limits.all, "all") { _ in true }
    for host in Set(transfers.values.map(\.order.location.origin)) {
      checkNoneIsBeyond(limits.perHost, host.text) { $0.order.location.origin == host }
    }
    for item in items.indices { checkNoneIsBeyond(limits.perFile, "item \(item)") { $0.item == item } }
    for (group, count) in limits.groups.enumerated() {
      checkNoneIsBeyond(count, "group \(group)") { Self.group(of: $0.item).number == group }
    }
  }

  /// Of more connections than the limit none could be given up.
  private func checkNoneIsBeyond(_ limit: Int?, _ name: String, _ isConcerned: (Transfer) -> Bool) {
    let staying = transfers.filter { id, transfer in
      guard isConcerned(transfer) else { return false }
      guard case .store(let at, _, _) = transfer.disposition else { return true }
      return at + transfer.received < transfer.end
    }
    guard let limit, staying.count > limit else { return }
    for (id, transfer) in staying {
      guard let machine = run.file(transfer.order.item), case .store? = transfer.disposition, transfer.end != .max,
        machine.machine.isSplittable(on: HostConditions(isETagReliable: false)),
        machine.machine.segments.active.first(where: { $0.id == id })?.stage == .receiving
      else { continue }
      problem("\(staying.count) connections of \(name) stay where \(limit) may be")
    }
  }

  /// A task that has ended is not paused any more, whatever becomes of it.
  private func forgetPausesOfEnded() {
    for item in items.indices where !queue.isUnsettled(TaskID(position: item)) { paused.remove(Self.selection(item)) }
  }

  func resumeAll() {
    for selection in paused { command(.resume, selection) }
    for item in items.indices where paused.contains(Self.selection(item)) { problem("item \(item) stays paused") }
  }

  /// As the driver does it: nothing that is buffered is lost.
  private func pause(_ handle: ItemHandle) {
    guard let item = item(of: handle) else { return problem("nothing has the handle \(handle.number)") }
    if run.isPublishing(handle) { return }
    for (id, transfer) in transfers.sorted(by: { $0.key.number < $1.key.number }) where transfer.item == item {
      flush(id)
    }
    // Its record claims what the writer has, once that is written.
    for write in items[item].writes { written(item, write.number) }
    // The last bytes may have ended it.
    guard items[item].handle == handle else { return }
    saveCheckpoint(item)
    stopTransfers(of: item)
    run.forget(handle)
    queue.returned(handle)
    endWrites(of: item)
    items[item].handle = nil
    beginAgain(item)
  }

  private func stopTransfers(of item: Int) {
    for (id, transfer) in transfers where transfer.item == item {
      transfers[id] = nil
      if transfer.head != nil, !transfer.isThrottled { world.hosts[transfer.host].servedAt = now }
      world.hosts[transfer.host].openCount -= 1
      // Another request brings the rest.
      items[item].plannedCount -= 1
    }
  }

  private func withdraw(_ item: Int, _ withdrawal: Withdrawal) {
    note("withdrawn \(item) \(withdrawal)")
    // It was to be looked at again: the file stays.
    if case .concluded? = items[item].result { return }
    items[item].result = .withdrawn(withdrawal)
    clear(item)
    // All of it comes again if it is resumed.
    (items[item].received, items[item].plannedCount) = (0, 0)
  }

  private func isPaused(_ item: Int) -> Bool {
    paused.contains(.all) || paused.contains(.group(Self.group(of: item))) || paused.contains(Self.selection(item))
  }

  /// Called after every command and before every start of a transfer.
  func checkCommands() {
    for item in Set(transfers.values.map(\.item)) {
      if isPaused(item) { problem("item \(item) is paused and has a transfer") }
      if items[item].result != nil { problem("item \(item) has ended and has a transfer") }
    }
    let placed = run.files.values.count { !$0.lacksPlace }
    if placed > queue.jobs { problem("\(placed) files are active where \(queue.jobs) may be") }
    if placed != queue.items.placeCount { problem("\(queue.items.placeCount) places for \(placed) files") }
    for (handle, file) in run.files where file.lacksPlace {
      if transfers.values.contains(where: { $0.order.item == handle }) {
        problem("\(handle.number) has lent its place")
      }
    }
  }

  /// After the last item: no file, place or queue is occupied.
  func checkNothingIsLeft() {
    if !run.files.isEmpty { problem("the machine has \(run.files.count) files after the last item") }
    for host in run.hosts.all where !host.queue.isEmpty || host.fileCount != 0 || host.queuedCount != 0 {
      problem("\(host.queuedCount) of \(host.fileCount) items wait for \(host.origin.text) after the last item")
    }
    if !queue.isIdle || queue.queuedCount != 0 { problem("\(queue.queuedCount) tasks are queued after the last item") }
  }
}

extension SimulatedWorld {
  /// A run of several files at hosts that ask to be left alone for long.
  static func lendingPlaces(_ random: inout SeededGenerator) -> SimulatedWorld {
    var world = drawingCommands(&random)
    while world.files.count < 3 { world = drawingCommands(&random) }
    world.settings.limits.jobs = Int.random(in: 1...2, using: &random)
    world.settings.file.retryWait = .seconds(60)
    for host in world.hosts.indices {
      world.hosts[host].trouble = world.hosts[host].trouble.map { _ in .busyForSeconds }
    }
    return world
  }

  /// A run of files and commands at random times; in the end whatever is paused is continued.
  static func drawingCommands(_ random: inout SeededGenerator) -> SimulatedWorld {
    var world = SimulatedWorld(&random)
    if Bool.random(using: &random) { world.settings.limits.jobs = Int.random(in: 1...4, using: &random) }
    let count = Int.random(in: 1...30, using: &random)
    let span = Int64.random(in: 10...6000, using: &random)
    func task(_ random: inout SeededGenerator) -> TaskID {
      TaskID(UInt64.random(in: 0..<UInt64(world.files.count), using: &random))
    }
    let drawn = (0..<count).map { _ in
      let group = GroupID(UInt16.random(in: 0..<3, using: &random))
      let selection: TaskSelection =
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .all
        case 1...3: .group(group)
        default: .task(task(&random))
        }
      let change: TaskChange =
        switch Int.random(in: 0..<15, using: &random) {
        case 0...3: .pause
        case 4...6: .resume
        // Rarely all, which ends the run.
        case 7: selection == .all ? .pause : .cancel
        case 8: selection == .all ? .resume : .remove
        case 9: .prioritize(Int.random(in: -2...2, using: &random))
        case 10: .move(.first)
        case 11: .move(.last)
        case 12: .move(Bool.random(using: &random) ? .before(task(&random)) : .after(task(&random)))
        case 13: .move(.group(group))
        default: .retry
        }
      return (at: Instant.zero + .milliseconds(Int64.random(in: 0...span, using: &random)), change, selection)
    }
    if Bool.random(using: &random) {
      func draw(_ most: Int) -> Int? {
        Bool.random(using: &random) ? Int.random(in: 1...most, using: &random) : nil
      }
      world.limits = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        let limits = SimulatedDownload.Limits(
          perHost: draw(12) ?? 64, perFile: draw(8) ?? 16, all: draw(12), groups: (0..<3).map { _ in draw(4) })
        return (at: Instant.zero + .milliseconds(Int64.random(in: 0...span, using: &random)), limits)
      }
    }
    // In this world the group of an item follows from its number.
    world.commands = drawn.filter { if case .move(.group) = $0.1 { false } else { true } }
    return world
  }
}
