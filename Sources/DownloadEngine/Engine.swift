package import DownloadCore
internal import FileStore
internal import Transport

/// Where requests come from, one after the other; a list is never held as a whole.
package protocol RequestSource: AnyObject {
  /// The next wanted file; nil at the end.
  /// - Throws: a line that cannot be understood (only where the list was not checked before).
  func next() throws(DownloadError) -> DownloadRequest?
  /// How many there are, where that is known.
  var itemCount: Int? { get }
}

/// How a run ended.
package struct RunEnd: Sendable {
  /// The codes of all failures that occurred.
  package var failureCodes: Set<DownloadError.Code> = []
  /// The signal that ended the run early.
  package var interruptedBy: Int32?
  package var progress = RunProgress()
  /// Set where the whole run had to stop: no space, an unusable list.
  package var stoppedBy: DownloadError?
}

/// Carries out a run: feeds events to the machines, performs their actions, owns clock and random numbers.
///
/// One thread, the caller's, runs the loop and owns everything here; hashing, syncing and publishing have threads of
/// their own. An event's path: libcurl's callback → `BodySink` → part file → `RunMachine` → actions → `perform`.
package final class Engine {
  let settings: DownloadSettings
  let source: any RequestSource
  weak var observer: (any RunObserver)?
  let loop: TransferLoop
  let base: TargetDirectory
  let trustedOrigins: Set<Origin>
  let publisher = Publisher()
  let surroundings = DirectorySnapshot()
  let replies = Mailbox<WorkerReply>()
  let storage: StorageWorker
  let hashers: [HashWorker]
  private var threads: [WorkerThread] = []
  private let signals: SignalWatch?

  var machine: RunMachine
  var items: [Int: ActiveItem] = [:]
  var sinks: [TransferID: BodySink] = [:]
  /// Exchanges to start and to end once no callback of libcurl is on the stack.
  var pendingStarts: [TransferOrder] = []
  var pendingStops: [Exchange] = []
  /// Some transfer's end was moved: it may have passed it already.
  var endsMoved = false
  /// Transfers on shared connections have to be begun again on their own.
  var separatesTransfers = false
  var gate: RateGate
  /// What the timetables said when they were last looked at: for the run, for each file.
  var scheduledRates: [Int64?] = [nil, nil]
  var nextTimetableLook: Instant
  /// Where the timetables take the time from.
  var secondOfLocalDay: () -> Int = Clock.secondOfLocalDay
  var end = RunEnd()
  var now: Instant
  let startedAt: Instant
  var receivedByteCount: Int64 = 0
  /// Finished items' bytes; the active ones' are added for a report.
  var finishedByteCount: Int64 = 0
  let smallBacklog = SmallBacklog()
  let blocks = BlockPool()
  /// Small files that the workers have and that have no name yet.
  var unnamedCount = 0
  /// The workers have been told not to wait for more of them.
  var hasHurried = false
  /// Small files that wait to be handed to a worker together.
  var smallJobs: [SmallJob] = []
  var nextHasher = 0
  /// Targets that a worker is to look at, with others; how many workers have; how many there were.
  var inspections: [Inspection] = []
  var inspectionsAway = 0
  var inspectionCount = 0
  /// For the jitter of waits; seeded once, for a system call each time would be felt.
  private var randomState = UInt64.random(in: 0 ... .max)
  private var sourceIsExhausted = false
  private var nextTick: Instant
  private var nextReport: Instant
  private var nextNaming: Instant
  private var reportedRate = 0.0
  private var reportedByteCount: Int64 = 0
  private var reportedAt: Instant
  private var nextSpaceCheck: Instant
  var stallCheckedAt: Instant
  private var busyCheckedAt: Instant
  private var waitedBefore: Duration = .zero
  private var isBusy = false

  static let tickInterval: Duration = .milliseconds(10)
  /// A small file waits at most so long for others to be synced with.
  static let namingInterval: Duration = .milliseconds(250)
  static let reportInterval: Duration = .milliseconds(200)
  /// Small files that the workers have yet to write; more are not fetched until some are.
  static let smallBacklogByteCount = 3 << 20
  /// Items at work in any way, those included that only wait for their names and hold a descriptor each until then:
  /// an eighth of a second's worth and more, so that the next group comes in while one is synced.
  private let mostItems: Int
  /// Small files are handed to a worker at least so many at a time, or at the next tick.
  static let smallBatch = 32
  /// Targets that workers look at while the list is read on.
  private static let mostInspections = 512

  /// - Parameters:
  ///   - directory: where names are relative to, as the user gave it; empty is the working directory.
  ///   - trustedOrigins: origins named on the command line, to which headers and credentials may go.
  ///   - signals: those that end the run or ask for its status; nil hears none.
  ///   - descriptorLimit: descriptors that the process may open; what the engine does at once is fitted to it.
  package init(
    settings: DownloadSettings, directory: [UInt8], trustedOrigins: Set<Origin>, source: any RequestSource,
    observer: any RunObserver, signals: SignalWatch?, descriptorLimit: Int
  ) throws(DownloadError) {
    let settings = settings.fitting(descriptorLimit: descriptorLimit)
    mostItems = min(3072, DownloadSettings.mostFiles(descriptorLimit: descriptorLimit))
    self.settings = settings
    self.source = source
    self.observer = observer
    self.trustedOrigins = trustedOrigins
    self.signals = signals
    do {
      base = try TargetDirectory.open(path: directory)
    } catch {
      throw StorageErrors.directory(error)
    }
    loop = TransferLoop(settings: settings)
    now = Clock.now()
    startedAt = now
    nextTick = now
    nextReport = now
    nextNaming = now
    reportedAt = now
    nextSpaceCheck = now
    stallCheckedAt = now
    busyCheckedAt = now
    machine = RunMachine(settings: settings)
    gate = RateGate(now: now)
    nextTimetableLook = now
    let storage = StorageWorker(
      replies: replies, publisher: publisher, syncs: settings.syncs, groupLimit: max(1, mostItems / 2))
    self.storage = storage
    let replies = replies
    let publisher = publisher
    let syncs = settings.syncs
    let (backlog, blocks) = (smallBacklog, blocks)
    hashers = (0..<2).map { _ in
      HashWorker(
        replies: replies, storage: storage, publisher: publisher, backlog: backlog, blocks: blocks, syncs: syncs)
    }
  }

  /// Runs to the end, or until a signal or a full disk stops it.
  package func run() -> RunEnd {
    guard startThreads() else {
      end.failureCodes.insert(.localIO)
      end.stoppedBy = DownloadError(
        .localIO, "the system gives no more threads", hint: "raise the limits on processes and memory (ulimit -u, -v)")
      stopThreads()
      return end
    }
    loop.watch(replies.descriptor) { [unowned self] in
      for reply in replies.takeAll() { handle(reply) }
    }
    if let signals {
      loop.watch(signals.descriptor) { signals.take() }
    }
    followTimetables()
    while !isFinished {
      addRequests()
      performPending()
      if isFinished { break }
      // With nothing under way there is no company to wait for.
      if loop.exchangeCount == 0 { hurrySmallFiles() }
      loop.wait(until: deadline)
      now = Clock.now()
      answerSignals()
      performPending()
      if now >= nextTick || now >= machine.nextDeadline { tick() }
    }
    answerSignals()
    if end.interruptedBy != nil || end.stoppedBy != nil { saveAll() }
    stopThreads()
    settleReplies()
    end.progress = progress()
    if end.stoppedBy != nil {
      countUnfinished()
      nameUnstarted()
    }
    return end
  }

  /// Takes in what the workers had done when the run ended: what stands under its name is counted.
  private func settleReplies() {
    for reply in replies.takeAll() {
      switch reply {
      case .published, .smallFailed, .existingHashed(_, .some, _): handle(reply)
      case .inspected(let results): inspections += results.map(\.inspection)
      default: break
      }
    }
  }

  private func countUnfinished() {
    let ended = end.progress.downloadedCount + end.progress.keptCount + end.progress.failedCount
    end.progress.unfinishedCount = items.count
    end.progress.unstartedCount = max(0, (end.progress.itemCount ?? 0) - ended - items.count)
  }

  /// Names the items that were never begun: those whose targets were looked at, then what is left of the list.
  private func nameUnstarted() {
    var requests = inspections.map(\.request).sorted { $0.item < $1.item }
    while requests.count < Self.mostNamed, !sourceIsExhausted, let request = try? source.next() {
      requests.append(request)
    }
    for request in requests.prefix(Self.mostNamed) {
      observer?.noticed(
        Notice(item: request.item, name: request.target.name, level: .warning, text: "not started"))
    }
    let others = end.progress.unstartedCount - min(requests.count, Self.mostNamed)
    if !requests.isEmpty, others > 0 { notice(nil, .warning, "\(others) more not started") }
  }

  /// Of many items that were never begun so many are named.
  private static let mostNamed = 20

  private var isFinished: Bool {
    if signals?.ending != nil || end.stoppedBy != nil { return true }
    return sourceIsExhausted && items.isEmpty && inspectionsAway == 0
  }

  /// - Returns: false where one of them could not be had; those that run are in `threads`.
  private func startThreads() -> Bool {
    let storage = storage
    guard let thread = WorkerThread({ storage.run() }) else { return false }
    threads.append(thread)
    for hasher in hashers {
      guard let thread = WorkerThread({ hasher.run() }) else { return false }
      threads.append(thread)
    }
    return true
  }

  private func stopThreads() {
    for hasher in hashers { hasher.jobs.post(.end) }
    // After an interruption a sync may take long; nothing waits for it, for what counts is recorded.
    if end.interruptedBy != nil { return }
    for thread in threads.dropFirst() where !thread.join(hearing: signals) { return answerSignals() }
    storage.jobs.post(.end)
    if let thread = threads.first, !thread.join(hearing: signals) { answerSignals() }
  }

  // MARK: Time

  private var deadline: Instant {
    // With nothing on the network only reports and waiting items need the time.
    min(loop.exchangeCount > 0 ? nextTick : max(nextTick, nextReport), machine.nextDeadline)
  }

  private func tick() {
    nextTick = now + Self.tickInterval
    handOverSmallFiles()
    if now >= nextNaming {
      nextNaming = now + Self.namingInterval
      if unnamedCount > 0 { storage.jobs.post(.nameNow) }
    }
    for sink in sinks.values { report(sink) }
    flushAged()
    watchStalls()
    followTimetables()
    letWaitingOn()
    var actions: [RunAction] = []
    for id in machine.awaitedConnections where sinks[id]?.exchange.localPort != nil {
      machine.reached(id, now: now, &actions)
    }
    machine.ticked(
      isSaturated: isSaturated() || gate.decidesRate(now: now), isLimited: { gate.decidesRate(of: $0, now: now) },
      now: now, &actions)
    perform(actions)
    for item in items.values { checkpoint(item) }
    if now >= nextSpaceCheck {
      nextSpaceCheck = now + .seconds(1)
      checkSpace()
    }
    if now >= nextReport {
      nextReport = now + Self.reportInterval
      observer?.progressed(progress())
    }
    performPending()
  }

  /// Whether the loop had next to no time to wait in the last twentieth of a second: then it is the limit itself.
  private func isSaturated() -> Bool {
    let span = now - busyCheckedAt
    if span >= .milliseconds(50) {
      let waited = loop.waitedTime - waitedBefore
      isBusy = waited < span / 10
      busyCheckedAt = now
      waitedBefore = loop.waitedTime
    }
    return isBusy
  }

  /// A number in 0..<1 for the machines' jitter.
  func random() -> Double {
    randomState = randomState &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(randomState >> 11) / 9_007_199_254_740_992
  }

  // MARK: Requests

  private func addRequests() {
    defer { handOverInspections() }
    while !sourceIsExhausted, machine.wantsRequests(finishingCount: unnamedCount), items.count < mostItems,
      smallBacklog.byteCount < Self.smallBacklogByteCount, inspectionsAway < Self.mostInspections
    {
      do {
        guard let request = try source.next() else {
          sourceIsExhausted = true
          return
        }
        begin(request)
      } catch {
        sourceIsExhausted = true
        end.failureCodes.insert(error.code)
        end.stoppedBy = error
        return
      }
      if end.stoppedBy != nil { return }
    }
  }

  // MARK: Signals

  /// Does what signals ask for, whoever has heard them.
  private func answerSignals() {
    guard let signals else { return }
    if signals.takeStatusQuestion() { observer?.statusAsked(progress()) }
    end.interruptedBy = signals.ending
  }

  /// Ends all transfers and leaves everything recorded for the next run.
  private func saveAll() {
    for sink in Array(sinks.values) {
      loop.stop(sink.exchange)
      if !sink.isDead { flush(sink) }
    }
    sinks.removeAll()
    for item in items.values { recordNow(item) }
  }

  // MARK: Progress

  private func progress() -> RunProgress {
    var progress = end.progress
    progress.itemCount = source.itemCount
    progress.receivedByteCount = receivedByteCount
    progress.connectionCount = loop.exchangeCount
    progress.elapsed = now - startedAt
    let span = (now - reportedAt).inSeconds
    if span > 0.1 {
      let current = Double(receivedByteCount - reportedByteCount) / span
      reportedRate = reportedRate == 0 ? current : reportedRate * 0.6 + current * 0.4
      reportedByteCount = receivedByteCount
      reportedAt = now
    }
    progress.rate = reportedRate
    progress.doneByteCount = finishedByteCount
    var known: Int64? = finishedByteCount
    var atWork: [ActiveItem] = []
    for item in items.values {
      // A small file that only waits for its name is as good as done, and there may be thousands.
      if item.isPublishing, item.part == nil {
        let length = item.conclusion?.completeLength ?? 0
        progress.doneByteCount += length
        known = known.map { $0 + length }
      } else {
        atWork.append(item)
      }
    }
    let sinksByItem = Dictionary(grouping: sinks.values) { $0.item.request.item }
    for item in atWork.sorted(by: { $0.request.item < $1.request.item }) {
      let file = fileProgress(item, sinksByItem[item.request.item] ?? [])
      progress.doneByteCount += file.doneByteCount
      known = known.flatMap { sum in
        file.completeLength.map { length in
          let (total, overflow) = sum.addingReportingOverflow(length)
          return overflow ? .max : total
        }
      }
      progress.active.append(file)
    }
    progress.knownByteCount = known
    return progress
  }

  private func fileProgress(_ item: ActiveItem, _ sinks: [BodySink]) -> FileProgress {
    let number = item.request.item
    let file = machine.file(number)
    var buffered: Int64 = 0
    for sink in sinks { if case .store = sink.disposition { buffered += Int64(sink.buffer.count) } }
    let phase: FileProgress.Phase
    switch file?.machine.phase {
    case .paused: phase = .paused
    case .concluding: phase = item.isPublishing ? .publishing : .verifying
    case .ended: phase = .publishing
    case nil: phase = .verifying
    case .running:
      if sinks.isEmpty {
        phase = file?.machine.lastFault == nil ? .waiting : .retrying
      } else {
        phase = file?.machine.representation == nil ? .connecting : .receiving
      }
    }
    let done = item.streamedByteCount > 0 ? item.streamedByteCount : file?.machine.done.byteCount ?? 0
    return FileProgress(
      item: number, name: item.name, phase: phase, completeLength: file?.machine.completeLength ?? item.completeLength,
      doneByteCount: done + buffered, rate: machine.rate(of: number), connectionCount: sinks.count)
  }
}
