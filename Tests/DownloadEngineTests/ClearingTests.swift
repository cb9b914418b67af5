import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Content that is discarded while a slow disk has pending jobs: no record may claim it once other bytes are written,
/// and the loop must not wait. The calls of all threads are delayed and recorded, so each test has its own process.
@Suite(.waiting) struct `Discarded content` {
  private static func check(_ holds: Bool, _ what: String) {
    if !holds { Issue.record(Comment(rawValue: what)) }
  }

  /// A run on a disk whose syncs take this long.
  private static func slowRun(
    _ wanted: FileRequest, into target: TemporaryDirectory, syncMilliseconds: UInt32,
    connections: Int = FileSettings.usualConnections
  ) throws -> EngineRun {
    _ = (FileCreationMask.current, BootID.current)
    return try FaultTable.withFaults(
      [Fault(.fdatasync, persists: true, .late(syncMilliseconds))], everyThread: true
    ) { try EngineRun([wanted], into: target) { $0.file.maxConnections = connections } }
  }

  /// The same run with its recorded calls, which are serialized.
  private static func recordedRun(
    _ wanted: FileRequest, into target: TemporaryDirectory, syncMilliseconds: UInt32,
    connections: Int = FileSettings.usualConnections
  ) throws -> (run: EngineRun, calls: [RecordedCall]) {
    var run: EngineRun?
    let calls = try FaultTable.recording(everyThread: true) {
      run = try slowRun(
        wanted, into: target, syncMilliseconds: syncMilliseconds, connections: connections)
    }
    guard let run else { throw TestSupportError("no run") }
    return (run, calls)
  }

  /// Replays the writes: no record may claim a byte of the part file while it is overwritten.
  private static func overwrittenClaims(_ calls: [RecordedCall]) -> [String] {
    var sidecar = [UInt8](repeating: 0, count: 64 << 10)
    var found: [String] = []
    for call in calls where call.call == .pwrite && call.result > 0 {
      if call.file.hasSuffix("/f.swiftget") {
        sidecar.replaceSubrange(Int(call.offset)..<Int(call.offset) + call.bytes.count, with: call.bytes)
      } else if call.file.hasSuffix("/f.swiftget-part") {
        let bytes = Array(sidecar.prefix(Int(SidecarReading.holderOffset)))
        guard case .record(let record) = SidecarReading(bytes).outcome else { continue }
        let written = call.offset..<call.offset + Int64(call.result)
        if record.believed(bootID: BootID.current).gaps(in: written) != [written] {
          found.append("\(written) is written while it is claimed")
        }
      }
    }
    return found
  }

  /// A server whose file changes during the first transfer, just before that breaks. The runs use one connection,
  /// because two would complete the first version.
  private static func changingServer() throws -> (server: ScriptedServer, second: Content) {
    let second = Content.generated(seed: 7, byteCount: 6_000_000)
    let service = FileService(["/f": .generated(seed: 6, byteCount: 6_000_000)]) {
      $0.bytesPerSecondOfServer = 2_000_000
      $0.cutAfter = 3_500_000
      $0.replacements = ["/f": second]
      $0.changesAfter = .bodyBytes(3_400_000)
    }
    return (try ScriptedServer(service), second)
  }

  private static func checkChanged(_ run: EngineRun, _ second: Content, in target: TemporaryDirectory) throws {
    check(run.result() == .downloaded, "\(String(describing: run.result()))")
    check(try second.firstDifference(inFile: target.path("f")) == nil, "another content")
    check(target.names() == ["f"], "\(target.names())")
    check(
      run.observer.notices.contains { if case .startingOver = $0.remark { true } else { false } },
      "nothing was thrown away")
  }

  @Test func `is not claimed by any record after a new version`() async {
    await #expect(processExitsWith: .success) {
      let (server, second) = try Self.changingServer()
      let target = try TemporaryDirectory()
      let (run, calls) = try Self.recordedRun(
        request(0, server.url("/f"), name: "f"), into: target, syncMilliseconds: 300, connections: 1)
      try Self.checkChanged(run, second, in: target)
      Self.check(Self.overwrittenClaims(calls).isEmpty, "\(Self.overwrittenClaims(calls).prefix(3))")
    }
  }

  @Test func `does not block the loop on a slow disk`() async {
    await #expect(processExitsWith: .success) {
      let (server, second) = try Self.changingServer()
      let target = try TemporaryDirectory()
      let run = try Self.slowRun(
        request(0, server.url("/f"), name: "f"), into: target, syncMilliseconds: 2000, connections: 1)
      try Self.checkChanged(run, second, in: target)
      // Progress is reported five times a second. A loop that waits for a sync would report none for two seconds.
      let times = run.observer.progress.map(\.elapsed)
      let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .zero
      Self.check(longest < .milliseconds(1900), "no word for \(longest)")
    }
  }

  @Test func `is not claimed by any record after a wrong piece`() async {
    await #expect(processExitsWith: .success) {
      let content = Content.generated(seed: 21, byteCount: 3_000_000)
      var bytes = content.allBytes
      // At the start, before the other mirror gets a range.
      bytes[100] ^= 1
      let spoiled = Content.bytes(bytes)
      let servers = try [spoiled, content].map { content in
        try ScriptedServer(
          FileService(["/f": content]) {
            $0.entityTag = .none
            $0.bytesPerSecondOfServer = 700_000
          })
      }
      var wanted = try request(0, servers[0].url("/f"), name: "f")
      wanted.mirrors += try request(0, servers[1].url("/f"), name: "f").mirrors
      // Slow enough for some of it to be synced and recorded before it is found to be wrong.
      let length: Int64 = 1_500_000
      wanted.pieces = PieceHashes(
        length: length,
        digests: try stride(from: 0, to: content.byteCount, by: Int64.Stride(length)).map { start in
          guard let computer = DigestComputer([.sha256]) else { throw TestSupportError("no SHA-256") }
          content.bytes(in: start..<min(start + length, content.byteCount)).withUnsafeBytes { computer.update($0) }
          return computer.finish()[0]
        })
      let target = try TemporaryDirectory()
      let (run, calls) = try Self.recordedRun(wanted, into: target, syncMilliseconds: 200)
      Self.check(run.result() == .downloaded, "\(String(describing: run.result()))")
      Self.check(try content.firstDifference(inFile: target.path("f")) == nil, "another content")
      Self.check(
        run.observer.notices.contains { if case .mismatch = $0.remark { true } else { false } }, "no piece was wrong")
      Self.check(Self.overwrittenClaims(calls).isEmpty, "\(Self.overwrittenClaims(calls).prefix(3))")
    }
  }

  @Test func `is not claimed after the storage thread has replied, and can then be removed`() throws {
    let workers = try WorkerRig()
    let place = try workers.place("f")
    let handle: ItemHandle = 3
    let sidecar = try SidecarFile.open(place)
    try sidecar.startOver(with: workers.record("f", written: 0..<0))
    let old = try workers.part("f", .generated(seed: 1, byteCount: 1000))
    // The running sync ends first. Its claims are void afterwards.
    let less = workers.record("f", written: 0..<100)
    let replies = workers.store(
      .sync(
        handle,
        Revocable(
          FilesToSync(part: old, sidecar: sidecar, record: workers.record("f", written: 0..<1000, synced: 0..<1000)))),
      .clear(handle, old, sidecar, less, whole: nil))
    guard case .synced(handle, _) = replies[0], case .cleared(handle, let part) = replies[1], part === old,
      replies.count == 2
    else {
      Issue.record("\(replies)")
      return
    }
    #expect(try sidecar.recordWritten(less))
    let bytes = try workers.scratch.read("f.swiftget")
    guard case .record(let found) = SidecarReading(Array(bytes.prefix(Int(SidecarReading.holderOffset)))).outcome else {
      Issue.record("no record")
      return
    }
    #expect(found.believed(bootID: BootID.current) == ByteRangeSet([0..<100]))
    // Without a part file an empty one is created.
    guard case .cleared(handle, let new)? = workers.store(.clear(handle, nil, sidecar, less, whole: nil)).first else {
      Issue.record("no part file")
      return
    }
    #expect(try new !== old && new.size == 0 && workers.scratch.names() == ["f.swiftget", "f.swiftget-part"])
    #expect(workers.store(.clear(handle, nil, sidecar, less, whole: nil), .remove(sidecar)).count == 1)
    #expect(workers.scratch.names().isEmpty)
  }

  @Test func `is reported if the record cannot be voided`() throws {
    let workers = try WorkerRig()
    let handle: ItemHandle = 3
    let sidecar = try SidecarFile.open(workers.place("f"))
    try sidecar.startOver(with: workers.record("f", written: 0..<0))
    let replies = FaultTable.withFaults([Fault(.fdatasync, .failure(EIO))]) {
      workers.store(.clear(handle, nil, sidecar, workers.record("f", written: 0..<0), whole: nil))
    }
    guard case .creationFailed(handle, let error)? = replies.first, case .local(let failure) = error.cause,
      failure.operation == .writeSidecar, failure.errno == EIO
    else {
      Issue.record("\(replies)")
      return
    }
  }
}
