internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Decides which items begin, and when: as many at a time as there are places.
///
/// Whether a task was withdrawn meanwhile, whether its file system is full, and whether its name is still free is asked
/// here only.
final class Admission {
  let state: EngineState
  let itemRunner: ItemRunner
  let transferRunner: TransferRunner
  /// The maximum number of items at work. It includes small files that wait for their names, each of which holds a
  /// descriptor: enough for one group to arrive while another is synced.
  var mostItems: Int
  let inspector: TargetInspector
  /// Tasks that did not begin because their file system is full, as many as are named one by one.
  private var left: [FileRequest] = []
  /// Items whose targets were inspected, which begin when there are places for them.
  var awaitingPlaces: [(item: ItemHandle, begin: () -> Void)] = []
  var lentPlaces = LentPlaces()
  /// Whether answers may name files, of which no two may get one name.
  var takesNames: Bool

  init(
    _ state: EngineState, _ itemRunner: ItemRunner, _ transferRunner: TransferRunner, _ inspector: TargetInspector,
    mostItems: Int, takesNames: Bool
  ) {
    self.state = state
    self.itemRunner = itemRunner
    self.transferRunner = transferRunner
    self.inspector = inspector
    self.mostItems = mostItems
    self.takesNames = takesNames
  }

  /// `mostItems` where so many descriptors may be open.
  static func mostItems(of descriptorLimit: Int) -> Int {
    min(3072, RunSettings.mostFiles(descriptorLimit: descriptorLimit))
  }

  /// Signals and commands are heard after so many, also where all of them fail at once.
  private static let mostBegunAtOnce = 1000

  var nextLookAtLockedTargets: Instant? {
    state.endsWhenIdle && state.isNothingElseLeft && !state.queue.waiting(for: .otherRun).isEmpty
      ? state.lockedTargets.nextRound ?? state.now : nil
  }

  /// Nothing is left but tasks that wait, be it for targets that other runs hold.
  private func lookAtLockedTargets() {
    let held = state.queue.waiting(for: .otherRun)
    guard !held.isEmpty else { return }
    if let longest = state.lockedTargets.takeWait(now: state.now) {
      state.notice(nil, .note, .waitingForOtherRuns(count: held.count, atMost: longest))
    }
    guard state.lockedTargets.beginsRound(isFirstWork: state.meter.endedCount == 0, now: state.now) else { return }
    lookAgain(at: held)
  }

  /// Has tasks whose targets were held begin again.
  func lookAgain(at held: [TaskID]) {
    if held.isEmpty { return }
    state.place.snapshot.forget()
    for task in held { state.queue.endWait(of: task, for: .otherRun) }
  }

  /// - Returns: whether more are wanted at once.
  func addRequests() -> Bool {
    defer { endAdding() }
    if state.endsWhenIdle, state.isNothingElseLeft { lookAtLockedTargets() }
    for host in state.machine.takeRoomChanges() { state.queue.roomChanged(at: host) }
    do { if state.requests.isWithdrawing { try state.requests.withdrawSome(&state.queue) } } catch { state.stop(error) }
    performWithdrawals()
    for task in state.queue.takeForgotten() { state.requests.forget(task) }
    if transferRunner.loop.exchangeCount == 0 { lentPlaces.look(at: state.machine, now: state.now) }
    giveBackPlaces()
    beginPlaced(afterQueued: true)
    var (begunCount, isReadingOn) = (0, false)
    while state.items.count < mostItems, !itemRunner.smallFiles.isFull, inspector.hasRoom, state.gate.sources.hasRoom,
      !state.endsEarly, !state.events.isBehind
    {
      let unnamedCount = itemRunner.smallFiles.unnamedCount
      if begunCount == Self.mostBegunAtOnce { return true }
      begunCount += 1
      do {
        if !state.queue.hasPlace(besides: unnamedCount), try !lendPlace(&isReadingOn) { break }
        let jobs = state.queue.jobs
        let next = try state.requests.next(
          &state.queue, hasRoom: { state.machine.hasRoom(at: $0, isOnlyHost: $1, jobs: jobs, now: state.now) },
          isAnswering: { state.machine.isAnswering($0, now: state.now) })
        performWithdrawals()
        if let (handle, request) = next {
          begin(request, handle)
        } else if try !lendPlace(&isReadingOn) {
          return isReadingOn || state.requests.isReadingOn || state.requests.isWithdrawing
        }
      } catch {
        state.stop(error)
      }
    }
    return isReadingOn || state.requests.isWithdrawing
  }

  private func performWithdrawals() {
    for effect in state.requests.takeEffects() { state.performer.perform(effect) }
  }

  // MARK: Places

  /// The existing file is not the expected one: it is to be replaced.
  func replace(_ item: ActiveItem) {
    guard mayTakePlace(item.handle) else {
      return awaitingPlaces.append(
        (
          item.handle,
          { [unowned self, item] in
            if state.items[item.handle] === item { startOrResume(item) }
          }
        ))
    }
    startOrResume(item)
  }

  /// Lends the place of an item that waits for long to a task that may begin.
  ///
  /// - Parameter isReadingOn: is set if more of the source is to be read for that.
  /// - Returns: whether there was one.
  private func lendPlace(_ isReadingOn: inout Bool) throws(Failure) -> Bool {
    guard lentPlaces.hasCandidates else { return false }
    isReadingOn = try state.requests.readAhead(&state.queue) { state.machine.isAnswering($0, now: state.now) }
    return !isReadingOn
      && lentPlaces.lend(besides: itemRunner.smallFiles.unnamedCount, &state.queue, &state.machine, now: state.now)
  }

  /// Has items go on that have lent their places.
  private func giveBackPlaces() {
    var actions: [RunAction] = []
    lentPlaces.giveBack(
      besides: itemRunner.smallFiles.unnamedCount, &state.queue, &state.machine, now: state.now, &actions)
    state.performer.perform(actions)
  }

  /// No more begins for now.
  private func endAdding() {
    inspector.handOver()
    beginPlaced(afterQueued: false)
  }

  /// Begins items for which there are places now, in the order of work.
  ///
  /// - Parameter afterQueued: whether what is still queued comes first if it comes before them in that order.
  private func beginPlaced(afterQueued: Bool) {
    guard !awaitingPlaces.isEmpty, state.queue.hasFreePlace(besides: itemRunner.smallFiles.unnamedCount) else { return }
    let waiting = state.queue.inOrder(awaitingPlaces, by: \.item)
    awaitingPlaces = []
    for (index, entry) in waiting.enumerated() {
      guard state.queue.hasFreePlace(besides: itemRunner.smallFiles.unnamedCount) else {
        awaitingPlaces += waiting[index...]
        break
      }
      if mayTakePlace(entry.item), !afterQueued || !state.queue.hasQueued(before: entry.item) {
        entry.begin()
      } else {
        awaitingPlaces.append(entry)
      }
    }
  }

  /// Whether the item may have a place now: one is left when those have theirs that come before it.
  func mayTakePlace(_ item: ItemHandle) -> Bool {
    let others = awaitingPlaces.lazy.map(\.item)
    return state.queue.mayTakePlace(item, after: inspector.items, others, besides: itemRunner.smallFiles.unnamedCount)
  }

  // MARK: What does not begin

  /// A task that is to begin again while a job of its earlier beginning holds its lock waits for that.
  func waitsForRelease(_ task: TaskID, _ handle: ItemHandle) -> Bool {
    guard itemRunner.releases.isClosing(task) else { return false }
    state.queue.returned(handle, until: .distantFuture, for: .ownFiles)
    return true
  }

  /// The run ends without the task, which has not begun.
  func leave(_ request: FileRequest, _ handle: ItemHandle) {
    if left.count < Self.mostNamed { left.append(request) }
    itemRunner.leave(request.task, handle)
  }

  /// Tasks that never began are named one by one up to this number.
  private static let mostNamed = 20

  /// Names tasks that never began.
  func nameUnstarted() {
    let begun = Set(state.items.values.map(\.task))
    let unbegun =
      (left
      + state.requests.takeUnbegun(atMost: Self.mostNamed - left.count) { task in
        state.queue.isQueued(task) || state.queue.handle(of: task) != nil && !begun.contains(task)
      }).sorted { $0.task < $1.task }
    for request in unbegun.prefix(Self.mostNamed) {
      state.tell(.noticed(Notice(task: request.task, name: request.target.name, level: .warning, .notStarted)))
    }
    let others = state.end.progress.unstartedCount - min(unbegun.count, Self.mostNamed)
    if !unbegun.isEmpty, others > 0 { state.notice(nil, .warning, .othersNotStarted(others)) }
  }
}

extension ExistingTargetPolicy.Treatment {
  /// Whether bytes are going to be written.
  var needsSpace: Bool {
    switch self {
    case .download, .update: true
    case .keep, .hash, .compareLength, .refuse: false
    }
  }

  /// Whether servers are asked at once, which takes a place.
  var asksServers: Bool {
    switch self {
    case .download, .update, .compareLength: true
    case .keep, .hash, .refuse: false
    }
  }
}
