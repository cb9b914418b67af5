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
    /// A subscriber has heard nothing of the progress yet.
    var wantsProgress = false
  }

  private let state = Lock(State())
  private let caughtUp: @Sendable () -> Void

  /// - Parameter caughtUp: called when the engine is to look again, because a subscriber has caught up, or wants something
  ///   else. On the subscriber's thread.
  init(caughtUp: @escaping @Sendable () -> Void) { self.caughtUp = caughtUp }

  /// - Parameters:
  ///   - kind: what is lost if the subscriber is behind.
  ///   - progressInterval: how often it wants the progress, above 0; nil for never.
  package func subscribe(
    _ kind: EventSubscription.Kind, progressEvery progressInterval: Duration? = nil
  ) -> EventSubscription {
    let subscription = EventSubscription(kind, progressInterval: progressInterval, caughtUp: caughtUp)
    state.withLock { state in
      state.subscriptions.append(subscription)
      if progressInterval != nil { state.wantsProgress = true }
    }
    // The engine may sleep, because nobody has listened.
    caughtUp()
    return subscription
  }

  /// Whether a subscriber is to hear of the progress at once; true once each time.
  func takeProgressWish() -> Bool {
    state.withLock { state in
      defer { state.wantsProgress = false }
      return state.wantsProgress
    }
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
    var endCount = 0
    var progress: Int?
    for (index, event) in events.enumerated() {
      switch event {
      case .ended: endCount += 1
      case .progressed: progress = index
      case .started, .noticed, .status: break
      }
    }
    let now = progress == nil ? Instant.zero : Clock.now()
    for subscription in subscriptions {
      subscription.take(events, number: number, endCount, progress: progress, now: now)
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
    /// Which batch has the progress. The next progress takes its place.
    var progressPlace: Int?
  }

  private struct ProgressTimes {
    var interval: Duration?
    /// When the next one is due.
    var next = Instant.zero
  }

  private let kind: Kind
  private let times: Lock<ProgressTimes>
  private let state = Lock(State())
  private let wakeup = Wakeup()
  private let caughtUp: @Sendable () -> Void

  /// Ends that a complete subscriber may be behind before nothing new begins.
  static let mostEnds = 4096
  /// Events that are kept for one that wants the latest state.
  static let mostEvents = 4096

  init(_ kind: Kind, progressInterval: Duration?, caughtUp: @escaping @Sendable () -> Void) {
    self.kind = kind
    times = Lock(ProgressTimes(interval: progressInterval))
    self.caughtUp = caughtUp
  }

  /// Readable while there are events.
  package var descriptor: Int32 { wakeup.descriptor }

  /// How often it wants the progress, above 0; nil for never. A change holds from the next round of the engine's loop on.
  package var progressInterval: Duration? {
    get { times.withLock { $0.interval } }
    set {
      let isChange = times.withLock { times in
        if times.interval == newValue { return false }
        times = ProgressTimes(interval: newValue)
        return true
      }
      if isChange { caughtUp() }
    }
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

  /// - Parameter progress: the place of the progress; nil for none.
  fileprivate func take(_ events: [EngineEvent], number: Int, _ endCount: Int, progress: Int?, now: Instant) {
    var events = events
    var progress = progress
    if let place = progress, !isProgressDue(now) {
      events.remove(at: place)
      progress = nil
    }
    if events.isEmpty { return }
    let wasEmpty = state.withLock { state in
      let wasEmpty = state.batches.isEmpty
      let overflows = kind == .latest && state.eventCount + events.count > Self.mostEvents
      // The newest progress takes the place of the one before, and stays if all else goes.
      if let place = state.progressPlace, progress != nil || overflows, let old = state.batches[place].takeProgress() {
        state.eventCount -= 1
        if progress == nil {
          events.append(old)
          progress = events.count - 1
        }
      }
      if overflows {
        state.batches.removeAll(keepingCapacity: true)
        state.eventCount = 0
        state.hasGap = true
        state.progressPlace = nil
      }
      state.batches.append(EventBatch(number: number, hasGap: state.hasGap, events: events))
      if progress != nil { state.progressPlace = state.batches.count - 1 }
      state.hasGap = false
      state.eventCount += events.count
      state.endCount += endCount
      return wasEmpty
    }
    if wasEmpty { wakeup.signal() }
  }

  private func isProgressDue(_ now: Instant) -> Bool {
    times.withLock { times in
      // Progress comes at the shortest interval of all subscribers, a little early or late.
      guard let interval = times.interval, now + interval / 8 >= times.next else { return false }
      times.next = now + interval
      return true
    }
  }
}

extension EventBatch {
  fileprivate mutating func takeProgress() -> EngineEvent? {
    events.firstIndex { if case .progressed = $0 { true } else { false } }.map { events.remove(at: $0) }
  }
}
