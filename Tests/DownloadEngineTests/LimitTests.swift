import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine

/// Rate limits in complete runs. Only upper bounds are checked, because a busy machine is slower.
@Suite(.waiting) struct `Rate limits of a run` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  private func isRight(_ name: String, _ content: Content) throws -> Bool {
    try content.firstDifference(inFile: target.path(name)) == nil
  }

  /// The maximum of received bytes after this time: the rate plus 5 percent and an eighth of a second, for the bucket,
  /// one read, and bytes that arrive during the report.
  private func most(_ rate: Int64, _ elapsed: Duration) -> Int64 {
    Int64(Double(rate) * (elapsed.inSeconds * 1.05 + 1.0 / 8)) + 1024
  }

  /// Downloads these files, named by number, from a server without limits.
  private func bring(
    _ files: [Content], _ configure: (inout RunSettings) -> Void,
    prepare: (Engine, RecordingObserver) -> Void = { _, _ in }
  ) throws -> (run: EngineRun, requestCount: Int) {
    let byPath = Dictionary(uniqueKeysWithValues: files.enumerated().map { ("/\($0.offset)", $0.element) })
    let server = try ScriptedServer(FileService(byPath))
    let requests = try files.indices.map { try request($0, server.url("/\($0)"), name: "\($0)") }
    let run = try EngineRun(requests, into: target, configure, prepare: prepare)
    for index in files.indices { #expect(try isRight("\(index)", files[index])) }
    return (run, server.requests.count)
  }

  private func files(_ count: Int, byteCount: Int64) -> [Content] {
    (0..<count).map { .generated(seed: UInt64(300 + $0), byteCount: byteCount) }
  }

  @Test func `hold for the run and for each file together`() throws {
    // First the limit of the run applies, then that of a file, for the first file alone.
    let (run, _) = try bring(files(1, byteCount: 900_000) + files(2, byteCount: 300_000)) {
      $0.limits.limitRate = RateTimetable(rate: 1_000_000)
      $0.limits.limitRatePerFile = RateTimetable(rate: 400_000)
      // Several connections share a file's limit.
      $0.file.maxConnections = 4
      $0.file.minSplitSize = 50_000
    }
    #expect(run.end.progress.downloadedCount == 3 && run.observer.progress.count > 2)
    for progress in run.observer.progress {
      #expect(progress.receivedByteCount <= most(1_000_000, progress.elapsed))
      for file in progress.active { #expect(file.doneByteCount <= most(400_000, progress.elapsed)) }
    }
    for outcome in run.observer.outcomes.values {
      #expect(outcome.transfers.received.total <= most(400_000, outcome.elapsed))
    }
    #expect(run.end.progress.receivedByteCount <= most(1_000_000, run.end.progress.elapsed))
  }

  @Test func `count the bodies of many small files`() throws {
    let (run, _) = try bring(files(60, byteCount: 10_000)) { $0.limits.limitRate = RateTimetable(rate: 500_000) }
    #expect(run.end.progress.downloadedCount == 60 && run.observer.progress.count > 1)
    for progress in run.observer.progress + [run.end.progress] {
      #expect(progress.receivedByteCount <= most(500_000, progress.elapsed))
    }
  }

  @Test func `do not make waiting transfers stall`() throws {
    let (run, requestCount) = try bring(files(1, byteCount: 1800)) {
      // 33 seconds between two reads. A busy server may take most of them.
      $0.limits.limitRate = RateTimetable(rate: 30)
      $0.transport.stallTimeout = .seconds(25)
      $0.file.tries = 1
    }
    #expect(run.result() == .downloaded)
    #expect(requestCount == 1, "\(run.end.progress.elapsed)")
    #expect(run.end.progress.receivedByteCount <= most(60, run.end.progress.elapsed))
  }

  private func settings(run: Int64?, perFile: Int64?, maxConnections: Int = 2) -> RunSettings {
    var settings = RunSettings()
    settings.limits.limitRate = RateTimetable(rate: run)
    settings.limits.limitRatePerFile = RateTimetable(rate: perFile)
    settings.file.maxConnections = maxConnections
    return settings
  }

  @Test func `can change during a run`() throws {
    // Takes no time without a limit and minutes with the first limit.
    let steps: [(run: Int64?, perFile: Int64?)] = [(200_000, nil), (nil, 100_000), (nil, nil)]
    var step = 0
    var changedAt = RunProgress()
    var checkCount = 0
    let (run, _) = try bring(files(2, byteCount: 20_000_000)) {
      $0.file.maxConnections = 2
    } prepare: { engine, observer in
      engine.post([.use(settings(run: steps[0].run, perFile: steps[0].perFile))])
      observer.onProgress = { progress in
        guard step < 2 else { return }
        let most = most(steps[step].run ?? 200_000, progress.elapsed - changedAt.elapsed)
        // Active transfers keep their longer reads.
        #expect(progress.receivedByteCount - changedAt.receivedByteCount <= most + 64 << 10, "in step \(step)")
        checkCount += 1
        guard progress.elapsed - changedAt.elapsed > .milliseconds(700) else { return }
        step += 1
        changedAt = progress
        engine.post([.use(settings(run: steps[step].run, perFile: steps[step].perFile))])
      }
    }
    #expect(step == 2 && checkCount >= 2)
    #expect(run.end.progress.downloadedCount == 2 && run.end.progress.elapsed < .seconds(120))
  }

  @Test func `follow a timetable`() throws {
    var looks = 0
    let (run, _) = try bring(files(1, byteCount: 4_000_000)) {
      $0.limits.limitRate = try? RateTimetable(text: Array("08:00,0 19:00,50000".utf8)) {
        Int64(String(decoding: $0, as: UTF8.self))
      }
    } prepare: { engine, _ in
      // One second before 08:00, then 08:00.
      engine.configure {
        $0.transferRunner.rates.secondOfLocalDay = {
          looks += 1
          return 28_798 + looks
        }
      }
    }
    // With the first limit it would take 80 seconds.
    #expect(looks >= 2 && run.end.progress.elapsed < .seconds(60))
    let evening = run.observer.progress.filter { $0.elapsed < .milliseconds(900) }
    #expect(!evening.isEmpty && evening.allSatisfy { $0.receivedByteCount <= most(50_000, $0.elapsed) })
    #expect(run.end.progress.elapsed > .milliseconds(900))
  }

  @Test func `restart transfers of shared connections on separate ones`() throws {
    let server = try RealServer.nginx {
      $0.speaksTLS = true
      $0.offersHTTP2 = true
      $0.bytesPerSecondOfRequest = 8_000_000
    }
    let content = Content.generated(seed: 350, byteCount: 8_000_000)
    try server.serve("f", content)
    let requests = try (0..<2).map { try request($0, server.url("/f"), name: "\($0)") }
    let authority = try TestAuthority.shared().authorityPath
    var wasChanged = false
    let run = try EngineRun(requests, into: target) {
      $0.transport.caFile = authority
      $0.file.maxConnections = 1
    } prepare: { engine, observer in
      observer.onProgress = { progress in
        guard !wasChanged, progress.receivedByteCount > 0 else { return }
        wasChanged = true
        var limited = settings(run: 100 << 20, perFile: nil, maxConnections: 1)
        limited.transport.caFile = authority
        engine.post([.use(limited)])
      }
    }
    #expect(wasChanged && run.end.progress.downloadedCount == 2)
    // Each started over HTTP/2 and resumed from there.
    let further = try server.requests().filter { $0.version == "HTTP/1.1" && $0.status == 206 }
    #expect(further.count == 2 && further.allSatisfy { $0.byteCount < content.byteCount })
    for name in ["0", "1"] { #expect(try isRight(name, content)) }
  }
}
