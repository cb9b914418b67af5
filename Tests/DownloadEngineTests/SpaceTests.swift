import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

@Suite(.waiting) struct `Disk space` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  /// Announces a length beyond any file system for one path.
  private func server(_ service: FileService, absurd path: String) throws -> ScriptedServer {
    try ScriptedServer { request in
      guard request.path == path else { return service.steps(for: request) }
      let head = responseHead(
        200,
        [
          ("Content-Length", "\(Int64.max)"), ("ETag", "\"absurd\""), ("Accept-Ranges", "bytes"),
          ("Last-Modified", "Wed, 01 Jan 2025 10:00:00 GMT"),
        ])
      return [.send(head), .sendBody(Body(.generated(seed: 3, byteCount: 1 << 20))), .close]
    }
  }

  @Test func `that is not sufficient for a file fails that file only, in this run and the next`() throws {
    let content = Content.generated(seed: 1, byteCount: 700_000)
    let service = FileService(["/a": content, "/b": content, "/c": content])
    let server = try server(service, absurd: "/huge")
    let names = ["a", "huge", "b", "huge2", "c"]
    let requests = try names.enumerated().map { index, name in
      try request(index, server.url(name.hasPrefix("huge") ? "/huge" : "/\(name)"), name: name)
    }
    for attempt in 0..<2 {
      let run = try EngineRun(requests, into: target)
      for (index, name) in names.enumerated() where !name.hasPrefix("huge") {
        #expect(run.result(index) == (attempt == 0 ? .downloaded : .kept), "\(run.observer.outcomes)")
        #expect(try content.firstDifference(inFile: target.path(name)) == nil)
      }
      for index in [1, 3] {
        let error = try #require(run.error(index))
        guard case .spaceShort(needed: .max, _, let space) = error.cause else {
          Issue.record("\(error)")
          continue
        }
        #expect(error.code == .localIO && space.free > 0 && space.reserve > 0)
      }
      #expect(run.end.stoppedBy == nil && run.end.progress.failedCount == 2)
      #expect(target.names() == ["a", "b", "c"])
    }
  }

  /// The free space must equal that of df.
  @Test func `agrees with df`() throws {
    let server = try server(FileService([:]), absurd: "/huge")
    let run = try EngineRun([request(0, server.url("/huge"), name: "huge")], into: target)
    guard case .spaceShort(_, claimed: 0, let space)? = run.error()?.cause else {
      Issue.record("\(String(describing: run.error()))")
      return
    }
    let df = try runProgram("/bin/df", ["--output=avail", "--block-size=1", target.path])
    let shown = try #require(df.outputText.split(separator: "\n").last.flatMap { Int64($0.filter(\.isNumber)) })
    // Others write at the same time.
    #expect(abs(space.free - shown) < 4 << 30, "\(space) \(shown)")
    #expect(space.reserve == 8 << 20)
  }

  @Test(.disabled(if: suspectsDevices, "only the loop's thread fails"))
  func `that is used up on one file system stops the items there, and no others`() throws {
    let elsewhere = "/dev/shm/swiftget-test-\(getpid())"
    try #require(mkdir(elsewhere, 0o755) == 0)
    defer { _ = try? runProgram("/bin/rm", ["-r", elsewhere]) }
    let big = Content.generated(seed: 4, byteCount: 2_000_000)
    let server = try ScriptedServer(FileService(["/big": big, "/small": .text("small")]))
    // Present before, and right: it needs no room.
    let kept = try request(2, server.url("/small"), name: "x")
    var requests = try [
      request(0, server.url("/big"), name: "x"), request(1, server.url("/small"), name: "x"), kept,
      request(3, server.url("/small"), name: "here"), request(4, server.url("/big"), name: "here-too"),
    ]
    for (index, name) in ["big", "small", "kept"].enumerated() {
      requests[index].target = .path(Array("\(elsewhere)/\(name)".utf8))
    }
    _ = try EngineRun([requests[2]], into: target)
    _ = (FileCreationMask.current, BootID.current)
    // The loop's own first write is the first one of the big file.
    let run = try FaultTable.withFaults([Fault(.pwrite, .failure(ENOSPC))]) {
      try EngineRun(requests, into: target, onThisThread: true) { $0.limits.jobs = 1 }
    }
    #expect(run.error(0)?.code == .diskFull && run.result(1) == nil && run.result(2) == .kept)
    #expect(run.result(3) == .downloaded && run.result(4) == .downloaded)
    #expect(run.end.stoppedBy?.code == .diskFull && run.end.progress.unstartedCount == 1)
    #expect(run.observer.notices.filter { $0.remark == .notStarted }.map(\.task) == [1])
  }
}
