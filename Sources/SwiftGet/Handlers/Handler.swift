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
  private struct Entry {
    let value: Value
    let isReplaceable: Bool
    /// Called after the closure.
    let then: (@Sendable () -> Void)?
  }

  private struct Queue {
    var values: [Entry] = []
    var isDraining = false
    var isClosed = false
  }

  private let body: @Sendable @isolated(any) (Value) async -> Void
  private let state = Lock(Queue())

  init(_ body: @escaping @Sendable @isolated(any) (Value) async -> Void) { self.body = body }

  var isolation: (any Actor)? { body.isolation }

  /// - Parameters:
  ///   - isReplaceable: whether a later value makes this one obsolete.
  ///   - then: called when the closure has had the value; not if the handler is closed before.
  /// - Returns: whether somebody has to drain it.
  func post(_ value: Value, isReplaceable: Bool, then: (@Sendable () -> Void)? = nil) -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      if let last = state.values.last, last.isReplaceable { state.values.removeLast() }
      state.values.append(Entry(value: value, isReplaceable: isReplaceable, then: then))
      if state.isDraining { return false }
      state.isDraining = true
      return true
    }
  }

  /// Posts a value that is not replaced, when it is called.
  func poster(of value: Value) -> AfterProgress.Post {
    { [self] in post(value, isReplaceable: false) ? self : nil }
  }

  func close() {
    state.withLock {
      $0.isClosed = true
      $0.values = []
    }
  }

  nonisolated(nonsending) func drain() async {
    while let entry = next() {
      await body(entry.value)
      entry.then?()
    }
  }

  private func next() -> Entry? {
    state.withLock { state in
      guard !state.isClosed, !state.values.isEmpty else {
        state.isDraining = false
        return nil
      }
      return state.values.removeFirst()
    }
  }
}

/// Handlers that are called with an end when all handlers of progress have had their last value.
final class AfterProgress: Sendable {
  /// Posts a value, and returns the handler if somebody has to drain it.
  typealias Post = @Sendable () -> (any DueHandler)?

  private let missingCount: Lock<Int>
  private let posts: [Post]

  /// - Parameter count: of the handlers of progress, above 0.
  init(count: Int, _ posts: [Post]) {
    missingCount = Lock(count)
    self.posts = posts
  }

  /// One handler of progress has had its last value.
  func arrive() {
    let isLast = missingCount.withLock { count in
      count -= 1
      return count == 0
    }
    if isLast { HandlerRuns.run(posts.compactMap { $0() }) }
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
