/// How commands act on the files of the run.
extension RunMachine {
  /// Acts on the files that the command names, and notes it for those that have not begun.
  ///
  /// Files keep the order of their numbers.
  package mutating func command(
    _ selection: RunCommand.Selection, _ change: RunCommand.Change, now: Instant, _ actions: inout [RunAction]
  ) {
    control.decide(selection, change)
    let named: [FileEntry]
    if case .item(let item) = selection {
      named = files[item].map { [$0] } ?? []
    } else {
      let chosen = files.values.filter { selection.includes($0.machine.item, of: $0.group) }
      // Each goes to the front in turn, so the last one comes first.
      named = chosen.sorted { ($0.machine.item < $1.machine.item) != (change == .moveToFront) }
    }
    for entry in named { apply(change, to: entry, now: now, &actions) }
    resumeWhereRoom(now: now, &actions)
  }

  /// A request joins the run. Groups that were withdrawn before do not include it.
  package mutating func requestAdded(_ item: Int) { control.added(item) }

  private mutating func apply(
    _ change: RunCommand.Change, to entry: FileEntry, now: Instant, _ actions: inout [RunAction]
  ) {
    switch change {
    case .pause: hold(entry, &actions)
    case .resume:
      guard entry.wish == .held else { return }
      entry.wish = .awaitingPlace
      resuming.append(entry.machine.item, priority: entry.priority)
    case .cancel: withdraw(entry, .cancelled, &actions)
    case .remove: withdraw(entry, .removed, &actions)
    case .prioritize(let priority):
      entry.priority = priority
      queueAgain(entry) { $0.append($1, priority: priority) }
    case .moveToFront: queueAgain(entry) { $0.prepend($1, priority: entry.priority) }
    case .moveToBack: queueAgain(entry) { $0.append($1, priority: entry.priority) }
    }
  }

  /// Ends the file's transfers, and lets another file take its place.
  mutating func hold(_ entry: FileEntry, _ actions: inout [RunAction]) {
    switch entry.wish {
    case .held, .withdrawn: return
    case .proceed: heldCount += 1
    case .awaitingPlace: break
    }
    leaveQueues(entry)
    entry.wish = .held
    change(entry.machine.item, &actions)
    offerPlace()
  }

  mutating func withdraw(_ entry: FileEntry, _ withdrawal: Withdrawal, _ actions: inout [RunAction]) {
    if entry.isHeld { heldCount -= 1 }
    leaveQueues(entry)
    entry.wish = .withdrawn(withdrawal)
    change(entry.machine.item, &actions)
  }

  /// Takes the file out of the queue in which it waits, if any.
  mutating func leaveQueues(_ entry: FileEntry) {
    if let host = entry.queue { hosts.remove(entry.machine.item, from: host) }
    entry.queue = nil
    if entry.wish == .awaitingPlace { resuming.remove(entry.machine.item) }
  }

  /// Lets the next tick, which is due now, give a free place to a file that is to continue.
  mutating func offerPlace() { if !resuming.isEmpty { delayed.insertWake(at: lastTick) } }

  /// Continues files as far as `--jobs` admits.
  mutating func resumeWhereRoom(now: Instant, _ actions: inout [RunAction]) {
    while files.count - heldCount < jobs, let item = resuming.popFirst() {
      guard let entry = files[item] else { continue }
      entry.wish = .proceed
      heldCount -= 1
      change(item, &actions) { $0.resume(&$1) }
      enqueue(item, now: now, &actions)
    }
  }

  private mutating func queueAgain(_ entry: FileEntry, _ insert: (inout ItemQueue, Int) -> Void) {
    let item = entry.machine.item
    if let host = entry.queue { hosts.reorder(at: host) { if $0.remove(item) { insert(&$0, item) } } }
    if resuming.remove(item) { insert(&resuming, item) }
  }
}
