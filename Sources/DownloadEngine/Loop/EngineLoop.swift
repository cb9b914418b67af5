internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Runs downloads: waits, feeds events to the machines, and has their actions performed.
///
/// `TransferRunner` does what concerns libcurl, `ItemRunner` what concerns one item, `Admission` begins items. Each knows
/// those before it, and all have the `EngineState`. The thread of the `Engine` runs the loop and owns everything here;
/// hashing, syncing and publishing have threads of their own. An event's path: libcurl's callback → `Transfer` → part file
/// → `RunMachine` → actions → `perform`.
final class EngineLoop: ActionPerformer {
  let state: EngineState
  let admission: Admission
  let itemRunner: ItemRunner
  let transferRunner: TransferRunner

  let inbox: EngineInbox
  /// The user's settings, of which those of `state` are what fits the descriptors.
  var wanted: RunSettings
  let descriptorLimit: Int
  /// The part of them that this engine may open: all, where it is the only one of the process.
  var descriptorShare: Int
  let verifyCommands = VerifyCommandPolicy()
  /// Nil if a loss of the network is like any other fault.
  var network: NetworkWatch?
  /// A run that has an end looks again after this time, if nothing else is to wake it. Tests shorten it.
  var longestSleep: Duration = .seconds(10)

  /// - Parameters: as for `Engine`.
  init(
    settings: RunSettings, place: DownloadPlace, trustedOrigins: Set<Origin>, source: any RequestSource,
    spool: (any RequestSpool)?, keeper: (any RequestKeeper)?, events: EventHub, inbox: EngineInbox, endsWhenIdle: Bool,
    settledLimit: Int, policy: (any EnginePolicy)?, descriptorLimit: Int, runtime: Runtime
  ) {
    wanted = settings
    let settings = settings.fitting(descriptorLimit: descriptorLimit)
    self.descriptorLimit = descriptorLimit
    descriptorShare = descriptorLimit
    self.inbox = inbox
    let isValidated = policy?.kinds.contains(.validate) ?? false
    let takesNames = settings.target.takesSuggestedNames || policy?.kinds.contains(.name) ?? false
    let mostItems = Admission.mostItems(of: descriptorLimit)
    let workers = Workers(runtime, place.root.base, syncs: settings.target.syncs, groupLimit: max(1, mostItems / 2))
    let policies: [(any EnginePolicy)?] = [verifyCommands, NamePolicy(settings.target), policy]
    state = EngineState(
      settings: settings, place: place, requests: RequestFeed(source, spool: spool, keeper: keeper), events: events,
      endsWhenIdle: endsWhenIdle, settledLimit: settledLimit, workers: workers,
      gate: DecisionGate(policies.compactMap(\.self), replies: workers.client.replies), now: Clock.now())
    let inspector = TargetInspector(place, settings, workers: workers)
    transferRunner = TransferRunner(state, trustedOrigins: trustedOrigins)
    itemRunner = ItemRunner(state, transferRunner, inspector, isValidated: isValidated)
    admission = Admission(
      state, itemRunner, transferRunner, inspector, mostItems: mostItems, takesNames: takesNames)
    state.performer = self
    transferRunner.client = itemRunner
  }

  /// Runs to the end, or until an order or a full disk stops it.
  func run() -> RunEnd {
    guard state.workers.start(for: inbox) else {
      state.stop(Failure(.threadsUnavailable))
      _ = state.workers.stop(hearing: inbox)
      return state.end
    }
    transferRunner.loop.watch(state.workers.client.replies.descriptor) { [unowned self] in
      for reply in state.workers.client.replies.takeAll() { handle(reply) }
    }
    transferRunner.loop.watch(inbox.descriptor) { [unowned self] in obeyCommands() }
    watchNetwork()
    transferRunner.limitRates()
    while !isFinished {
      fitToShare()
      obeyCommands()
      let areMoreWanted = admission.addRequests()
      performPending()
      // Ticks tell the others: a wake-up of subscribers for each small file would be felt.
      if transferRunner.loop.exchangeCount == 0 || state.untold.count >= Self.mostUntold { state.tellEvents() }
      if isFinished { break }
      // Without transfers no other file will join the group: small files are named now.
      if transferRunner.loop.exchangeCount == 0 { itemRunner.smallFiles.hurry() }
      var deadline =
        areMoreWanted
        ? state.now
        : min(
          state.time.deadline(
            hasTransfers: transferRunner.isActive, looks: needsLooks,
            wantsProgress: state.events.progressInterval != nil && (state.endsWhenIdle || !state.items.isEmpty)),
          nextDeadline)
      // Some thread owes an answer. Should one be lost, the run goes on all the same.
      if deadline == .distantFuture, state.endsWhenIdle { deadline = state.now + longestSleep }
      transferRunner.loop.wait(until: min(deadline, admission.nextLookAtLockedTargets ?? deadline))
      state.time.woke(now: Clock.now())
      performPending()
      if state.time.isTickDue || state.now >= nextDeadline { tick() }
    }
    return finish()
  }

  func hearStop() {
    let (choice, reason) = inbox.stop
    switch choice {
    case .finish: state.queue.finishes = true
    case .save, .now:
      state.end.wasStopped = true
      state.end.stoppedBy = state.end.stoppedBy ?? reason
    case nil: break
    }
  }

  private var isFinished: Bool {
    state.endsEarly
      || (state.queue.finishes ? state.items.isEmpty : state.endsWhenIdle && state.isNothingLeft) && !inbox.hasOrders
  }

  /// Whether something has to be looked at from time to time although there are no transfers.
  private var needsLooks: Bool {
    state.items.values.contains { $0.storage?.isUnrecorded ?? false }
  }

  /// The latest time for the next tick.
  private var nextDeadline: Instant {
    let ofQueue = min(state.queue.nextDue ?? .distantFuture, admission.lentPlaces.nextDue ?? .distantFuture)
    return min(state.machine.nextDeadline, ofQueue, state.gate.nextDeadline ?? .distantFuture, itemRunner.nextLateTime)
  }

  // MARK: Events of the machines

  private func tick() {
    state.time.beginTick()
    itemRunner.smallFiles.tick(now: state.now)
    let isWriterBehind = transferRunner.tick()
    itemRunner.endLate()
    endOverdue()
    transferRunner.resumeThrottled()
    state.queue.ticked(now: state.now)
    state.feed { machine, actions in
      for id in machine.awaitedConnections where transferRunner.transfers[id]?.exchange.localPort != nil {
        machine.reached(id, now: state.now, &actions)
      }
      machine.ticked(
        isSaturated: state.time.isSaturated(waitedTime: transferRunner.loop.waitedTime)
          || transferRunner.rates.decidesRate(now: state.now) || isWriterBehind,
        isLimited: { transferRunner.rates.decidesRate(of: $0, now: state.now) }, now: state.now, &actions)
    }
    for item in state.items.values { itemRunner.checkpoint(item) }
    let isSpaceCheckDue = state.time.takeSpaceCheck()
    if isSpaceCheckDue { itemRunner.checkSpace() }
    // Some hosts may have room again only because time has passed. Ticks without transfers are few.
    if isSpaceCheckDue || transferRunner.loop.exchangeCount == 0 { state.queue.unparkAll() }
    if isSpaceCheckDue { admission.lentPlaces.look(at: state.machine, now: state.now) }
    let isWished = state.events.takeProgressWish()
    if let interval = state.events.progressInterval, state.time.takeProgress(every: interval) || isWished {
      state.tell(.progressed(progress()))
    }
    performPending()
    state.tellEvents()
  }

  /// Performs what was deferred until libcurl's callbacks had returned.
  private func performPending() {
    transferRunner.performStops()
    itemRunner.beginRenamed()
    transferRunner.performStarts()
  }

  /// Performs the actions of the machine. Those on libcurl's handles are deferred until no callback of libcurl is running.
  func perform(_ actions: [RunAction]) {
    for action in actions {
      switch action {
      case .start(let order): transferRunner.transfers.start(order)
      case .setEnd(let id, let end): transferRunner.transfers.setEnd(id, end)
      case .stop(let id):
        if let transfer = transferRunner.transfers[id] { transferRunner.drop(transfer) }
        transferRunner.transfers.cancelStart(id)
      case .discardContent(let handle):
        if let item = state.items[handle] { itemRunner.discardContent(of: item) }
      case .discardRange(let handle, let range):
        if let item = state.items[handle] { itemRunner.discard(range, of: item) }
      case .verify(let handle, let check):
        if let item = state.items[handle] { itemRunner.verify(check, of: item) }
      case .mirrorsJoin(let handle, let locations): state.items[handle]?.join(locations)
      case .adopt(let handle, let representation):
        if let item = state.items[handle] { itemRunner.adopt(representation, item) }
      case .conclude(let handle, let conclusion):
        if let item = state.items[handle] { itemRunner.conclude(item, conclusion) }
      case .judge(let handle, let conclusion):
        if let item = state.items[handle] { itemRunner.judge(item, conclusion) }
      case .publish(let handle, let conclusion):
        if let item = state.items[handle] { itemRunner.publish(item, conclusion) }
      case .keep(let handle):
        if let item = state.items[handle] { itemRunner.keep(item) }
      case .setAside(let handle, let error):
        if let item = state.items[handle] { itemRunner.setAside(item, error) }
      case .fail(let handle, let error):
        if let item = state.items[handle] { itemRunner.fail(item, error) }
      case .notice(let handle, let level, let remark):
        state.notice(handle.flatMap { state.items[$0] }, level, remark)
      }
    }
  }

  /// Events that are published without waiting for the next tick.
  private static let mostUntold = 256
}
