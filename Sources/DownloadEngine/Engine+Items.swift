internal import DownloadCore
internal import FileStore
internal import Transport

/// Begins and ends items: existing targets, resuming, outcomes.
extension Engine {
  func begin(_ request: DownloadRequest, _ handle: ItemHandle) {
    if waitsForRelease(request.task, handle) { return }
    do throws(DownloadError) {
      if settings.asksOnly { return try beginProbe(request, handle) }
      if settings.target.takesSuggestedNames, try beginUnnamed(request, handle) { return }
      begin(request, handle, try inspector.look(at: request, handle, now: now))
    } catch {
      failUnstarted(request, handle, error)
    }
  }

  func inspected(_ results: [Inspected]) {
    inspector.returned(count: results.count)
    guard !endsEarly else { return inspector.leave(results) }
    // A command may have taken some back.
    for (inspection, result) in results where queue.task(of: inspection.item) != nil {
      do throws(DownloadError) {
        begin(inspection.request, inspection.item, try TargetInspector.finding(inspection, result))
      } catch {
        failUnstarted(inspection.request, inspection.item, error)
      }
    }
  }

  private func begin(_ request: DownloadRequest, _ handle: ItemHandle, _ finding: TargetInspector.Finding) {
    guard case .target(let destination, let existing) = finding else { return }
    if judge != nil, case .stream = destination {
      return failUnstarted(request, handle, DownloadError(.streamUnjudged))
    }
    let item = ActiveItem(handle, request, destination: destination, existing: existing, now: now)
    let decision = ExistingTargetPolicy.decision(
      on: existing.found(for: request, urlHash: item.urlHash, settings), for: request, settings: settings
    ).protecting(request, isMarked: existing.isMarked)
    if decision.needsSpace, case .file(let place) = destination {
      if inspector.fullFileSystems.contains(place) { return leave(request, handle) }
      item.hasRejected = inspector.holdRejected(of: place, now: now)
    }
    switch decision {
    case .keep:
      if let error = removeLeftovers(beside: item) { return failUnstarted(request, handle, error) }
      item.verified = existing.vouchedDigest(of: request, settings)
      if finished != nil, case .regular(let file) = existing {
        note(file.finished, of: item, isKnown: file.noted != nil)
      }
      report(item, .kept, byteCount: existing.size)
    case .refuse(let error): failUnstarted(request, handle, error)
    case .hash(let mayReplace):
      guard case .file(let place) = destination else { return }
      item.isReplacing = mayReplace
      item.completeLength = existing.size
      start(item, .check)
      workers.hasher(of: handle).post(
        .existing(
          handle, inspector.existingPlace(of: request, at: place),
          expected: request.digests.map { ExpectedDigest($0, .given) },
          attributes(of: item), pieces: request.pieces))
    case .compareLength(var copy):
      if copy.mark == .ofOtherURL, case .file(let place) = destination {
        copy.entityTag = ExistingTarget.entityTag(of: inspector.existingPlace(of: request, at: place))
      }
      start(item, .compareLength(copy))
    case .update(let copy):
      item.isReplacing = true
      startOrResume(item, otherwise: .update(copy))
    case .download(let isReplacing):
      item.isReplacing = isReplacing
      startOrResume(item)
    }
  }

  /// A run that was killed between the rename and its end leaves a sidecar beside the finished file, whose name may not
  /// be on stable storage yet. Files of others are left alone.
  ///
  /// - Returns: an error if the directory cannot be synced.
  func removeLeftovers(beside item: ActiveItem) -> DownloadError? {
    guard case .file(let place) = item.destination, settings.target.ifExists != .keep,
      inspector.holdLeftovers(of: place, now: now)
    else { return nil }
    let found: SidecarFile?
    do {
      found = try SidecarFile.openExisting(place)
    } catch {
      if case .foreign(let file) = error {
        notice(item, .detail, .foreignFileLeftAlone(file))
      }
      return nil
    }
    guard let sidecar = found else { return nil }
    do {
      if settings.target.syncs { try place.directory.sync() }
    } catch {
      return StorageErrors.publishing(.directorySync(error))
    }
    sidecar.removeWithPart()
    return nil
  }

  /// Starts the download, or resumes it from the sidecar and part file of an earlier run.
  ///
  /// - Parameter otherwise: how it begins if there is nothing to resume.
  func startOrResume(_ item: ActiveItem, otherwise: FileMachine.Beginning = .fresh) {
    guard case .file(let place) = item.destination, inspector.holdLeftovers(of: place, now: now) else {
      return start(item, otherwise)
    }
    let storage = storage(of: item, at: place)
    do { try storage.open() } catch { return fail(item, error) }
    guard let sidecar = storage.sidecar else { return start(item, otherwise) }
    do throws(PartOpenError) {
      let found: SidecarReading.Outcome
      do { found = try sidecar.load() } catch { throw .systemCall(error) }
      switch found {
      case .empty: break
      case .unusable(let reason): notice(item, .note, .sidecarIgnored(reason))
      case .record(let record):
        if item.request.isNamedByNetwork, !record.isOf(item.mirrors) {
          return fail(item, DownloadError(.targetTaken(by: .otherPart)))
        }
        if let beginning = try resumed(item, storage, record) { return start(item, beginning) }
      }
      // An update creates no part file before the server has sent another version.
      if case .fresh = otherwise {
        do { try storage.create(machine.knowledge(of: item.handle)) } catch { return fail(item, error) }
      }
      start(item, otherwise)
    } catch {
      fail(item, StorageErrors.opening(error))
    }
  }

  /// Returns the item's storage, and creates it on the first call.
  func storage(of item: ActiveItem, at place: TargetPlace) -> ItemStorage {
    if let storage = item.storage { return storage }
    let storage = ItemStorage(
      item: item.handle, mirrors: item.mirrors, at: place, workers: workers, syncs: settings.target.syncs,
      isNew: item.existing == .absent, now: now)
    item.storage = storage
    return storage
  }

  /// Decides what an earlier run's record and part file are worth.
  ///
  /// - Returns: nil if there is nothing to resume.
  private func resumed(
    _ item: ActiveItem, _ storage: ItemStorage, _ record: SidecarRecord
  ) throws(PartOpenError) -> FileMachine.Beginning? {
    var part: PartFile?
    let decision = try LeftoverPolicy.decision(record, item.request, settings) { () throws(PartOpenError) in
      part = try PartFile.openExisting(storage.place)
      return try part?.asLeft()
    }
    switch decision {
    case .nothing: return nil
    case .startOver(let level, let remark):
      notice(item, level, remark)
      return nil
    case .resume(let kept):
      guard let part else { return nil }
      do { if try part.size > kept.partEnd { try part.cut(to: kept.partEnd) } } catch { throw .systemCall(error) }
      storage.resume(
        part, synced: record.synced, done: kept.done, mirror: kept.mirror, isOfOtherURL: kept.isOfOtherURL)
      item.completeLength = kept.representation.completeLength
      notice(item, .detail, .goingOn(after: kept.done.byteCount))
      return .resume(
        kept.representation, done: kept.done, mirror: kept.mirror, expectedDigests: kept.expectedDigests,
        isETagReliable: kept.isETagReliable, isOfOtherURL: kept.isOfOtherURL)
    }
  }

  func start(_ item: ActiveItem, _ beginning: FileMachine.Beginning) {
    let request = item.request
    items[item.handle] = item
    let asksServers = beginning != .check
    if asksServers { queue.takePlace(item.handle) }
    var fileSettings = machine.fileSettings
    if settings.target.refusesCodings, !settings.asksOnly { fileSettings.nameForCodings = item.name }
    var pieces = request.pieces
    if case .stream(let output) = item.destination {
      fileSettings.maxConnections = 1
      fileSettings.canHashLate = false
      // A stream's pieces are verified before they are written out.
      output.verify(pieces)
      pieces = nil
    }
    let file = FileMachine(
      item: item.handle, mirrors: request.mirrors.map(\.location), digests: request.digests,
      expectedLength: request.expectedLength, pieces: pieces, name: Self.name(of: item), settings: fileSettings,
      beginning: beginning, now: now)
    var actions: [RunAction] = []
    if asksServers, !request.isNamedByAnswer {
      observer?.itemStarted(request.task, name: item.name, location: item.url)
    }
    machine.add(file, priority: request.priority, now: now, &actions)
    // Bytes of an earlier run are hashed from the disk.
    follow(item)
    perform(actions)
    guard case .resume(let known, _, _, _, _, _) = beginning, case .file(let place) = item.destination,
      let length = known.completeLength, let error = claimSpace(for: length, of: item, at: place)
    else { return }
    storageFailed(item, error)
  }

  /// The file's name; of a stream that of its URL.
  private static func name(of item: ActiveItem) -> [UInt8] {
    if case .file(let place) = item.destination { return place.name }
    return Array(item.url.path.utf8.split(separator: UInt8(ascii: "/")).last ?? [])
  }

  // MARK: Ends

  /// Keeps the existing target and removes what an earlier run had begun to replace it with.
  func keep(_ item: ActiveItem) {
    if let storage = item.storage, storage.sidecar != nil {
      storage.removeLeftovers()
    } else if let error = removeLeftovers(beside: item) {
      return fail(item, error)
    }
    report(item, .kept, byteCount: item.existing.size)
    forget(item)
  }

  func fail(_ item: ActiveItem, _ error: DownloadError) {
    var error = error
    if case .file(let place) = item.destination { error = StorageErrors.blamed(error, at: place) }
    if let remark = obstacleOfOtherRun(error, to: item),
      inspector.lockedTargets.mayWait(item.task, hasAppeared: remark == .targetAppeared, now: now)
    {
      notice(item, .detail, remark)
      forget(item)
      return queue.returned(item.handle, until: .distantFuture, for: .otherRun)
    }
    let done = machine.done(of: item.handle)
    // An item with nothing to resume from leaves no files.
    if done.isEmpty { item.storage?.removeAll() } else { recordNow(item) }
    report(item, .failed(error), byteCount: done.byteCount)
    forget(item)
    if error.code == .diskFull {
      switch item.destination {
      case .file(let place): stopItems(onFileSystemOf: place.directory, error)
      case .stream: inspector.fullFileSystems.add(nil, error)
      }
    }
  }

  /// What to tell of an error for which another run is the reason, so that the target is to be looked at again; nil for
  /// others.
  ///
  /// Small files have no lock, and large ones get theirs when it is known that they are large, so two runs of a list may
  /// fetch the same one. A target that this run held and lost, on a file system without locks, is left to the other.
  private func obstacleOfOtherRun(_ error: DownloadError, to item: ActiveItem) -> Remark? {
    switch error.cause {
    case .locked(let process) where item.storage?.part == nil: .heldElsewhere(process: process)
    case .targetTaken(by: .newFile) where item.storage?.part == nil: .targetAppeared
    default: nil
    }
  }

  func failUnstarted(_ request: DownloadRequest, _ handle: ItemHandle, _ error: DownloadError) {
    endUnstarted(request, handle, .failed(error))
    // Its directory could not be made, below that of the run.
    if error.code == .diskFull { stopItems(onFileSystemOf: inspector.base, error) }
  }

  /// Ends a request for which there is no item yet.
  func endUnstarted(_ request: DownloadRequest, _ handle: ItemHandle, _ result: Outcome.Result) {
    reportUnstarted(request, result)
    ended(request, handle, result)
  }

  func reportUnstarted(_ request: DownloadRequest, _ result: Outcome.Result) {
    var outcome = Outcome(
      task: request.task, name: request.target.name, location: request.mirrors[0].location, result: result,
      byteCount: 0, received: ReceivedBytes(), status: nil, verified: nil, elapsed: .zero, source: request.source)
    outcome.mirrors = request.mirrors
    report(outcome)
  }

  func report(_ item: ActiveItem, _ result: Outcome.Result, byteCount: Int64) {
    report(outcome(of: item, result, byteCount: byteCount))
    ended(item.request, item.handle, result)
  }

  /// Tells the queue of the end of a task, which is done with.
  private func ended(_ request: DownloadRequest, _ handle: ItemHandle, _ result: Outcome.Result) {
    switch result {
    case .downloaded, .kept: queue.ended(handle, .succeeded)
    case .failed: queue.ended(handle, .failed)
    case .withdrawn, .unfinished: queue.ended(handle, .withdrawn)
    }
    requests.forget(request.task)
    end.hasTooManyFailures = queue.hasTooManyFailures
  }

  /// The run ends without the task.
  func leave(_ request: DownloadRequest, _ handle: ItemHandle) {
    inspector.fullFileSystems.leave(request)
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
    if !settings.target.recordedAlgorithms.isEmpty { outcome.record = item.record ?? ContentRecord() }
    outcome.transfers.lastAnswer = item.lastAnswer
    outcome.transfers.linkedMirrors = item.linkedMirrors
    return outcome
  }

  /// What is to be told of an item that is left unfinished. The machine still knows it.
  func unfinishedOutcome(of item: ActiveItem) -> Outcome {
    outcome(of: item, .unfinished, byteCount: machine.done(of: item.handle).byteCount)
  }

  /// Counts and tells the end of an item: once for each.
  private func report(_ outcome: Outcome) {
    meter.ended(outcome.result, byteCount: outcome.byteCount)
    switch outcome.result {
    case .downloaded, .kept, .withdrawn(.removed), .unfinished: break
    case .failed(let error): end.failureCodes.insert(error.code)
    case .withdrawn(.cancelled): end.failureCodes.insert(.interrupted)
    }
    observer?.itemEnded(outcome)
  }

  func forget(_ item: ActiveItem) {
    for transfer in transfers.of(item) { drop(transfer) }
    item.storage?.hashes.forget(item.handle)
    switch machine.phase(of: item.handle) {
    case .checking: workers.hasher(of: item.handle).post(.forget(item.handle))
    case .judging: judge?.forget(item.handle)
    default: break
    }
    remove(item)
  }

  /// Removes an item that has ended and has no transfers.
  func remove(_ item: ActiveItem) {
    if case .stream(let output) = item.destination { loop.unwatch(output.outlet.descriptor) }
    items[item.handle] = nil
    machine.forget(item.handle)
    rates.forget(item.handle)
  }

  func notice(_ item: ActiveItem?, _ level: Notice.Level, _ remark: Remark) {
    observer?.noticed(Notice(task: item?.task, name: item?.name, level: level, remark))
  }
}
