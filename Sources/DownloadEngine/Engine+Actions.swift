internal import DownloadCore
internal import FileStore
internal import Transport

/// The machines' actions, carried out; what touches libcurl's handles is put off until none of its callbacks runs.
extension Engine {
  func perform(_ actions: [RunAction]) {
    for action in actions {
      switch action {
      case .start(let order): transfers.start(order)
      case .setEnd(let id, let end): transfers.setEnd(id, end)
      case .stop(let id):
        if let transfer = transfers[id] { drop(transfer) }
        transfers.cancelStart(id)
      case .discardContent(let number):
        if let item = items[number] { discardContent(of: item) }
      case .discardRange(let number, let range):
        if let item = items[number] { discard(range, of: item) }
      case .verify(let number, let check):
        if let item = items[number] { verify(check, of: item) }
      case .adopt(let number, let representation):
        if let item = items[number] { adopt(representation, item) }
      case .conclude(let number, let conclusion):
        if let item = items[number] { conclude(item, conclusion) }
      case .keep(let number):
        if let item = items[number] { keep(item) }
      case .setAside(let number):
        if let item = items[number] { setAside(item) }
      case .fail(let number, let error):
        if let item = items[number] { fail(item, error) }
      case .notice(let number, let level, let text):
        notice(number.flatMap { items[$0] }, level, text)
      }
    }
  }

  /// Nothing of this transfer is stored from now on.
  func drop(_ transfer: Transfer) {
    report(transfer)
    transfers.drop(transfer)
  }

  /// What had to wait for libcurl's callbacks to return.
  func performPending() {
    separateTransfers()
    for transfer in transfers.takePassed() where !transfer.isDead {
      loop.stop(transfer.exchange)
      ended(transfer, .stopped)
    }
    for exchange in transfers.takeStops() { loop.stop(exchange) }
    while true {
      let orders = transfers.takeStarts()
      if orders.isEmpty { return }
      for order in orders { startTransfer(order) }
    }
  }

  // MARK: Content

  private func adopt(_ representation: Representation, _ item: ActiveItem) {
    item.completeLength = representation.completeLength
    guard let length = representation.completeLength, case .file(let place) = item.destination else { return }
    if length > SegmentBuffer.byteCount, let error = claimSpace(for: length, of: item, at: place) {
      storageFailed(item, error)
    }
  }

  private func discardContent(of item: ActiveItem) {
    if case .stream = item.destination, item.streamedByteCount > 0 {
      return storageFailed(
        item,
        DownloadError(
          .integrity, "the content changed after \(item.streamedByteCount) bytes of it had been written out",
          hint: "download into a file, which can be started over"))
    }
    if item.hashedTo != nil { workers.hasher(of: item.request.item).post(.forget(item: item.request.item)) }
    item.forgetContent()
    guard case .file(let place) = item.destination, item.part != nil || item.clearingCount > 0,
      let sidecar = item.sidecar
    else { return }
    item.part = nil
    clear(item, place, sidecar, keeping: nil)
  }

  func storageFailed(_ item: ActiveItem, _ error: DownloadError) {
    var actions: [RunAction] = []
    machine.storageFailed(item.request.item, error, &actions)
    perform(actions)
    // The item may not be in the machine (an existing file that is being hashed).
    if let item = items[item.request.item] { fail(item, error) }
  }

  /// Opens the lock, the sidecar and the part file before the first byte is written.
  func prepareStorage(_ item: ActiveItem, _ place: TargetPlace) throws(DownloadError) {
    guard item.part == nil else { return }
    if item.sidecar == nil {
      do { item.sidecar = try SidecarFile.open(place) } catch { throw StorageErrors.locked(error) }
    }
    do {
      try item.sidecar?.startOver(with: record(of: item, written: ByteRangeSet(), place))
    } catch {
      throw StorageErrors.recording(error)
    }
    do { item.part = try PartFile.create(place) } catch { throw StorageErrors.opening(error) }
  }

  /// Has the item's content hashed behind the writing, where a digest will be asked for.
  func follow(_ item: ActiveItem, contiguousEnd: Int64) {
    let algorithms = machine.expectedDigests(of: item.request.item).map(\.digest.algorithm)
    guard !algorithms.isEmpty, let part = item.part, item.hashedTo == nil else { return }
    let version = ItemVersion(item: item.request.item, generation: item.generation)
    workers.hasher(of: item.request.item).post(.follow(version, part, algorithms))
    item.hashedTo = 0
    item.followedAlgorithms = algorithms
    advanceHash(item, to: contiguousEnd)
  }

  func advanceHash(_ item: ActiveItem, to end: Int64) {
    guard let hashedTo = item.hashedTo, end - hashedTo >= Self.hashStep else { return }
    item.hashedTo = end
    workers.hasher(of: item.request.item).post(
      .advance(ItemVersion(item: item.request.item, generation: item.generation), to: end))
  }

  /// Has recorded bytes hashed out of the buffer they came in, which spares reading them back.
  func hashBlock(_ item: ActiveItem, _ block: FilledBlock, at offset: Int64) {
    item.hashedTo = offset + Int64(block.count)
    workers.hasher(of: item.request.item).post(
      .block(ItemVersion(item: item.request.item, generation: item.generation), block, at: offset))
  }

  /// The hash thread is woken for so many bytes, which are still in the cache then.
  private static let hashStep: Int64 = 1 << 20

  // MARK: Conclusion

  private func conclude(_ item: ActiveItem, _ conclusion: Conclusion) {
    item.conclusion = conclusion
    let version = ItemVersion(item: item.request.item, generation: item.generation)
    switch item.destination {
    case .stream: concludeStream(item, conclusion)
    case .file(let place):
      if item.part == nil {
        let body = item.smallBody ?? []
        item.smallBody = nil
        item.isPublishing = true
        let file = SmallFile(
          place: place, bytes: body, attributes: attributes(of: item),
          modified: modified(conclusion), isReplacing: item.isReplacing)
        smallFiles.add(SmallJob(version: version, file: file, expected: conclusion.expected))
      } else if conclusion.expected.isEmpty {
        publish(item, conclusion)
      } else {
        // A digest that became known late finds nobody computing it yet.
        if !Set(item.followedAlgorithms).isSuperset(of: conclusion.expected.map(\.digest.algorithm)) {
          item.hashedTo = nil
        }
        follow(item, contiguousEnd: conclusion.completeLength)
        workers.hasher(of: item.request.item).post(.finish(version, completeLength: conclusion.completeLength))
        item.hashedTo = nil
      }
    }
  }

  private func concludeStream(_ item: ActiveItem, _ conclusion: Conclusion) {
    let computed = item.streamDigests?.finish() ?? []
    do throws(DownloadError) { try item.streamPieces?.finish() } catch { return storageFailed(item, error) }
    machine.concluded(item.request.item)
    switch Verdict(expected: conclusion.expected, computed: computed) {
    case .unverified: succeed(item)
    case .verified(let digest):
      item.verified = digest
      succeed(item)
    case .mismatch(let expected, let actual):
      fail(
        item,
        DownloadError(
          .integrity,
          "the \(actual.algorithm.rawValue) of what was written out is \(actual.hex) where \(expected.digest.hex) was expected",
          hint: "do not use it"))
    case .notComputed: fail(item, StorageErrors.uncomputable)
    }
  }

  /// The digests of the whole content have been computed.
  private func hashed(_ item: ActiveItem, _ conclusion: Conclusion, _ computed: [ContentDigest]) {
    switch Verdict(expected: conclusion.expected, computed: computed) {
    case .unverified: publish(item, conclusion)
    case .verified(let digest):
      item.verified = digest
      publish(item, conclusion)
    case .mismatch(let expected, let actual): mismatched(item, expected, actual)
    case .notComputed: storageFailed(item, StorageErrors.uncomputable)
    }
  }

  func publish(_ item: ActiveItem, _ conclusion: Conclusion) {
    guard let part = item.part else { return }
    item.isPublishing = true
    workers.storage.jobs.post(
      .publish(
        item: item.request.item, part, item.sidecar, byteCount: conclusion.completeLength,
        attributes(of: item), modified: modified(conclusion), syncs: settings.syncs,
        isReplacing: item.isReplacing))
  }

  func succeed(_ item: ActiveItem) {
    let length = item.conclusion?.completeLength ?? 0
    machine.concluded(item.request.item)
    item.part = nil
    item.sidecar = nil
    report(item, .downloaded, byteCount: length)
    forgetNumber(item.request.item)
  }

  private func setAside(_ item: ActiveItem) {
    guard case .file(let place) = item.destination else { return }
    do throws(DownloadError) {
      if item.part == nil, let body = item.smallBody {
        try prepareStorage(item, place)
        if let part = item.part { try store(body, in: part) }
      }
    } catch {
      return notice(item, .warning, "\(error.message)")
    }
    guard let part = item.part else { return }
    do throws(SystemCallError) {
      let name = try workers.publisher.setAside(part, sidecar: item.sidecar)
      notice(item, .note, "what arrived is set aside as \(String(decoding: name, as: UTF8.self))")
    } catch {
      notice(item, .warning, StorageErrors.opening(error).message)
    }
    item.part = nil
    item.sidecar = nil
  }

  private func store(_ body: [UInt8], in part: PartFile) throws(DownloadError) {
    var failure: SystemCallError?
    body.withUnsafeBytes { bytes in
      do throws(SystemCallError) { try part.write(bytes, at: 0) } catch { failure = error }
    }
    if let failure { throw StorageErrors.writing(failure) }
  }

  // MARK: Attributes

  func attributes(of item: ActiveItem) -> FileAttributes {
    // A later update asks for nothing but another version.
    let entityTag =
      settings.timestamping
      ? machine.knowledge(of: item.request.item).validators.first.flatMap { $0?.entityTag } : nil
    return FileAttributes(
      originURL: item.url.withoutQuery, digest: item.verified, urlHash: item.urlHash, entityTag: entityTag)
  }

  private func modified(_ conclusion: Conclusion) -> FileTime? {
    guard settings.keepsRemoteTime else { return nil }
    return conclusion.lastModified.map { FileTime(seconds: $0) }
  }

  // MARK: Workers' answers

  func handle(_ reply: WorkerReply) {
    switch reply {
    case .inspected(let results): inspected(results)
    case .hashed(let version, let computed):
      if let item = current(version), let conclusion = item.conclusion { hashed(item, conclusion, computed) }
    case .hashFailed(let version, let error):
      if let item = current(version) { storageFailed(item, StorageErrors.reading(error)) }
    case .pieceHashed(let version, let check, let actual):
      if let item = current(version) { hashed(check, actual: actual, of: item) }
    case .existingHashed(let number, let verified, let byteCount):
      guard let item = items[number] else { return }
      if let verified {
        if let error = sweep(beside: item) { return fail(item, error) }
        item.verified = verified
        report(item, .kept, byteCount: byteCount)
        items[number] = nil
      } else {
        item.isReplacing = true
        notice(item, .detail, "the file that is there is not the wanted one; it stays until the right one is verified")
        items[number] = nil
        startOrResume(item)
      }
    case .smallMismatched(let version, let expected, let actual, let body):
      guard let item = current(version) else { return }
      released(item)
      item.smallBody = body
      mismatched(item, expected, actual)
    case .uncomputable(let version):
      guard let item = current(version) else { return }
      released(item)
      storageFailed(item, StorageErrors.uncomputable)
    case .smallFailed(let version, let error):
      guard let item = current(version) else { return }
      released(item)
      storageFailed(item, StorageErrors.writing(error))
    case .synced(let version, let synced):
      items[version.item]?.policy.syncEnded(now: Clock.now())
      // What is being put out of force may be among it.
      guard let item = current(version), item.clearingCount == 0 else { return }
      item.synced = synced
    case .cleared(let version, let part): cleared(version, part)
    case .clearingFailed(let version, let error): clearingFailed(version, error)
    case .syncFailed(let version, let error):
      items[version.item]?.policy.syncEnded(now: Clock.now())
      guard let item = current(version) else { return }
      syncFailed(item, error)
    case .published(let number, let verified, let failure):
      guard let item = items[number] else { return }
      released(item)
      item.verified = verified
      if let failure { storageFailed(item, StorageErrors.publishing(failure)) } else { succeed(item) }
    }
  }

  private func current(_ version: ItemVersion) -> ActiveItem? {
    guard let item = items[version.item], item.generation == version.generation else { return nil }
    return item
  }

  private func released(_ item: ActiveItem) {
    if item.isPublishing, item.part == nil { smallFiles.leave() }
    item.isPublishing = false
  }

  private func mismatched(_ item: ActiveItem, _ expected: ExpectedDigest, _ actual: ContentDigest) {
    var actions: [RunAction] = []
    machine.mismatched(item.request.item, expected: expected, actual: actual, now: now, &actions)
    perform(actions)
  }

  /// Bytes that a failed sync covered may be gone: only what was synced before counts.
  private func syncFailed(_ item: ActiveItem, _ error: SystemCallError) {
    if case .file(let place) = item.destination {
      try? item.sidecar?.startOver(with: record(of: item, written: item.synced, place))
      item.sidecar = nil
    }
    storageFailed(item, StorageErrors.syncing(error))
  }

  // MARK: Records

  func record(of item: ActiveItem, written: ByteRangeSet, _ place: TargetPlace) -> SidecarRecord {
    item.record(written: written, place: place, knowledge: machine.knowledge(of: item.request.item))
  }

  /// Records or syncs what is written, if it is time to.
  func checkpoint(_ item: ActiveItem) {
    guard let part = item.part, let sidecar = item.sidecar, !item.isPublishing, !item.isHolding,
      case .file(let place) = item.destination
    else { return }
    switch item.policy.step(now: now, syncs: settings.syncs) {
    case .nothing: break
    case .record: recordNow(item)
    case .sync:
      var record = record(of: item, written: machine.done(of: item.request.item), place)
      record.synced = record.written
      workers.storage.jobs.post(
        .sync(ItemVersion(item: item.request.item, generation: item.generation), part, sidecar, record))
    }
  }

  func recordNow(_ item: ActiveItem) {
    guard item.part != nil, let sidecar = item.sidecar, !item.isPublishing, !item.isHolding,
      case .file(let place) = item.destination
    else { return }
    let written = machine.done(of: item.request.item)
    do {
      try sidecar.recordWritten(record(of: item, written: written, place))
    } catch {
      notice(item, .detail, StorageErrors.recording(error).message)
    }
  }
}
