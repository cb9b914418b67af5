import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles
@testable import DownloadTransport

/// What an engine that is stopped waits for.
@Suite(.waiting) struct `An engine that is stopped` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  private func makeEngine(
    _ directory: String = "", _ requests: [FileRequest], runtime: Runtime = .shared,
    _ change: (inout RunSettings) -> Void = { _ in }
  ) throws -> Engine {
    var settings = RunSettings()
    settings.transport.noProxy = "*"
    change(&settings)
    let path = target.path(directory)
    mkdir(path, 0o755)
    return Engine(
      settings: settings, place: try DownloadPlace(directory: Array(path.utf8)), trustedOrigins: [],
      source: ArraySource(requests), endsWhenIdle: false, descriptorLimit: raiseDescriptorLimit() / 2, runtime: runtime)
  }

  /// A giant is being hashed, transfers are under way.
  @Test(arguments: [StopChoice.save, .now]) func `stops within a second whatever is under way`(choice: StopChoice)
    throws
  {
    let giant = open(target.path("giant"), O_RDWR | O_CREAT, 0o644)
    ftruncate(giant, 16 << 30)
    close(giant)
    let content = Content.generated(seed: 6, byteCount: 4_000_000)
    let server = try ScriptedServer(
      FileService(Dictionary(uniqueKeysWithValues: (0..<40).map { ("/\($0)", content) })) {
        $0.bytesPerSecondOfConnection = 100_000
      })
    var requests = [try request(0, server.url("/giant"), name: "giant", digests: [digest(.text("other"))])]
    requests += try (0..<40).map { try request(1 + $0, server.url("/\($0)"), name: "\($0)") }
    let engine = try makeEngine("", requests)
    try engine.start()
    #expect(eventually { server.bodyBytesSent > 200_000 })
    engine.stop(choice)
    var entry = pollfd(fd: try #require(engine.endDescriptor), events: Int16(POLLIN), revents: 0)
    // The promise is one second; a busy machine gets more.
    #expect(poll(&entry, 1, 10_000) == 1)
    let end = engine.join()
    #expect(end.wasStopped && end.stoppedBy == nil && !end.unfinished.isEmpty)
  }

  /// Waits until a file of the engine is being synced for its name.
  private func isPublishing(_ engine: Engine, _ task: TaskID) -> Bool {
    eventually {
      guard case .descriptions(let found)? = ask(engine, .describe(.task(task))),
        case .active(let file)? = found.first?.activity
      else { return false }
      return file.phase == .publishing
    }
  }

  /// Each sync of a file takes so many seconds.
  private func withLateSyncs(_ seconds: UInt32, _ body: () throws -> Void) rethrows {
    let faults = [SystemCall.fsync, .fdatasync].map {
      Fault($0, below: target.path("slow"), persists: true, .late(seconds * 1000))
    }
    try FaultTable.withFaults(faults, body)
  }

  @Test(arguments: [StopChoice.save, .now])
  func `names no file after its end, whose sync took longer`(choice: StopChoice) throws {
    let content = Content.generated(seed: 8, byteCount: 3_000_000)
    let server = try ScriptedServer(FileService(["/f": content]))
    try withLateSyncs(4) {
      let engine = try makeEngine(
        "slow", [request(1, server.url("/f"), name: "f")], runtime: Runtime(idleTime: .zero))
      try engine.start()
      try #require(isPublishing(engine, 1))
      engine.stop(choice)
      let end = engine.join()
      #expect(end.wasStopped && end.unfinished.map(\.task) == [1] && end.progress.downloadedCount == 0)
      #expect(end.unreleased == [1])
      sleep(5)
    }
    #expect(target.names(in: "slow") == ["f.swiftget", "f.swiftget-part"])
  }

  @Test(arguments: [StopChoice.save, .now])
  func `ends a command that judges a file and does not want to end`(choice: StopChoice) throws {
    let content = Content.text("judged")
    let server = try ScriptedServer(FileService(["/f": content]))
    let marker = target.path("pid")
    let engine = try makeEngine("files", [request(1, server.url("/f"), name: "f")]) {
      $0.target.verifyCommand = VerifyCommand(
        CommandWords(
          words: ["/bin/sh", "-c", "trap '' TERM; echo $$ > \(marker); while :; do sleep 1; done"].map {
            Array($0.utf8)
          }))
    }
    try engine.start()
    var judge: pid_t = 0
    #expect(
      eventually {
        let text = (try? readFile(marker)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        judge = pid_t(text.filter(\.isNumber)) ?? 0
        return judge > 0
      })
    engine.stop(choice)
    #expect(engine.join().wasStopped)
    #expect(kill(judge, 0) != 0, "it is gone")
  }
}
