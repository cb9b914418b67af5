import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Another thread syncs, so the faults apply to all threads, in a separate process.
@Suite(.waiting) struct `A failed sync` {
  /// Reports a failed expectation from the other process.
  private static func check(_ holds: Bool, _ what: String) {
    if !holds { Issue.record(Comment(rawValue: what)) }
  }

  /// A run with these faults, then one without. The first one must fail without a file.
  private static func exercise(
    _ faults: [Fault], _ content: Content, bytesPerSecond: Double?, isVerified: Bool
  ) throws {
    let target = try TemporaryDirectory()
    let service = FileService(["/f": content]) { $0.bytesPerSecondOfServer = bytesPerSecond }
    let server = try ScriptedServer(service)
    let wanted = try [
      request(0, server.url("/f"), name: "f", digests: isVerified ? [digest(content)] : [])
    ]
    _ = (FileCreationMask.current, BootID.current)
    let run = try FaultTable.withFaults(faults, everyThread: true) { try EngineRun(wanted, into: target) }
    check(run.error()?.code == .localIO, "\(faults): \(String(describing: run.result()))")
    guard case .local(let failure)? = run.error()?.cause else {
      return check(false, "\(String(describing: run.error()))")
    }
    check(failure.errno == EIO, "\(failure)")
    check(run.end.failureCodes == [.localIO], "\(run.end.failureCodes)")
    check(!fileExists(target.path("f")), "\(faults): something stands under the name")
    service.change { $0.bytesPerSecondOfServer = nil }
    let again = try EngineRun(wanted, into: target)
    check(again.result() == .downloaded, "\(faults): again: \(String(describing: again.result()))")
    check(try content.firstDifference(inFile: target.path("f")) == nil, "\(faults): another content")
    check(target.names() == ["f"], "\(faults): \(target.names())")
  }

  @Test func `of a growing file fails it, and its bytes are not resumed`() async {
    await #expect(processExitsWith: .success) {
      // Slow enough for a sync in each second.
      let content = Content.generated(seed: 1, byteCount: 6_000_000)
      try Self.exercise([Fault(.fdatasync, .failure(EIO))], content, bytesPerSecond: 3_000_000, isVerified: true)
      try Self.exercise(
        [Fault(.fdatasync, number: 2, .failure(EIO))], content, bytesPerSecond: 1_000_000, isVerified: false)
    }
  }

  @Test func `at publication leaves no file`() async {
    await #expect(processExitsWith: .success) {
      let big = Content.generated(seed: 2, byteCount: 3_000_000)
      let small = Content.text("small")
      let faults = [SystemCall.fsync, .syncfs, .fdatasync].map { Fault($0, persists: true, .failure(EIO)) }
      try Self.exercise(faults, big, bytesPerSecond: nil, isVerified: true)
      try Self.exercise(faults, small, bytesPerSecond: nil, isVerified: false)
    }
  }

  @Test func `for lack of space stops the run`() async {
    await #expect(processExitsWith: .success) {
      let target = try TemporaryDirectory()
      let server = try ScriptedServer(FileService(["/f": .generated(seed: 3, byteCount: 2_000_000)]))
      let wanted = try [request(0, server.url("/f"), name: "f")]
      _ = (FileCreationMask.current, BootID.current)
      let run = try FaultTable.withFaults([Fault(.fsync, persists: true, .failure(ENOSPC))], everyThread: true) {
        try EngineRun(wanted, into: target)
      }
      Self.check(run.error()?.code == .diskFull, "\(String(describing: run.result()))")
      Self.check(run.end.stoppedBy?.code == .diskFull, "the run went on")
      Self.check(!fileExists(target.path("f")), "something stands under the name")
      Self.check(try EngineRun(wanted, into: target).result() == .downloaded, "not afterwards")
    }
  }
}
