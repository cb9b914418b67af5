/// Decides which file gets a transfer of which host, and what every event of the run leads to.
///
/// The driver reports events and performs the actions that they append, in order. The machine has no clock, no random
/// numbers and no input or output of its own: a test runs whole downloads through it in microseconds.
///
/// An item, which is known by its handle, goes through it like this. `add` puts it into the queue of its host (`HostTable`) or, until a time, into
/// `DelayedItems`. As soon as the host's governor permits, `FileMachine.order` makes a transfer (`TransferTable`). Every
/// end of a transfer puts the item back into a queue, until its machine concludes or fails.
package struct RunMachine: ~Copyable {
  package internal(set) var fileSettings: FileSettings
  var stallTimeout: Duration
  var retries: Retries
  var connections: ConnectionLimits
  var spacing: RequestSpacing
  var files: [ItemHandle: FileEntry] = [:]
  var hosts: HostTable
  var transfers = TransferTable()
  var delayed = DelayedItems()
  private(set) var lastTick = Instant.zero
  package internal(set) var network = NetworkState()
  /// Hosts that may have room again.
  var roomChanges: [Origin] = []

  /// Files of one host that may wait for a transfer, be it of another host to which they were redirected.
  static let mostQueued = 64
  /// Seconds: ticks that follow each other sooner measure nothing.
  private static let shortestTick = 0.008

  package init(settings: RunSettings) {
    fileSettings = settings.judgedFile
    stallTimeout = settings.transport.stallTimeout
    hosts = HostTable(maxConnectionsPerHost: settings.limits.maxConnectionsPerHost, settings.transport.hosts)
    retries = settings.file.retries
    connections = ConnectionLimits(run: settings.limits.maxConnections)
    spacing = RequestSpacing(rate: settings.limits.requestsPerSecond)
  }

  // MARK: What the driver asks

  /// Whether a request that asks this host first may begin.
  ///
  /// A host that does not answer, or has asked for a pause, gets a quarter of the places while requests of others wait.
  ///
  /// - Parameters:
  ///   - isOnlyHost: whether no request of another host waits.
  ///   - jobs: places of all files.
  package func hasRoom(at origin: Origin, isOnlyHost: Bool, jobs: Int, now: Instant) -> Bool {
    guard let host = hosts[origin] else { return true }
    guard host.queuedCount < Self.mostQueued else { return false }
    return isOnlyHost || host.fileCount < max(1, jobs / 4) || host.governor.isAnswering(now: now)
  }

  /// Whether the host answers, and asks for no pause; true for one that was never asked.
  package func isAnswering(_ origin: Origin, now: Instant) -> Bool {
    hosts[origin]?.governor.isAnswering(now: now) ?? true
  }

  /// Hosts for which `hasRoom` may be true, and was not before.
  package mutating func takeRoomChanges() -> [Origin] {
    defer { roomChanges.removeAll(keepingCapacity: true) }
    return roomChanges
  }

  /// The latest time for the next `ticked`: an item's wait ends then.
  package var nextDeadline: Instant { delayed.earliest ?? .distantFuture }

  // MARK: Control

  /// - Parameter priority: of the files that wait for one host, those with the highest come first.
  package mutating func add(
    _ machine: consuming FileMachine, group: GroupID = .main, priority: Int = 0, now: Instant,
    _ actions: inout [RunAction]
  ) {
    let item = machine.item
    // The part file may be complete already.
    let hasRecords = machine.pieces != nil || machine.didResume
    if machine.distrustsETags {
      hosts.entry(for: machine.origin(ofMirror: machine.currentMirror), now: now).governor.entityTagsAreUnreliable()
    }
    let isChecking = machine.phase == .checking
    let entry = FileEntry(machine: machine, group: group, priority: priority)
    files[item] = entry
    if isChecking { return }
    entry.joins(hosts.entry(for: entry.machine.origin(ofMirror: 0), now: now))
    if hasRecords { change(item, &actions) { $0.verifyRecorded(&$1) } }
    enqueue(item, now: now, &actions)
  }

  /// Removes an item that has ended, or is returned to the queue. Transfers that it still has give their slots back; the
  /// driver ends them.
  package mutating func forget(_ item: ItemHandle) {
    if let entry = files[item], entry.machine.activeCount > 0 {
      var stops: [RunAction] = []
      change(item, &stops) { $0.stopTransfers(&$1) }
    }
    guard let entry = files.removeValue(forKey: item) else { return }
    if let host = entry.queue { hosts.remove(item, from: host) }
    entry.queue = nil
    if let home = entry.leaves() { roomChanges.append(home) }
  }

  /// Of the files that wait for a host, the one with the highest priority is next.
  package mutating func prioritize(_ item: ItemHandle, _ priority: Int) {
    guard let entry = files[item] else { return }
    entry.priority = priority
    guard let host = entry.queue else { return }
    hosts.remove(item, from: host)
    hosts.enqueue(item, priority: priority, at: host)
  }

  mutating func change(
    _ item: ItemHandle, _ actions: inout [RunAction], _ body: (inout FileMachine, inout [RunAction]) -> Void
  ) {
    guard let entry = files[item] else { return }
    let first = actions.count
    body(&entry.machine, &actions)
    releaseStopped(actions, from: first)
  }

  /// Releases the slots of transfers that a machine has stopped.
  mutating func releaseStopped(_ actions: [RunAction], from first: Int, now: Instant? = nil) {
    for action in actions[first...] {
      if case .stop(let id) = action, let transfer = transfers.remove(id) {
        transfer.host.governor.ended(
          isShort: false, lacksContent: transfer.lacksContent, isProbe: transfer.isProbe, isServed: transfer.isServed,
          isStopped: true, now: now ?? lastTick)
        // The next tick, which is due now, gives the slot to an item of the queue.
        if !transfer.host.queue.isEmpty || connections.areAny { delayed.insertWake(at: now ?? lastTick) }
      }
    }
  }

  // MARK: Events

  /// - Parameter roundTrip: how long the connection took to be made, or the request to be answered; nil where unknown.
  package mutating func answered(
    _ id: TransferID, _ answer: Answer, roundTrip sample: Duration?, now: Instant, _ actions: inout [RunAction]
  ) -> BodyDisposition {
    guard let transfer = transfers[id], let entry = files[transfer.item] else { return .stop }
    let host = transfer.host
    if !host.governor.isAnswering(now: now) { roomChanges.append(host.origin) }
    host.governor.answered(
      roundTrip: sample, isMultiplexed: answer.isMultiplexed, isAccepted: !answer.isThrottling, now: now)
    let first = actions.count
    let context = FileMachine.AnswerContext(
      host: host.governor.conditions, avoidsHTTP2: transfer.avoidsHTTP2, now: now)
    let disposition = entry.machine.answered(id, answer, context: context, &actions)
    if entry.machine.wantsHTTP1(after: id) { host.isAskedOverHTTP1 = true }
    if entry.refutesEntityTags(
      answer, to: id, lastTransfer: transfers.lastID, from: transfer.mirror, at: host)
    {
      host.governor.entityTagsAreUnreliable()
    }
    if case .store = disposition {
      transfers.served(id)
      entry.served(by: transfer.mirror)
      host.governor.succeeded(byteCount: answer.bodyLength)
    } else if answer.isFinal {
      transfers.answeredWithoutContent(id)
      host.governor.answeredWithoutContent()
    }
    releaseStopped(actions, from: first, now: now)
    startQueued(host, now: now, &actions)
    return disposition
  }

  /// Probes that succeed by a connection alone; the driver reports it by `reached`.
  package var awaitedConnections: [TransferID] {
    guard hosts.all.contains(where: \.governor.isSuspected) else { return [] }
    return transfers.probesOfSuspects
  }

  /// The transfer has a connection.
  package mutating func reached(_ id: TransferID, now: Instant, _ actions: inout [RunAction]) {
    guard let host = transfers[id]?.host else { return }
    host.governor.connected()
    startQueued(host, now: now, &actions)
  }

  /// Body bytes have arrived, whether or not they are recorded yet.
  package mutating func received(_ id: TransferID, byteCount: Int64) {
    guard let transfer = transfers[id] else { return }
    transfer.host.governor.received(byteCount, isContent: transfer.isServed, now: lastTick)
    guard let entry = files[transfer.item] else { return }
    entry.received(byteCount)
    entry.machine.received(id, byteCount: byteCount, from: transfer.mirror)
  }

  /// - Returns: bytes that were not recorded before.
  @discardableResult
  package mutating func advanced(_ id: TransferID, to offset: Int64, _ actions: inout [RunAction]) -> Int64 {
    guard let transfer = transfers[id], let entry = files[transfer.item] else { return 0 }
    let first = actions.count
    let added = entry.machine.advanced(id, to: offset, &actions)
    if actions.count > first { releaseStopped(actions, from: first) }
    return added
  }

  /// - Parameter random: in 0..<1, for the jitter of waits.
  package mutating func transferEnded(
    _ id: TransferID, _ ending: TransferEnding, now: Instant, random: Double, _ actions: inout [RunAction]
  ) {
    guard let transfer = transfers.remove(id) else { return }
    // Files at other hosts may wait for a connection.
    if connections.areAny { delayed.insertWake(at: now) }
    let item = transfer.item
    guard let entry = files[item] else {
      transfer.host.governor.ended(
        isShort: false, lacksContent: transfer.lacksContent, isProbe: transfer.isProbe, now: now)
      return startQueued(transfer.host, now: now, &actions)
    }
    let first = actions.count
    let pending = entry.machine.transferEnded(id, ending, now: now, &actions)
    if case .fault(let fault, let retryAfter, let mirror, let startedAt, let recorded, let isFruitlessRange) = pending {
      entry.failed(fault, of: mirror)
      let handling = handle(
        fault, retryAfter, of: &entry.machine, mirror: mirror, transfer, recorded: recorded, startedAt: startedAt,
        now: now, random: random, &actions)
      if let handling {
        entry.machine.faulted(
          fault, mirror: mirror, startedAt: startedAt, isFruitlessRange: isFruitlessRange, handling: handling, now: now,
          &actions)
      }
    }
    let isShort =
      transfer.isWhole && entry.machine.isConcluding
      && entry.machine.done.byteCount <= HostGovernor.shortByteCount
    transfer.host.governor.ended(
      isShort: isShort, lacksContent: transfer.lacksContent, isProbe: transfer.isProbe, isServed: transfer.isServed,
      isStopped: ending == .stopped, now: now)
    releaseStopped(actions, from: first, now: now)
    enqueue(item, now: now, &actions)
    startQueued(transfer.host, now: now, &actions)
    startFurther(item, now: now, &actions)
  }

  /// Time passes: called 20 to 100 times a second while transfers are active, and at `nextDeadline`.
  ///
  /// - Parameters:
  ///   - isSaturated: this program, or a limit of the user's, decides the rate of the run.
  ///   - isLimited: a limit of the user's decides the rate of this file.
  package mutating func ticked(
    isSaturated: Bool = false, isLimited: (ItemHandle) -> Bool = { _ in false }, now: Instant,
    _ actions: inout [RunAction]
  ) {
    let span = (now - lastTick).inSeconds
    if span >= Self.shortestTick {
      for item in transfers.items {
        measure(item, span: span, isSaturated: isSaturated || isLimited(item), now: now, &actions)
      }
      for host in hosts.all { host.governor.observed(isSaturated: isSaturated, now: now) }
      lastTick = now
    }
    for item in delayed.takeDue(now: now) { enqueue(item, now: now, &actions) }
    for host in hosts.all { startQueued(host, now: now, &actions) }
    for item in transfers.items { startFurther(item, now: now, &actions) }
  }

  private mutating func measure(
    _ item: ItemHandle, span: Double, isSaturated: Bool, now: Instant, _ actions: inout [RunAction]
  ) {
    guard let entry = files[item], entry.machine.activeCount > 0 else { return }
    let first = actions.count
    guard entry.measure(span: span, isSaturated: isSaturated, hosts: hosts, now: now, &actions) else { return }
    releaseStopped(actions, from: first, now: now)
    enqueue(item, now: now, &actions)
  }

  package mutating func hashed(
    _ item: ItemHandle, _ computed: [ContentDigest], now: Instant, _ actions: inout [RunAction]
  ) {
    change(item, &actions) { $0.hashed(computed, &$1) }
    enqueue(item, now: now, &actions)
  }

  package mutating func judged(
    _ item: ItemHandle, _ judgement: FileMachine.Judgement, _ actions: inout [RunAction]
  ) {
    change(item, &actions) { $0.judged(judgement, &$1) }
  }

  package mutating func handedOver(_ item: ItemHandle) { files[item]?.machine.handedOver() }

  package mutating func concluded(_ item: ItemHandle) { files[item]?.machine.concluded() }

  package mutating func mismatched(
    _ item: ItemHandle, expected: ExpectedDigest, actual: ContentDigest, now: Instant, _ actions: inout [RunAction]
  ) {
    change(item, &actions) { $0.mismatched(expected: expected, actual: actual, &$1) }
    enqueue(item, now: now, &actions)
  }

  package mutating func pieceVerified(_ item: ItemHandle, _ check: PieceCheck, _ actions: inout [RunAction]) {
    change(item, &actions) { $0.pieceVerified(check, &$1) }
  }

  package mutating func pieceMismatched(
    _ item: ItemHandle, _ check: PieceCheck, actual: ContentDigest, now: Instant, _ actions: inout [RunAction]
  ) {
    change(item, &actions) { $0.pieceMismatched(check, actual: actual, &$1) }
    enqueue(item, now: now, &actions)
    startFurther(item, now: now, &actions)
  }

  package mutating func storageFailed(_ item: ItemHandle, _ error: Failure, _ actions: inout [RunAction]) {
    change(item, &actions) { $0.storageFailed(error, &$1) }
  }

  // MARK: Faults

  /// Applies the rules of retries and tells the host.
  /// - Returns: nil where the request is repeated at once and nothing is counted.
  private mutating func handle(
    _ fault: TransferFault, _ retryAfter: Duration?, of machine: inout FileMachine, mirror: Int,
    _ transfer: TransferTable.Entry, recorded: Int64, startedAt: Instant, now: Instant, random: Double,
    _ actions: inout [RunAction]
  ) -> FileMachine.FaultHandling? {
    let host = transfer.host
    if let until = network.retryTime(after: fault, of: host.origin, startedAt: startedAt, now: now) {
      return .postponed(until: until)
    }
    if fault == .stalled, now - host.governor.heardAt > stallTimeout / 2 { host.governor.stalled(now: now) }
    if case .rateLimited = fault, !host.governor.forbade(sentAt: startedAt, retries: retries, now: now) {
      return .final
    }
    let othersActive = host.governor.othersActive(besides: fault, sentAt: startedAt)
    let servedCount = host.governor.servedCount
    let remedy = Retries.remedy(
      for: fault, isServed: transfer.isServed,
      mayRepeatAtOnce: { machine.mayRepeatAtOnce(fault, mirror: mirror) },
      isCongestion: {
        machine.isCongestion(
          fault, servedCount: servedCount, othersActive: othersActive, mirror: mirror, startedAt: startedAt, now: now)
      })
    let servedNow = transfers.servedCount(at: host)
    func refused() -> Instant {
      let until = host.governor.refused(
        retryAfter: retryAfter, sentAt: startedAt, servedNow: servedNow, isAnswer: fault.kind == .throttled,
        retries: retries, now: now, random: random)
      if fault.kind == .throttled { host.tellRefusal(fault, now: now, &actions) }
      return until
    }
    let backoff = machine.backoff(mirror: mirror, now: now, random: random)
    switch remedy {
    case .giveUp: return .final
    case .repeatAtOnce: return nil
    case .lowerLimit: return .postponed(until: refused())
    case .lowerLimitAndCount: return .counted(notBefore: max(refused(), backoff))
    case .lowerLimitOnTrial:
      return .postponed(until: host.governor.connectionBroke(servedNow: servedNow, now: now, random: random))
    case .retryHost:
      let at = host.unreached(fault, isProbe: transfer.isProbe, retries: retries, now: now, random: random, &actions)
      return at.map { .postponed(until: $0) } ?? .final
    case .count:
      return .counted(
        notBefore: retries.nextAttempt(
          backoff: backoff, recordedByteCount: recorded, othersDeliver: machine.activeCount > 0,
          retryAfter: retryAfter, now: now))
    }
  }
}
