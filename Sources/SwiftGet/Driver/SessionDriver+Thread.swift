internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadTransport
internal import Glibc

/// The session's thread: events and answers come in, changes of the state and calls go out.
extension SessionDriver {
  func run(_ engine: Engine, _ events: EventSubscription) {
    // Batches that came while notes were taken: notes that belong before them may be missing.
    var deferred: [EventBatch] = []
    while true {
      let isBehind = isBehind
      let eventDescriptor = isBehind ? -1 : events.descriptor
      var entries = [engine.endDescriptor ?? -1, eventDescriptor, notes.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      _ = poll(&entries, 3, deferred.isEmpty ? core.withLock { Self.timeout($0) } : 0)
      handle(engine, events, &deferred, isBehind: isBehind)
      if entries[0].revents != 0 { break }
    }
    let end = engine.join()
    if let cookies = end.cookies { configuration.keepCookies?(cookies) }
    // What is deferred is handled with the second call.
    for _ in 0..<2 { handle(engine, events, &deferred, isBehind: false) }
    change { state, effects in
      for record in state.records.all { state.storeProgress(of: record, &effects) }
    }
    core.withLock { core in
      core.ending.unreleased = end.unreleased.compactMap {
        core.state.records[$0].map { String(decoding: $0.path, as: UTF8.self) }
      }
      return core.ending.atEnd.take()
    }?()
    // What is committed now is told before the session counts as closed.
    keeping?.store.close()
    self.end()
  }

  /// Milliseconds until an answer is overdue.
  private static func timeout(_ core: borrowing SessionCore) -> Int32 {
    guard let deadline = core.orders.deadline, deadline < .distantFuture else { return -1 }
    return Int32(clamping: max(0, (deadline - Clock.now()).wholeNanoseconds / 1_000_000 + 1))
  }

  typealias Answer = (OrderContinuation, OrderResult)

  /// Whether so many ends wait for the store that no more are taken. The engine begins nothing new then.
  private var isBehind: Bool {
    core.withLock { $0.state.history.lastEnd - $0.state.history.storedEnd > SessionKeeping.mostUnstored }
  }

  private func handle(_ engine: Engine, _ events: EventSubscription, _ deferred: inout [EventBatch], isBehind: Bool) {
    // The notes that were made before an early batch are there, and the batches that came before a note.
    let early = deferred + (isBehind ? [] : events.takeAll())
    let notes = notes.takeAll()
    let batches = early + (isBehind ? [] : events.takeAll())
    let moment = Moment.current
    let (effects, answers, released, rest) = core.withLock {
      core -> (StateEffects, [Answer], KeptSession.Session?, [EventBatch]) in
      var effects = StateEffects()
      var answers: [Answer] = []
      var rest = batches[...]
      func take(through number: Int, _ state: inout SessionState, _ effects: inout StateEffects) {
        while let batch = rest.first, batch.number <= number {
          state.take(batch.events, moment, &effects, place: PlacedFile.init(path:))
          rest.removeFirst()
        }
      }
      for note in notes {
        switch note {
        case .obeyed(let number, let replies, let batch):
          take(through: batch, &core.state, &effects)
          core.orders.obeyed(number, replies, &core.state, moment, &effects)
        case .answered(let number):
          guard let pending = core.orders.remove(number), let continuation = pending.continuation else { break }
          answers.append((continuation, .success(pending.order.reply)))
        case .described(let descriptions, let batch):
          take(through: batch, &core.state, &effects)
          core.state.described(descriptions, moment, &effects)
        }
      }
      if let last = early.last { take(through: last.number, &core.state, &effects) }
      for continuation in core.orders.expire(moment.now) { answers.append((continuation, .failure(Self.silent))) }
      core.state.tellConditions(&effects)
      let released = core.updateKeeper()
      keep(&effects, &core)
      return (effects, answers, released, Array(rest))
    }
    deferred = rest
    effects.perform()
    if configuration.listener != nil || configuration.log != nil {
      let events = batches.dropLast(rest.count).flatMap(\.events)
      configuration.listener?(events)
      if let log = configuration.log { events.compactMap { DownloadLogEntry($0) }.forEach(log) }
    }
    for (continuation, result) in answers { continuation.resume(returning: result) }
    if !effects.questions.isEmpty {
      engine.post(
        effects.questions.map { .describe(.task($0)) },
        obeyed: { [notes = self.notes] answers, batch in
          let found = answers.flatMap { if case .descriptions(let found) = $0 { found } else { [TaskDescription]() } }
          notes.post(.described(found, batch: batch))
        }, answer: nil)
    }
    withExtendedLifetime(released) {}
  }

  /// Nothing works on the session here any more: nobody waits any longer.
  func end() {
    let (pending, closers, closes, keeper) = core.withLock {
      core -> ([PendingOrder], [CheckedContinuation<Void, Never>], Bool, KeptSession.Session?) in
      core.phase = .closed
      defer { core.ending.closers = [] }
      return (core.orders.removeAll(), core.ending.closers, core.ending.closesHandlers, core.updateKeeper())
    }
    if closes { closeHandlers() }
    for entry in pending { entry.continuation?.resume(returning: .failure(Self.closed)) }
    for closer in closers { closer.resume() }
    wakeAll()
    withExtendedLifetime(keeper) {}
  }
}

extension SessionDriver.SessionCore {
  /// Keeps the session as long as a handler is still to be called. One that is closed calls none.
  ///
  /// - Returns: the session, if it is not kept any more; to be given up without the lock.
  mutating func updateKeeper() -> KeptSession.Session? {
    let isNeeded = !phase.isClosed && state.audiences.keepsSession(of: state.groups)
    return kept.keep(isNeeded)
  }
}
