import Glibc
import TestSupport

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles
@testable import DownloadTransport

/// Records the events of the engine.
final class RecordingObserver {
  private(set) var started: [Int] = []
  private(set) var notices: [Notice] = []
  /// By position in the list.
  private(set) var outcomes: [Int: Outcome] = [:]
  private(set) var progress: [RunProgress] = []
  /// Called after an event is recorded, while the engine works on.
  var onProgress: (RunProgress) -> Void = { _ in }
  var onEnd: (Outcome) -> Void = { _ in }
  var onNotice: (Notice) -> Void = { _ in }
  private var lastBatch = 0

  func take(_ batch: EventBatch) {
    precondition(batch.number > lastBatch && !batch.hasGap, "batch \(batch.number) follows \(lastBatch)")
    lastBatch = batch.number
    for event in batch.events { take(event) }
  }

  private func take(_ event: EngineEvent) {
    switch event {
    case .started(let task, _, _): started.append(task.position)
    case .noticed(let notice):
      notices.append(notice)
      onNotice(notice)
    case .ended(let outcome):
      precondition(outcomes[outcome.task.position] == nil, "item \(outcome.task.position) ended twice")
      outcomes[outcome.task.position] = outcome
      onEnd(outcome)
    case .progressed(let progress), .status(let progress):
      self.progress.append(progress)
      onProgress(progress)
    }
  }
}

/// A run of the engine and its result.
struct EngineRun {
  let end: RunEnd
  let observer: RecordingObserver

  /// Runs in this process, into `directory`, and takes events on this thread.
  ///
  /// - Parameter onThisThread: whether the engine's loop runs on this thread, too, so that faults of this thread meet it;
  ///   its events are taken after the run.
  /// - Parameter suspectsDevices: whether part files are written by writers from the start.
  /// - Parameter prepare: called with the engine before the run.
  init(
    _ requests: [FileRequest], into directory: TemporaryDirectory, spool: (any RequestSpool)? = nil,
    onThisThread: Bool = false, suspectsDevices: Bool = TestSupport.suspectsDevices,
    _ configure: (inout RunSettings) -> Void = { _ in },
    prepare: (Engine, RecordingObserver) -> Void = { _, _ in }
  ) throws {
    var settings = RunSettings()
    settings.transport.noProxy = "*"
    settings.file.retryWait = .milliseconds(200)
    configure(&settings)
    let engine = Engine(
      settings: settings, place: try DownloadPlace(directory: Array(directory.path.utf8)), trustedOrigins: [],
      source: ArraySource(requests), spool: spool, descriptorLimit: raiseDescriptorLimit(),
      runtime: Runtime(idleTime: .zero, suspectsDevices: suspectsDevices))
    try self.init(engine, onThisThread: onThisThread, prepare: prepare)
  }

  init(_ engine: Engine, onThisThread: Bool = false, prepare: (Engine, RecordingObserver) -> Void = { _, _ in }) throws
  {
    observer = RecordingObserver()
    prepare(engine, observer)
    let events = engine.events.subscribe(.complete, progressEvery: .milliseconds(50))
    if onThisThread {
      var end = RunEnd()
      engine.configure { end = $0.run() }
      self.end = end
      for batch in events.takeAll() { observer.take(batch) }
      return
    }
    try engine.start()
    while true {
      var entries = [engine.endDescriptor ?? -1, events.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      _ = poll(&entries, 2, -1)
      for batch in events.takeAll() { observer.take(batch) }
      if entries[0].revents != 0 { break }
    }
    end = engine.join()
    for batch in events.takeAll() { observer.take(batch) }
  }

  func result(_ item: Int = 0) -> Outcome.Result? { observer.outcomes[item]?.result }

  func error(_ item: Int = 0) -> Failure? {
    if case .failed(let error)? = result(item) { error } else { nil }
  }

  func received(_ item: Int = 0) -> Int64 { observer.outcomes[item]?.transfers.received.total ?? 0 }
}

func request(
  _ item: Int = 0, _ urls: String..., name: String, digests: [ContentDigest] = []
) throws -> FileRequest {
  FileRequest(
    task: TaskID(position: item),
    mirrors: try urls.map { url in
      let parsed = try URLParser.parse(url.utf8)
      return MirrorURL(location: parsed.location, userinfo: parsed.userinfo)
    },
    target: .listed(name.split(separator: "/").map { Array($0.utf8) }), digests: digests)
}
