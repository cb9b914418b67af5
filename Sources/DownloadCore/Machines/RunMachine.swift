/// The whole run's decisions: which file gets a transfer of which host next, and what every event leads to.
///
/// The driver feeds events and carries out the actions they append, in order. No clock, no randomness of its own, no
/// I/O: a test runs whole downloads through it in microseconds.
///
/// It has one owner and is not copied, and nothing of it is copied to be looked at.
package struct RunMachine: ~Copyable {
  package final class FileEntry {
    package internal(set) var machine: FileMachine
    var isQueued = false
    var received: Int64 = 0
    var receivedAtTick: Int64 = 0
    var rate: Double = 0

    init(machine: consuming FileMachine) { self.machine = machine }
  }

  final class HostEntry {
    let origin: Origin
    var governor: HostGovernor
    /// Items that want a transfer of this host, first come first served.
    var queue = ItemQueue()

    init(origin: Origin, governor: HostGovernor) {
      self.origin = origin
      self.governor = governor
    }
  }

  struct TransferEntry {
    let item: Int
    let mirror: Int
    let host: HostEntry
    let isFirst: Bool
    /// Of a silent host.
    let isProbe: Bool
    /// It has brought an answer with content.
    var isServed = false
  }

  package let settings: DownloadSettings
  package let fileSettings: FileSettings
  private(set) var files: [Int: FileEntry] = [:]
  private(set) var hosts: [Origin: HostEntry] = [:]
  /// So many hosts are there before some are forgotten.
  private var mostHosts = RunMachine.rememberedHosts * 2
  private var transfers: [TransferID: TransferEntry] = [:]
  private var delayed = DelayedItems()
  private var queuedCount = 0
  private var nextNumber = 0
  private var lastTick = Instant.zero
  private var isPaused = false

  /// Items that may wait for a host before more of the list is read.
  private static let lookAhead = 64
  /// Hosts that are remembered although nothing is at work there and nothing must be known of them.
  static let rememberedHosts = 256

  package init(settings: DownloadSettings) {
    self.settings = settings
    fileSettings = FileSettings(settings)
  }

  // MARK: What the driver asks

  package var activeTransferCount: Int { transfers.count }

  /// Whether another request of the list should be added now.
  ///
  /// - Parameter finishingCount: files that are only waiting to be put in place, which is no work of theirs any more.
  package func wantsRequests(finishingCount: Int) -> Bool {
    guard !isPaused else { return false }
    return files.count - finishingCount < (settings.jobs ?? 1024) && queuedCount < Self.lookAhead
  }

  /// When `ticked` must be called at the latest for the sake of waiting items.
  package var nextDeadline: Instant { delayed.earliest ?? .distantFuture }

  package func file(_ item: Int) -> FileEntry? { files[item] }
  package func done(of item: Int) -> ByteRangeSet { files[item]?.machine.done ?? ByteRangeSet() }
  package func completeLength(of item: Int) -> Int64? { files[item]?.machine.completeLength }
  /// The end of the prefix that a digest of the whole can take in.
  package func contiguousEnd(of item: Int) -> Int64 { files[item]?.machine.hashableEnd ?? 0 }
  /// The digests that the content must have, as far as they are known by now.
  package func expectedDigests(of item: Int) -> [ExpectedDigest] { files[item]?.machine.expectedDigests.all ?? [] }
  package func rate(of item: Int) -> Double { files[item]?.rate ?? 0 }
  package func governor(of origin: Origin) -> HostGovernor? { hosts[origin]?.governor }

  /// Those of a host that was never asked where it is not known.
  private func conditions(of origin: Origin) -> HostConditions {
    hosts[origin]?.governor.conditions ?? HostConditions()
  }

  // MARK: Control

  package mutating func add(_ machine: consuming FileMachine, now: Instant, _ actions: inout [RunAction]) {
    let item = machine.item
    // All may be there already.
    let hasRecords = machine.pieces != nil || machine.didResume
    if machine.distrustsETags {
      host(machine.origin(ofMirror: machine.currentMirror), now: now).governor.entityTagsAreUnreliable()
    }
    files[item] = FileEntry(machine: machine)
    if hasRecords { change(item, &actions) { $0.verifyRecorded(&$1) } }
    enqueue(item, now: now, &actions)
  }

  /// Takes an item out that the driver has dealt with.
  package mutating func forget(_ item: Int) { files[item] = nil }

  package mutating func pause(_ item: Int, _ actions: inout [RunAction]) {
    change(item, &actions) { $0.pause(&$1) }
  }

  package mutating func resume(_ item: Int, now: Instant, _ actions: inout [RunAction]) {
    change(item, &actions) {
      $0.resume()
      $0.concludeIfWhole(&$1)
    }
    enqueue(item, now: now, &actions)
  }

  package mutating func cancel(_ item: Int, discards: Bool, _ actions: inout [RunAction]) {
    change(item, &actions) { $0.cancel(discards: discards, &$1) }
  }

  /// Nothing new is started, neither of the list nor of the files at work.
  package mutating func pauseAll(_ actions: inout [RunAction]) {
    isPaused = true
    for item in files.keys.sorted() { pause(item, &actions) }
  }

  package mutating func resumeAll(now: Instant, _ actions: inout [RunAction]) {
    isPaused = false
    for item in files.keys.sorted() { resume(item, now: now, &actions) }
  }

  private mutating func change(
    _ item: Int, _ actions: inout [RunAction], _ body: (inout FileMachine, inout [RunAction]) -> Void
  ) {
    guard let entry = files[item] else { return }
    let first = actions.count
    body(&entry.machine, &actions)
    releaseStopped(actions, from: first)
  }

  /// Transfers that a machine has stopped give their host's place back at once.
  private mutating func releaseStopped(_ actions: [RunAction], from first: Int, now: Instant? = nil) {
    for action in actions[first...] {
      if case .stop(let id) = action, let transfer = transfers.removeValue(forKey: id) {
        transfer.host.governor.ended(
          isShort: false, isProbe: transfer.isProbe, isCut: transfer.isServed, now: now ?? lastTick)
        // Whoever waits for the place is started by the next tick, which is now.
        if !transfer.host.queue.isEmpty { delayed.insertWake(at: now ?? lastTick) }
      }
    }
  }

  // MARK: Events

  /// - Parameter roundTrip: how long the connection took to be made, or the request to be answered; nil where unknown.
  package mutating func headReceived(
    _ id: TransferID, _ head: ResponseHead, redirectTarget: Location?, roundTrip sample: Duration?, unixTime: Int64,
    now: Instant, _ actions: inout [RunAction]
  ) -> BodyDisposition {
    guard let transfer = transfers[id], let entry = files[transfer.item] else { return .stop }
    let host = transfer.host
    host.governor.answered(roundTrip: sample, isMultiplexed: head.version == .http2, now: now)
    let before = entry.machine.representation
    let first = actions.count
    let disposition = entry.machine.headReceived(
      id, head,
      context: FileMachine.AnswerContext(
        redirectTarget: redirectTarget, host: host.governor.conditions, unixTime: unixTime, now: now), &actions)
    noteContradiction(before, head, host)
    if case .store = disposition {
      transfers[id]?.isServed = true
      host.governor.succeeded(byteCount: head.contentLength)
      if head.status == 206 { host.governor.servesRanges = true }
    }
    releaseStopped(actions, from: first, now: now)
    startQueued(host, now: now, &actions)
    return disposition
  }

  /// Entity tags that differ while date and length agree, twice on one host, are no validators there.
  private mutating func noteContradiction(_ known: Representation?, _ head: ResponseHead, _ host: HostEntry) {
    guard let known, let mine = known.validators.entityTag, let theirs = head.entityTag, !theirs.isWeak,
      mine.opaque != theirs.opaque, known.validators.lastModified == head.lastModified
    else { return }
    let length =
      if case .satisfied(_, let complete)? = head.contentRange { complete } else { head.contentLength }
    // Where the length is not told, the date must say that it is the same version.
    if let length, let was = known.completeLength {
      guard length == was else { return }
    } else if head.lastModified == nil {
      return
    }
    _ = host.governor.entityTagContradicted(by: theirs)
  }

  /// Probes of which a connection alone is awaited; the driver tells of it by `reached`.
  package var awaitedConnections: [TransferID] {
    guard hosts.values.contains(where: \.governor.isSuspected) else { return [] }
    return transfers.filter { $0.value.isProbe && $0.value.host.governor.isSuspected }.map(\.key)
  }

  /// The transfer has a connection.
  package mutating func reached(_ id: TransferID, now: Instant, _ actions: inout [RunAction]) {
    guard let host = transfers[id]?.host else { return }
    host.governor.reached()
    startQueued(host, now: now, &actions)
  }

  /// Body bytes came in, whether or not they are recorded yet.
  package mutating func received(_ id: TransferID, byteCount: Int64) {
    guard let transfer = transfers[id] else { return }
    transfer.host.governor.received(byteCount, now: lastTick)
    guard let entry = files[transfer.item] else { return }
    entry.received += byteCount
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
    guard let transfer = transfers.removeValue(forKey: id) else { return }
    let item = transfer.item
    guard let entry = files[item] else {
      transfer.host.governor.ended(isShort: false, isProbe: transfer.isProbe, now: now)
      startQueued(transfer.host, now: now, &actions)
      return
    }
    let first = actions.count
    let aftermath = entry.machine.transferEnded(id, ending, now: now, &actions)
    if case .fault(let fault, let retryAfter, let mirror, let startedAt, let recorded, let isFruitlessRange) = aftermath
    {
      let handling = handle(
        fault, retryAfter, of: &entry.machine, mirror: mirror, transfer, recorded: recorded, startedAt: startedAt,
        now: now, random: random, &actions)
      if let handling {
        entry.machine.faulted(
          fault, mirror: mirror, startedAt: startedAt, isFruitlessRange: isFruitlessRange, handling: handling, now: now,
          &actions)
      }
    }
    let isShort = transfer.isFirst && entry.machine.phase == .concluding && entry.machine.done.byteCount <= 1 << 20
    transfer.host.governor.ended(
      isShort: isShort, isProbe: transfer.isProbe, isCut: transfer.isServed && ending == .stopped, now: now)
    releaseStopped(actions, from: first, now: now)
    enqueue(item, now: now, &actions)
    startQueued(transfer.host, now: now, &actions)
    startFurther(item, now: now, &actions)
  }

  /// Some 20 to 100 times a second while anything is at work, and at `nextDeadline`.
  ///
  /// - Parameters:
  ///   - isSaturated: this program, or a limit of the user's, is what holds the whole rate down.
  ///   - isLimited: a limit of the user's holds the rate of this file down.
  package mutating func ticked(
    isSaturated: Bool = false, isLimited: (Int) -> Bool = { _ in false }, now: Instant, _ actions: inout [RunAction]
  ) {
    let span = (now - lastTick).inSeconds
    if span >= 0.008 {
      for item in atWork {
        measure(item, span: span, isSaturated: isSaturated || isLimited(item), now: now, &actions)
      }
      for host in hosts.values { host.governor.observed(isSaturated: isSaturated, now: now) }
      lastTick = now
    }
    while let item = delayed.popDue(now: now) { enqueue(item, now: now, &actions) }
    for host in hosts.values { startQueued(host, now: now, &actions) }
    for item in atWork { startFurther(item, now: now, &actions) }
  }

  /// Items with transfers, in the order of their numbers.
  private var atWork: [Int] { Set(transfers.values.lazy.map(\.item)).sorted() }

  private mutating func measure(
    _ item: Int, span: Double, isSaturated: Bool, now: Instant, _ actions: inout [RunAction]
  ) {
    guard let entry = files[item], entry.machine.activeCount > 0 else { return }
    let rate = Double(entry.received - entry.receivedAtTick) / span
    // About a quarter of a second of memory.
    let weight = min(1, span / 0.25)
    entry.rate = entry.rate == 0 ? rate : entry.rate + (rate - entry.rate) * weight
    entry.receivedAtTick = entry.received
    for mirror in entry.machine.mirrors.indices {
      let roundTrip = conditions(of: entry.machine.origin(ofMirror: mirror)).roundTrip
      entry.machine.observed(mirror: mirror, roundTrip: roundTrip, span: span, isSaturated: isSaturated, now: now)
    }
    let current = conditions(of: entry.machine.origin(ofMirror: entry.machine.currentMirror))
    entry.machine.observed(rate: entry.rate, host: current, isSaturated: isSaturated, now: now)
    let first = actions.count
    entry.machine.dropLaggards(host: current, now: now, &actions)
    guard actions.count > first else { return }
    releaseStopped(actions, from: first, now: now)
    enqueue(item, now: now, &actions)
  }

  package mutating func concluded(_ item: Int) {
    files[item]?.machine.concluded()
  }

  package mutating func mismatched(
    _ item: Int, expected: ExpectedDigest, actual: ContentDigest, now: Instant, _ actions: inout [RunAction]
  ) {
    change(item, &actions) { $0.mismatched(expected: expected, actual: actual, &$1) }
    enqueue(item, now: now, &actions)
  }

  package mutating func pieceVerified(_ item: Int, _ check: PieceCheck, _ actions: inout [RunAction]) {
    change(item, &actions) { $0.pieceVerified(check, &$1) }
  }

  package mutating func pieceMismatched(
    _ item: Int, _ check: PieceCheck, actual: ContentDigest, now: Instant, _ actions: inout [RunAction]
  ) {
    change(item, &actions) { $0.pieceMismatched(check, actual: actual, &$1) }
    enqueue(item, now: now, &actions)
    startFurther(item, now: now, &actions)
  }

  package mutating func storageFailed(_ item: Int, _ error: DownloadError, _ actions: inout [RunAction]) {
    change(item, &actions) { $0.storageFailed(error, &$1) }
  }

  // MARK: Faults

  /// Consults the host. Nil where the request is repeated at once and nothing is counted.
  private mutating func handle(
    _ fault: TransferFault, _ retryAfter: Duration?, of machine: inout FileMachine, mirror: Int,
    _ transfer: TransferEntry, recorded: Int64, startedAt: Instant, now: Instant, random: Double,
    _ actions: inout [RunAction]
  ) -> FileMachine.FaultHandling? {
    let host = transfer.host
    if machine.mayRepeatAtOnce(fault, mirror: mirror) { return nil }
    if fault == .stalled, now - host.governor.heardAt > settings.stallTimeout / 2 { host.governor.suspected(now: now) }
    let cap = settings.retryWait
    let others = host.governor.active - 1
    let served = host.governor.servedCount
    switch fault.kind {
    case .permanent: return .final
    case .hostSilent:
      if machine.isCongestion(
        fault, servedCount: served, othersActive: others, mirror: mirror,
        startedAt: startedAt, now: now)
      {
        return .postponed(until: pushBack(host, nil, startedAt: startedAt, cap: cap, now: now, random: random))
      }
      let wasSilent = host.governor.isSilent
      let verdict = host.governor.wasSilent(
        fault: fault, isProbe: transfer.isProbe, tries: fileSettings.tries, cap: cap, now: now, random: random)
      switch verdict {
      case .probe(let at):
        // Once for the host, not for each of its items.
        if !wasSilent { actions.append(.notice(item: nil, .note, "\(host.origin.text): \(fault.text); trying again")) }
        return .postponed(until: at)
      case .dead: return .final
      }
    case .pushedBack:
      let until = pushBack(host, retryAfter, startedAt: startedAt, cap: cap, now: now, random: random)
      if machine.isCongestion(
        fault, servedCount: served, othersActive: others, mirror: mirror,
        startedAt: startedAt, now: now)
      {
        return .postponed(until: until)
      }
      return .counted(notBefore: max(until, machine.backoff(mirror: mirror, now: now, random: random)))
    case .transient, .unanswered:
      var until = machine.backoff(mirror: mirror, now: now, random: random)
      // It has done its part, and others are doing theirs: nothing is wrong with the server.
      if recorded >= MirrorAttempts.amplyByteCount, machine.activeCount > 0 { until = now }
      if let wait = Backoff.obeyed(retryAfter, cap: cap) { until = max(until, now + wait) }
      switch fault {
      // A connection that breaks while it delivers is no push.
      case .emptyReply, .reset:
        if !transfer.isServed,
          machine.isCongestion(
            fault, servedCount: served, othersActive: others, mirror: mirror,
            startedAt: startedAt, now: now)
        {
          return .postponed(
            until: pushBack(host, nil, startedAt: startedAt, isVague: true, cap: cap, now: now, random: random))
        }
      default: break
      }
      return .counted(notBefore: until)
    }
  }

  private mutating func pushBack(
    _ host: HostEntry, _ retryAfter: Duration?, startedAt: Instant, isVague: Bool = false, cap: Duration, now: Instant,
    random: Double
  ) -> Instant {
    let servedNow = transfers.values.count { $0.host === host && $0.isServed }
    return host.governor.pushedBack(
      retryAfter: retryAfter, startedAt: startedAt, servedNow: servedNow, isVague: isVague, cap: cap, now: now,
      random: random)
  }

  // MARK: Starting

  /// Puts the item where its next transfer will come from: a host's queue, the waiting list, or nowhere.
  private mutating func enqueue(_ item: Int, now: Instant, _ actions: inout [RunAction]) {
    guard let entry = files[item], !entry.isQueued, entry.machine.activeCount == 0, !isPaused else { return }
    let current = entry.machine.origin(ofMirror: entry.machine.currentMirror)
    switch entry.machine.demand(now: now, host: conditions(of: current)) {
    // Nothing is at work, so that no further transfer is wanted.
    case .nothing, .further: break
    case .wait(let until): delayed.insert(item, at: until)
    case .first(let mirror):
      let host = host(entry.machine.origin(ofMirror: mirror), now: now)
      entry.isQueued = true
      queuedCount += 1
      host.queue.append(item)
      startQueued(host, now: now, &actions)
    }
  }

  /// A host that is asked for the first time gets a governor.
  private mutating func host(_ origin: Origin, now: Instant) -> HostEntry {
    if let known = hosts[origin] { return known }
    let host = HostEntry(
      origin: origin, governor: HostGovernor(maximum: settings.maxConnectionsPerHost, now: now))
    forgetHosts(now: now)
    hosts[origin] = host
    return host
  }

  /// Keeps what is known of idle hosts from growing with the list: those that were used longest ago go, unless something
  /// is known of them that another request must heed.
  private mutating func forgetHosts(now: Instant) {
    guard hosts.count >= mostHosts else { return }
    let idle = hosts.values.filter { $0.queue.isEmpty && $0.governor.isForgettable(now: now) }
      .sorted { $0.governor.usedAt < $1.governor.usedAt }
    for host in idle.dropLast(Self.rememberedHosts) { hosts[host.origin] = nil }
    // Looked at again when as many have come in between, so that it costs little however many must stay.
    mostHosts = max(Self.rememberedHosts, hosts.count) * 2
  }

  private mutating func startQueued(_ host: HostEntry, now: Instant, _ actions: inout [RunAction]) {
    while let item = host.queue.first {
      switch host.governor.permission(now: now) {
      case .full: return
      case .wait(let until):
        delayed.insertWake(at: until)
        return
      case .dead(let fault):
        guard let entry = dequeueFirst(host) else { continue }
        // By now the item may want another mirror.
        if let mirror = entry.machine.readyMirror(now: now), entry.machine.origin(ofMirror: mirror) == host.origin {
          change(item, &actions) {
            $0.faulted(fault, mirror: mirror, startedAt: now, handling: .final, now: now, &$1)
          }
        }
        enqueue(item, now: now, &actions)
      case .granted:
        guard let entry = dequeueFirst(host) else { continue }
        let demand = entry.machine.demand(now: now, host: host.governor.conditions)
        guard case .first(let mirror) = demand, entry.machine.origin(ofMirror: mirror) == host.origin else {
          enqueue(item, now: now, &actions)
          continue
        }
        start(entry, demand, host, now: now, &actions)
      }
    }
  }

  private mutating func dequeueFirst(_ host: HostEntry) -> FileEntry? {
    guard let item = host.queue.popFirst() else { return nil }
    queuedCount -= 1
    let entry = files[item]
    entry?.isQueued = false
    return entry
  }

  /// Further connections for a file that has one already; files that wait for their first go before.
  private mutating func startFurther(_ item: Int, now: Instant, _ actions: inout [RunAction]) {
    while let entry = files[item], entry.machine.activeCount > 0 {
      let current = entry.machine.origin(ofMirror: entry.machine.currentMirror)
      let demand = entry.machine.demand(now: now, host: conditions(of: current)) {
        isOpen(entry.machine.origin(ofMirror: $0), for: entry.machine, now: now)
      }
      guard case .further(let transfer) = demand else { return }
      let host = host(entry.machine.origin(ofMirror: transfer.mirror), now: now)
      start(entry, demand, host, now: now, &actions)
    }
  }

  /// Whether a further connection of this file may go there; a host that was never asked is open.
  private func isOpen(_ origin: Origin, for machine: borrowing FileMachine, now: Instant) -> Bool {
    guard let host = hosts[origin] else { return true }
    // Another mirror's entity tags may be worth less than the current one's.
    return machine.isSplittable(on: host.governor.conditions) && host.queue.isEmpty
      && host.governor.permissionForSegment(now: now) == .granted
  }

  private mutating func start(
    _ entry: FileEntry, _ demand: FileMachine.Demand, _ host: HostEntry, now: Instant, _ actions: inout [RunAction]
  ) {
    let id = TransferID(number: nextNumber)
    let order: TransferOrder
    switch demand {
    case .nothing, .wait: return assertionFailure("started without a demand")
    case .first(let mirror):
      order = entry.machine.orderFirst(id: id, mirror: mirror, host: host.governor.conditions, now: now)
    case .further(let transfer): order = entry.machine.orderFurther(id: id, transfer, now: now)
    }
    nextNumber += 1
    let isProbe = host.governor.started(now: now)
    transfers[id] = TransferEntry(
      item: order.item, mirror: order.mirror, host: host, isFirst: order.asked == .whole, isProbe: isProbe)
    actions.append(.start(order))
  }
}
