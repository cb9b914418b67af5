import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Questions of an engine that somebody else answers.
@Suite(.waiting) struct `Questions of an engine` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  /// Answers on a thread of its own after a while, or never.
  private final class Policy: EnginePolicy {
    let kinds: Set<EngineQuestion.Kind>
    let timeLimit: Duration?
    private let pause: Duration?
    private let answer: @Sendable (EngineQuestion) -> EngineDecision
    let asked = Locked<[EngineQuestion]>([])
    let forgotten = Locked(0)

    init(
      _ kinds: Set<EngineQuestion.Kind>, after pause: Duration?, within timeLimit: Duration? = .seconds(30),
      _ answer: @escaping @Sendable (EngineQuestion) -> EngineDecision
    ) {
      (self.kinds, self.pause, self.timeLimit, self.answer) = (kinds, pause, timeLimit, answer)
    }

    func decide(_ question: EngineQuestion, number: Int, answer: @escaping @Sendable (EngineDecision) -> Void) {
      asked.withLock { $0.append(question) }
      guard let pause else { return }
      let decision = self.answer(question)
      _ = WorkerThread {
        usleep(UInt32(pause.wholeNanoseconds / 1000))
        answer(decision)
        // A second answer has no effect.
        answer(.rejected(Failure(.undecided)))
      }
    }

    func forget(number: Int) { forgotten.withLock { $0 += 1 } }
  }

  private func run(
    _ requests: [FileRequest], _ policy: Policy, prepare: (Engine, RecordingObserver) -> Void = { _, _ in }
  ) throws -> EngineRun {
    var settings = RunSettings()
    settings.transport.noProxy = "*"
    let engine = Engine(
      settings: settings, place: try DownloadPlace(directory: Array(target.path.utf8)), trustedOrigins: [],
      source: ArraySource(requests), policy: policy, descriptorLimit: raiseDescriptorLimit())
    return try EngineRun(engine, prepare: prepare)
  }

  private func server(_ byteCount: Int64) throws -> (ScriptedServer, Content) {
    let content = Content.generated(seed: 61, byteCount: byteCount)
    return (try ScriptedServer(FileService(["/a": content, "/b": content])), content)
  }

  private func requests(_ server: ScriptedServer, isNamedByAnswer: Bool = false) throws -> [FileRequest] {
    try ["a", "b"].enumerated().map { index, name in
      var request = try request(index, server.url("/" + name), name: name)
      request.isNamedByAnswer = isNamedByAnswer
      return request
    }
  }

  @Test(arguments: [1000, 3_000_000] as [Int64])
  func `a file gets its name once it is accepted, and none if it is rejected`(byteCount: Int64) throws {
    let (server, content) = try server(byteCount)
    let policy = Policy([.validate], after: .milliseconds(50)) { question in
      guard case .validate(let file) = question else { return .accepted }
      let isSecond = file.url.path == "/b"
      return isSecond || file.byteCount != byteCount ? .rejected(Failure(.rejected(.timedOut))) : .accepted
    }
    let run = try run(requests(server), policy)
    #expect(run.result(0) == .downloaded && run.error(1)?.cause == .rejected(.timedOut))
    // What was rejected is set aside.
    #expect(target.names() == ["a", "b.swiftget-bad"] && policy.asked.withLock { $0.count } == 2)
    #expect(try content.firstDifference(inFile: target.path("a")) == nil)
  }

  @Test(arguments: [1000, 3_000_000] as [Int64], [Duration.zero, .milliseconds(150)])
  func `a file is received while its name is asked for, and gets it`(byteCount: Int64, pause: Duration) throws {
    let (server, content) = try server(byteCount)
    let policy = Policy([.name], after: pause) { question in
      guard case .name(let file) = question else { return .accepted }
      return .named(file.answer.location.path == "/a" ? Array("named".utf8) : nil)
    }
    let run = try run(requests(server, isNamedByAnswer: true), policy)
    #expect(run.end.progress.downloadedCount == 2 && target.names() == ["b", "named"])
    for name in target.names() { #expect(try content.firstDifference(inFile: target.path(name)) == nil) }
    #expect(run.observer.started.sorted() == [0, 1])
  }

  @Test func `a name that is there already is that of a file that exists`() throws {
    let (server, content) = try server(1000)
    try content.write(to: target.path("named"))
    let policy = Policy([.name], after: .milliseconds(20)) { _ in .named(Array("named".utf8)) }
    let run = try run(Array(requests(server, isNamedByAnswer: true).prefix(1)), policy)
    #expect(run.end.progress.failedCount == 0 && target.names() == ["named"])
  }

  @Test(arguments: [EngineQuestion.Kind.source, .accept, .validate, .name])
  func `no answer is no yes`(kind: EngineQuestion.Kind) throws {
    let (server, _) = try server(1000)
    let policy = Policy([kind], after: nil, within: .milliseconds(200)) { _ in .accepted }
    let run = try run(requests(server, isNamedByAnswer: kind == .name), policy)
    for item in 0..<2 { #expect(run.error(item)?.cause == .undecided) }
    // Each is asked as often as a transfer is tried.
    #expect(policy.asked.withLock { $0.count } == 10 && policy.forgotten.withLock { $0 } == 10)
    #expect(target.names().allSatisfy { $0.contains(".swiftget") })
  }

  @Test(arguments: [EngineQuestion.Kind.source, .accept, .validate, .name])
  func `a file that is not wanted any more needs no answer`(kind: EngineQuestion.Kind) throws {
    let (server, _) = try server(1000)
    let policy = Policy([kind], after: nil) { _ in .accepted }
    let run = try run(requests(server, isNamedByAnswer: kind == .name), policy) { engine, observer in
      observer.onProgress = { _ in
        guard policy.asked.withLock({ $0.count }) == 2 else { return }
        engine.post([.change(.remove, .task(0))])
        engine.stop(.save)
      }
    }
    #expect(run.result(0) == .withdrawn(.removed) && run.end.wasStopped && policy.forgotten.withLock { $0 } == 2)
    #expect(!target.names().contains("a"))
  }
}
