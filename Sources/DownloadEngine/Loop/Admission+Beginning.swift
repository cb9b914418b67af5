internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// How an item begins: what stands in its place decides, and what an earlier run has left.
extension Admission {
  func begin(_ request: FileRequest, _ handle: ItemHandle) {
    if waitsForRelease(request.task, handle) { return }
    guard state.gate.asks(.source) else { return beginSourced(request, handle) }
    if let decision = state.gate.askSource(of: request, handle, now: state.now) {
      begin(request, handle, from: decision)
    }
  }

  /// Begins a request when it is decided from where.
  func begin(_ request: FileRequest, _ handle: ItemHandle, from decision: EngineDecision) {
    switch decision {
    case .use(let new):
      state.requests.use(new)
      beginSourced(new, handle)
    case .accepted, .named: beginSourced(request, handle)
    case .rejected(let error), .undecided(let error), .unanswered(let error):
      itemRunner.failUnstarted(request, handle, error)
    }
  }

  private func beginSourced(_ request: FileRequest, _ handle: ItemHandle) {
    do throws(Failure) {
      if state.settings.asksOnly { return try beginProbe(request, handle) }
      if request.isNamedByAnswer { takesNames = true }
      if takesNames, !request.isNamedByAnswer { try state.reserve(request.target.name, for: request.task) }
      begin(request, handle, try inspector.look(at: request, handle, now: state.now))
    } catch {
      itemRunner.failUnstarted(request, handle, error)
    }
  }

  /// Begins a request whose content nobody wants.
  private func beginProbe(_ request: FileRequest, _ handle: ItemHandle) throws(Failure) {
    let output = try state.place.discardingOutput()
    start(ActiveItem(handle, request, destination: .stream(output), existing: .absent, now: state.now), .probe(.head))
  }

  func inspected(_ results: [Inspected]) {
    inspector.returned(results.map(\.0.item))
    guard !state.endsEarly else { return }
    for (inspection, result) in results where state.queue.task(of: inspection.item) != nil {
      // A command may have changed it.
      let request = state.requests[inspection.request.task] ?? inspection.request
      do throws(Failure) {
        begin(request, inspection.item, try TargetInspector.finding(inspection, result))
      } catch {
        itemRunner.failUnstarted(request, inspection.item, error)
      }
    }
  }

  private func begin(_ request: FileRequest, _ handle: ItemHandle, _ finding: TargetInspector.Finding) {
    guard case .target(let destination, let existing) = finding else { return }
    if itemRunner.isJudged(request), case .stream = destination {
      return itemRunner.failUnstarted(request, handle, Failure(.streamUnjudged))
    }
    let item = ActiveItem(handle, request, destination: destination, existing: existing, now: state.now)
    let treatment = ExistingTargetPolicy.treatment(
      of: existing.found(for: request, urlHash: item.urlHash, state.settings.target), for: request,
      settings: state.settings.target
    ).protecting(request, isMarked: existing.isMarked)
    if treatment.needsSpace, case .file(let target) = destination {
      if state.place.space.isFull(at: target) { return leave(request, handle) }
      item.hasRejected = state.place.snapshot.hasRejected(of: target, now: state.now)
    }
    if treatment.asksServers, !mayTakePlace(handle) {
      return awaitingPlaces.append(
        (handle, { [unowned self] in begin(state.requests[request.task] ?? request, handle, finding) }))
    }
    switch treatment {
    case .keep:
      itemRunner.removeLeftovers(beside: item)
      item.content.verified = existing.vouchedDigest(of: request, state.settings.target)
      if state.place.finished != nil, case .regular(let file) = existing {
        itemRunner.note(file.finished, of: item, isKnown: file.noted != nil)
      }
      itemRunner.tellEnd(item, .kept, byteCount: existing.size)
    case .refuse(let error): itemRunner.failUnstarted(request, handle, error)
    case .hash(let mayReplace):
      guard case .file(let target) = destination else { return }
      item.isReplacing = mayReplace
      item.completeLength = existing.size
      start(item, .check)
      state.workers.hasher(of: handle).post(
        .existing(
          handle, state.place.existingTarget(of: request, at: target),
          expected: request.digests.map { ExpectedDigest($0, .given) },
          itemRunner.attributes(of: item), pieces: request.pieces))
    case .compareLength(var copy):
      if copy.mark == .ofOtherURL, case .file(let target) = destination {
        copy.entityTag = ExistingTarget.entityTag(of: state.place.existingTarget(of: request, at: target))
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

  /// Starts the download, or resumes it from the sidecar and part file of an earlier run.
  ///
  /// - Parameter otherwise: how it begins if there is nothing to resume.
  func startOrResume(_ item: ActiveItem, otherwise: FileMachine.Beginning = .fresh) {
    // One that the answer names has no place yet in which something could be left.
    guard case .file(let target) = item.destination, !item.request.isNamedByAnswer,
      state.place.snapshot.hasLeftovers(of: target, now: state.now)
    else { return start(item, otherwise) }
    let storage = itemRunner.storage(of: item, at: target)
    do { try storage.open() } catch { return itemRunner.fail(item, error) }
    guard let sidecar = storage.sidecar else { return start(item, otherwise) }
    do throws(PartOpenError) {
      let found: SidecarReading.Outcome
      do { found = try sidecar.load() } catch { throw .systemCall(error) }
      switch found {
      case .empty: break
      case .unusable(let reason): state.notice(item, .note, .sidecarIgnored(reason))
      case .record(let record):
        if item.request.isNamedByNetwork, !record.isOf(item.mirrors + [item.request.originalURL]) {
          return itemRunner.fail(item, Failure(.targetTaken(by: .otherPart)))
        }
        if let beginning = try resumed(item, storage, record) { return start(item, beginning) }
      }
      // An update creates no part file before the server has sent another version.
      if case .fresh = otherwise {
        do { try storage.create(state.machine.knowledge(of: item.handle)) } catch {
          return itemRunner.fail(item, error)
        }
      }
      start(item, otherwise)
    } catch {
      itemRunner.fail(item, StorageErrors.opening(error))
    }
  }

  /// Decides what an earlier run's record and part file are worth.
  ///
  /// - Returns: nil if there is nothing to resume.
  private func resumed(
    _ item: ActiveItem, _ storage: ItemStorage, _ record: SidecarRecord
  ) throws(PartOpenError) -> FileMachine.Beginning? {
    var part: PartFile?
    let assessment = try LeftoverPolicy.assess(record, item.request, state.settings) { () throws(PartOpenError) in
      part = try PartFile.openExisting(storage.place)
      return try part?.asLeft()
    }
    switch assessment {
    case .nothing: return nil
    case .startOver(let level, let remark):
      state.notice(item, level, remark)
      return nil
    case .resume(let kept):
      guard let part else { return nil }
      let hasMore: Bool
      do { hasMore = try part.size > kept.partEnd } catch { throw .systemCall(error) }
      storage.resume(
        part, synced: record.synced, done: kept.done, mirror: kept.mirror, cutTo: hasMore ? kept.partEnd : nil,
        isOfOtherURL: kept.isOfOtherURL)
      item.completeLength = kept.representation.completeLength
      state.notice(item, .detail, .goingOn(after: kept.done.byteCount))
      return .resume(
        kept.representation, done: kept.done, mirror: kept.mirror, expectedDigests: kept.expectedDigests,
        isETagReliable: kept.isETagReliable, isOfOtherURL: kept.isOfOtherURL)
    }
  }

  func start(_ item: ActiveItem, _ beginning: FileMachine.Beginning) {
    let request = item.request
    state.items[item.handle] = item
    if beginning != .check {
      item.group = state.queue.takePlace(item.handle)
      if !request.isNamedByAnswer { state.tell(.started(request.task, name: item.name, location: item.url)) }
    }
    if item.maxTime(state.settings.limits) != nil { itemRunner.limitsTimes = true }
    if let rate = request.settings?.limitRate {
      transferRunner.rates.limit(.one(.file(item.handle)), to: rate, now: state.now)
    }
    var pieces = request.pieces
    if case .stream(let output) = item.destination {
      // A stream's pieces are verified before they are written out.
      output.verify(pieces)
      pieces = nil
    }
    let file = FileMachine(
      item: item.handle, mirrors: request.mirrors.map(\.location), digests: request.digests,
      expectedLength: request.expectedLength, pieces: pieces, name: Self.name(of: item),
      settings: itemRunner.fileSettings(of: item), beginning: beginning, now: state.now)
    var actions: [RunAction] = []
    state.machine.add(file, group: item.group, priority: request.priority, now: state.now, &actions)
    // Bytes of an earlier run are hashed from the disk.
    itemRunner.follow(item)
    state.performer.perform(actions)
    guard case .resume(let known, _, _, _, _, _) = beginning, case .file(let target) = item.destination,
      let length = known.completeLength, let error = itemRunner.claimSpace(for: length, of: item, at: target)
    else { return }
    itemRunner.storageFailed(item, error)
  }

  /// The file's name; of a stream that of its URL.
  private static func name(of item: ActiveItem) -> [UInt8] {
    if case .file(let target) = item.destination { return target.name }
    return Array(item.url.path.utf8.split(separator: UInt8(ascii: "/")).last ?? [])
  }
}
