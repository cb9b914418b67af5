internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Runs downloads: feeds events to the machines, performs their actions, owns the clock and the random numbers.
///
/// The thread of its `Engine` runs the loop and owns everything here; hashing, syncing and publishing have threads of
/// their own. An event's path: libcurl's callback → `Transfer` → part file → `RunMachine` → actions → `perform`.
final class EngineLoop {
  var settings: RunSettings
  /// The user's, of which `settings` is what fits the descriptors.
  var wanted: RunSettings
  let descriptorLimit: Int
  /// The part of them that this engine may open: all, where it is the only one of the process.
  var descriptorShare: Int
  let events: EventHub
  /// Events of this round, which are published at its end.
  private var untold: [EngineEvent] = []
  let loop: TransferLoop
  let workers: Workers
  private let verifyCommands = VerifyCommandPolicy()
  /// Whether a policy judges all files.
  let isValidated: Bool
  let gate: DecisionGate
  var sources = SourceQuestions()
  let inbox: EngineInbox
  let endsWhenIdle: Bool
  /// Tasks that have ended and can be done again, at most.
  let settledLimit: Int
  /// Files at a time where the user names no number; what hosts admit is far less.
  static let defaultJobs = 1024
  /// The maximum number of items at work. It includes small files that wait for their names, each of which holds a
  /// descriptor: enough for one group to arrive while another is synced.
  var mostItems: Int

  var queue: QueueMachine
  var requests: RequestFeed
  var machine: RunMachine
  var items: [ItemHandle: ActiveItem] = [:]
  var releases = FileReleases()
  var transfers: TransferSet
  var servers: Servers
  var lookups = HostLookups()
  let rates: RateControl
  var meter: ProgressMeter
  let place: DownloadPlace
  let inspector: TargetInspector
  var lockedTargets: LockedTargets
  /// Tasks that did not begin because their file system is full, as many as are named one by one.
  var left: [FileRequest] = []
  /// Items whose targets were inspected, which begin when there are places for them.
  var awaitingPlaces: [(item: ItemHandle, begin: () -> Void)] = []
  var lentPlaces = LentPlaces()
  /// Whether answers may name files, of which no two may get one name.
  var takesNames: Bool
  /// Items that start over under the names that their answers gave them. Their transfers are dropped first, which is not
  /// possible within libcurl's callbacks.
  var renamed: [ActiveItem] = []
  /// Transfers for whose bytes the writer had no room, or that end when it has written them.
  var awaitingWriter: Set<TransferID> = []
  /// Blocks that writers have.
  var handedOverCount = 0
  var smallFiles: SmallFileBatcher

  var end = RunEnd()
  /// A run that has an end looks again after this time, if nothing else is to wake it. Tests shorten it.
  var longestSleep: Duration = .seconds(10)
  /// Whether a limit of the time for a file may hold.
  var limitsTimes = false
  private var time: LoopTime
  /// Nil if a loss of the network is like any other fault.
  var network: NetworkWatch?
  /// For the jitter of waits. Seeded once, because a system call for each number is measurable.
  private var randomState = UInt64.random(in: 0 ... .max)

  /// - Parameters: as for `Engine`.
  init(
    settings: RunSettings, place: DownloadPlace, trustedOrigins: Set<Origin>, source: any RequestSource,
    spool: (any RequestSpool)?, keeper: (any RequestKeeper)?, events: EventHub, inbox: EngineInbox, endsWhenIdle: Bool,
    settledLimit: Int, policy: (any EnginePolicy)?, descriptorLimit: Int, runtime: Runtime
  ) {
    wanted = settings
    let settings = settings.fitting(descriptorLimit: descriptorLimit)
    mostItems = Self.mostItems(of: descriptorLimit)
    self.settings = settings
    self.descriptorLimit = descriptorLimit
    descriptorShare = descriptorLimit
    requests = RequestFeed(source, spool: spool, keeper: keeper)
    self.events = events
    self.inbox = inbox
    self.endsWhenIdle = endsWhenIdle
    self.settledLimit = settledLimit
    servers = Servers(named: trustedOrigins)
    loop = TransferLoop(settings.transport, settings.secrets)
    workers = Workers(runtime, place.root.base, syncs: settings.target.syncs, groupLimit: max(1, mostItems / 2))
    isValidated = policy?.kinds.contains(.validate) ?? false
    let policies: [(any EnginePolicy)?] = [verifyCommands, NamePolicy(settings.target), policy]
    gate = DecisionGate(policies.compactMap(\.self), replies: workers.client.replies)
    takesNames = settings.target.takesSuggestedNames || policy?.kinds.contains(.name) ?? false
    let now = Clock.now()
    machine = RunMachine(settings: settings)
    queue = QueueMachine(jobs: settings.limits.jobs ?? Self.defaultJobs, settledLimit: settledLimit)
    queue.failureLimit = settings.limits.maxFailures
    queue.expectedCount = source.itemCount
    rates = RateControl(now: now)
    meter = ProgressMeter(now: now)
    self.place = place
    inspector = TargetInspector(place, settings, workers: workers)
    lockedTargets = LockedTargets(wait: settings.limits.lockWait)
    smallFiles = SmallFileBatcher(workers: workers, now: now)
    transfers = TransferSet(now: now)
    time = LoopTime(now: now)
  }

  /// `mostItems` where so many descriptors may be open.
  static func mostItems(of descriptorLimit: Int) -> Int {
    min(3072, RunSettings.mostFiles(descriptorLimit: descriptorLimit))
  }

  /// Runs to the end, or until an order or a full disk stops it.
  func run() -> RunEnd {
    guard workers.start(for: inbox) else {
      stop(Failure(.threadsUnavailable))
      _ = workers.stop(hearing: inbox)
      return end
    }
    loop.watch(workers.client.replies.descriptor) { [unowned self] in
      for reply in workers.client.replies.takeAll() { handle(reply) }
    }
    loop.watch(inbox.descriptor) { [unowned self] in obeyCommands() }
    watchNetwork()
    limitRates()
    while !isFinished {
      fitToShare()
      obeyCommands()
      let areMoreWanted = addRequests()
      performPending()
      // Ticks tell the others: a wake-up of subscribers for each small file would be felt.
      if loop.exchangeCount == 0 || untold.count >= Self.mostUntold { tellEvents() }
      if isFinished { break }
      // Without transfers no other file will join the group: small files are named now.
      if loop.exchangeCount == 0 { smallFiles.hurry() }
      var deadline =
        areMoreWanted
        ? now
        : min(
          time.deadline(
            hasTransfers: loop.exchangeCount > 0 || !awaitingWriter.isEmpty, looks: needsLooks,
            reports: events.progressInterval != nil && (endsWhenIdle || !items.isEmpty)),
          nextDeadline)
      // Some thread owes an answer. Should one be lost, the run goes on all the same.
      if deadline == .distantFuture, endsWhenIdle { deadline = now + longestSleep }
      loop.wait(until: min(deadline, nextLookAtLockedTargets ?? deadline))
      time.woke(now: Clock.now())
      performPending()
      if time.isTickDue || now >= nextDeadline { tick() }
    }
    if endsEarly {
      workers.stopHashing()
      saveAll()
      gate.forgetAll()
    }
    verifyCommands.stop(hearing: inbox)
    let areJobsDone = workers.stop(hearing: inbox)
    settleReplies()
    if areJobsDone { releases.answerAll() }
    settleStop()
    if settings.secrets.cookies != nil { end.cookies = loop.cookies }
    end.unfinished += items.values.map(savedOutcome)
    end.progress = progress()
    let isLeftOpen = endsEarly || place.space.error != nil
    if end.stoppedBy == nil { end.stoppedBy = place.space.error }
    if isLeftOpen { countUnfinished() }
    if end.stoppedBy != nil { nameUnstarted() }
    tellEvents()
    return end
  }

  /// Events that are published without waiting for the next tick.
  private static let mostUntold = 256

  /// Keeps an event for the subscribers, if there are any.
  func tell(_ event: @autoclosure () -> EngineEvent) {
    if events.isHeard { untold.append(event()) }
  }

  func tellEvents() {
    events.publish(untold)
    untold.removeAll(keepingCapacity: true)
  }

  func hearStop() {
    let (choice, reason) = inbox.stop
    switch choice {
    case .finish: queue.finishes = true
    case .save, .now:
      end.wasStopped = true
      end.stoppedBy = end.stoppedBy ?? reason
    case nil: break
    }
  }

  private var isFinished: Bool {
    endsEarly || (queue.finishes ? items.isEmpty : endsWhenIdle && isNothingLeft) && !inbox.hasOrders
  }

  var isNothingLeft: Bool { requests.hasEnded && queue.isIdle }

  /// Whether only targets that other runs hold may be left.
  private var isNothingElseLeft: Bool { requests.hasEnded && queue.hasOnlyWaiting }

  var endsEarly: Bool {
    end.stoppedBy != nil || end.wasStopped || end.hasTooManyFailures
  }

  // MARK: Time

  /// The time at which the loop woke up; all events of one round have this time.
  var now: Instant { time.now }

  /// Whether something has to be looked at from time to time although there are no transfers.
  private var needsLooks: Bool {
    items.values.contains { $0.storage?.isUnrecorded ?? false }
  }

  /// The latest time for the next tick.
  private var nextDeadline: Instant {
    let ofQueue = min(queue.nextDue ?? .distantFuture, lentPlaces.nextDue ?? .distantFuture)
    return min(machine.nextDeadline, ofQueue, gate.nextDeadline ?? .distantFuture, nextLateTime)
  }

  private func tick() {
    time.beginTick()
    smallFiles.tick(now: now)
    // Another engine may have had the room.
    let isWriterBehind = !awaitingWriter.isEmpty
    goOnAwaitingWriter()
    for transfer in transfers.all { report(transfer) }
    flushAged()
    endStalled()
    endLate()
    endOverdue()
    rates.followTimetables(now: now)
    resumeThrottled()
    var actions: [RunAction] = []
    for id in machine.awaitedConnections where transfers[id]?.exchange.localPort != nil {
      machine.reached(id, now: now, &actions)
    }
    queue.ticked(now: now)
    machine.ticked(
      isSaturated: time.isSaturated(waitedTime: loop.waitedTime) || rates.decidesRate(now: now) || isWriterBehind,
      isLimited: { rates.decidesRate(of: $0, now: now) }, now: now, &actions)
    perform(actions)
    for item in items.values { checkpoint(item) }
    let isSpaceCheckDue = time.takeSpaceCheck()
    if isSpaceCheckDue { checkSpace() }
    // Some hosts may have room again only because time has passed. Ticks without transfers are few.
    if isSpaceCheckDue || loop.exchangeCount == 0 { queue.unparkAll() }
    if isSpaceCheckDue { lentPlaces.look(at: machine, now: now) }
    let wantsReport = events.takeReportWish()
    if let interval = events.progressInterval, time.takeReport(every: interval) || wantsReport {
      tell(.progressed(progress()))
    }
    performPending()
    tellEvents()
  }

  /// A number in 0..<1 for the machines' jitter.
  func random() -> Double {
    randomState = randomState &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(randomState >> 11) / 9_007_199_254_740_992
  }

  // MARK: Requests

  /// Signals and commands are heard after so many, also where all of them fail at once.
  private static let mostBegunAtOnce = 1000

  private var nextLookAtLockedTargets: Instant? {
    endsWhenIdle && isNothingElseLeft && !queue.waiting(for: .otherRun).isEmpty ? lockedTargets.nextRound ?? now : nil
  }

  /// Nothing is left but tasks that wait, be it for targets that other runs hold.
  private func lookAtLockedTargets() {
    let held = queue.waiting(for: .otherRun)
    guard !held.isEmpty else { return }
    if let longest = lockedTargets.takeWait(now: now) {
      notice(nil, .note, .waitingForOtherRuns(count: held.count, atMost: longest))
    }
    guard lockedTargets.beginsRound(isFirstWork: meter.endedCount == 0, now: now) else { return }
    lookAgain(at: held)
  }

  /// Has tasks whose targets were held begin again.
  func lookAgain(at held: [TaskID]) {
    if held.isEmpty { return }
    place.forgetListings()
    for task in held { queue.endWait(of: task, for: .otherRun) }
  }

  /// - Returns: whether more are wanted at once.
  private func addRequests() -> Bool {
    defer { endAdding() }
    if endsWhenIdle, isNothingElseLeft { lookAtLockedTargets() }
    for host in machine.takeRoomChanges() { queue.roomChanged(at: host) }
    do { if requests.isWithdrawing { try requests.withdrawSome(&queue) } } catch { stop(error) }
    performWithdrawals()
    for task in queue.takeForgotten() { requests.forget(task) }
    if loop.exchangeCount == 0 { lentPlaces.look(at: machine, now: now) }
    giveBackPlaces()
    beginPlaced(afterQueued: true)
    var (begunCount, isReadingOn) = (0, false)
    while items.count < mostItems, !smallFiles.isFull, inspector.hasRoom, sources.hasRoom, !endsEarly, !events.isBehind
    {
      let unnamedCount = smallFiles.unnamedCount
      if begunCount == Self.mostBegunAtOnce { return true }
      begunCount += 1
      do {
        if !queue.hasPlace(besides: unnamedCount), try !lendPlace(&isReadingOn) { break }
        let jobs = queue.jobs
        let next = try requests.next(
          &queue, hasRoom: { [now] in machine.hasRoom(at: $0, isOnlyHost: $1, jobs: jobs, now: now) },
          isAnswering: { [now] in machine.isAnswering($0, now: now) })
        performWithdrawals()
        if let (handle, request) = next {
          begin(request, handle)
        } else if try !lendPlace(&isReadingOn) {
          return isReadingOn || requests.isReadingOn || requests.isWithdrawing
        }
      } catch {
        stop(error)
      }
    }
    return isReadingOn || requests.isWithdrawing
  }

  private func performWithdrawals() {
    for effect in requests.takeEffects() { perform(effect) }
  }

  /// The list cannot be read on.
  private func stop(_ error: Failure) {
    end.failureCodes.insert(error.code)
    end.stoppedBy = error
  }
}
