package import DownloadCore
package import DownloadEngine

/// The work on one source of requests, which ends with it: a session in memory that keeps nothing. Its tasks are known by
/// events alone, so that a list of any length takes no memory.
///
/// Only the command has such sources; what it wants of the engine beside sessions is here.
package final class DownloadRun: Sendable {
  private let engine: Engine

  /// - Parameters:
  ///   - source: read as needed, on the run's thread.
  ///   - place: where the files go.
  ///   - spool: for requests that wait while their hosts have no room; nil keeps them in memory.
  ///   - trustedOrigins: origins named on the command line, to which headers and credentials may go.
  ///   - descriptorLimit: descriptors that the process may open.
  package init(
    _ source: any RequestSource, to place: DownloadPlace, _ settings: RunSettings,
    spool: (any RequestSpool)? = nil, trustedOrigins: Set<Origin>, descriptorLimit: Int
  ) {
    engine = Engine(
      settings: settings, place: place, trustedOrigins: trustedOrigins, source: source, spool: spool,
      descriptorLimit: descriptorLimit)
  }

  /// All events from now on.
  ///
  /// - Parameter interval: how often they have the progress; nil for never.
  package func events(progressEvery interval: Duration?) -> EventSubscription {
    engine.events.subscribe(.complete, progressEvery: interval)
  }

  /// Begins the work; once.
  ///
  /// - Throws: if the system has no more threads.
  package func start() throws(Failure) { try engine.start() }

  // MARK: Commands

  /// Pauses all files.
  package func pause() { engine.post([.change(.pause, .all)]) }

  /// Lets all files go on.
  package func resume() { engine.post([.change(.resume, .all)]) }

  /// Ends one file, and removes what there is of it.
  package func cancel(_ task: TaskID) { engine.post([.change(.cancel, .task(task))]) }

  /// Uses these settings from now on, as far as they can change.
  package func use(_ settings: RunSettings) { engine.post([.use(settings)]) }

  /// Has the events say once how all is.
  package func tellStatus() { engine.post([.tellStatus]) }

  // MARK: The end

  /// Ends the work. Called again, it may have it end sooner.
  ///
  /// - Parameter reason: what the run ends with if something is left to do.
  package func stop(_ mode: DownloadSession.Closing, because reason: Failure? = nil) {
    engine.stop(mode.choice, because: reason)
  }

  /// Readable when the work has ended; nil before `start`.
  package var endDescriptor: Int32? { engine.endDescriptor }

  /// Waits for the end of the work; once.
  package func end() -> RunEnd { engine.join() }
}

extension DownloadSession.Closing {
  var choice: StopChoice {
    switch self {
    case .finish: .finish
    case .save: .save
    case .now: .now
    }
  }
}
