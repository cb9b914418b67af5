import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Commands to real runs. That no item is lost under any of them is shown by the simulated downloads.
@Suite(.waiting) struct `Commands to an engine` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  /// A source whose files cannot be made.
  private final class FailingSource: RequestSource {
    private(set) var givenCount = 0
    var onRequest: (_ count: Int) -> Void = { _ in }
    static let most = 50_000
    var itemCount: Int? { Self.most }

    func next() throws(Failure) -> FileRequest? {
      if givenCount == Self.most { return nil }
      givenCount += 1
      onRequest(givenCount)
      return try? request(givenCount, "http://127.0.0.1:9/f", name: "file/\(givenCount)")
    }
  }

  @Test func `a run stops also while all that is left fails at once`() throws {
    try target.write("file", "no directory")
    let source = FailingSource()
    let engine = Engine(
      settings: RunSettings(), place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
      source: source, descriptorLimit: 256, runtime: Runtime(idleTime: .zero, suspectsDevices: suspectsDevices))
    source.onRequest = { count in if count == 10 { engine.stop(.save) } }
    let end = try EngineRun(engine).end
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

  private func isOpen(_ path: String) -> Bool {
    (0..<4096).contains { descriptor in
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = buffer.withUnsafeMutableBytes { room in
        readlink("/proc/self/fd/\(descriptor)", room.baseAddress!.assumingMemoryBound(to: CChar.self), room.count)
      }
      return count > 0 && String(decoding: buffer[..<count], as: UTF8.self) == path
    }
  }

  @Test func `a run takes what is added, once`() throws {
    let content = Content.text("small")
    let server = try ScriptedServer(FileService(["/f": content]))
    let requests = try (0..<3).map { try request($0, server.url("/f"), name: "\($0)") }
    let answers = Locked<[EngineAnswer]>([])
    let engine = Engine(
      settings: RunSettings(), place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
      source: ArraySource([requests[0]]), endsWhenIdle: false, descriptorLimit: raiseDescriptorLimit(),
      runtime: Runtime(idleTime: .zero, suspectsDevices: suspectsDevices))
    let run = try EngineRun(engine) { engine, observer in
      observer.onEnd = { outcome in
        if outcome.task == 0 {
          engine.post([.add(requests[2]), .add(requests[2]), .add(requests[1])]) { given in
            answers.withLock { $0 = given }
          }
        }
        if observer.outcomes.count == 3 { engine.stop(.finish) }
      }
    }
    #expect(answers.withLock { $0 } == [.done, .known, .done] && run.end.isWhole)
    #expect(run.end.progress.downloadedCount == 3 && target.names() == ["0", "1", "2"])
    #expect(server.requests.count == 3)
    for name in target.names() { #expect(try isRight(name, content)) }
  }

  @Test func `a file that is resumed at once waits for its own lock`() throws {
    let (server, content) = try slowServer(["a"], byteCount: 6_000_000)
    let count = Locked(0)
    let run = try EngineRun([request(0, server.url("/a"), name: "a")], into: target) { _ in
    } prepare: { engine, observer in
      observer.onProgress = { [unowned engine] progress in
        guard let file = progress.active.first, file.doneByteCount > 300_000 else { return }
        guard
          count.withLock({
            $0 += 1; return $0 <= 10
          })
        else { return }
        engine.post([.change(.pause, .task(0)), .change(.resume, .task(0))])
      }
    }
    #expect(run.result() == .downloaded && count.withLock { $0 } > 5)
    #expect(!run.observer.notices.contains { if case .heldElsewhere = $0.remark { true } else { false } })
    #expect(try isRight("a", content))
  }

  @Test func `a paused file keeps what it has, on disk, and takes neither a place nor a descriptor`() throws {
    let (server, content) = try slowServer(["a", "b"], byteCount: 4_000_000)
    let requests = try ["a", "b"].enumerated().map { try request($0, server.url("/" + $1), name: $1) }
    var pausedWith: Int64?
    var recorded: Int64 = 0
    let run = try EngineRun(requests, into: target) {
      $0.limits.jobs = 1
    } prepare: { engine, observer in
      observer.onProgress = { [unowned engine, target] progress in
        if pausedWith == nil {
          guard let first = progress.active.first(where: { $0.task == 0 }), first.doneByteCount > 1_000_000 else {
            return
          }
          pausedWith = first.doneByteCount
          engine.post([.change(.pause, .task(0))])
        } else if let second = progress.active.first(where: { $0.task == 1 }), second.doneByteCount > 1_000_000 {
          let isActive = progress.active.contains { $0.task == 0 }
          #expect(
            !isActive && eventually { !isOpen(target.path("a.swiftget")) && !isOpen(target.path("a.swiftget-part")) })
          // A run that is killed goes on from here.
          let bytes = (try? target.read("a.swiftget")) ?? []
          if case .record(let record) = SidecarReading(Array(bytes.prefix(Int(SidecarReading.holderOffset)))).outcome {
            recorded = record.written.byteCount
          }
          engine.post([.change(.resume, .task(0))])
        }
      }
    }
    let least = try #require(pausedWith)
    #expect(recorded >= least)
    #expect(run.end.progress.downloadedCount == 2 && target.names() == ["a", "b"])
    #expect(run.received(0) < content.byteCount - least + content.byteCount / 4)
    for name in ["a", "b"] { #expect(try isRight(name, content)) }
  }

  /// Directories with many files are listed once, which was before the part file was made.
  @Test(arguments: [TaskChange.resume, .remove])
  func `a paused file among many is found again`(next: TaskChange) throws {
    let names = (0..<80).map { "small\($0)" }
    let (server, content) = try slowServer(names + ["big"], byteCount: 6_000_000)
    let small = try ScriptedServer(
      FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, Content.text($0)) })))
    var requests = try names.enumerated().map { try request($0, small.url("/" + $1), name: $1) }
    requests.append(try request(80, server.url("/big"), name: "big"))
    var pausedWith: Int64?
    let run = try EngineRun(requests, into: target) { _ in
    } prepare: { engine, observer in
      observer.onProgress = { progress in
        guard pausedWith == nil, let big = progress.active.first(where: { $0.task == 80 }),
          big.doneByteCount > 1_000_000
        else { return }
        pausedWith = big.doneByteCount
        engine.post([.change(.pause, .task(80))]) { _ in
          // It is inspected again before it is removed.
          engine.post([.change(.resume, .task(80))]) { _ in engine.post([.change(next, .task(80))]) }
        }
      }
    }
    let least = try #require(pausedWith)
    if next == .remove {
      #expect(run.result(80) == .withdrawn(.removed) && target.names() == names.sorted())
    } else {
      #expect(run.result(80) == .downloaded && run.received(80) < content.byteCount - least + content.byteCount / 4)
      #expect(try isRight("big", content))
    }
  }

  /// The last bytes come while the command is on its way, so that the file is being verified or published, or has ended.
  @Test(arguments: [TaskChange.pause, .cancel, .remove])
  func `a command that comes at the end of a file does no harm`(change: TaskChange) throws {
    let content = Content.generated(seed: 79, byteCount: 600_000)
    let names = (0..<20).map { "\($0)" }
    let server = try ScriptedServer(FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, content) })))
    let digests = [try digest(content)]
    let requests = try names.enumerated().map { try request($0, server.url("/" + $1), name: $1, digests: digests) }
    var commanded: Set<TaskID> = []
    let run = try EngineRun(requests, into: target) {
      $0.limits.jobs = 3
    } prepare: { engine, observer in
      observer.onNotice = { _ in }
      observer.onProgress = { progress in
        for file in progress.active where file.doneByteCount > 0 && commanded.insert(file.task).inserted {
          engine.post([.change(change, .task(file.task))])
          if change == .pause { engine.post([.change(.resume, .task(file.task))]) }
        }
      }
    }
    for (item, name) in names.enumerated() {
      switch run.result(item) {
      case .downloaded: #expect(try isRight(name, content))
      case .withdrawn:
        #expect(change != .pause && commanded.contains(TaskID(position: item)) && !target.names().contains(name))
      default: Issue.record("\(name): \(String(describing: run.result(item)))")
      }
    }
    #expect(target.names().allSatisfy { names.contains($0) }, "\(target.names())")
  }

  @Test(arguments: [TaskChange.cancel, .remove])
  func `a withdrawn file leaves nothing, begun or not`(change: TaskChange) throws {
    let (server, content) = try slowServer(["a", "b", "c"], byteCount: 3_000_000)
    try target.write("d", "not this")
    let requests = try ["a", "b", "c", "d"].enumerated().map { index, name in
      var wanted = try request(index, server.url("/" + name), name: name)
      wanted.group = index == 0 ? .main : GroupID(1)
      return wanted
    }
    var isSent = false
    let run = try EngineRun([requests[0]], into: target) {
      $0.limits.jobs = 1
    } prepare: { engine, observer in
      // The queue knows what is added; of a list only what was read.
      engine.post(requests.dropFirst().map { .add($0) })
      observer.onProgress = { progress in
        guard !isSent, progress.active.contains(where: { $0.task == 1 && $0.doneByteCount > 500_000 }) else { return }
        isSent = true
        // What was paused has a part file too.
        engine.post([.change(.pause, .task(1)), .change(change, .group(GroupID(1)))])
      }
    }
    let withdrawal: Withdrawal = change == .cancel ? .cancelled : .removed
    #expect(isSent && run.result(0) == .downloaded)
    for item in 1...3 { #expect(run.result(item) == .withdrawn(withdrawal)) }
    #expect(run.end.failureCodes == (change == .cancel ? [.interrupted] : []))
    #expect(run.end.progress.withdrawnCount == 3 && target.names() == ["a", "d"])
    #expect(try isRight("a", content) && target.read("d").elementsEqual("not this".utf8))
  }

  @Test func `a file that was there is not hashed to its end for a task that was withdrawn`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("f")]))
    let giant = open(target.path("giant"), O_RDWR | O_CREAT, 0o644)
    ftruncate(giant, 64 << 30)
    close(giant)
    let requests = [
      try request(0, server.url("/giant"), name: "giant", digests: [digest(.text("other"))]),
      try request(1, server.url("/f"), name: "f"),
    ]
    let run = try EngineRun(requests, into: target) { _ in
    } prepare: { engine, observer in
      observer.onEnd = { outcome in
        if outcome.task == 1 { engine.post([.change(.remove, .task(0))]) }
      }
    }
    #expect(run.result(0) == .withdrawn(.removed) && run.result(1) == .downloaded)
    #expect(target.names() == ["f", "giant"])
  }

  @Test func `a run that is stopped is gone on with`() throws {
    let (server, content) = try slowServer(["a", "b"], byteCount: 3_000_000)
    let requests = try ["a", "b"].enumerated().map { try request($0, server.url("/" + $1), name: $1) }
    let run = try EngineRun(requests, into: target) {
      $0.limits.jobs = 1
    } prepare: { engine, observer in
      observer.onProgress = { progress in
        if progress.doneByteCount > 1_000_000 { engine.stop(.save) }
      }
    }
    #expect(run.end.wasStopped && run.end.progress.unfinishedCount == 1 && run.end.progress.unstartedCount == 1)
    #expect(run.observer.outcomes.isEmpty && target.names() == ["a.swiftget", "a.swiftget-part"])
    let again = try EngineRun(requests, into: target)
    #expect(again.end.progress.downloadedCount == 2 && again.received(0) < content.byteCount)
    for name in ["a", "b"] { #expect(try isRight(name, content)) }
  }

  private func lastingEngine(_ requests: [FileRequest], settledLimit: Int = 0) throws -> Engine {
    var settings = RunSettings()
    settings.file.tries = 1
    return Engine(
      settings: settings, place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
      source: ArraySource(requests), endsWhenIdle: false, settledLimit: settledLimit,
      descriptorLimit: raiseDescriptorLimit(), runtime: Runtime(idleTime: .zero, suspectsDevices: suspectsDevices))
  }

  @Test func `a file that has ended can be done again, until it is forgotten`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("f"), "/g": .text("g")]) { $0.failFirst = (1, 404, []) })
    let engine = try lastingEngine([try request(0, server.url("/f"), name: "f")], settledLimit: 1)
    let second = try request(1, server.url("/g"), name: "g")
    let answers = Locked<[EngineAnswer]>([])
    var results: [Outcome.Result] = []
    try engine.start()
    let events = engine.events.subscribe(.complete, progressEvery: .milliseconds(50))
    var lastCount = 0
    _ = eventually {
      for case .ended(let outcome) in events.takeAll().flatMap(\.events) { results.append(outcome.result) }
      if results.count > lastCount {
        lastCount = results.count
        switch lastCount {
        case 1: engine.post([.change(.retry, .task(0))])
        case 2: engine.post([.add(second)])
        default: engine.post([.change(.retry, .task(0))]) { given in answers.withLock { $0 = given } }
        }
      }
      return !answers.withLock { $0.isEmpty }
    }
    engine.stop(.finish)
    _ = engine.join()
    guard case .failed? = results.first else { throw Absent() }
    #expect(results.dropFirst() == [.downloaded, .downloaded] && target.names() == ["f", "g"])
    guard case .counts(let answer)? = answers.withLock({ $0.first }) else { throw Absent() }
    #expect(answer.isUnknown, "the newer one takes its place")
  }

  private struct Absent: Error {}

  @Test func `an engine that lasts waits for a target that another run holds`() throws {
    let server = try ScriptedServer(FileService(["/f": Content.generated(seed: 5, byteCount: 900_000)]))
    let directory = try TargetDirectory.open(path: Array(target.path.utf8))
    var held: SidecarFile? = try SidecarFile.open(directory.resolve([Array("f".utf8)]))
    let run = try EngineRun(lastingEngine([try request(0, server.url("/f"), name: "f")])) { engine, observer in
      observer.onNotice = { _ in
        engine.post([.describe(.all)]) { answers in
          guard case .descriptions(let tasks)? = answers.first,
            case .waiting(.otherRun, let remaining?)? = tasks.first?.activity
          else {
            Issue.record("\(answers)")
            return
          }
          #expect(remaining <= .seconds(2))
        }
        try? held?.remove()
        held = nil
      }
      observer.onEnd = { _ in engine.stop(.finish) }
    }
    #expect(run.result() == .downloaded && run.observer.notices.first?.remark == .heldElsewhere(process: getpid()))
  }

  @Test func `an engine that lasts waits for a full disk`() throws {
    let content = Content.generated(seed: 6, byteCount: 2_000_000)
    let server = try ScriptedServer(FileService(["/f": content]))
    let engine = try lastingEngine([try request(0, server.url("/f"), name: "f")])
    let path = target.path("f")
    let watcher = WorkerThread {
      _ = eventually { access(path, F_OK) == 0 }
      engine.stop(.finish)
    }
    _ = (FileCreationMask.current, BootID.current)
    let run = try FaultTable.withFaults([Fault(.pwrite, .failure(ENOSPC))]) {
      try EngineRun(engine, onThisThread: true)
    }
    watcher?.join()
    #expect(run.result() == .downloaded && run.end.stoppedBy == nil && run.end.failureCodes.isEmpty)
    #expect(try isRight("f", content))
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
            let place = try? DownloadPlace(directory: Array(path.utf8))
          else { return -1 }
          let engine = Engine(
            settings: RunSettings(), place: place, trustedOrigins: [], source: ArraySource(requests),
            descriptorLimit: 512, runtime: Runtime(idleTime: .zero, suspectsDevices: suspectsDevices))
          return (try? EngineRun(engine))?.end.progress.downloadedCount ?? -1
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == [20, 20])
    for directory in ["one", "two"] { for name in names { #expect(try isRight("\(directory)/\(name)", content)) } }
  }
}
