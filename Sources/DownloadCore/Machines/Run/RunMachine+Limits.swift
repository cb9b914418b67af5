/// Settings and limits that change while files are downloaded, and what has failed before.
extension RunMachine {
  /// The settings from now on, of all but the files that have begun. Connections beyond their number end.
  package mutating func use(_ settings: RunSettings, now: Instant, _ actions: inout [RunAction]) {
    fileSettings = settings.judgedFile
    stallTimeout = settings.transport.stallTimeout
    retries = settings.file.retries
    hosts.limit(
      maxConnectionsPerHost: settings.limits.maxConnectionsPerHost, settings.transport.hosts, now: now)
    connections.run = settings.limits.maxConnections
    spacing.rate = settings.limits.requestsPerSecond
    if spacing.rate == nil { delayed.insertWake(at: now) }
    for host in hosts.all {
      giveUp(host.governor.active - host.governor.maximumActive, now: now, &actions) { $0.host === host }
    }
    endSurplus(now: now, &actions)
  }

  /// The settings of a file that has begun.
  package mutating func use(_ settings: FileSettings, for item: ItemHandle, now: Instant, _ actions: inout [RunAction])
  {
    change(item, &actions) { $0.use(settings, now: now, &$1) }
    enqueue(item, now: now, &actions)
  }

  /// Limits the connections of a group; nil is no limit. Those beyond their number end.
  package mutating func limitConnections(
    of group: GroupID, to count: Int?, now: Instant, _ actions: inout [RunAction]
  ) {
    connections.limit(group, to: count)
    endSurplus(now: now, &actions)
  }

  /// The item belongs to another group now.
  package mutating func move(_ item: ItemHandle, to group: GroupID, now: Instant, _ actions: inout [RunAction]) {
    files[item]?.group = group
    transfers.move(item, to: group)
    endSurplus(now: now, &actions)
  }

  /// The network is lost. Until `networkChanged` nothing begins but what this machine serves, and nobody's try is used up.
  package mutating func networkLost() { network.lost() }

  /// What hosts did before tells nothing any more, and nothing waits for that.
  package mutating func networkChanged(now: Instant, _ actions: inout [RunAction]) {
    network.changed(now: now)
    for host in hosts.all { forget(host) }
    for item in files.keys.sorted() { endWaits(of: item, now: now, &actions) }
  }

  /// The user has mended something: a file that waits is tried again at once, and so are its hosts.
  ///
  /// - Parameter origins: those of its mirrors.
  package mutating func retry(_ item: ItemHandle?, at origins: [Origin], now: Instant, _ actions: inout [RunAction]) {
    for origin in origins { if let host = hosts[origin] { forget(host) } }
    if let item { endWaits(of: item, now: now, &actions) }
  }

  private mutating func forget(_ host: HostEntry) {
    host.governor.networkChanged()
    roomChanges.append(host.origin)
    delayed.insertWake(at: lastTick)
  }

  private mutating func endWaits(of item: ItemHandle, now: Instant, _ actions: inout [RunAction]) {
    files[item]?.machine.mirrors.endWaits()
    enqueue(item, now: now, &actions)
  }

  private mutating func endSurplus(now: Instant, _ actions: inout [RunAction]) {
    for (group, count) in connections.surplus(count: { transfers.count(of: $0) }) {
      giveUp(count, now: now, &actions) { group == nil || $0.group == group }
    }
  }

  /// Ends the latest transfers of some at their next blocks: first those beside others of their files.
  private mutating func giveUp(
    _ count: Int, now: Instant, _ actions: inout [RunAction], of isConcerned: (TransferTable.Entry) -> Bool
  ) {
    guard count > 0 else { return }
    var left = count - transfers.givenUpCount(where: isConcerned)
    for mayBeLast in [false, true] {
      for (id, entry) in transfers.latest(where: isConcerned) where left > 0 {
        guard let file = files[entry.item], mayBeLast || file.machine.activeCount > 1 else { continue }
        let first = actions.count
        guard file.machine.giveUp(id, on: entry.host.governor.conditions, &actions) else { continue }
        transfers.gaveUp(id)
        left -= 1
        releaseStopped(actions, from: first, now: now)
        enqueue(entry.item, now: now, &actions)
      }
    }
  }

  private func admitsConnection(of group: GroupID) -> Bool {
    !connections.areAny || connections.admit(group) { transfers.count(of: $0) }
  }

  // MARK: Connections

  /// The first item of a host's queue that may have a connection. If others wait for one, a further connection of a file
  /// is given up for them. Those of other hosts are asked at the next tick.
  mutating func nextQueued(
    _ host: HostEntry, now: Instant, _ actions: inout [RunAction]
  ) -> ItemHandle? {
    guard connections.areAny, let first = host.queue.first else { return host.queue.first }
    if let item = host.queue.first(where: { files[$0].map { admitsConnection(of: $0.group) } ?? true }) { return item }
    guard let group = files[first]?.group, host.governor.permission(now: now) == .granted else { return nil }
    let isRunFull = self.isRunFull
    giveUp(1, now: now, &actions) { [files] in
      (isRunFull || $0.group == group) && files[$0.item].map { $0.machine.activeCount > 1 } ?? false
    }
    return nil
  }

  private var isRunFull: Bool { connections.run.map { transfers.count >= $0 } ?? false }

  /// Whether a file of the group may have a further connection: none waits for its first one.
  func admitsFurtherConnection(of group: GroupID, now: Instant) -> Bool {
    guard connections.areAny else { return true }
    return admitsConnection(of: group)
      && !hosts.all.contains { host in
        host.governor.permission(now: now) == .granted
          && host.queue.first { connections.areShared(group, by: files[$0]?.group ?? group) } != nil
      }
  }
}
