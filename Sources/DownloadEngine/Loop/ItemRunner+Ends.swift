internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Ends items, takes them back, and tells their outcomes.
extension ItemRunner {
  /// Keeps the existing target and removes what an earlier run had begun to replace it with.
  func keep(_ item: ActiveItem) {
    if let storage = item.storage, storage.sidecar != nil {
      storage.removeLater()
    } else {
      removeLeftovers(beside: item)
    }
    tellEnd(item, .kept, byteCount: item.existing.size)
    forget(item)
  }

  func fail(_ item: ActiveItem, _ error: Failure) {
    var error = error
    if case .file(let target) = item.destination { error = StorageErrors.blamed(error, at: target) }
    if let remark = obstacleOfOtherRun(error, to: item) {
      if !state.endsWhenIdle { return wait(item, .otherRun, remark, until: state.now + LockedTargets.longestInterval) }
      if state.lockedTargets.mayWait(item.task, hasAppeared: remark == .targetAppeared, now: state.now) {
        return wait(item, .otherRun, remark, until: .distantFuture)
      }
    }
    if error.isOfSpace, !state.endsWhenIdle, case .file = item.destination {
      recordNow(item)
      return wait(item, .fullDisk, .failed(error), until: state.now + SpaceAccount.recheckInterval)
    }
    let done = state.machine.done(of: item.handle)
    // An item with nothing to resume from leaves no files.
    if done.isEmpty { item.storage?.removeAll() } else { recordNow(item) }
    if case .file = item.destination, state.gate.mayRenew(item.task, after: error, doneByteCount: done.byteCount) {
      return takeBack(item)
    }
    tellEnd(item, .failed(error), byteCount: done.byteCount)
    forget(item)
    if error.code == .diskFull {
      switch item.destination {
      case .file(let target): stopItems(onFileSystemOf: target.directory, error)
      case .stream: state.place.space.filled(nil, error)
      }
    }
  }

  /// The item leaves with what it has, and its task waits.
  private func wait(_ item: ActiveItem, _ reason: WaitReason, _ remark: Remark, until: Instant) {
    state.notice(item, .detail, remark)
    takeBack(item, until: until, for: reason)
  }

  /// The item leaves with what it has. Its task is queued again, or waits until then.
  func takeBack(_ item: ActiveItem, until: Instant? = nil, for reason: WaitReason = .time) {
    state.requests.takeBack(item.request)
    forget(item)
    // An earlier listing has neither the part file nor what other runs make meanwhile.
    state.place.snapshot.forget()
    state.queue.returned(item.handle, until: until, for: reason)
  }

  /// What to tell of an error for which another run is the reason, so that the target is to be looked at again; nil for
  /// others.
  ///
  /// Small files have no lock, and large ones get theirs when it is known that they are large, so two runs of a list may
  /// fetch the same one. A target that this run held and lost, on a file system without locks, is left to the other.
  private func obstacleOfOtherRun(_ error: Failure, to item: ActiveItem) -> Remark? {
    switch error.cause {
    case .locked(let process) where item.storage?.part == nil: .heldElsewhere(process: process)
    case .targetTaken(by: .newFile) where item.storage?.part == nil: .targetAppeared
    default: nil
    }
  }

  /// An item met a full file system: the others there end, resumable, and none begins there any more.
  func stopItems(onFileSystemOf directory: DirectoryHandle, _ error: Failure) {
    state.place.space.filled(directory, error)
    for item in Array(state.items.values)
    where state.items[item.handle] === item && !state.machine.isPublishing(item.handle) {
      guard case .file(let target) = item.destination, state.place.space.isFull(at: target) else { continue }
      recordNow(item)
      state.end.unfinished.append(
        outcome(of: item, .unfinished, byteCount: state.machine.done(of: item.handle).byteCount))
      forget(item)
      leave(item.task, item.handle)
    }
  }

  /// The run ends without the task, which has not begun.
  func leave(_ task: TaskID, _ handle: ItemHandle) {
    state.queue.left(handle)
    state.requests.forget(task)
  }

  /// Has the storage thread remove what a run that was killed between the rename and its end leaves beside the finished
  /// file, whose name is on stable storage since the inspection. Files of others are left alone.
  func removeLeftovers(beside item: ActiveItem) {
    guard case .file(let target) = item.destination, state.settings.target.ifExists(for: item.request) != .keep,
      state.place.snapshot.hasLeftovers(of: target, now: state.now)
    else { return }
    do {
      guard let sidecar = try SidecarFile.openExisting(target) else { return }
      state.workers.storage(of: target.directory).post(.remove(sidecar))
    } catch {
      if case .foreign(let file) = error { state.notice(item, .detail, .foreignFileLeftAlone(file)) }
    }
  }

  // MARK: Commands

  /// Records what there is, closes it and gives the place back. A file that is being published is not called back, and a
  /// stream cannot be begun again.
  @discardableResult
  func pause(_ handle: ItemHandle) -> Bool {
    guard let item = state.items[handle] else {
      state.gate.forgetSource(of: handle)
      state.queue.returned(handle)
      return true
    }
    guard case .file = item.destination, !state.machine.isPublishing(handle) else { return false }
    for transfer in transferRunner.transfers.of(item) where state.items[handle] === item {
      transferRunner.flush(transfer)
    }
    guard state.items[handle] === item else { return true }
    recordNow(item, isLast: true)
    takeBack(item)
    return true
  }

  /// Ends an item, and removes its part file and sidecar.
  func withdraw(_ handle: ItemHandle, _ withdrawal: Withdrawal) -> Bool {
    guard let item = state.items[handle] else {
      state.gate.forgetSource(of: handle)
      if let task = state.queue.task(of: handle), let request = state.requests[task] {
        removeUnfinished(of: request)
        endUnstarted(request, handle, .withdrawn(withdrawal))
      }
      return true
    }
    guard !state.machine.isPublishing(handle) else { return false }
    if item.storage == nil { removeUnfinished(of: item.request) }
    tellEnd(item, .withdrawn(withdrawal), byteCount: 0)
    item.storage?.removeLater()
    forget(item)
    return true
  }

  /// Removes what an earlier beginning of the task has stored, if no other run works on it.
  func removeUnfinished(of request: FileRequest) {
    guard state.requests.hasBegun(request.task), case .listed(let components) = request.target,
      let target = try? state.place.target(of: components, creating: false)
    else { return }
    // After the jobs of the earlier beginning, which the writer may have to hand on.
    let thread = state.workers.storage(of: target.directory)
    let writer = state.workers.writer(of: target.directory).port
    releases.began(request.task)
    for job in [.removeUnfinished(target), .release(request.task)] as [StorageJob] {
      writer.post(.handOn(job, to: thread))
    }
  }

  /// Gives the files of a task that is not active the names of another target. They are on stable storage when its files are
  /// released.
  func rename(_ task: TaskID, from old: [[UInt8]], to new: [[UInt8]], _ placed: PlacedFile?) throws(Failure) {
    guard let source = try? state.place.target(of: old, creating: false),
      placed != nil || TargetRenaming.isStored(source)
    else { return }
    let target = try state.place.target(of: new)
    do throws(RenamingError) {
      if let placed {
        try TargetRenaming.rename(placed, source, to: target)
      } else {
        try TargetRenaming.renameUnfinished(source, to: target)
      }
    } catch { throw StorageErrors.renaming(error) }
    state.place.snapshot.forget()
    guard state.settings.target.syncs else { return }
    releases.began(task)
    for job in [.syncNames([source.directory, target.directory]), .release(task)] as [StorageJob] {
      state.workers.storage(of: target.directory).post(job)
    }
  }

  // MARK: Outcomes

  func failUnstarted(_ request: FileRequest, _ handle: ItemHandle, _ error: Failure) {
    if error.code == .diskFull, !state.endsWhenIdle {
      state.tell(
        .noticed(Notice(task: request.task, name: request.target.name, level: .detail, .failed(error))))
      return state.queue.returned(handle, until: state.now + SpaceAccount.recheckInterval, for: .fullDisk)
    }
    endUnstarted(request, handle, .failed(error))
    // Its directory could not be made, below that of the run.
    if error.code == .diskFull { stopItems(onFileSystemOf: state.place.root.base, error) }
  }

  /// Ends a request for which there is no item yet.
  func endUnstarted(_ request: FileRequest, _ handle: ItemHandle, _ result: Outcome.Result) {
    tellUnstarted(request, result)
    ended(request, handle, result)
  }

  func tellUnstarted(_ request: FileRequest, _ result: Outcome.Result) {
    var outcome = Outcome(
      task: request.task, name: request.target.name, location: request.mirrors[0].location, result: result,
      byteCount: 0, received: ReceivedBytes(), status: nil, verified: nil, elapsed: .zero, source: request.source)
    outcome.mirrors = request.mirrors
    outcome.hook = request.settings?.hook(after: result)
    tellEnd(outcome)
  }

  func tellEnd(_ item: ActiveItem, _ result: Outcome.Result, byteCount: Int64) {
    tellEnd(outcome(of: item, result, byteCount: byteCount))
    ended(item.request, item.handle, result)
  }

  /// Tells the queue of the end of a task, which is done with.
  private func ended(_ request: FileRequest, _ handle: ItemHandle, _ result: Outcome.Result) {
    state.gate.sources.ended(request.task)
    // It may be done again, under the name that it has now.
    if state.settledLimit > 0 { state.requests.takeBack(request) }
    switch result {
    case .downloaded, .kept: state.queue.ended(handle, .succeeded)
    case .failed: state.queue.ended(handle, .failed)
    case .withdrawn, .unfinished: state.queue.ended(handle, .withdrawn)
    }
    if state.settledLimit == 0 { state.requests.forget(request.task) }
    state.end.hasTooManyFailures = state.queue.ends.hasTooManyFailures
  }

  /// What is to be told of an item that ends. The machine still knows it.
  func outcome(of item: ActiveItem, _ result: Outcome.Result, byteCount: Int64) -> Outcome {
    var verified = item.content.verified
    var status = item.traffic.lastAnswer?.status
    if case .failed(let error) = result {
      verified = nil
      status = error.status(lastAnswer: status)
    }
    var outcome = Outcome(
      task: item.task, name: item.name, location: item.url, result: result, byteCount: byteCount,
      received: item.traffic.received, status: status, verified: verified, elapsed: state.now - item.startedAt,
      source: item.request.source)
    outcome.mirrors = item.request.mirrors
    outcome.transfers.retryCount = state.machine.retryCount(of: item.handle)
    switch result {
    case .downloaded: outcome.transfers.servedBy = state.machine.source(of: item.handle)
    case .failed, .withdrawn, .unfinished: outcome.transfers.servedBy = item.traffic.lastAnswer?.location
    case .kept: break
    }
    outcome.hook = item.request.settings?.hook(after: result)
    if !state.settings.target.recordedAlgorithms.isEmpty || outcome.hook != nil {
      outcome.record = item.content.record ?? ContentRecord()
    }
    outcome.transfers.lastAnswer = item.traffic.lastAnswer
    outcome.transfers.linkedMirrors = item.linkedMirrors
    return outcome
  }

  /// What is to be told of an item that the end of the run leaves, when all threads have ended: with what the writer has
  /// written and recorded since.
  ///
  /// - Parameter isWritten: whether the writer is done with it.
  func savedOutcome(of item: ActiveItem, isWritten: Bool) -> Outcome {
    var saved = state.machine.done(of: item.handle)
    if isWritten { for range in item.storage?.keptPromises.ranges ?? [] { saved.insert(range) } }
    return outcome(of: item, .unfinished, byteCount: saved.byteCount)
  }

  /// Tasks whose files a job has, when the jobs are not waited for any more.
  var unreleased: Set<TaskID> {
    let busy = state.items.values.filter { item in
      state.machine.isPublishing(item.handle) || item.storage?.records.sync?.isUnderWay ?? false
    }
    return Set(busy.map(\.task)).union(releases.tasks)
  }

  /// Counts and tells the end of an item: once for each.
  private func tellEnd(_ outcome: Outcome) {
    state.meter.ended(outcome.result, byteCount: outcome.byteCount)
    switch outcome.result {
    case .downloaded, .kept, .withdrawn(.removed), .unfinished: break
    case .failed(let error): state.end.failureCodes.insert(error.code)
    case .withdrawn(.cancelled): state.end.failureCodes.insert(.interrupted)
    }
    state.tell(.ended(outcome))
  }

  // MARK: Files

  func forget(_ item: ActiveItem) {
    for transfer in transferRunner.transfers.of(item) { transferRunner.drop(transfer) }
    item.storage?.hashes.forget(item.handle)
    switch state.machine.phase(of: item.handle) {
    case .checking: state.workers.hasher(of: item.handle).post(.forget(item.handle))
    case .judging: state.gate.forget(item.handle)
    default: break
    }
    if item.question.isAsking { state.gate.forget(item.handle) }
    remove(item)
  }

  /// Removes an item that has ended and has no transfers.
  func remove(_ item: ActiveItem) {
    if case .stream(let output) = item.destination { transferRunner.loop.unwatch(output.outlet.descriptor) }
    release(item)
    state.items[item.handle] = nil
    state.machine.forget(item.handle)
    transferRunner.rates.forget(item.handle)
    state.place.space.release(item.handle)
  }

  /// Has the storage thread close the item's files. The task may begin again when that is done.
  func release(_ item: ActiveItem) {
    guard let storage = item.storage else { return }
    item.storage = nil
    releases.began(item.task)
    storage.release(item.task)
  }

  func released(_ task: TaskID) {
    state.workers.tellRelease()
    if releases.ended(task) { state.queue.endWait(of: task, for: .ownFiles) }
  }
}
