internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Begins items: what stands in their places decides how, and what an earlier run has left.
///
/// Whether a task was withdrawn meanwhile, whether its file system is full, and whether its name is still free is asked
/// here only.
extension EngineLoop {
  func begin(_ request: FileRequest, _ handle: ItemHandle) {
    if waitsForRelease(request.task, handle) { return }
    guard gate.asks(.source) else { return beginSourced(request, handle) }
    let file = UnbegunFile(request: request, refusal: sources.refusal(of: request.task))
    if let decision = gate.ask(.source(file), of: handle, now: now) {
      begin(request, handle, from: decision)
    } else {
      sources.await(handle, request)
    }
  }

  /// Begins a request when it is decided from where.
  func begin(_ request: FileRequest, _ handle: ItemHandle, from decision: EngineDecision) {
    switch decision {
    case .use(let new):
      requests.use(new)
      beginSourced(new, handle)
    case .accepted, .named: beginSourced(request, handle)
    case .rejected(let error), .undecided(let error), .unanswered(let error): failUnstarted(request, handle, error)
    }
  }

  private func beginSourced(_ request: FileRequest, _ handle: ItemHandle) {
    do throws(Failure) {
      if settings.asksOnly { return try beginProbe(request, handle) }
      if request.isNamedByAnswer { takesNames = true }
      if takesNames, !request.isNamedByAnswer { try reserve(request.target.name, for: request.task) }
      begin(request, handle, try inspector.look(at: request, handle, now: now))
    } catch {
      failUnstarted(request, handle, error)
    }
  }

  /// Begins a request whose content nobody wants.
  private func beginProbe(_ request: FileRequest, _ handle: ItemHandle) throws(Failure) {
    let output = try place.discardingOutput()
    start(ActiveItem(handle, request, destination: .stream(output), existing: .absent, now: now), .probe(.head))
  }

  func inspected(_ results: [Inspected]) {
    inspector.returned(results.map(\.0.item))
    guard !endsEarly else { return }
    for (inspection, result) in results where queue.task(of: inspection.item) != nil {
      // A command may have changed it.
      let request = requests[inspection.request.task] ?? inspection.request
      do throws(Failure) {
        begin(request, inspection.item, try TargetInspector.finding(inspection, result))
      } catch {
        failUnstarted(request, inspection.item, error)
      }
    }
  }

  private func begin(_ request: FileRequest, _ handle: ItemHandle, _ finding: TargetInspector.Finding) {
    guard case .target(let destination, let existing) = finding else { return }
    if isJudged(request), case .stream = destination {
      return failUnstarted(request, handle, Failure(.streamUnjudged))
    }
    let item = ActiveItem(handle, request, destination: destination, existing: existing, now: now)
    let decision = ExistingTargetPolicy.decision(
      on: existing.found(for: request, urlHash: item.urlHash, settings.target), for: request, settings: settings.target
    ).protecting(request, isMarked: existing.isMarked)
    if decision.needsSpace, case .file(let target) = destination {
      if place.space.isFull(at: target) { return leave(request, handle) }
      item.hasRejected = place.holdRejected(of: target, now: now)
    }
    if decision.asksServers, !mayTakePlace(handle) {
      return awaitingPlaces.append(
        (handle, { [unowned self] in begin(requests[request.task] ?? request, handle, finding) }))
    }
    switch decision {
    case .keep:
      removeLeftovers(beside: item)
      item.verified = existing.vouchedDigest(of: request, settings.target)
      if place.finished != nil, case .regular(let file) = existing {
        note(file.finished, of: item, isKnown: file.noted != nil)
      }
      report(item, .kept, byteCount: existing.size)
    case .refuse(let error): failUnstarted(request, handle, error)
    case .hash(let mayReplace):
      guard case .file(let target) = destination else { return }
      item.isReplacing = mayReplace
      item.completeLength = existing.size
      start(item, .check)
      workers.hasher(of: handle).post(
        .existing(
          handle, place.existingTarget(of: request, at: target),
          expected: request.digests.map { ExpectedDigest($0, .given) },
          attributes(of: item), pieces: request.pieces))
    case .compareLength(var copy):
      if copy.mark == .ofOtherURL, case .file(let target) = destination {
        copy.entityTag = ExistingTarget.entityTag(of: place.existingTarget(of: request, at: target))
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

  /// The existing file is not the expected one: it is to be replaced.
  func replace(_ item: ActiveItem) {
    guard mayTakePlace(item.handle) else {
      return awaitingPlaces.append(
        (
          item.handle,
          { [unowned self, item] in
            if items[item.handle] === item { startOrResume(item) }
          }
        ))
    }
    startOrResume(item)
  }

  /// Lends the place of an item that waits for long to a task that may begin.
  ///
  /// - Parameter isReadingOn: is set if more of the source is to be read for that.
  /// - Returns: whether there was one.
  func lendPlace(_ isReadingOn: inout Bool) throws(Failure) -> Bool {
    guard lentPlaces.hasCandidates else { return false }
    isReadingOn = try requests.readAhead(&queue) { [now] in machine.isAnswering($0, now: now) }
    return !isReadingOn && lentPlaces.lend(besides: smallFiles.unnamedCount, &queue, &machine, now: now)
  }

  /// Has items go on that have lent their places.
  func giveBackPlaces() {
    var actions: [RunAction] = []
    lentPlaces.giveBack(besides: smallFiles.unnamedCount, &queue, &machine, now: now, &actions)
    perform(actions)
  }

  /// No more begins for now.
  func endAdding() {
    inspector.handOver()
    beginPlaced(afterQueued: false)
  }

  /// Begins items for which there are places now, in the order of work.
  ///
  /// - Parameter afterQueued: whether what is still queued comes first if it comes before them in that order.
  func beginPlaced(afterQueued: Bool) {
    guard !awaitingPlaces.isEmpty, queue.hasFreePlace(besides: smallFiles.unnamedCount) else { return }
    let waiting = queue.inOrder(awaitingPlaces, by: \.item)
    awaitingPlaces = []
    for (index, entry) in waiting.enumerated() {
      guard queue.hasFreePlace(besides: smallFiles.unnamedCount) else {
        awaitingPlaces += waiting[index...]
        break
      }
      if mayTakePlace(entry.item), !afterQueued || !queue.hasQueued(before: entry.item) {
        entry.begin()
      } else {
        awaitingPlaces.append(entry)
      }
    }
  }

  /// Whether the item may have a place now: one is left when those have theirs that come before it.
  private func mayTakePlace(_ item: ItemHandle) -> Bool {
    let others = awaitingPlaces.lazy.map(\.item)
    return queue.mayTakePlace(item, after: inspector.items, others, besides: smallFiles.unnamedCount)
  }

  /// Has the storage thread remove what a run that was killed between the rename and its end leaves beside the finished
  /// file, whose name is on stable storage since the inspection. Files of others are left alone.
  func removeLeftovers(beside item: ActiveItem) {
    guard case .file(let target) = item.destination, settings.target.ifExists(for: item.request) != .keep,
      place.holdLeftovers(of: target, now: now)
    else { return }
    do {
      guard let sidecar = try SidecarFile.openExisting(target) else { return }
      workers.storage(of: target.directory).post(.remove(sidecar))
    } catch {
      if case .foreign(let file) = error { notice(item, .detail, .foreignFileLeftAlone(file)) }
    }
  }

  /// Starts the download, or resumes it from the sidecar and part file of an earlier run.
  ///
  /// - Parameter otherwise: how it begins if there is nothing to resume.
  func startOrResume(_ item: ActiveItem, otherwise: FileMachine.Beginning = .fresh) {
    // One that the answer names has no place yet in which something could be left.
    guard case .file(let target) = item.destination, !item.request.isNamedByAnswer,
      place.holdLeftovers(of: target, now: now)
    else { return start(item, otherwise) }
    let storage = storage(of: item, at: target)
    do { try storage.open() } catch { return fail(item, error) }
    guard let sidecar = storage.sidecar else { return start(item, otherwise) }
    do throws(PartOpenError) {
      let found: SidecarReading.Outcome
      do { found = try sidecar.load() } catch { throw .systemCall(error) }
      switch found {
      case .empty: break
      case .unusable(let reason): notice(item, .note, .sidecarIgnored(reason))
      case .record(let record):
        if item.request.isNamedByNetwork, !record.isOf(item.mirrors + [item.request.originalURL]) {
          return fail(item, Failure(.targetTaken(by: .otherPart)))
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
  func storage(of item: ActiveItem, at target: TargetPlace) -> ItemStorage {
    if let storage = item.storage { return storage }
    let storage = ItemStorage(
      item: item.handle, url: item.request.originalURL, mirrors: item.mirrors, at: target, workers: workers,
      syncs: settings.target.syncs, isNew: item.existing == .absent, now: now)
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
      let hasMore: Bool
      do { hasMore = try part.size > kept.partEnd } catch { throw .systemCall(error) }
      storage.resume(
        part, synced: record.synced, done: kept.done, mirror: kept.mirror, cutTo: hasMore ? kept.partEnd : nil,
        isOfOtherURL: kept.isOfOtherURL)
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
    if beginning != .check {
      item.group = queue.takePlace(item.handle)
      if !request.isNamedByAnswer { tell(.started(request.task, name: item.name, location: item.url)) }
    }
    if item.maxTime(settings.limits) != nil { limitsTimes = true }
    if let rate = request.settings?.limitRate { rates.limit(.one(.file(item.handle)), to: rate, now: now) }
    var pieces = request.pieces
    if case .stream(let output) = item.destination {
      // A stream's pieces are verified before they are written out.
      output.verify(pieces)
      pieces = nil
    }
    let file = FileMachine(
      item: item.handle, mirrors: request.mirrors.map(\.location), digests: request.digests,
      expectedLength: request.expectedLength, pieces: pieces, name: Self.name(of: item),
      settings: fileSettings(of: item), beginning: beginning, now: now)
    var actions: [RunAction] = []
    machine.add(file, group: item.group, priority: request.priority, now: now, &actions)
    // Bytes of an earlier run are hashed from the disk.
    follow(item)
    perform(actions)
    guard case .resume(let known, _, _, _, _, _) = beginning, case .file(let target) = item.destination,
      let length = known.completeLength, let error = claimSpace(for: length, of: item, at: target)
    else { return }
    storageFailed(item, error)
  }

  /// The file's name; of a stream that of its URL.
  private static func name(of item: ActiveItem) -> [UInt8] {
    if case .file(let target) = item.destination { return target.name }
    return Array(item.url.path.utf8.split(separator: UInt8(ascii: "/")).last ?? [])
  }
}
