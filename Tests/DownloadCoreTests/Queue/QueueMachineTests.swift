import Glibc
import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `A queue of tasks` {
  private static func host(_ number: Int) -> Origin { Origin(scheme: .https, host: "h\(number)", port: 443) }

  /// Random commands and events, each compared with the model.
  private struct Play: ~Copyable {
    var random: SeededGenerator
    var queue = QueueMachine(jobs: 1000, settledLimit: .max)
    var model = QueueModel()
    var open = Set(0..<4)
    var now = Instant.zero
    var nextID: UInt64 = 0
    var nextOffset: Int64 = 0
    var problem: String?
    var begun = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func roll(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func group() -> GroupID { GroupID(UInt16(roll(0..<3))) }

    /// One that is known, if there is any, or one that is not.
    mutating func task() -> TaskID {
      if roll(0..<20) == 0 { return TaskID(10_000_000 + UInt64(roll(0..<9))) }
      return model.tasks.randomElement(using: &random)?.id ?? TaskID(0)
    }

    mutating func handle() -> ItemHandle? {
      model.tasks.compactMap { if case .active(let handle) = $0.state { handle } else { nil } }
        .randomElement(using: &random)
    }

    mutating func step() {
      switch roll(0..<21) {
      case 0...4: add()
      case 5...8: begin()
      case 9...11: end()
      case 12:
        now = now + .milliseconds(Int64(roll(0..<300)))
        queue.ticked(now: now)
        model.ticked(now: now)
      case 13:
        open = Set((0..<4).filter { _ in roll(0..<3) > 0 })
        // Either each host that opens is told of, or all are asked again.
        if roll(0..<2) == 0 { queue.unparkAll() } else { for host in open { queue.roomChanged(at: A.host(host)) } }
      case 14:
        let (group, limit) = (group(), roll(0..<4))
        queue.limit(group, jobs: limit == 0 ? nil : limit)
        model.limits[group] = limit == 0 ? nil : limit
        queue.jobs = roll(0..<4) == 0 ? roll(1..<6) : 1000
        let finishing = model.places.filter { _ in roll(0..<4) == 0 }
        let surplus = queue.surplus(besides: finishing.contains)
        if surplus != model.surplus(jobs: queue.jobs, besides: finishing) {
          problem = "\(surplus) are beyond the limits"
        }
        queue.jobs = 1000
      // All wait for another run.
      case 15: queue.endWait(of: task(), for: .ownFiles)
      case 16: ask()
      case 17: lend()
      default: command()
      }
      if let problem = difference { self.problem = problem }
    }

    private typealias A = `A queue of tasks`

    mutating func add() {
      if roll(0..<4) == 0 {
        let host = roll(0..<4)
        queue.spool(nextOffset, host: A.host(host))
        model.spooled.append((nextOffset, host))
        return nextOffset += 1
      }
      let (host, group, priority) = (roll(0..<4), group(), roll(0..<5) == 0 ? roll(-2..<3) : 0)
      insert(QueueModel.Task(id: TaskID(nextID), host: host, group: group, priority: priority))
      nextID += 1
    }

    private mutating func insert(_ task: QueueModel.Task) {
      let isNew = queue.add(task.id, host: A.host(task.host), group: task.group, priority: task.priority)
      if !isNew { problem = "task \(task.id.number) is not new" }
      model.tasks.append(task)
    }

    mutating func begin() {
      let (expected, loads) = (model.next(open: open), model.loads(open: open))
      switch queue.next(hasRoom: { origin, _ in open.contains { A.host($0) == origin } }) {
      case .begin(let id, let handle):
        if id != expected || !loads.isEmpty {
          problem = "\(id.number) begins instead of \(String(describing: expected)), \(loads)"
        }
        guard let index = model.index(id) else { return problem = "\(id.number) begins and is not known" }
        if model.tasks.contains(where: { $0.state == .active(handle) }) { problem = "handle \(handle) is used twice" }
        model.tasks[index].state = .active(handle)
        begun += 1
        guard roll(0..<4) > 0 else { return }
        queue.takePlace(handle)
        model.places.insert(handle)
      case .load(let offset):
        guard loads.contains(offset) else { return problem = "\(offset) is loaded instead of \(loads)" }
        let host = model.spooled.first { $0.offset == offset }!.host
        model.spooled.removeAll { $0.offset == offset }
        insert(QueueModel.Task(id: TaskID(nextID), host: host, group: .main, priority: 0))
        nextID += 1
      case nil:
        if let expected { problem = "\(expected.number) does not begin" }
        if !loads.isEmpty { problem = "\(loads) are not loaded" }
      }
    }

    mutating func end() {
      guard let handle = handle() else { return }
      switch roll(0..<5) {
      case 0:
        queue.returned(handle)
        model.returned(handle, until: nil)
      case 1:
        let until = now + .milliseconds(Int64(roll(0..<1000)))
        queue.returned(handle, until: until, for: .otherRun)
        model.returned(handle, until: until)
      default:
        let end: TaskEnd = [.succeeded, .failed, .withdrawn].randomElement(using: &random)!
        queue.ended(handle, end)
        model.ended(handle, end)
      }
      // A handle that was given back means nothing any more.
      queue.ended(handle, .failed)
      queue.returned(handle)
    }

    /// An item leaves its place, if something wants it.
    mutating func lend() {
      guard let handle = handle(), let other = self.handle() else { return }
      queue.jobs = max(1, model.places.count + roll(-1..<2))
      let wanting = roll(0..<2) == 0 ? other : nil
      let isWanted =
        if let wanting {
          queue.isPlaceWanted(of: handle, by: wanting)
        } else {
          queue.isPlaceWanted(of: handle) { origin in open.contains { A.host($0) == origin } }
        }
      if isWanted != model.isPlaceWanted(of: handle, jobs: queue.jobs, open: open, by: wanting) {
        problem = "the place of \(handle.number) is \(isWanted ? "" : "not ")wanted by \(String(describing: wanting))"
      }
      queue.jobs = 1000
      guard isWanted else { return }
      queue.leavePlace(handle)
      model.places.remove(handle)
    }

    /// A task asks another host first.
    mutating func ask() {
      let (id, host) = (task(), roll(0..<4))
      let index = model.index(id)
      let isActive = index.map { if case .active = model.tasks[$0].state { true } else { false } } ?? false
      if queue.ask(A.host(host), first: id) != (index != nil && !isActive) {
        problem = "\(id.number) asks another host"
      }
      if let index, !isActive { model.tasks[index].host = host }
    }

    mutating func command() {
      let selection: TaskSelection =
        switch roll(0..<12) {
        case 0: .all
        case 1...2: .group(group())
        default: .task(task())
        }
      let change: TaskChange =
        switch roll(0..<14) {
        case 0...2: .pause
        case 3...5: .resume
        case 6: selection == .all && roll(0..<10) > 0 ? .retry : .cancel
        case 7: selection == .all && roll(0..<10) > 0 ? .retry : .remove
        case 8: .retry
        case 9: .prioritize(roll(-3..<4))
        case 10: .move(roll(0..<2) == 0 ? .first : .last)
        case 11: .move(.before(task()))
        case 12: .move(.after(task()))
        default: .move(.group(group()))
        }
      let before = model
      if model.tasks.map(\.id).filter({ queue.covers($0, selection) }) != model.selected(selection) {
        problem = "\(selection) covers other tasks"
      }
      model.apply(change, to: selection)
      let answer = queue.apply(change, to: selection)
      if case .task(let id) = selection, before.index(id) == nil, !answer.isUnknown {
        problem = "\(id.number) is unknown, and nobody says so"
      }
      for effect in answer.effects { perform(effect, before) }
    }

    /// What must be done is done by what is active only.
    private mutating func perform(_ effect: QueueEffect, _ before: QueueModel) {
      switch effect {
      case .retry(let id): if before.index(id) == nil { problem = "\(effect) for an unknown task" }
      case .pause(let handle), .withdraw(let handle, _), .prioritize(let handle, _), .move(let handle, _):
        if before.index(of: handle) == nil { problem = "\(effect) for something that is not active" }
      case .withdrawn(let id, _):
        guard let index = before.index(id) else { return problem = "\(effect) for an unknown task" }
        if case .active = before.tasks[index].state { problem = "\(effect) for an active task" }
      }
      switch effect {
      case .pause(let handle) where roll(0..<4) > 0:
        queue.returned(handle)
        model.returned(handle, until: nil)
      case .withdraw(let handle, _) where roll(0..<4) > 0:
        queue.ended(handle, .withdrawn)
        model.ended(handle, .withdrawn)
      default: break
      }
    }

    var difference: String? {
      if let problem { return problem }
      let active = model.tasks.count { if case .active = $0.state { true } else { false } }
      if active != queue.items.all.count { return "\(queue.items.all.count) items, and \(active) are active" }
      if queue.tasks.count != model.tasks.count { return "\(queue.tasks.count) tasks instead of \(model.tasks.count)" }
      let ready = model.tasks.count { $0.state == .queued && !$0.isPaused }
      if queue.readyCount != ready { return "\(queue.readyCount) tasks instead of \(ready) are ready" }
      if queue.queuedCount != ready + model.spooled.count { return "\(queue.queuedCount) are queued" }
      let unsettled = model.tasks.contains { if case .settled = $0.state { false } else { true } }
      if queue.isIdle != (!unsettled && model.spooled.isEmpty) { return "idle: \(queue.isIdle)" }
      if queue.items.placeCount != model.places.count { return "\(queue.items.placeCount) places" }
      let waiting = model.tasks.filter { if case .waiting = $0.state { true } else { false } }.map(\.id).sorted()
      if queue.waiting(for: .otherRun) != waiting { return "\(waiting.count) wait, others are said to" }
      if !queue.waiting(for: .time).isEmpty { return "the reason of a wait is not kept" }
      return nil
    }

    /// Continues everything, and lets it begin and end.
    mutating func drain() {
      open = Set(0..<4)
      queue.unparkAll()
      let groups = (0..<3).map { TaskSelection.group(GroupID($0)) }
      for selection in [.all] + groups + model.tasks.map({ TaskSelection.task($0.id) }) {
        if case .task(let id) = selection, case .settled? = model.index(id).map({ model.tasks[$0].state }) { continue }
        model.apply(.resume, to: selection)
        _ = queue.apply(.resume, to: selection)
      }
      now = now + .seconds(3600)
      queue.ticked(now: now)
      model.ticked(now: now)
      for _ in 0..<10_000 where !queue.isIdle && problem == nil {
        begin()
        while let handle = handle() {
          queue.ended(handle, .succeeded)
          model.ended(handle, .succeeded)
        }
      }
      problem = difference ?? (queue.isIdle ? nil : "something never ends")
    }
  }

  /// An array has at most twice the room that it needs: that is 52 bytes a task for 100,000 tasks.
  @Test func `needs little memory for each task`() {
    #expect(MemoryLayout<QueuedTask>.stride + MemoryLayout<QueueLanes.Entry>.stride <= 40)
  }

  @Test func `tells its tasks in the order in which they begin`() throws {
    var queue = QueueMachine(settledLimit: 10)
    for id in 0..<6 as Range<UInt64> {
      _ = queue.add(TaskID(id), host: Self.host(Int(id % 2)), priority: id == 3 ? 5 : 0)
    }
    _ = queue.apply(.move(.first), to: .task(4))
    // Without room between two ranks all of them are numbered again.
    for round in 0..<1000 { _ = queue.apply(.move(.before(0)), to: .task(round % 2 == 0 ? 1 : 2)) }
    _ = queue.apply(.pause, to: .task(5))
    let order = queue.order
    #expect(order == [3, 4, 1, 2, 0, 5])
    for id in order.dropLast() {
      guard case .begin(id, let handle)? = queue.next() else { throw Absent() }
      queue.ended(handle, .succeeded)
    }
    #expect(queue.order == order)
  }

  @Test func `forgets the oldest of the tasks that have settled, and those that are retried later`() throws {
    var queue = QueueMachine(settledLimit: 2)
    func end(_ id: TaskID) throws {
      guard case .begin(id, let handle)? = queue.next() else { throw Absent() }
      queue.ended(handle, .failed)
    }
    for id: TaskID in [0, 1, 2] {
      _ = queue.add(id, host: Self.host(0))
      if id < 2 { try end(id) }
    }
    #expect(queue.apply(.retry, to: .task(0)).changedCount == 1)
    try end(0)
    try end(2)
    #expect(queue.apply(.retry, to: .task(1)).isUnknown && queue.tasks.count == 2)
  }

  @Test func `forgets those that have failed after all others`() throws {
    var queue = QueueMachine(settledLimit: 3)
    func end(_ id: TaskID, _ end: TaskEnd) throws {
      guard case .begin(id, let handle)? = queue.next() else { throw Absent() }
      queue.ended(handle, end)
    }
    for id: TaskID in [0, 1, 2, 3, 4] {
      _ = queue.add(id, host: Self.host(0))
      try end(id, id == 0 || id == 3 ? .failed : .succeeded)
    }
    #expect(Set(queue.order) == [0, 3, 4])
    // A retried failure that succeeds is none any more.
    #expect(queue.apply(.retry, to: .task(0)).changedCount == 1)
    try end(0, .succeeded)
    for id: TaskID in [5, 6] {
      _ = queue.add(id, host: Self.host(0))
      try end(id, .succeeded)
    }
    #expect(Set(queue.order) == [3, 5, 6])
  }

  @Test func `a task that ended in an earlier process is settled, and may begin again`() throws {
    var queue = QueueMachine(settledLimit: 10)
    for (id, end) in [(0, .failed), (1, .succeeded), (2, .withdrawn)] as [(TaskID, TaskEnd)] {
      let isNew = queue.add(id, host: Self.host(0), end: end)
      #expect(isNew)
    }
    let first = queue.next()
    #expect(queue.isIdle && first == nil && queue.unsettledCount == 0)
    #expect(queue.apply(.pause, to: .task(0)).unchangedCount == 1)
    #expect(queue.apply(.cancel, to: .task(1)).unchangedCount == 1)
    #expect(queue.apply(.cancel, to: .task(0)).effects == [.withdrawn(0, .cancelled)])
    #expect(queue.apply(.retry, to: .task(2)).changedCount == 1)
    guard case .begin(2, let handle)? = queue.next() else { throw Absent() }
    queue.ended(handle, .succeeded)
    #expect(queue.apply(.remove, to: .task(1)).changedCount == 1)
    #expect(queue.tasks.count == 2 && queue.isIdle)
  }

  private struct Absent: Error {}

  @Test func `begins nothing once too many tasks have failed`() throws {
    var queue = QueueMachine()
    queue.ends.failureLimit = .count(1)
    for id: TaskID in [0, 1, 2, 3] { _ = queue.add(id, host: Self.host(0)) }
    for id: TaskID in [0, 1] {
      guard case .begin(id, let handle)? = queue.next() else { throw Absent() }
      queue.ended(handle, .failed)
    }
    #expect(queue.next() == nil && !queue.hasPlace() && queue.ends.hasTooManyFailures)
  }

  @Test func `has a place for one of the items whose targets were inspected meanwhile`() throws {
    var queue = QueueMachine(jobs: 2)
    queue.limit(GroupID(7), jobs: 1)
    for id: TaskID in [0, 1, 2] { _ = queue.add(id, host: Self.host(0), group: id == 2 ? .main : GroupID(7)) }
    let handles = try (0..<3).map { _ in
      guard case .begin(_, let handle)? = queue.next() else { throw Absent() }
      return handle
    }
    func free() -> [Bool] { handles.map { queue.mayTakePlace($0) } }
    #expect(free() == [true, true, true])
    queue.takePlace(handles[0])
    #expect(free() == [true, false, true], "the first one has a place, and its group has no other")
    queue.limit(GroupID(7), jobs: nil)
    queue.takePlace(handles[1])
    let mayBesides = queue.mayTakePlace(handles[2], besides: 1)
    #expect(free() == [true, true, false] && mayBesides)
    queue.ended(handles[0], .succeeded)
    #expect(free()[2])
  }

  @Test func `asks a host again that is the only one left, once nothing else can come`() {
    var queue = QueueMachine()
    _ = queue.add(0, host: Self.host(0))
    _ = queue.add(1, host: Self.host(1))
    func next(isComplete: Bool) -> TaskID? {
      let next = queue.next(isComplete: isComplete) { host, isOnlyHost in host == Self.host(1) || isOnlyHost }
      return if case .begin(let id, _)? = next { id } else { nil }
    }
    #expect(next(isComplete: true) == 1)
    #expect(next(isComplete: false) == nil)
    #expect(next(isComplete: true) == 0)
  }

  @Test func `says what a command has not changed, and what stays paused`() {
    var queue = QueueMachine()
    _ = queue.add(1, host: Self.host(0), group: GroupID(2))
    #expect(queue.apply(.pause, to: .group(GroupID(2))).changedCount == 1)
    #expect(queue.apply(.pause, to: .group(GroupID(2))).unchangedCount == 1)
    #expect(queue.apply(.pause, to: .task(1)).changedCount == 1)
    let answer = queue.apply(.resume, to: .task(1))
    #expect(answer.changedCount == 1 && answer.stillPausedCount == 1 && queue.next() == nil)
    #expect(queue.apply(.resume, to: .task(9)).isUnknown)
    _ = queue.apply(.resume, to: .group(GroupID(2)))
    #expect(queue.next() != nil)
  }

  @Test func `does what the model does, under any commands and events`() {
    var begun = 0
    for seed in UInt64(1)...400 {
      var play = Play(seed: seed)
      for step in 0..<250 where play.problem == nil {
        play.step()
        if let problem = play.problem { Issue.record("seed \(seed), step \(step): \(problem)") }
      }
      if play.problem == nil { play.drain() }
      if let problem = play.problem { Issue.record("seed \(seed): \(problem)") }
      begun += play.begun
    }
    #expect(begun > 20_000)
  }

  @Test func `an item gets a place after those that come before it, if these may have one`() {
    var queue = QueueMachine(jobs: 2)
    let groups = [GroupID.main, .main, GroupID(1), .main]
    for (id, group) in groups.enumerated() {
      _ = queue.add(TaskID(UInt64(id)), host: Self.host(0), group: group, priority: id == 3 ? 1 : 0)
    }
    var items: [ItemHandle] = []
    while case .begin(_, let handle)? = queue.next(isComplete: true, hasRoom: { _, _ in true }) { items.append(handle) }
    // In the order of work.
    let (high, a, b, ofGroup) = (items[0], items[1], items[2], items[3])
    #expect(items.compactMap { queue.task(of: $0)?.number } == [3, 0, 1, 2])
    func may(_ item: ItemHandle, _ some: [ItemHandle], _ others: [ItemHandle] = []) -> Bool {
      queue.mayTakePlace(item, after: some, others, besides: 0)
    }
    #expect(may(a, [high]) && !may(b, [high], [a]) && !may(b, [a], [high]) && may(b, [a]))
    #expect(may(high, [a, b], [ofGroup]) && may(a, [b, ofGroup]))
    queue.takePlace(high)
    #expect(may(a, [b]) && !may(b, [a]) && !may(ofGroup, [b]))
    // A group that has its places holds nobody up.
    queue.limit(.main, jobs: 1)
    #expect(!may(a, []) && may(ofGroup, [a, b]))
    queue.limit(.main, jobs: 2)
    queue.jobs = 9
    #expect(may(a, [b]) && !may(b, [a]) && may(ofGroup, [a, b]))
    queue.jobs = 2
    let ordered = queue.inOrder([b, ofGroup, high, ItemHandle(99), a], by: { $0 })
    #expect(ordered == [high, a, b, ofGroup])
    queue.limit(.main, jobs: 2)
    var found = [queue.hasQueued(before: ofGroup)]
    _ = queue.add(TaskID(9), host: Self.host(0))
    found.append(queue.hasQueued(before: ofGroup))
    _ = queue.add(TaskID(10), host: Self.host(0), priority: 1)
    found += [queue.hasQueued(before: ofGroup), queue.hasQueued(before: high)]
    queue.isPaused = true
    found.append(queue.hasQueued(before: ofGroup))
    #expect(found == [false, false, true, false, false])
  }
}
