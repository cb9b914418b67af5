/// Items that wait for a host, and the transfers that may start.
extension RunMachine {
  /// Puts the item where its next transfer will come from: into a host's queue, into `delayed`, or nowhere.
  mutating func enqueue(_ item: ItemHandle, now: Instant, _ actions: inout [RunAction]) {
    guard let entry = files[item], !entry.isQueued, !entry.lacksPlace, entry.machine.activeCount == 0 else { return }
    let current = entry.machine.origin(ofMirror: entry.machine.currentMirror)
    switch entry.machine.demand(now: now, host: hosts.conditions(at: current)) {
    // Nothing is active, so no further transfer is wanted.
    case .nothing, .further: break
    case .wait(let until): delayed.insert(item, at: until)
    case .first(let mirror):
      let host = hosts.entry(for: entry.machine.origin(ofMirror: mirror), now: now)
      entry.queue = host
      hosts.enqueue(item, priority: entry.priority, at: host)
      startQueued(host, now: now, &actions)
    }
  }

  /// Starts items of the host's queue as long as its governor permits.
  mutating func startQueued(_ host: HostEntry, now: Instant, _ actions: inout [RunAction]) {
    guard network.mayReach(host.origin) else { return }
    while let item = nextQueued(host, now: now, &actions) {
      switch host.governor.permission(now: now, tries: files[item]?.machine.settings.boundedTries ?? .max) {
      case .full: return
      case .wait(let until):
        delayed.insertWake(at: until)
        return
      case .dead(let fault):
        guard let entry = dequeue(item, host) else { continue }
        // The item may want another mirror by now.
        if let mirror = entry.machine.readyMirror(now: now), entry.machine.origin(ofMirror: mirror) == host.origin {
          change(item, &actions) {
            $0.faulted(fault, mirror: mirror, startedAt: now, handling: .final, now: now, &$1)
          }
        }
        enqueue(item, now: now, &actions)
      case .granted:
        if let until = earliestStart(at: host, now: now) {
          delayed.insertWake(at: until)
          return
        }
        guard let entry = dequeue(item, host) else { continue }
        let demand = entry.machine.demand(now: now, host: host.governor.conditions)
        guard case .first(let mirror) = demand, entry.machine.origin(ofMirror: mirror) == host.origin else {
          enqueue(item, now: now, &actions)
          continue
        }
        start(entry, demand, host, now: now, &actions)
      }
    }
  }

  /// When the user's limits allow the next request to the host; nil for at once.
  private func earliestStart(at host: HostEntry?, now: Instant) -> Instant? {
    [spacing.earliestStart(now: now), host?.spacing.earliestStart(now: now)].compactMap(\.self).max()
  }

  private mutating func dequeue(_ item: ItemHandle, _ host: HostEntry) -> FileEntry? {
    hosts.remove(item, from: host)
    guard let entry = files[item] else { return nil }
    entry.queue = nil
    if let home = entry.home, home.queuedCount == Self.mostQueued - 1 { roomChanges.append(home.origin) }
    return entry
  }

  /// Starts further connections of a file that has one. Files that wait for their first connection have precedence.
  mutating func startFurther(_ item: ItemHandle, now: Instant, _ actions: inout [RunAction]) {
    while let entry = files[item], entry.machine.activeCount > 0 {
      let current = entry.machine.origin(ofMirror: entry.machine.currentMirror)
      let demand = entry.machine.demand(now: now, host: hosts.conditions(at: current)) {
        admitsFurtherConnection(of: entry.group, now: now)
          && isOpen(entry.machine.origin(ofMirror: $0), for: entry.machine, now: now)
      }
      guard case .further(let transfer) = demand else { return }
      let host = hosts.entry(for: entry.machine.origin(ofMirror: transfer.mirror), now: now)
      start(entry, demand, host, now: now, &actions)
    }
  }

  /// Whether a further connection of this file may be opened there. A host that was never asked permits it.
  private func isOpen(_ origin: Origin, for machine: borrowing FileMachine, now: Instant) -> Bool {
    guard network.mayReach(origin), earliestStart(at: hosts[origin], now: now) == nil else { return false }
    guard let host = hosts[origin] else { return true }
    // The entity tags of another mirror's host may be less reliable than those of the current one's.
    return machine.isSplittable(on: host.governor.conditions) && host.queue.isEmpty
      && host.governor.permissionForSegment(now: now) == .granted
  }

  private mutating func start(
    _ entry: FileEntry, _ demand: FileMachine.Demand, _ host: HostEntry, now: Instant, _ actions: inout [RunAction]
  ) {
    let id = transfers.makeID()
    var order: TransferOrder
    switch demand {
    case .nothing, .wait: return assertionFailure("started without a demand")
    case .first(let mirror):
      order = entry.machine.orderFirst(id: id, mirror: mirror, host: host.governor.conditions, now: now)
    case .further(let transfer): order = entry.machine.orderFurther(id: id, transfer, now: now)
    }
    order.isSpread = host.governor.spreadsRequests
    order.avoidsHTTP2 = host.isAskedOverHTTP1
    order.isAfterBreak = entry.isBroken(order.mirror)
    spacing.started(now: now)
    host.spacing.started(now: now)
    let isProbe = host.governor.started(now: now)
    transfers.insert(
      TransferTable.Entry(
        item: order.item, group: entry.group, mirror: order.mirror, host: host, isWhole: order.asked == .whole,
        isProbe: isProbe,
        avoidsHTTP2: order.avoidsHTTP2), as: id)
    actions.append(.start(order))
  }
}
