internal import DownloadCore
internal import DownloadEngine
internal import DownloadStore
internal import DownloadTransport

extension SessionDriver {
  /// Nil for a session in memory, or one that another process works on.
  var keeping: SessionKeeping? { core.withLock { $0.keeping } }

  /// The store has committed an order, or refused it.
  func committed(_ number: Int, _ error: DatabaseError?) {
    let (answer, effects) = core.withLock { core -> (Answer?, StateEffects) in
      var effects = StateEffects()
      guard var pending = core.orders.remove(number) else { return (nil, effects) }
      var result: OrderResult?
      if let error {
        pending.order.stored.takeBack(in: &core.state)
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
  func keep(_ effects: inout StateEffects, _ core: inout SessionCore) {
    if effects.rows.isEmpty { return }
    let end = core.state.history.lastEnd
    core.keeping?.store.post(effects.rows, isKept: true) { [weak self] error in
      if error == nil { self?.stored(through: end) }
    }
    effects.rows = []
  }

  /// Ends through this one outlast a power cut, and are told.
  private func stored(through end: Int64) {
    let watchers = core.withLock { core -> [Watcher] in
      guard end > core.state.history.storedEnd else { return [] }
      core.state.history.storedEnd = end
      return core.state.feeds.watchers
    }
    for watcher in watchers { watcher.signal() }
    notes.wake()
  }

  /// Returns when the ends so far outlast a power cut, or the disk does not take them in time.
  func endsAreStored() async {
    let end = core.withLock { $0.state.history.lastEnd }
    let patience = Clock.now() + .seconds(2)
    while core.withLock({ $0.state.history.storedEnd < end }), !isClosed, Clock.now() < patience {
      do { try await Task.sleep(for: .milliseconds(2)) } catch { return }
    }
  }

  /// Changes the state without a command.
  func change(_ body: (inout SessionState, inout StateEffects) -> Void) {
    changeCore { core, effects in body(&core.state, &effects) }
  }

  /// Changes what the session knows without a command.
  func changeCore(_ body: (inout SessionCore, inout StateEffects) -> Void) {
    let (effects, released) = core.withLock { core -> (StateEffects, KeptSession.Session?) in
      var effects = StateEffects()
      body(&core, &effects)
      keep(&effects, &core)
      return (effects, core.updateKeeper())
    }
    effects.perform()
    withExtendedLifetime(released) {}
  }
}
