internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// What worker threads answer.
extension EngineLoop {
  func handle(_ reply: WorkerReply) {
    switch reply {
    case .inspected(let results): admission.inspected(results)
    case .lookedUp(let host, let lookup): transferRunner.lookedUp(host, lookup)
    case .hashed(let handle, let computed):
      if let item = state.items[handle] { itemRunner.hashed(item, computed) }
    case .hashFailed(let handle, let error):
      if let item = state.items[handle] { itemRunner.storageFailed(item, StorageErrors.reading(error)) }
    case .pieceHashed(let handle, let check, let actual):
      if let item = state.items[handle] { itemRunner.hashed(check, actual: actual, of: item) }
    case .existingRight(let handle, let verified, let byteCount, let finished):
      guard let item = state.items[handle] else { return }
      itemRunner.removeLeftovers(beside: item)
      item.content.verified = verified
      itemRunner.note(finished, of: item)
      itemRunner.tellEnd(item, .kept, byteCount: byteCount)
      itemRunner.remove(item)
    case .existingWrong(let handle):
      guard let item = state.items[handle] else { return }
      guard item.isReplacing else { return itemRunner.fail(item, Failure(.targetTaken(by: .unmarkedFile))) }
      if item.request.isOutside, !item.existing.isMarked {
        return itemRunner.fail(item, Failure(.targetTaken(by: .foreignFile)))
      }
      state.notice(item, .detail, .targetIsWrong)
      admission.replace(item)
    case .smallMismatched(let handle, let expected, let actual, let body):
      guard let item = state.items[handle] else { return }
      itemRunner.returned(item)
      item.content.body = body
      state.feed { $0.mismatched(handle, expected: expected, actual: actual, now: state.now, &$1) }
    case .smallHashed(let handle, let computed): state.items[handle]?.content.record?.digests = computed
    case .uncomputable(let handle):
      guard let item = state.items[handle] else { return }
      itemRunner.returned(item)
      itemRunner.storageFailed(item, Failure(.digestUnavailable(nil)))
    case .smallFailed(let handle, let error):
      guard let item = state.items[handle] else { return }
      itemRunner.returned(item)
      itemRunner.storageFailed(item, StorageErrors.writing(error))
    case .decided(let number, let decision): decided(number, decision)
    case .wrote(let answers): transferRunner.wrote(answers)
    case .synced(let handle, let synced):
      state.items[handle]?.storage?.syncEnded(now: Clock.now())
      state.items[handle]?.storage?.synced(synced)
    case .created(let handle, let sidecar, let part): itemRunner.created(handle, sidecar, part)
    case .creationFailed(let handle, let error): itemRunner.clearingFailed(handle, error)
    case .cleared(let handle, let part): itemRunner.cleared(handle, part)
    case .clearingFailed(let handle, let error): itemRunner.clearingFailed(handle, StorageErrors.opening(error))
    case .setAside(let handle, let result):
      if let item = state.items[handle] { itemRunner.wasSetAside(item, result) }
    case .released(let task): itemRunner.released(task)
    case .syncFailed(let handle, let error):
      state.items[handle]?.storage?.syncEnded(now: Clock.now())
      // What it covered may have been discarded meanwhile.
      if let item = state.items[handle], item.hasPart { itemRunner.storageFailed(item, StorageErrors.syncing(error)) }
    case .published(let handle, let verified, let result):
      guard let item = state.items[handle] else { return }
      let byteCount = state.machine.conclusion(of: handle)?.completeLength ?? 0
      itemRunner.returned(item)
      switch result {
      case .success(let finished):
        item.content.verified = verified
        itemRunner.note(finished, of: item)
        itemRunner.succeed(item, byteCount: byteCount)
      // The run has ended: it is unfinished.
      case .failure(.stopped): break
      case .failure(let error): itemRunner.storageFailed(item, StorageErrors.publishing(error))
      }
    }
  }
}
