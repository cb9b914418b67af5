import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import FileStore

/// Commands to real runs. That no item is lost under any of them is shown by the simulated downloads.
@Suite struct `Commands to an engine` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  /// A source that has what it was given so far.
  private final class OpenSource: RequestSource {
    var given: [NextRequest] = []
    var itemCount: Int? { nil }
    func next() -> NextRequest { given.isEmpty ? .noneYet : given.removeFirst() }
  }

  /// A source whose files cannot be made.
  private final class FailingSource: RequestSource {
    private(set) var givenCount = 0
    var onRequest: (_ count: Int) -> Void = { _ in }
    static let most = 50_000
    var itemCount: Int? { Self.most }

    func next() throws(DownloadError) -> NextRequest {
      if givenCount == Self.most { return .end }
      givenCount += 1
      onRequest(givenCount)
      guard let wanted = try? request(givenCount, "http://127.0.0.1:9/f", name: "file/\(givenCount)") else {
        return .end
      }
      return .request(wanted)
    }
  }

  @Test func `a run stops also while all that is left fails at once`() throws {
    try target.write("file", "no directory")
    let source = FailingSource()
    let engine = try Engine(
      settings: DownloadSettings(), directory: Array(target.path.utf8), trustedOrigins: [], source: source,
      observer: RecordingObserver(), signals: nil, descriptorLimit: 256)
    source.onRequest = { [unowned engine] count in if count == 10 { engine.commands.post(.stop) } }
    let end = engine.run()
    #expect(end.wasStopped && source.givenCount < FailingSource.most)
  }

  private func slowServer(_ names: [String], byteCount: Int64) throws -> (server: ScriptedServer, content: Content) {
    let content = Content.generated(seed: 77, byteCount: byteCount)
    let service = FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, content) })) {
      $0.bytesPerSecondOfServer = 3_000_000
    }
    return (try ScriptedServer(service), content)
  }

  private func isRight(_ name: String, _ content: Content) throws -> Bool {
    try content.firstDifference(inFile: target.path(name)) == nil
  }

  @Test func `a run waits for a source that has none yet, and takes what is added`() throws {
    let content = Content.text("small")
    let server = try ScriptedServer(FileService(["/f": content]))
    let source = OpenSource()
    let observer = RecordingObserver()
    let engine = try Engine(
      settings: DownloadSettings(), directory: Array(target.path.utf8), trustedOrigins: [], source: source,
      observer: observer, signals: nil, descriptorLimit: 256)
    let requests = try (0..<4).map { try request($0, server.url("/f"), name: "\($0)") }
    source.given = [.request(requests[0])]
    var step = 0
    observer.onProgress = { [unowned engine] progress in
      guard progress.downloadedCount == step + 1 else { return }
      switch step {
      case 0: engine.commands.post([.add(requests[1]), .add(requests[1]), .add(requests[0])])
      case 1:
        source.given = [.request(requests[2])]
        engine.commands.post(.readSource)
      case 2:
        source.given = [.request(requests[3]), .end]
        engine.commands.post(.readSource)
      default: break
      }
      step += 1
    }
    let end = engine.run()
    #expect(end.progress.downloadedCount == 4 && target.names() == ["0", "1", "2", "3"])
    for name in target.names() { #expect(try isRight(name, content)) }
  }

  @Test func `a paused file keeps what it has, on disk, and takes no place`() throws {
    let (server, content) = try slowServer(["a", "b"], byteCount: 4_000_000)
    let requests = try ["a", "b"].enumerated().map { try request($0, server.url("/" + $1), name: $1) }
    var pausedWith: Int64?
    var recorded: Int64 = 0
    let run = try EngineRun(requests, into: target) {
      $0.jobs = 1
    } prepare: { engine, observer in
      observer.onProgress = { [unowned engine, target] progress in
        guard let first = progress.active.first(where: { $0.item == 0 }) else { return }
        if pausedWith == nil {
          guard first.doneByteCount > 1_000_000 else { return }
          pausedWith = first.doneByteCount
          engine.commands.post(.change(.item(0), .pause))
        } else if progress.active.contains(where: { $0.item == 1 && $0.doneByteCount > 1_000_000 }) {
          #expect(first.phase == .paused && first.connectionCount == 0 && first.doneByteCount >= pausedWith!)
          // A run that is killed goes on from here, as soon as the disk has it.
          let bytes = (try? target.read("a.swiftget")) ?? []
          if case .record(let record) = SidecarReading(Array(bytes.prefix(Int(SidecarReading.holderOffset)))).outcome {
            recorded = record.written.byteCount
          }
          if recorded >= pausedWith! { engine.commands.post(.change(.item(0), .resume)) }
        } else if !progress.active.contains(where: { $0.item == 1 }), progress.downloadedCount == 1 {
          engine.commands.post(.change(.item(0), .resume))
        }
      }
    }
    let least = try #require(pausedWith)
    #expect(recorded >= least)
    #expect(run.end.progress.downloadedCount == 2 && target.names() == ["a", "b"])
    #expect(run.received(0) < content.byteCount + content.byteCount / 4)
    for name in ["a", "b"] { #expect(try isRight(name, content)) }
  }

  @Test(arguments: [RunCommand.Change.cancel, .remove])
  func `a withdrawn file leaves nothing, begun or not`(change: RunCommand.Change) throws {
    let (server, content) = try slowServer(["a", "b", "c"], byteCount: 3_000_000)
    try target.write("d", "not this")
    let requests = try ["a", "b", "c", "d"].enumerated().map { index, name in
      var wanted = try request(index, server.url("/" + name), name: name)
      wanted.group = index == 0 ? 0 : 1
      return wanted
    }
    var isSent = false
    let run = try EngineRun(requests, into: target) {
      $0.jobs = 1
    } prepare: { engine, observer in
      observer.onProgress = { [unowned engine] progress in
        guard !isSent, progress.active.contains(where: { $0.item == 1 && $0.doneByteCount > 500_000 }) else { return }
        isSent = true
        engine.commands.post(.change(.group(1), change))
      }
    }
    let withdrawal = try #require(Withdrawal(change))
    #expect(isSent && run.result(0) == .downloaded)
    for item in 1...3 { #expect(run.result(item) == .withdrawn(withdrawal)) }
    #expect(run.end.failureCodes == (change == .cancel ? [.interrupted] : []))
    #expect(run.end.progress.withdrawnCount == 3 && target.names() == ["a", "d"])
    #expect(try isRight("a", content) && target.read("d").elementsEqual("not this".utf8))
  }

  @Test func `a run that is stopped is gone on with`() throws {
    let (server, content) = try slowServer(["a", "b"], byteCount: 3_000_000)
    let requests = try ["a", "b"].enumerated().map { try request($0, server.url("/" + $1), name: $1) }
    let run = try EngineRun(requests, into: target) {
      $0.jobs = 1
    } prepare: { engine, observer in
      observer.onProgress = { [unowned engine] progress in
        if progress.doneByteCount > 1_000_000 { engine.commands.post(.stop) }
      }
    }
    #expect(run.end.wasStopped && run.end.progress.unfinishedCount == 1 && run.end.progress.unstartedCount == 1)
    #expect(run.observer.outcomes.isEmpty && target.names() == ["a.swiftget", "a.swiftget-part"])
    let again = try EngineRun(requests, into: target)
    #expect(again.end.progress.downloadedCount == 2 && again.received(0) < content.byteCount)
    for name in ["a", "b"] { #expect(try isRight(name, content)) }
  }

  @Test func `two engines run in one process`() async throws {
    let content = Content.generated(seed: 78, byteCount: 2_000_000)
    let names = (0..<20).map { "\($0)" }
    let server = try ScriptedServer(FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, content) })))
    let counts = await withTaskGroup(of: Int.self) { group in
      for directory in ["one", "two"] {
        let path = target.path(directory)
        mkdir(path, 0o755)
        group.addTask {
          guard let requests = try? names.enumerated().map({ try request($0, server.url("/" + $1), name: $1) }),
            let engine = try? Engine(
              settings: DownloadSettings(), directory: Array(path.utf8), trustedOrigins: [],
              source: ArraySource(requests), observer: RecordingObserver(), signals: nil, descriptorLimit: 512)
          else { return -1 }
          return engine.run().progress.downloadedCount
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == [20, 20])
    for directory in ["one", "two"] { for name in names { #expect(try isRight("\(directory)/\(name)", content)) } }
  }
}
