internal import DownloadCore
internal import FileStore

/// `--verify-command`: a command of the user judges complete files, which match their digests, before they get their
/// names.
extension Engine {
  /// Has the content judged if the user wants that, else published.
  func judge(_ item: ActiveItem, _ conclusion: Conclusion) {
    guard let judge, let part = item.storage?.part else { return publish(item, conclusion) }
    if case .confirming = item.stage { return publish(item, conclusion) }
    do { item.stage = .judging(conclusion, try part.seal()) } catch {
      return storageFailed(item, StorageErrors.reading(error))
    }
    judge.judge(item.handle, part, url: item.url, byteCount: conclusion.completeLength)
  }

  /// The command has ended.
  func judged(_ item: ActiveItem, _ end: ChildEnd) {
    guard case .judging(let conclusion, let seal) = item.stage else { return }
    switch end {
    case .exited(status: 0): accepted(item, conclusion, seal)
    // It has not judged: the part file stays.
    case .notStarted, .cancelled:
      storageFailed(item, DownloadError(.unjudged(program: settings.verifyCommand?.program ?? [], end)))
    case .exited, .killed, .timedOut: reject(item, DownloadError(.rejected(end)))
    }
  }

  /// The command has accepted the content. It is published as it was verified.
  private func accepted(_ item: ActiveItem, _ conclusion: Conclusion, _ seal: PartFile.Seal) {
    guard let storage = item.storage, let part = storage.part else { return }
    do {
      switch try part.touch(since: seal) {
      case .none: publish(item, conclusion)
      case .content: reject(item, DownloadError(.changedByJudge))
      case .metadata:
        item.stage = .confirming(conclusion)
        let algorithms = conclusion.expected.algorithms(and: settings.computedAlgorithms)
        storage.hashes.finish(part, algorithms, of: item.handle, completeLength: conclusion.completeLength)
      }
    } catch {
      storageFailed(item, StorageErrors.reading(error))
    }
  }

  func reject(_ item: ActiveItem, _ error: DownloadError) {
    var actions: [RunAction] = []
    machine.rejected(item.handle, error, &actions)
    perform(actions)
  }

  /// Gives a whole small file a part file, by whose name the command can read it. If that fails nothing is left of it:
  /// the machine counts all bytes of the body, and a record would claim them.
  func createPart(of item: ActiveItem, at place: TargetPlace) throws(DownloadError) {
    let storage = storage(of: item, at: place)
    guard storage.part == nil else { return }
    do throws(DownloadError) {
      try storage.create(machine.knowledge(of: item.handle))
      guard case .received(let body) = item.stage else { return }
      do throws(SystemCallError) { try storage.write(body.bytes, at: 0, keeping: ByteRangeSet(), mirror: 0) } catch {
        throw StorageErrors.writing(error)
      }
    } catch {
      storage.abandon()
      throw error
    }
  }
}
