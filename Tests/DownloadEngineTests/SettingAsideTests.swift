import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Content that others are to find under a name, because it is judged, or wrong.
@Suite(.waiting) struct `Content that is judged or wrong` {
  private let scratch: TemporaryDirectory
  /// Calls in it are late.
  private let target: String

  init() throws {
    scratch = try TemporaryDirectory()
    target = scratch.path("d")
    mkdir(target, 0o755)
  }

  private func hasEnded(_ events: EventSubscription) -> Bool {
    events.takeAll().flatMap(\.events).contains { if case .ended = $0 { true } else { false } }
  }

  /// Runs a file while a system call takes so long, and sees that commands are answered meanwhile.
  ///
  /// - Parameters:
  ///   - isNear: whether the call is about to be made.
  ///   - isDone: whether it has had its effect.
  private func runLate(
    _ call: SystemCall, _ request: FileRequest, isNear: () -> Bool, isDone: () -> Bool,
    _ change: (inout RunSettings) -> Void = { _ in }
  ) throws {
    var settings = RunSettings()
    settings.transport.noProxy = "*"
    change(&settings)
    let engine = Engine(
      settings: settings, place: try DownloadPlace(directory: Array(target.utf8)), trustedOrigins: [],
      source: ArraySource([request]), endsWhenIdle: false, descriptorLimit: raiseDescriptorLimit(),
      runtime: Runtime(idleTime: .zero))
    try FaultTable.withFaults([Fault(call, below: scratch.path, persists: true, .late(1500))]) {
      let events = engine.events.subscribe(.complete)
      try engine.start()
      #expect(eventually { isNear() })
      usleep(300_000)
      #expect(ask(engine, .order) != nil && !isDone(), "answered while the call waits")
      #expect(eventually { hasEnded(events) })
      engine.stop(.finish)
      _ = engine.join()
    }
  }

  /// What had the name may be large, and is freed by the renaming.
  @Test(arguments: [1000, 3_000_000] as [Int64])
  func `is set aside while the engine goes on`(byteCount: Int64) throws {
    let content = Content.generated(seed: 71, byteCount: byteCount)
    let server = try ScriptedServer(FileService(["/f": content]))
    try writePrivate("f.swiftget-bad")
    let wanted = try request(0, server.url("/f"), name: "f", digests: [digest(.text("other"))])
    // The same wrong content is fetched twice.
    try runLate(
      .renameat, wanted, isNear: { server.requests.count >= 2 && size("f.swiftget-part") == byteCount },
      isDone: { size("f.swiftget-bad") == byteCount })
    #expect(scratch.names(in: "d") == ["f.swiftget-bad"])
    #expect(try content.firstDifference(inFile: target + "/f.swiftget-bad") == nil)
  }

  private func size(_ name: String) -> Int64? { (try? readFile(target + "/" + name)).map { Int64($0.count) } }

  private func writePrivate(_ name: String) throws {
    let descriptor = open(target + "/" + name, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else { throw TestSupportError("cannot create \(name)") }
    close(descriptor)
  }

  @Test func `is written for its judge while the engine goes on`() throws {
    let content = Content.generated(seed: 72, byteCount: 1000)
    let server = try ScriptedServer(FileService(["/f": content]))
    try runLate(
      .pwrite, try request(0, server.url("/f"), name: "f"), isNear: { size("f.swiftget") != nil },
      isDone: { size("f.swiftget-part") == 1000 || size("f") != nil }
    ) { $0.target.verifyCommand = VerifyCommand(CommandWords(words: [Array("/bin/true".utf8)])) }
    #expect(scratch.names(in: "d") == ["f"])
    #expect(try content.firstDifference(inFile: target + "/f") == nil)
  }
}
