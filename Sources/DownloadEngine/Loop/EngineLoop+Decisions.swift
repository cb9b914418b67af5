internal import DownloadCore
internal import DownloadFiles
internal import Glibc

/// What is asked about items, and what the answers lead to.
///
/// `judging` is a phase of the item. An item that is to be named goes on receiving, and holds what it gets.
extension EngineLoop {
  /// An answer has come from another thread.
  func decided(_ number: Int, _ decision: EngineDecision) {
    guard
      let (handle, decision, question) = gate.answered(
        number, decision, now: now, retries: retriesOfQuestions, random: random())
    else { return }
    obey(decision, on: question, handle)
  }

  /// What nobody has answered in time, however often it was asked, is not decided.
  func endOverdue() {
    for (handle, question) in gate.takeOverdue(now: now, retries: retriesOfQuestions) {
      obey(.undecided(Failure(.undecided)), on: question, handle)
    }
  }

  private func retriesOfQuestions(of handle: ItemHandle) -> Retries {
    let request = items[handle]?.request ?? sources[handle]
    return (request?.settings?.over(machine.fileSettings) ?? machine.fileSettings).retries
  }

  private func obey(_ decision: EngineDecision, on question: EngineQuestion, _ handle: ItemHandle) {
    if let request = sources.take(handle) {
      // A command may have changed it.
      if !endsEarly, queue.task(of: handle) != nil { begin(requests[request.task] ?? request, handle, from: decision) }
      return
    }
    guard let item = items[handle] else { return }
    switch question.kind {
    case .source: break
    case .validate: judged(item, decision)
    case .accept:
      item.isAsking = false
      accepted(item, decision)
      if case .accept(let file) = question, items[item.handle] === item { name(item, file) }
      if items[item.handle] === item { goOn(item) }
    case .name:
      item.isAsking = false
      named(item, decision)
      if items[item.handle] === item { goOn(item) }
    }
  }

  // MARK: Complete files

  func judge(_ item: ActiveItem, _ conclusion: Conclusion) {
    guard let part = item.storage?.part else {
      return storageFailed(item, Failure(.impossible(event: "judged", phase: "no part file")))
    }
    do { item.seal = try part.seal() } catch { return storageFailed(item, StorageErrors.reading(error)) }
    let path = DirectoryHandle.joined(part.place.directory.shownPath, part.name)
    let file = UnpublishedFile(
      path: path, url: item.url, byteCount: conclusion.completeLength,
      command: settings.target.verifyCommand(for: item.request))
    if let decision = gate.ask(.validate(file), of: item.handle, now: now) { judged(item, decision) }
  }

  /// - Parameter decision: of a policy that may have written to the file.
  private func judged(_ item: ActiveItem, _ decision: EngineDecision) {
    let judgement: FileMachine.Judgement
    switch decision {
    case .accepted:
      guard let seal = item.seal, let part = item.storage?.part else { return }
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
    var actions: [RunAction] = []
    machine.judged(item.handle, judgement, &actions)
    perform(actions)
  }

  /// Gives a whole small file a part file, by whose name others can read it. If that fails nothing is left of it: the
  /// machine counts all bytes of the body, and a record would claim them.
  func createPart(of item: ActiveItem, at target: TargetPlace) throws(Failure) {
    let storage = storage(of: item, at: target)
    guard storage.part == nil else { return }
    do throws(Failure) {
      try storage.create(machine.knowledge(of: item.handle), waits: true)
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

  // MARK: Answers

  /// Asks about the item's first answer with content, before a byte is stored: whether it may be the file, and how the file
  /// is to be called.
  func ask(about head: ResponseHead, of item: ActiveItem) {
    guard item.request.isNamedByAnswer || isToBeAccepted(item), !item.isAsking,
      head.status == 206 || fileSettings(of: item).wholeStatuses.contains(head.status), let answer = item.lastAnswer
    else { return }
    let file = AnsweredFile(request: item.request, answer: answer, contentDisposition: head.contentDisposition)
    if isToBeAccepted(item) {
      guard let decision = gate.ask(.accept(file), of: item.handle, now: now) else { return item.isAsking = true }
      accepted(item, decision)
    }
    if items[item.handle] === item { name(item, file) }
  }

  func isToBeAccepted(_ item: ActiveItem) -> Bool { !item.isAccepted && gate.asks(.accept) }

  private func accepted(_ item: ActiveItem, _ decision: EngineDecision) {
    switch decision {
    case .accepted, .named, .use: item.isAccepted = true
    case .rejected(let error), .undecided(let error), .unanswered(let error): storageFailed(item, error)
    }
  }

  /// Asks for the name of the item. If the name is free, the transfer goes on. If a file or the beginning of one has the
  /// name, the item starts over with that target, as if the request had named it.
  private func name(_ item: ActiveItem, _ file: AnsweredFile) {
    guard item.request.isNamedByAnswer, file.answer.status != 206 else { return }
    if let decision = gate.ask(.name(file), of: item.handle, now: now) {
      named(item, decision)
    } else {
      item.isAsking = true
    }
  }

  /// Reserves the name of a file where answers name files. Of a run no two files get one name, also if one has ended.
  func reserve(_ name: [UInt8], for task: TaskID) throws(Failure) {
    try place.reserve(name, for: task) { endsWhenIdle || queue.handle(of: $0) != nil }
  }

  private func named(_ item: ActiveItem, _ decision: EngineDecision) {
    switch decision {
    case .named(let name): item.settleName(name)
    case .accepted, .use: item.settleName(nil)
    case .rejected(let error), .undecided(let error), .unanswered(let error): return storageFailed(item, error)
    }
    do throws(Failure) {
      try reserve(item.name, for: item.task)
      guard case .listed(let components) = item.request.target else { return }
      let target = try place.target(of: components)
      guard try inspector.isFree(target, components: components, for: item, now: now) else {
        renamed.append(item)
        for transfer in transfers.of(item) { drop(transfer) }
        return
      }
      item.move(to: target)
      item.hasRejected = place.holdRejected(of: target, now: now)
      tell(.started(item.task, name: item.name, location: item.url))
    } catch {
      storageFailed(item, error)
    }
  }

  /// Starts items over that have got a name which is not free.
  func beginRenamed() {
    let over = renamed
    renamed = []
    for item in over where items[item.handle] === item {
      forget(item)
      requests.takeBack(item.request)
      queue.returned(item.handle)
    }
  }
}
