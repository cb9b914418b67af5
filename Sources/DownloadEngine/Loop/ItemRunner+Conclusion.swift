internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// The way of complete content to its name.
extension ItemRunner {
  func conclude(_ item: ActiveItem, _ conclusion: Conclusion) {
    noteValidators(of: item)
    switch item.destination {
    case .stream(let output):
      concludeStream(item, output, conclusion)
    case .file(let target):
      if isJudged(item.request), !item.hasPart { return createPart(of: item, at: target, for: .conclusion(conclusion)) }
      if let storage = item.storage, let part = storage.part {
        let algorithms = conclusion.expected.algorithms(
          and: state.settings.target.computedAlgorithms(for: item.request))
        guard !algorithms.isEmpty else { return hashed(item, []) }
        storage.hashes.finish(part, algorithms, of: item.handle, completeLength: conclusion.completeLength)
      } else {
        item.content.isStaged = true
        state.machine.handedOver(item.handle)
        let body = item.content.body ?? .empty
        item.content.body = nil
        let file = SmallFile(place: target, body: body, order(conclusion, of: item))
        smallFiles.add(
          SmallJob(
            item: item.handle, file: file, expected: conclusion.expected,
            recorded: state.settings.target.computedAlgorithms(for: item.request)))
      }
    }
  }

  /// Begins the record of the content, if the settings ask for one. The machine forgets them with the item.
  private func noteValidators(of item: ActiveItem) {
    guard !state.settings.target.computedAlgorithms(for: item.request).isEmpty else { return }
    var record = ContentRecord()
    record.validators = state.machine.sourceValidators(of: item.handle)
    item.content.record = record
  }

  private func concludeStream(_ item: ActiveItem, _ output: StreamOutput, _ conclusion: Conclusion) {
    let computed: [ContentDigest]
    do { computed = try output.finish() } catch { return storageFailed(item, error) }
    state.machine.concluded(item.handle)
    switch DigestComparison(expected: conclusion.expected, computed: computed) {
    case .unverified: succeed(item, byteCount: conclusion.completeLength)
    case .verified(let digest):
      item.content.verified = digest
      succeed(item, byteCount: conclusion.completeLength)
    case .mismatch(let expected, let actual):
      fail(item, Failure(.outputMismatch(DigestMismatch(expected: expected.digest, actual: actual))))
    case .notComputed(let expected): fail(item, Failure(.digestUnavailable(expected.digest.algorithm)))
    }
  }

  /// The digests of the whole content have been computed.
  func hashed(_ item: ActiveItem, _ computed: [ContentDigest]) {
    item.content.record?.digests = computed
    state.feed { $0.hashed(item.handle, computed, now: state.now, &$1) }
  }

  func publish(_ item: ActiveItem, _ conclusion: Conclusion) {
    item.content.verified = conclusion.verified
    item.storage?.publish(byteCount: conclusion.completeLength, order(conclusion, of: item))
  }

  func succeed(_ item: ActiveItem, byteCount: Int64) {
    state.machine.concluded(item.handle)
    if case .file(let target) = item.destination {
      if item.hasRejected { state.workers.storage(of: target.directory).post(.removeRejected(target)) }
      if state.settings.target.syncs, state.place.learnsOfMissingSync(at: target) {
        state.notice(nil, .note, .syncUnsupported)
      }
    }
    tellEnd(item, .downloaded, byteCount: byteCount)
    item.storage?.close()
    item.storage = nil
    remove(item)
  }

  /// A worker has finished publishing the item, successfully or not.
  func returned(_ item: ActiveItem) {
    if item.content.isStaged { smallFiles.leave() }
    item.content.isStaged = false
  }

  /// Notes a finished file in the index of the list.
  ///
  /// - Parameter isKnown: whether the index has it.
  func note(_ file: FinishedFile?, of item: ActiveItem, isKnown: Bool = false) {
    guard let finished = state.place.finished, let file, case .listed = item.request.target,
      let record = FinishedFileRecord(name: item.name, file: file)
    else { return }
    finished.add(record, isKnown: isKnown)
  }

  /// Gives wrong content another name, by which the user finds it, and fails the item then.
  func setAside(_ item: ActiveItem, _ error: Failure) {
    guard case .file(let target) = item.destination else { return fail(item, error) }
    guard item.hasPart else {
      if item.content.body == nil { return fail(item, error) }
      return createPart(of: item, at: target, for: .settingAside(error))
    }
    item.content.partUse = .settingAside(error)
    item.storage?.setAside()
  }

  func wasSetAside(_ item: ActiveItem, _ result: Result<[UInt8], PartOpenError>) {
    switch result {
    case .success(let name): state.notice(item, .note, .setAside(as: name))
    case .failure(let error): state.notice(item, .warning, .failed(StorageErrors.opening(error)))
    }
    if case .settingAside(let error) = item.content.partUse { fail(item, error) }
  }

  /// Gives a whole small file a part file, by whose name others can read it.
  private func createPart(of item: ActiveItem, at target: TargetPlace, for use: ActiveItem.PartUse) {
    item.content.partUse = use
    let storage = storage(of: item, at: target)
    do throws(Failure) {
      try storage.create(state.machine.knowledge(of: item.handle), whole: item.content.body ?? .empty)
    } catch {
      creationFailed(item, error)
    }
  }

  /// The part file that the item was waiting for is there.
  func usePart(of item: ActiveItem) {
    guard let use = item.content.partUse, item.hasPart else { return }
    item.content.partUse = nil
    item.content.body = nil
    switch use {
    case .conclusion(let conclusion): conclude(item, conclusion)
    case .settingAside(let error): setAside(item, error)
    }
  }

  private func order(_ conclusion: Conclusion, of item: ActiveItem) -> PublishOrder {
    let modified = state.settings.target.keepsRemoteTime ? conclusion.lastModified : nil
    return PublishOrder(
      attributes: attributes(of: item), modified: modified.map { FileTime(seconds: $0) },
      umask: item.request.settings?.umask, isReplacing: item.isReplacing)
  }
}
