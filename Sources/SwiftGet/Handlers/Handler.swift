internal import DownloadCore

/// Something that has values for a closure of the caller's.
protocol DueHandler: AnyObject, Sendable {
  /// The actor that the closure belongs to; nil for none.
  var isolation: (any Actor)? { get }
  /// Calls the closure with all values that are there.
  nonisolated(nonsending) func drain() async
  /// Calls it no more.
  func close()
}

/// A closure of the caller's that is kept, and the values that it has not been called with: the newest one, and all that
/// may not be lost, in order, one at a time.
final class Handler<Value: Sendable>: DueHandler {
  private struct Queue {
    var values: [(value: Value, isReplaceable: Bool)] = []
    var isDraining = false
    var isClosed = false
  }

  private let body: @Sendable @isolated(any) (Value) async -> Void
  private let state = Lock(Queue())

  init(_ body: @escaping @Sendable @isolated(any) (Value) async -> Void) { self.body = body }

  var isolation: (any Actor)? { body.isolation }

  /// - Parameter isReplaceable: whether a later value makes this one obsolete.
  /// - Returns: whether somebody has to drain it.
  func post(_ value: Value, isReplaceable: Bool) -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      if let last = state.values.last, last.isReplaceable { state.values.removeLast() }
      state.values.append((value, isReplaceable))
      if state.isDraining { return false }
      state.isDraining = true
      return true
    }
  }

  func close() {
    state.withLock {
      $0.isClosed = true
      $0.values = []
    }
  }

  nonisolated(nonsending) func drain() async {
    while let value = next() { await body(value) }
  }

  private func next() -> Value? {
    state.withLock { state in
      guard !state.isClosed, !state.values.isEmpty else {
        state.isDraining = false
        return nil
      }
      return state.values.removeFirst().value
    }
  }
}

/// Calls handlers where they were written.
enum HandlerRuns {
  /// One job for each actor, whatever the number of its handlers. A slow handler delays only itself.
  static func run(_ due: [any DueHandler]) {
    if due.isEmpty { return }
    var actors: [ObjectIdentifier: (actor: any Actor, handlers: [any DueHandler])] = [:]
    var others: [any DueHandler] = []
    for handler in due {
      if let actor = handler.isolation {
        actors[ObjectIdentifier(actor), default: (actor, [])].handlers.append(handler)
      } else {
        others.append(handler)
      }
    }
    for (actor, handlers) in actors.values { Task { await run(handlers, on: actor) } }
    if !others.isEmpty {
      Task {
        for handler in others { Task.immediate { await handler.drain() } }
      }
    }
  }

  private static func run(_ due: [any DueHandler], on actor: isolated any Actor) {
    for handler in due {
      Task.immediate {
        _ = actor
        await handler.drain()
      }
    }
  }
}
