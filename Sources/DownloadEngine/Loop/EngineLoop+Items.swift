internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Ends items, and tells their outcomes.
extension EngineLoop {
  // MARK: Ends

  /// Keeps the existing target and removes what an earlier run had begun to replace it with.
  func keep(_ item: ActiveItem) {
    if let storage = item.storage, storage.sidecar != nil {
      storage.removeLater()
    } else {
      removeLeftovers(beside: item)
    }
    report(item, .kept, byteCount: item.existing.size)
    forget(item)
  }

  func fail(_ item: ActiveItem, _ error: Failure) {
    var error = error
    if case .file(let target) = item.destination { error = StorageErrors.blamed(error, at: target) }
    if let remark = obstacleOfOtherRun(error, to: item) {
      if !endsWhenIdle { return wait(item, .otherRun, remark, until: now + LockedTargets.longestInterval) }
      if lockedTargets.mayWait(item.task, hasAppeared: remark == .targetAppeared, now: now) {
        return wait(item, .otherRun, remark, until: .distantFuture)
      }
    }
    if error.isOfSpace, !endsWhenIdle, case .file = item.destination {
      recordNow(item)
      return wait(item, .fullDisk, .failed(error), until: now + SpaceAccount.recheckInterval)
    }
    let done = machine.done(of: item.handle)
    // An item with nothing to resume from leaves no files.
    if done.isEmpty { item.storage?.removeAll() } else { recordNow(item) }
    if gate.mayRenew(after: error), case .file = item.destination,
      sources.mayRenew(item.task, after: error, doneByteCount: done.byteCount)
    {
      return takeBack(item)
    }
    report(item, .failed(error), byteCount: done.byteCount)
    forget(item)
    if error.code == .diskFull {
      switch item.destination {
      case .file(let target): stopItems(onFileSystemOf: target.directory, error)
      case .stream: place.space.filled(nil, error)
      }
    }
  }

  /// The item leaves with what it has, and its task waits.
  private func wait(_ item: ActiveItem, _ reason: WaitReason, _ remark: Remark, until: Instant) {
    notice(item, .detail, remark)
    takeBack(item, until: until, for: reason)
  }

  /// The item leaves with what it has. Its task is queued again, or waits until then.
  func takeBack(_ item: ActiveItem, until: Instant? = nil, for reason: WaitReason = .time) {
    requests.takeBack(item.request)
    forget(item)
    // An earlier listing has neither the part file nor what other runs make meanwhile.
    place.forgetListings()
    queue.returned(item.handle, until: until, for: reason)
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

  func failUnstarted(_ request: FileRequest, _ handle: ItemHandle, _ error: Failure) {
    if error.code == .diskFull, !endsWhenIdle {
      tell(
        .noticed(Notice(task: request.task, name: request.target.name, level: .detail, .failed(error))))
      return queue.returned(handle, until: now + SpaceAccount.recheckInterval, for: .fullDisk)
    }
    endUnstarted(request, handle, .failed(error))
    // Its directory could not be made, below that of the run.
    if error.code == .diskFull { stopItems(onFileSystemOf: place.root.base, error) }
  }

  /// Ends a request for which there is no item yet.
  func endUnstarted(_ request: FileRequest, _ handle: ItemHandle, _ result: Outcome.Result) {
    reportUnstarted(request, result)
    ended(request, handle, result)
  }

  func reportUnstarted(_ request: FileRequest, _ result: Outcome.Result) {
    var outcome = Outcome(
      task: request.task, name: request.target.name, location: request.mirrors[0].location, result: result,
      byteCount: 0, received: ReceivedBytes(), status: nil, verified: nil, elapsed: .zero, source: request.source)
    outcome.mirrors = request.mirrors
    outcome.hook = request.settings?.hook(after: result)
    report(outcome)
  }

  func report(_ item: ActiveItem, _ result: Outcome.Result, byteCount: Int64) {
    report(outcome(of: item, result, byteCount: byteCount))
    ended(item.request, item.handle, result)
  }

  /// Tells the queue of the end of a task, which is done with.
  private func ended(_ request: FileRequest, _ handle: ItemHandle, _ result: Outcome.Result) {
    sources.ended(request.task)
    // It may be done again, under the name that it has now.
    if settledLimit > 0 { requests.takeBack(request) }
    switch result {
    case .downloaded, .kept: queue.ended(handle, .succeeded)
    case .failed: queue.ended(handle, .failed)
    case .withdrawn, .unfinished: queue.ended(handle, .withdrawn)
    }
    if settledLimit == 0 { requests.forget(request.task) }
    end.hasTooManyFailures = queue.hasTooManyFailures
  }

  /// The run ends without the task, which has not begun.
  func leave(_ request: FileRequest, _ handle: ItemHandle) {
    if left.count < Self.mostNamed { left.append(request) }
    leave(request.task, handle)
  }

  func leave(_ task: TaskID, _ handle: ItemHandle) {
    queue.left(handle)
    requests.forget(task)
  }

  /// What is to be told of an item that ends. The machine still knows it.
  func outcome(of item: ActiveItem, _ result: Outcome.Result, byteCount: Int64) -> Outcome {
    var verified = item.verified
    var status = item.lastAnswer?.status
    if case .failed(let error) = result {
      verified = nil
      status = error.status(lastAnswer: status)
    }
    var outcome = Outcome(
      task: item.task, name: item.name, location: item.url, result: result, byteCount: byteCount,
      received: item.received, status: status, verified: verified, elapsed: now - item.startedAt,
      source: item.request.source)
    outcome.mirrors = item.request.mirrors
    outcome.transfers.retryCount = machine.retryCount(of: item.handle)
    switch result {
    case .downloaded: outcome.transfers.servedBy = machine.source(of: item.handle)
    case .failed, .withdrawn, .unfinished: outcome.transfers.servedBy = item.lastAnswer?.location
    case .kept: break
    }
    outcome.hook = item.request.settings?.hook(after: result)
    if !settings.target.recordedAlgorithms.isEmpty || outcome.hook != nil {
      outcome.record = item.record ?? ContentRecord()
    }
    outcome.transfers.lastAnswer = item.lastAnswer
    outcome.transfers.linkedMirrors = item.linkedMirrors
    return outcome
  }

  /// What is to be told of an item that is left unfinished. The machine still knows it.
  func unfinishedOutcome(of item: ActiveItem) -> Outcome {
    outcome(of: item, .unfinished, byteCount: machine.done(of: item.handle).byteCount)
  }

  /// What is to be told of an item that the end of the run leaves, when all threads have ended: with what the writer has
  /// written and recorded since.
  func savedOutcome(of item: ActiveItem) -> Outcome {
    var saved = machine.done(of: item.handle)
    for range in item.storage?.keptPromises.ranges ?? [] { saved.insert(range) }
    return outcome(of: item, .unfinished, byteCount: saved.byteCount)
  }

  /// Counts and tells the end of an item: once for each.
  private func report(_ outcome: Outcome) {
    meter.ended(outcome.result, byteCount: outcome.byteCount)
    switch outcome.result {
    case .downloaded, .kept, .withdrawn(.removed), .unfinished: break
    case .failed(let error): end.failureCodes.insert(error.code)
    case .withdrawn(.cancelled): end.failureCodes.insert(.interrupted)
    }
    tell(.ended(outcome))
  }

  func forget(_ item: ActiveItem) {
    for transfer in transfers.of(item) { drop(transfer) }
    item.storage?.hashes.forget(item.handle)
    switch machine.phase(of: item.handle) {
    case .checking: workers.hasher(of: item.handle).post(.forget(item.handle))
    case .judging: gate.forget(item.handle)
    default: break
    }
    if item.isAsking { gate.forget(item.handle) }
    remove(item)
  }

  /// Removes an item that has ended and has no transfers.
  func remove(_ item: ActiveItem) {
    if case .stream(let output) = item.destination { loop.unwatch(output.outlet.descriptor) }
    release(item)
    items[item.handle] = nil
    machine.forget(item.handle)
    rates.forget(item.handle)
    place.space.release(item.handle)
  }

  func notice(_ item: ActiveItem?, _ level: Notice.Level, _ remark: Remark) {
    tell(.noticed(Notice(task: item?.task, name: item?.name, level: level, remark)))
  }
}
