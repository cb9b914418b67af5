import Glibc
import TestSupport

@testable import DownloadCore
@testable import DownloadEngine
@testable import FileStore
@testable import Transport

/// Records the events of the engine.
final class RecordingObserver: RunObserver {
  private(set) var started: [Int] = []
  private(set) var notices: [Notice] = []
  /// By position in the list.
  private(set) var outcomes: [Int: Outcome] = [:]
  private(set) var progress: [RunProgress] = []
  /// Called after an event is recorded.
  var onProgress: (RunProgress) -> Void = { _ in }
  var onEnd: (Outcome) -> Void = { _ in }
  var onNotice: (Notice) -> Void = { _ in }

  func itemStarted(_ task: TaskID, name: [UInt8], location: Location) { started.append(task.position) }
  func noticed(_ notice: Notice) {
    notices.append(notice)
    onNotice(notice)
  }
  func itemEnded(_ outcome: Outcome) {
    precondition(outcomes[outcome.task.position] == nil, "item \(outcome.task.position) ended twice")
    outcomes[outcome.task.position] = outcome
    onEnd(outcome)
  }
  func statusAsked(_ progress: RunProgress) {}
  func progressed(_ progress: RunProgress) {
    self.progress.append(progress)
    onProgress(progress)
  }
}

/// A run of the engine and its result.
struct EngineRun {
  let end: RunEnd
  let observer: RecordingObserver

  /// Runs in this process and on this thread, into `directory`.
  ///
  /// - Parameter prepare: called with the engine before the run.
  init(
    _ requests: [DownloadRequest], into directory: TemporaryDirectory, signals: [Int32] = [],
    spool: (any RequestSpool)? = nil,
    _ configure: (inout DownloadSettings) -> Void = { _ in },
    prepare: (Engine, RecordingObserver) -> Void = { _, _ in }
  ) throws {
    var settings = DownloadSettings()
    settings.transport.noProxy = "*"
    settings.file.retryWait = .milliseconds(200)
    configure(&settings)
    observer = RecordingObserver()
    let engine = Engine(
      settings: settings, place: try DownloadPlace(directory: Array(directory.path.utf8)), trustedOrigins: [],
      source: ArraySource(requests),
      spool: spool, observer: observer, signals: signals.isEmpty ? nil : SignalWatch(signals),
      descriptorLimit: raiseDescriptorLimit())
    prepare(engine, observer)
    end = engine.run()
  }

  func result(_ item: Int = 0) -> Outcome.Result? { observer.outcomes[item]?.result }

  func error(_ item: Int = 0) -> DownloadError? {
    if case .failed(let error)? = result(item) { error } else { nil }
  }

  func received(_ item: Int = 0) -> Int64 { observer.outcomes[item]?.transfers.received.total ?? 0 }
}

func request(
  _ item: Int = 0, _ urls: String..., name: String, digests: [ContentDigest] = []
) throws -> DownloadRequest {
  DownloadRequest(
    task: TaskID(position: item),
    mirrors: try urls.map { url in
      let parsed = try URLParser.parse(url.utf8)
      return MirrorURL(location: parsed.location, userinfo: parsed.userinfo)
    },
    target: .listed(name.split(separator: "/").map { Array($0.utf8) }), digests: digests)
}
