internal import DownloadCore
internal import FileStore

/// `--verify-command`: a command of the user judges complete files, which match their digests, before they get their
/// names.
extension Engine {
  /// Has the content judged if the user wants that, else published.
  func judge(_ item: ActiveItem, _ conclusion: Conclusion) {
    guard let judge, let part = item.storage?.part else { return publish(item, conclusion) }
    item.stage = .judging(conclusion)
    judge.judge(item.version, part, url: item.url, byteCount: conclusion.completeLength)
  }

  /// The command has ended.
  func judged(_ item: ActiveItem, _ end: ChildEnd) {
    guard case .judging(let conclusion) = item.stage else { return }
    switch end {
    case .exited(status: 0): publish(item, conclusion)
    // It has not judged: the part file stays.
    case .notStarted, .cancelled:
      storageFailed(item, DownloadError(.unjudged(program: settings.verifyCommand?.program ?? [], end)))
    case .exited, .killed, .timedOut:
      var actions: [RunAction] = []
      machine.rejected(item.number, DownloadError(.rejected(end)), &actions)
      perform(actions)
    }
  }

  /// Gives a whole small file a part file, by whose name the command can read it.
  func createPart(of item: ActiveItem, at place: TargetPlace) throws(DownloadError) {
    let storage = storage(of: item, at: place)
    guard storage.part == nil else { return }
    try storage.create(machine.knowledge(of: item.number))
    guard case .received(let body) = item.stage else { return }
    do throws(SystemCallError) { try storage.write(body.bytes, at: 0, keeping: ByteRangeSet(), mirror: 0) } catch {
      throw StorageErrors.writing(error)
    }
  }
}
