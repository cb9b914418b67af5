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
      if isJudged(item.request) {
        do throws(Failure) { try createPart(of: item, at: target) } catch { return storageFailed(item, error) }
      }
      if let storage = item.storage, let part = storage.part {
        let algorithms = conclusion.expected.algorithms(
          and: state.settings.target.computedAlgorithms(for: item.request))
        guard !algorithms.isEmpty else { return hashed(item, []) }
        storage.hashes.finish(part, algorithms, of: item.handle, completeLength: conclusion.completeLength)
      } else {
        item.isStaged = true
        state.machine.handedOver(item.handle)
        let body = item.body ?? .empty
        item.body = nil
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
    item.record = record
  }

  private func concludeStream(_ item: ActiveItem, _ output: StreamOutput, _ conclusion: Conclusion) {
    let computed: [ContentDigest]
    do { computed = try output.finish() } catch { return storageFailed(item, error) }
    state.machine.concluded(item.handle)
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
  func hashed(_ item: ActiveItem, _ computed: [ContentDigest]) {
    item.record?.digests = computed
    state.feed { $0.hashed(item.handle, computed, now: state.now, &$1) }
  }

  func publish(_ item: ActiveItem, _ conclusion: Conclusion) {
    item.verified = conclusion.verified
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
    report(item, .downloaded, byteCount: byteCount)
    item.storage?.close()
    item.storage = nil
    remove(item)
  }

  /// A worker has finished publishing the item, successfully or not.
  func returned(_ item: ActiveItem) {
    if item.isStaged { smallFiles.leave() }
    item.isStaged = false
  }

  func mismatched(_ item: ActiveItem, _ expected: ExpectedDigest, _ actual: ContentDigest) {
    state.feed { $0.mismatched(item.handle, expected: expected, actual: actual, now: state.now, &$1) }
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

  func setAside(_ item: ActiveItem) {
    guard case .file(let target) = item.destination else { return }
    let storage = storage(of: item, at: target)
    do throws(Failure) {
      if item.body != nil { try createPart(of: item, at: target) }
      guard let name = try storage.setAside() else { return }
      state.notice(item, .note, .setAside(as: name))
    } catch {
      state.notice(item, .warning, .failed(error))
    }
  }

  /// Gives a whole small file a part file, by whose name others can read it. If that fails nothing is left of it: the
  /// machine counts all bytes of the body, and a record would claim them.
  func createPart(of item: ActiveItem, at target: TargetPlace) throws(Failure) {
    let storage = storage(of: item, at: target)
    guard storage.part == nil else { return }
    do throws(Failure) {
      try storage.create(state.machine.knowledge(of: item.handle), waits: true)
      guard let body = item.body else { return }
      do throws(SystemCallError) { try storage.write(body.bytes, at: 0, keeping: ByteRangeSet(), mirror: 0) } catch {
        throw StorageErrors.writing(error)
      }
      item.body = nil
    } catch {
      storage.abandon()
      throw error
    }
  }

  private func order(_ conclusion: Conclusion, of item: ActiveItem) -> PublishOrder {
    let modified = state.settings.target.keepsRemoteTime ? conclusion.lastModified : nil
    return PublishOrder(
      attributes: attributes(of: item), modified: modified.map { FileTime(seconds: $0) },
      umask: item.request.settings?.umask, isReplacing: item.isReplacing)
  }
}
