package import DownloadCore
internal import FileStore
internal import Glibc
internal import Transport

/// What the process needs before it does anything: descriptors, limits, signals.
package enum ProcessPreparation {
  package static func prepare() throws(DownloadError) {
    do {
      try ProcessSetup.openStandardDescriptors()
      try ProcessSetup.ignoreSignals()
      SignalSource.leave(on: handledSignals)
    } catch {
      throw DownloadError(.localIO, "cannot prepare the process: \(error.description)")
    }
  }

  /// Asks a run how far it is.
  package static let statusSignal = SIGUSR1

  /// Signals that a run handles: those that end it and the one that asks for its status. Those are
  /// left out that whoever started us had ignored (nohup, a background job).
  package static var handledSignals: [Int32] {
    [SIGINT, SIGTERM, SIGHUP, statusSignal].filter { signal in
      var action = sigaction()
      guard sigaction(signal, nil, &action) == 0 else { return true }
      return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1
    }
  }
}
