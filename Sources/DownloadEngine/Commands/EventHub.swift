internal import DownloadCore
internal import DownloadTransport

/// Hands the events of an engine to its subscribers, each of which takes them on a thread of its own.
///
/// Nothing waits for a subscriber: one that wants every event makes the engine begin nothing new while it is far behind,
/// and one that wants the latest state loses events.
package final class EventHub: Sendable {
  private struct State {
    var subscriptions: [EventSubscription] = []
    var lastNumber = 0
  }

  private let state = Lock(State())
  private let caughtUp: @Sendable () -> Void

  /// - Parameter caughtUp: called when a subscriber that was behind has caught up, on its thread.
  init(caughtUp: @escaping @Sendable () -> Void) { self.caughtUp = caughtUp }

  /// - Parameters:
  ///   - kind: what is lost if the subscriber is behind.
  ///   - progressInterval: how often it wants the progress, above 0; nil for never.
  package func subscribe(
    _ kind: EventSubscription.Kind, progressEvery progressInterval: Duration? = nil
  ) -> EventSubscription {
    let subscription = EventSubscription(kind, progressInterval: progressInterval, caughtUp: caughtUp)
    state.withLock { $0.subscriptions.append(subscription) }
    return subscription
  }

  package func unsubscribe(_ subscription: EventSubscription) {
    state.withLock { $0.subscriptions.removeAll { $0 === subscription } }
    caughtUp()
  }

  /// The number of the last batch; 0 before the first. Asked by the thread that publishes.
  var lastNumber: Int { state.withLock { $0.lastNumber } }

  /// Whether anyone listens. Without subscribers events are not made.
  var isHeard: Bool { state.withLock { !$0.subscriptions.isEmpty } }

  /// The shortest interval at which a subscriber wants the progress; nil if none does.
  var progressInterval: Duration? {
    state.withLock { $0.subscriptions.lazy.compactMap(\.progressInterval).min() }
  }

  /// Whether a subscriber that wants every event is far behind.
  var isBehind: Bool { state.withLock { $0.subscriptions.contains(where: \.isBehind) } }

  /// Hands over the events of one round.
  func publish(_ events: [EngineEvent]) {
    guard !events.isEmpty else { return }
    let (subscriptions, number) = state.withLock { state in
      state.lastNumber += 1
      return (state.subscriptions, state.lastNumber)
    }
    let endCount = events.reduce(0) { if case .ended = $1 { $0 + 1 } else { $0 } }
    for subscription in subscriptions {
      subscription.take(EventBatch(number: number, hasGap: false, events: events), endCount: endCount)
    }
  }
}

/// What one subscriber has not taken yet of an engine's events. Any thread may take them.
package final class EventSubscription: Sendable {
  package enum Kind: Sendable {
    /// Every event: records, hooks, a store.
    case complete
    /// The newest state: displays.
    case latest
  }

  private struct State {
    var batches: [EventBatch] = []
    var eventCount = 0
    var endCount = 0
    var hasGap = false
  }

  private let kind: Kind
  private let interval: Lock<Duration?>
  private let state = Lock(State())
  private let wakeup = Wakeup()
  private let caughtUp: @Sendable () -> Void

  /// Ends that a complete subscriber may be behind before nothing new begins.
  static let mostEnds = 4096
  /// Events that are kept for one that wants the latest state.
  static let mostEvents = 4096

  init(_ kind: Kind, progressInterval: Duration?, caughtUp: @escaping @Sendable () -> Void) {
    self.kind = kind
    interval = Lock(progressInterval)
    self.caughtUp = caughtUp
  }

  /// Readable while there are events.
  package var descriptor: Int32 { wakeup.descriptor }

  /// How often it wants the progress, above 0; nil for never. A change holds from the next round of the engine's loop on.
  package var progressInterval: Duration? {
    get { interval.withLock { $0 } }
    set { interval.withLock { $0 = newValue } }
  }

  /// All events so far, without waiting.
  package func takeAll() -> [EventBatch] {
    wakeup.clear()
    let (batches, wasBehind) = state.withLock { state in
      defer { state = State() }
      return (state.batches, kind == .complete && state.endCount >= Self.mostEnds)
    }
    if wasBehind { caughtUp() }
    return batches
  }

  var isBehind: Bool { kind == .complete && state.withLock { $0.endCount >= Self.mostEnds } }

  fileprivate func take(_ batch: EventBatch, endCount: Int) {
    let wasEmpty = state.withLock { state in
      let wasEmpty = state.batches.isEmpty
      if kind == .latest, state.eventCount + batch.events.count > Self.mostEvents {
        state.batches.removeAll(keepingCapacity: true)
        state.eventCount = 0
        state.hasGap = true
      }
      state.batches.append(EventBatch(number: batch.number, hasGap: state.hasGap, events: batch.events))
      state.hasGap = false
      state.eventCount += batch.events.count
      state.endCount += endCount
      return wasEmpty
    }
    if wasEmpty { wakeup.signal() }
  }
}
