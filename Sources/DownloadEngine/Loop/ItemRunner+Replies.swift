internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// What worker threads answer.
extension ItemRunner {
  func handle(_ reply: WorkerReply) {
    switch reply {
    case .inspected(let results): admission.inspected(results)
    case .lookedUp(let host, let lookup): transferRunner.lookedUp(host, lookup)
    case .hashed(let handle, let computed):
      if let item = state.items[handle] { hashed(item, computed) }
    case .hashFailed(let handle, let error):
      if let item = state.items[handle] { storageFailed(item, StorageErrors.reading(error)) }
    case .pieceHashed(let handle, let check, let actual):
      if let item = state.items[handle] { hashed(check, actual: actual, of: item) }
    case .existingRight(let handle, let verified, let byteCount, let finished):
      guard let item = state.items[handle] else { return }
      admission.removeLeftovers(beside: item)
      item.verified = verified
      note(finished, of: item)
      report(item, .kept, byteCount: byteCount)
      remove(item)
    case .existingWrong(let handle):
      guard let item = state.items[handle] else { return }
      guard item.isReplacing else { return fail(item, Failure(.targetTaken(by: .unmarkedFile))) }
      if item.request.isOutside, !item.existing.isMarked {
        return fail(item, Failure(.targetTaken(by: .foreignFile)))
      }
      state.notice(item, .detail, .targetIsWrong)
      admission.replace(item)
    case .smallMismatched(let handle, let expected, let actual, let body):
      guard let item = state.items[handle] else { return }
      returned(item)
      item.body = body
      mismatched(item, expected, actual)
    case .smallHashed(let handle, let computed): state.items[handle]?.record?.digests = computed
    case .uncomputable(let handle):
      guard let item = state.items[handle] else { return }
      returned(item)
      storageFailed(item, Failure(.digestUnavailable(nil)))
    case .smallFailed(let handle, let error):
      guard let item = state.items[handle] else { return }
      returned(item)
      storageFailed(item, StorageErrors.writing(error))
    case .decided(let number, let decision): decided(number, decision)
    case .wrote(let answers): transferRunner.wrote(answers)
    case .synced(let handle, let synced):
      state.items[handle]?.storage?.syncEnded(now: Clock.now())
      state.items[handle]?.storage?.synced(synced)
    case .created(let handle, let sidecar, let part): created(handle, sidecar, part)
    case .creationFailed(let handle, let error): clearingFailed(handle, error)
    case .cleared(let handle, let part): cleared(handle, part)
    case .clearingFailed(let handle, let error): clearingFailed(handle, StorageErrors.opening(error))
    case .released(let task): released(task)
    case .syncFailed(let handle, let error):
      state.items[handle]?.storage?.syncEnded(now: Clock.now())
      // What it covered may have been discarded meanwhile.
      if let item = state.items[handle], item.hasPart { storageFailed(item, StorageErrors.syncing(error)) }
    case .published(let handle, let verified, let result):
      guard let item = state.items[handle] else { return }
      let byteCount = state.machine.conclusion(of: handle)?.completeLength ?? 0
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
    engine.feed { $0.mismatched(item.handle, expected: expected, actual: actual, now: state.now, &$1) }
  }

  /// The storage thread has finished one clearing of the item.
  func cleared(_ handle: ItemHandle, _ part: PartFile) {
    guard let item = state.items[handle] else { return }
    item.storage?.cleared(part)
    transferRunner.goOn(item)
  }

  /// The storage thread has made the files of the item.
  func created(_ handle: ItemHandle, _ sidecar: SidecarFile, _ part: PartFile) {
    // The item has ended meanwhile, with nothing to go on from.
    guard let item = state.items[handle] else { return sidecar.removeWithPart() }
    item.storage?.created(sidecar, part)
    transferRunner.goOn(item)
  }

  func clearingFailed(_ handle: ItemHandle, _ error: Failure) {
    guard let item = state.items[handle] else { return }
    item.storage?.cleared(nil)
    storageFailed(item, error)
  }
}
