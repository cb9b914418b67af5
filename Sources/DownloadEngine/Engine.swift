package import DownloadCore
internal import DownloadTransport

/// Downloads on a thread of its own. Orders come in from any thread; events go out to subscribers.
///
/// `post` → mailbox → `EngineLoop`, which obeys and tells → `EventHub` → subscribers. Nothing here or below prints,
/// handles signals or changes the process.
package final class Engine: Sendable {
  /// What it tells.
  package let events: EventHub
  private let inbox = EngineInbox()
  private let state: Lock<State>

  private enum State {
    case new(Handover<EngineLoop>)
    case running(Handover<WorkerThread>)
    case ended
  }

  private final class Ending: Sendable { let end = Lock<RunEnd?>(nil) }

  private let ending = Ending()

  /// - Parameters:
  ///   - place: where the files go. Like the source and the spool it is used by the engine's thread only, from `start` on
  ///     until `join`.
  ///   - trustedOrigins: origins named on the command line, to which headers and credentials may go.
  ///   - source: of the first requests; others come by commands.
  ///   - spool: for requests that wait while their hosts have no room; nil keeps them in memory.
  ///   - keeper: of the requests that commands add; nil keeps them in the engine.
  ///   - endsWhenIdle: whether it ends when nothing is left to do; otherwise it waits for commands until it is stopped, and
  ///     as long for targets that other runs hold and for full disks.
  ///   - policy: answers questions, after the settings have.
  ///   - settledLimit: tasks that have ended and can be done again, at most.
  ///   - descriptorLimit: descriptors that the process may open; what the engine does at once is fitted to its share of
  ///     them.
  ///   - runtime: what it shares with other engines.
  package init(
    settings: RunSettings, place: DownloadPlace, trustedOrigins: Set<Origin>, source: any RequestSource,
    spool: (any RequestSpool)? = nil, keeper: (any RequestKeeper)? = nil, endsWhenIdle: Bool = true,
    settledLimit: Int = 0, policy: (any EnginePolicy)? = nil, descriptorLimit: Int, runtime: Runtime = .shared
  ) {
    events = EventHub(caughtUp: inbox.nudge)
    let loop = EngineLoop(
      settings: settings, place: place, trustedOrigins: trustedOrigins, source: source, spool: spool, keeper: keeper,
      events: events, inbox: inbox, endsWhenIdle: endsWhenIdle, settledLimit: settledLimit, policy: policy,
      descriptorLimit: descriptorLimit, runtime: runtime)
    state = Lock(.new(Handover(loop)))
  }

  /// Begins to work; once.
  ///
  /// - Throws: if the system has no more threads.
  package func start() throws(Failure) {
    guard case .new(let loop) = state.withLock({ $0 }) else { return }
    let thread = WorkerThread { [ending] in
      let end = loop.value.run()
      ending.end.withLock { $0 = end }
    }
    guard let thread else { throw Failure(.threadsUnavailable) }
    state.withLock { $0 = .running(Handover(thread)) }
  }

  /// Changes what tests replace; before `start`.
  func configure(_ body: (EngineLoop) -> Void) {
    if case .new(let loop) = state.withLock({ $0 }) { body(loop.value) }
  }

  /// Takes effect in the order of the calls. Before `start`, before the first request; after the end it has no effect, and
  /// no answer.
  ///
  /// - Parameter answer: called on the engine's thread with an answer for each command, when their effects have begun.
  package func post(_ commands: [EngineCommand], answer: (@Sendable ([EngineAnswer]) -> Void)? = nil) {
    inbox.post(EngineOrder(commands: commands, answer: answer))
  }

  /// As `post(_:answer:)`, for somebody who follows the events.
  ///
  /// - Parameter obeyed: called on the engine's thread when the commands are obeyed, with an answer for each and the number
  ///   of the last batch of events then. What the commands have ended is told in batches up to that one, what happens
  ///   afterwards in later ones.
  package func post(
    _ commands: [EngineCommand], obeyed: @escaping @Sendable ([EngineAnswer], _ batch: Int) -> Void,
    answer: (@Sendable ([EngineAnswer]) -> Void)?
  ) {
    inbox.post(EngineOrder(commands: commands, obeyed: obeyed, answer: answer))
  }

  /// Ends the work. May be called again to have it end sooner.
  ///
  /// - Parameter reason: what the run ends with if something is left to do (`RunEnd.stoppedBy`).
  package func stop(_ choice: StopChoice, because reason: Failure? = nil) { inbox.stop(choice, because: reason) }

  /// Readable once the engine has ended; nil before `start`.
  package var endDescriptor: Int32? {
    if case .running(let thread) = state.withLock({ $0 }) { thread.value.endDescriptor } else { nil }
  }

  /// Waits for the end; once.
  package func join() -> RunEnd {
    if case .running(let thread) = state.withLock({ $0 }) { thread.value.join() }
    state.withLock { $0 = .ended }
    return ending.end.withLock { $0 } ?? RunEnd()
  }
}

/// Something that one thread hands over to another and does not use any more, or not at the same time.
struct Handover<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
