internal import DownloadCore
internal import FileStore
internal import Glibc

/// `--verify-command`: a command of the user judges complete files, which match their digests, before they get their
/// names.
extension EngineLoop {
  func judge(_ item: ActiveItem, _ conclusion: Conclusion) {
    guard let judge, let part = item.storage?.part else { return unjudged(item, .notStarted(errno: ENOENT)) }
    do { item.seal = try part.seal() } catch { return storageFailed(item, StorageErrors.reading(error)) }
    judge.judge(item.handle, part, url: item.url, byteCount: conclusion.completeLength)
  }

  /// The command has ended.
  func judged(_ item: ActiveItem, _ end: ChildEnd) {
    let judgement: FileMachine.Judgement
    switch end {
    case .exited(status: 0):
      guard let seal = item.seal, let part = item.storage?.part else {
        return unjudged(item, .notStarted(errno: ENOENT))
      }
      do {
        switch try part.touch(since: seal) {
        case .none: judgement = .accepted
        case .content: judgement = .rejected(DownloadError(.changedByJudge))
        case .metadata: judgement = .touched
        }
      } catch { return storageFailed(item, StorageErrors.reading(error)) }
    case .notStarted, .cancelled: return unjudged(item, end)
    case .exited, .killed, .timedOut: judgement = .rejected(DownloadError(.rejected(end)))
    }
    var actions: [RunAction] = []
    machine.judged(item.handle, judgement, &actions)
    perform(actions)
  }

  /// The command has not judged: the part file stays.
  private func unjudged(_ item: ActiveItem, _ end: ChildEnd) {
    storageFailed(item, DownloadError(.unjudged(program: settings.target.verifyCommand?.program ?? [], end)))
  }

  /// Gives a whole small file a part file, by whose name the command can read it. If that fails nothing is left of it:
  /// the machine counts all bytes of the body, and a record would claim them.
  func createPart(of item: ActiveItem, at target: TargetPlace) throws(DownloadError) {
    let storage = storage(of: item, at: target)
    guard storage.part == nil else { return }
    do throws(DownloadError) {
      try storage.create(machine.knowledge(of: item.handle))
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
}
