internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// What is asked about items, and what the answers lead to.
///
/// `judging` is a phase of the item. An item that is to be named goes on receiving, and buffers what it gets.
extension ItemRunner {
  func obey(_ decision: EngineDecision, on question: EngineQuestion, _ item: ActiveItem) {
    switch question.kind {
    case .source: break
    case .validate: judged(item, decision)
    case .accept:
      item.question.isAsking = false
      accepted(item, decision)
      if case .accept(let file) = question, state.items[item.handle] === item { name(item, file) }
      if state.items[item.handle] === item { transferRunner.goOn(item) }
    case .name:
      item.question.isAsking = false
      named(item, decision)
      if state.items[item.handle] === item { transferRunner.goOn(item) }
    }
  }

  // MARK: Complete files

  func judge(_ item: ActiveItem, _ conclusion: Conclusion) {
    guard let part = item.storage?.part else {
      return storageFailed(item, Failure(.impossible(event: "judged", phase: "no part file")))
    }
    do { item.content.seal = try part.seal() } catch { return storageFailed(item, StorageErrors.reading(error)) }
    let path = DirectoryHandle.joined(part.place.directory.shownPath, part.name)
    let file = UnpublishedFile(
      path: path, url: item.url, byteCount: conclusion.completeLength,
      command: state.settings.target.verifyCommand(for: item.request))
    if let decision = state.gate.ask(.validate(file), of: item.handle, now: state.now) { judged(item, decision) }
  }

  /// - Parameter decision: of a policy that may have written to the file.
  private func judged(_ item: ActiveItem, _ decision: EngineDecision) {
    let judgement: FileMachine.Judgement
    switch decision {
    case .accepted:
      guard let seal = item.content.seal, let part = item.storage?.part else { return }
      do {
        switch try part.touch(since: seal) {
        case .none: judgement = .accepted
        case .content: judgement = .rejected(Failure(.changedByJudge))
        case .metadata: judgement = .touched
        }
      } catch { return storageFailed(item, StorageErrors.reading(error)) }
    case .rejected(let error): judgement = .rejected(error)
    // The part file stays.
    case .undecided(let error), .unanswered(let error): return storageFailed(item, error)
    case .named, .use: return storageFailed(item, Failure(.undecided))
    }
    state.feed { $0.judged(item.handle, judgement, &$1) }
  }

  // MARK: Answers

  /// Asks about the item's first answer with content, before a byte is stored: whether it may be the file, and how the file
  /// is to be called.
  func ask(about head: ResponseHead, of item: ActiveItem) {
    guard item.request.isNamedByAnswer || isToBeAccepted(item), !item.question.isAsking,
      head.status == 206 || fileSettings(of: item).wholeStatuses.contains(head.status),
      let answer = item.traffic.lastAnswer
    else { return }
    let file = AnsweredFile(request: item.request, answer: answer, contentDisposition: head.contentDisposition)
    if isToBeAccepted(item) {
      guard let decision = state.gate.ask(.accept(file), of: item.handle, now: state.now) else {
        return item.question.isAsking = true
      }
      accepted(item, decision)
    }
    if state.items[item.handle] === item { name(item, file) }
  }

  func isToBeAccepted(_ item: ActiveItem) -> Bool { !item.question.isAccepted && state.gate.asks(.accept) }

  private func accepted(_ item: ActiveItem, _ decision: EngineDecision) {
    switch decision {
    case .accepted, .named, .use: item.question.isAccepted = true
    case .rejected(let error), .undecided(let error), .unanswered(let error): storageFailed(item, error)
    }
  }

  /// Asks for the name of the item. If the name is free, the transfer goes on. If a file or the beginning of one has the
  /// name, the item starts over with that target, as if the request had named it.
  private func name(_ item: ActiveItem, _ file: AnsweredFile) {
    guard item.request.isNamedByAnswer, file.answer.status != 206 else { return }
    if let decision = state.gate.ask(.name(file), of: item.handle, now: state.now) {
      named(item, decision)
    } else {
      item.question.isAsking = true
    }
  }

  private func named(_ item: ActiveItem, _ decision: EngineDecision) {
    switch decision {
    case .named(let name): item.chooseName(name)
    case .accepted, .use: item.chooseName(nil)
    case .rejected(let error), .undecided(let error), .unanswered(let error): return storageFailed(item, error)
    }
    do throws(Failure) {
      try state.reserve(item.name, for: item.task)
      guard case .listed(let components) = item.request.target else { return }
      let target = try state.place.target(of: components)
      guard try inspector.isFree(target, components: components, for: item, now: state.now) else {
        renamed.append(item)
        for transfer in transferRunner.transfers.of(item) { transferRunner.drop(transfer) }
        return
      }
      item.move(to: target)
      item.hasRejected = state.place.snapshot.hasRejected(of: target, now: state.now)
      state.tell(.started(item.task, name: item.name, location: item.url))
    } catch {
      storageFailed(item, error)
    }
  }

  /// Starts items over that have got a name which is not free.
  func beginRenamed() {
    let over = renamed
    renamed = []
    for item in over where state.items[item.handle] === item {
      forget(item)
      state.requests.takeBack(item.request)
      state.queue.returned(item.handle)
    }
  }
}
