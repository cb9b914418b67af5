internal import DownloadCore
internal import DownloadEngine
internal import DownloadStore

/// A session's place in the store, and what goes there.
struct SessionKeeping: Sendable {
  let store: SessionStore
  /// A command is prepared, committed and posted to the engine before the next one is prepared.
  let turns = CommandTurns()

  /// Ends that are not stored before no more are taken, so that nothing new begins.
  static let mostUnstored: Int64 = 10_000
}

extension SessionDriver {
  /// The store has committed an order, or refused it.
  func committed(_ number: Int, _ error: DatabaseError?) {
    let (answer, effects) = core.withLock { core -> (Answer?, StateEffects) in
      var effects = StateEffects()
      guard var pending = core.pending.removeValue(forKey: number) else { return (nil, effects) }
      var result: Result<SessionOrder, DownloadError>?
      if let error {
        for undo in pending.order.undo.reversed() { undo(&core.state) }
        result = .failure(DownloadError(notSaved: error))
      } else if case .running(let engine) = core.phase {
        result = begin(&pending, number, engine, &core, &effects)
      } else {
        result = .failure(Self.closed)
      }
      keep(&effects, &core)
      guard let result, let continuation = pending.continuation else { return (nil, effects) }
      return ((continuation, result), effects)
    }
    keeping?.turns.give()
    effects.perform()
    if let (continuation, result) = answer { continuation.resume(returning: result) }
  }

  /// Has the store keep what must not get lost.
  func keep(_ effects: inout StateEffects, _ core: inout Core) {
    if effects.rows.isEmpty { return }
    let end = core.state.lastEnd
    keeping?.store.post(effects.rows, isKept: true) { [weak self] error in
      if error == nil { self?.stored(through: end) }
    }
    effects.rows = []
  }

  /// Ends through this one outlast a power cut, and are told.
  private func stored(through end: Int64) {
    let watchers = core.withLock { core -> [Watcher] in
      guard end > core.state.storedEnd else { return [] }
      core.state.storedEnd = end
      return core.state.feeds.values.map(\.watcher)
    }
    for watcher in watchers { watcher.signal() }
    notes.wake()
  }

  /// Changes the state without a command.
  func change(_ body: (inout SessionState, inout StateEffects) -> Void) {
    let effects = core.withLock { core in
      var effects = StateEffects()
      body(&core.state, &effects)
      keep(&effects, &core)
      return effects
    }
    effects.perform()
  }
}
