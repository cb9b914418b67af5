internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Performs the machines' actions. Actions on libcurl's handles are deferred until no callback of libcurl is running.
extension EngineLoop {
  func perform(_ actions: [RunAction]) {
    for action in actions {
      switch action {
      case .start(let order): transfers.start(order)
      case .setEnd(let id, let end): transfers.setEnd(id, end)
      case .stop(let id):
        if let transfer = transfers[id] { drop(transfer) }
        transfers.cancelStart(id)
      case .discardContent(let handle):
        if let item = items[handle] { discardContent(of: item) }
      case .discardRange(let handle, let range):
        if let item = items[handle] { discard(range, of: item) }
      case .verify(let handle, let check):
        if let item = items[handle] { verify(check, of: item) }
      case .mirrorsJoin(let handle, let locations): items[handle]?.join(locations)
      case .adopt(let handle, let representation):
        if let item = items[handle] { adopt(representation, item) }
      case .conclude(let handle, let conclusion):
        if let item = items[handle] { conclude(item, conclusion) }
      case .judge(let handle, let conclusion):
        if let item = items[handle] { judge(item, conclusion) }
      case .publish(let handle, let conclusion):
        if let item = items[handle] { publish(item, conclusion) }
      case .keep(let handle):
        if let item = items[handle] { keep(item) }
      case .setAside(let handle):
        if let item = items[handle] { setAside(item) }
      case .fail(let handle, let error):
        if let item = items[handle] { fail(item, error) }
      case .notice(let handle, let level, let remark):
        notice(handle.flatMap { items[$0] }, level, remark)
      }
    }
  }

  /// Drops a transfer: nothing of it is stored from now on.
  func drop(_ transfer: Transfer) {
    report(transfer)
    transfers.drop(transfer)
  }

  /// Performs what was deferred until libcurl's callbacks had returned.
  func performPending() {
    separateTransfers()
    for transfer in transfers.takePassed() where !transfer.isDead {
      loop.stop(transfer.exchange)
      ended(transfer, .stopped)
    }
    for exchange in transfers.takeStops() { loop.stop(exchange) }
    beginRenamed()
    while true {
      let orders = transfers.takeStarts()
      if orders.isEmpty { return }
      for order in orders { startTransfer(order) }
    }
  }

  // MARK: Content

  private func adopt(_ representation: Representation, _ item: ActiveItem) {
    item.completeLength = representation.completeLength
    guard let length = representation.completeLength, case .file(let target) = item.destination else { return }
    if length > SegmentBuffer.byteCount, let error = claimSpace(for: length, of: item, at: target) {
      storageFailed(item, error)
    }
  }

  private func discardContent(of item: ActiveItem) {
    if case .stream(let output) = item.destination, output.byteCount > 0 {
      do throws(Failure) { try output.startOver() } catch { return storageFailed(item, error) }
    }
    item.forgetContent()
    place.space.release(item.handle)
    item.storage?.discardAll(machine.knowledge(of: item.handle))
  }

  func storageFailed(_ item: ActiveItem, _ error: Failure) {
    var actions: [RunAction] = []
    machine.storageFailed(item.handle, error, &actions)
    perform(actions)
  }

  /// Starts hashing the item's part file behind the writer, if a digest is expected or recorded.
  func follow(_ item: ActiveItem) {
    guard let storage = item.storage, let part = storage.part, !storage.hashes.isFollowing else { return }
    storage.hashes.follow(
      part,
      machine.expectedDigests(of: item.handle).algorithms(and: settings.target.computedAlgorithms(for: item.request)),
      of: item.handle,
      contiguousEnd: machine.contiguousEnd(of: item.handle))
  }

  // MARK: Conclusion

  private func conclude(_ item: ActiveItem, _ conclusion: Conclusion) {
    noteValidators(of: item)
    switch item.destination {
    case .stream(let output):
      concludeStream(item, output, conclusion)
    case .file(let target):
      if isJudged(item.request) {
        do throws(Failure) { try createPart(of: item, at: target) } catch { return storageFailed(item, error) }
      }
      if let storage = item.storage, let part = storage.part {
        let algorithms = conclusion.expected.algorithms(and: settings.target.computedAlgorithms(for: item.request))
        guard !algorithms.isEmpty else { return hashed(item, []) }
        storage.hashes.finish(part, algorithms, of: item.handle, completeLength: conclusion.completeLength)
      } else {
        item.isStaged = true
        machine.handedOver(item.handle)
        let body = item.body ?? .empty
        item.body = nil
        let file = SmallFile(place: target, body: body, order(conclusion, of: item))
        smallFiles.add(
          SmallJob(
            item: item.handle, file: file, expected: conclusion.expected,
            recorded: settings.target.computedAlgorithms(for: item.request)))
      }
    }
  }

  /// Begins the record of the content, if the settings ask for one. The machine forgets them with the item.
  private func noteValidators(of item: ActiveItem) {
    guard !settings.target.computedAlgorithms(for: item.request).isEmpty else { return }
    var record = ContentRecord()
    record.validators = machine.sourceValidators(of: item.handle)
    item.record = record
  }

  private func concludeStream(_ item: ActiveItem, _ output: StreamOutput, _ conclusion: Conclusion) {
    let computed: [ContentDigest]
    do { computed = try output.finish() } catch { return storageFailed(item, error) }
    machine.concluded(item.handle)
    switch Verdict(expected: conclusion.expected, computed: computed) {
    case .unverified: succeed(item, byteCount: conclusion.completeLength)
    case .verified(let digest):
      item.verified = digest
      succeed(item, byteCount: conclusion.completeLength)
    case .mismatch(let expected, let actual):
      fail(item, Failure(.outputMismatch(DigestMismatch(expected: expected.digest, actual: actual))))
    case .notComputed(let expected): fail(item, Failure(.digestUnavailable(expected.digest.algorithm)))
    }
  }

  /// The digests of the whole content have been computed.
  private func hashed(_ item: ActiveItem, _ computed: [ContentDigest]) {
    item.record?.digests = computed
    var actions: [RunAction] = []
    machine.hashed(item.handle, computed, now: now, &actions)
    perform(actions)
  }

  private func publish(_ item: ActiveItem, _ conclusion: Conclusion) {
    item.verified = conclusion.verified
    item.storage?.publish(byteCount: conclusion.completeLength, order(conclusion, of: item))
  }

  private func succeed(_ item: ActiveItem, byteCount: Int64) {
    machine.concluded(item.handle)
    if case .file(let target) = item.destination {
      if item.hasRejected { workers.storage(of: target.directory).post(.removeRejected(target)) }
      if settings.target.syncs, place.learnsOfMissingSync(at: target) { notice(nil, .note, .syncUnsupported) }
    }
    report(item, .downloaded, byteCount: byteCount)
    item.storage?.close()
    item.storage = nil
    remove(item)
  }

  /// Notes a finished file in the index of the list.
  ///
  /// - Parameter isKnown: whether the index has it.
  func note(_ file: FinishedFile?, of item: ActiveItem, isKnown: Bool = false) {
    guard let finished = place.finished, let file, case .listed = item.request.target,
      let record = FinishedFileRecord(name: item.name, file: file)
    else { return }
    finished.add(record, isKnown: isKnown)
  }

  private func setAside(_ item: ActiveItem) {
    guard case .file(let target) = item.destination else { return }
    let storage = storage(of: item, at: target)
    do throws(Failure) {
      if item.body != nil { try createPart(of: item, at: target) }
      guard let name = try storage.setAside() else { return }
      notice(item, .note, .setAside(as: name))
    } catch {
      notice(item, .warning, .failed(error))
    }
  }

  // MARK: Attributes

  func attributes(of item: ActiveItem) -> FileAttributes {
    // Without a mark the next run asks again.
    if machine.file(item.handle)?.machine.isDoubtful == true { return FileAttributes() }
    // The entity tag is recorded only for later runs with --timestamping, which send it as a condition.
    let entityTag =
      settings.target.timestamping(for: item.request)
      ? machine.knowledge(of: item.handle).validators.first.flatMap { $0?.entityTag } : nil
    return FileAttributes(
      originURL: item.url.withoutQuery, digest: item.verified, urlHash: item.urlHash, entityTag: entityTag)
  }

  private func order(_ conclusion: Conclusion, of item: ActiveItem) -> PublishOrder {
    let modified = settings.target.keepsRemoteTime ? conclusion.lastModified : nil
    return PublishOrder(
      attributes: attributes(of: item), modified: modified.map { FileTime(seconds: $0) },
      umask: item.request.settings?.umask, isReplacing: item.isReplacing)
  }

  // MARK: Workers' answers

  func handle(_ reply: WorkerReply) {
    switch reply {
    case .inspected(let results): inspected(results)
    case .lookedUp(let host, let lookup): lookedUp(host, lookup)
    case .hashed(let handle, let computed):
      if let item = items[handle] { hashed(item, computed) }
    case .hashFailed(let handle, let error):
      if let item = items[handle] { storageFailed(item, StorageErrors.reading(error)) }
    case .pieceHashed(let handle, let check, let actual):
      if let item = items[handle] { hashed(check, actual: actual, of: item) }
    case .existingRight(let handle, let verified, let byteCount, let finished):
      guard let item = items[handle] else { return }
      removeLeftovers(beside: item)
      item.verified = verified
      note(finished, of: item)
      report(item, .kept, byteCount: byteCount)
      remove(item)
    case .existingWrong(let handle):
      guard let item = items[handle] else { return }
      guard item.isReplacing else { return fail(item, Failure(.targetTaken(by: .unmarkedFile))) }
      if item.request.isOutside, !item.existing.isMarked {
        return fail(item, Failure(.targetTaken(by: .foreignFile)))
      }
      notice(item, .detail, .targetIsWrong)
      replace(item)
    case .smallMismatched(let handle, let expected, let actual, let body):
      guard let item = items[handle] else { return }
      returned(item)
      item.body = body
      mismatched(item, expected, actual)
    case .smallHashed(let handle, let computed): items[handle]?.record?.digests = computed
    case .uncomputable(let handle):
      guard let item = items[handle] else { return }
      returned(item)
      storageFailed(item, Failure(.digestUnavailable(nil)))
    case .smallFailed(let handle, let error):
      guard let item = items[handle] else { return }
      returned(item)
      storageFailed(item, StorageErrors.writing(error))
    case .decided(let number, let decision): decided(number, decision)
    case .wrote(let answers): wrote(answers)
    case .synced(let handle, let synced):
      items[handle]?.storage?.syncEnded(now: Clock.now())
      items[handle]?.storage?.synced(synced)
    case .created(let handle, let sidecar, let part): created(handle, sidecar, part)
    case .creationFailed(let handle, let error): clearingFailed(handle, error)
    case .cleared(let handle, let part): cleared(handle, part)
    case .clearingFailed(let handle, let error): clearingFailed(handle, StorageErrors.opening(error))
    case .released(let task): released(task)
    case .syncFailed(let handle, let error):
      items[handle]?.storage?.syncEnded(now: Clock.now())
      // What it covered may have been discarded meanwhile.
      if let item = items[handle], item.hasPart { storageFailed(item, StorageErrors.syncing(error)) }
    case .published(let handle, let verified, let result):
      guard let item = items[handle] else { return }
      let byteCount = machine.conclusion(of: handle)?.completeLength ?? 0
      returned(item)
      switch result {
      case .success(let finished):
        item.verified = verified
        note(finished, of: item)
        succeed(item, byteCount: byteCount)
      // The run has ended: it is unfinished.
      case .failure(.stopped): break
      case .failure(let error): storageFailed(item, StorageErrors.publishing(error))
      }
    }
  }

  /// A worker has finished publishing the item, successfully or not.
  private func returned(_ item: ActiveItem) {
    if item.isStaged { smallFiles.leave() }
    item.isStaged = false
  }

  private func mismatched(_ item: ActiveItem, _ expected: ExpectedDigest, _ actual: ContentDigest) {
    var actions: [RunAction] = []
    machine.mismatched(item.handle, expected: expected, actual: actual, now: now, &actions)
    perform(actions)
  }

  // MARK: Pieces

  /// Sends a complete piece to a hash worker. Both workers share the pieces of a file.
  private func verify(_ check: PieceCheck, of item: ActiveItem) {
    guard let part = item.storage?.part else { return }
    workers.hasher(of: check).post(.piece(item.handle, part, check))
  }

  private func hashed(_ check: PieceCheck, actual: ContentDigest, of item: ActiveItem) {
    var actions: [RunAction] = []
    if actual == check.expected {
      machine.pieceVerified(item.handle, check, &actions)
      item.storage?.hashes.advance(to: machine.contiguousEnd(of: item.handle), of: item.handle)
    } else {
      machine.pieceMismatched(item.handle, check, actual: actual, now: now, &actions)
    }
    perform(actions)
  }

  /// Discards a piece whose digest is wrong.
  private func discard(_ range: Range<Int64>, of item: ActiveItem) {
    item.storage?.discard(
      range, written: machine.done(of: item.handle), machine.knowledge(of: item.handle))
  }

  // MARK: Records

  /// Records or syncs the written ranges if the checkpoint policy says so.
  func checkpoint(_ item: ActiveItem) {
    guard let storage = item.storage, !machine.isPublishing(item.handle) else { return }
    do {
      try storage.checkpoint(
        written: machine.done(of: item.handle), machine.knowledge(of: item.handle), now: now)
    } catch {
      notice(item, .detail, .failed(StorageErrors.recording(error)))
    }
  }

  /// - Parameter isLast: whether its files are released then.
  func recordNow(_ item: ActiveItem, isLast: Bool = false) {
    guard let storage = item.storage, !machine.isPublishing(item.handle) else { return }
    do {
      try storage.recordNow(
        written: machine.done(of: item.handle), machine.knowledge(of: item.handle), isLast: isLast,
        isWanted: { transfers[$0] != nil })
    } catch {
      notice(item, .detail, .failed(StorageErrors.recording(error)))
    }
  }
}
