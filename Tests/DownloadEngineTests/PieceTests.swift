import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Hashes of pieces in the hash thread and in complete runs.
@Suite(.waiting) struct `Verifying pieces` {
  private let target: TemporaryDirectory
  private let content = Content.generated(seed: 21, byteCount: 3_000_001)
  private static let pieceLength: Int64 = 400_000

  init() throws { target = try TemporaryDirectory() }

  private func hashes() throws -> PieceHashes {
    let computer = try #require(DigestComputer([.sha1]))
    let digests = stride(from: 0, to: content.byteCount, by: Int64.Stride(Self.pieceLength)).flatMap { start in
      content.bytes(in: start..<min(start + Self.pieceLength, content.byteCount)).withUnsafeBytes {
        computer.update($0)
      }
      return computer.finish()
    }
    return try #require(PieceHashes(length: Self.pieceLength, digests: digests))
  }

  /// The content with wrong bytes in these ranges.
  private func spoiled(at offsets: Int64...) -> Content {
    var bytes = content.allBytes
    for offset in offsets { bytes[Int(offset)] ^= 1 }
    return .bytes(bytes)
  }

  private func server(_ content: Content) throws -> ScriptedServer {
    // All mirrors claim the same version.
    try ScriptedServer(FileService(["/f": content]) { $0.entityTag = .none })
  }

  private func wanted(_ urls: [String], digests: [ContentDigest] = []) throws -> FileRequest {
    var wanted = try request(0, urls[0], name: "f", digests: digests)
    wanted.mirrors = try urls.flatMap { try request(0, $0, name: "f").mirrors }
    wanted.pieces = try hashes()
    return wanted
  }

  private func isRight() throws -> Bool {
    try content.firstDifference(inFile: target.path("f")) == nil && target.names() == ["f"]
  }

  /// Of the pieces that were fetched again.
  private func wrongPieces(_ run: EngineRun) -> [Range<Int64>] {
    run.observer.notices.compactMap { if case .mismatch(let mismatch) = $0.remark { mismatch.range } else { nil } }
  }

  @Test func `the hash thread compares the digest of a piece`() throws {
    let workers = try WorkerRig()
    let part = try workers.part("f", content)
    let handle: ItemHandle = 3
    let hashes = try hashes()
    for index in [0, 7] {
      let range = hashes.range(of: index, completeLength: content.byteCount)
      let check = PieceCheck(index: index, range: range, expected: hashes.digests[index], number: 1)
      guard case .pieceHashed(handle, check, let actual)? = workers.hash(.piece(handle, part, check)).first else {
        Issue.record("no answer")
        return
      }
      #expect(actual == hashes.digests[index])
    }
    let beyond = PieceCheck(
      index: 7, range: 2_800_000..<3_200_000, expected: hashes.digests[7], number: 1)
    guard case .hashFailed(handle, SystemCallError(.pread, EIO))? = workers.hash(.piece(handle, part, beyond)).first
    else {
      Issue.record("bytes that are not there were hashed")
      return
    }
  }

  @Test func `right pieces complete a file, with and without a digest of the whole`() throws {
    for digests in [[], [try digest(content)]] {
      let server = try server(content)
      let run = try EngineRun([wanted([server.url("/f")], digests: digests)], into: target)
      #expect(run.result() == .downloaded)
      #expect(try isRight() && run.received() < content.byteCount * 11 / 10)
      unlink(target.path("f"))
    }
  }

  @Test(arguments: [false, true])
  func `a wrong piece is fetched from the other mirror`(hasDigest: Bool) throws {
    // One whole piece, and parts of two.
    let bad = try ScriptedServer(
      FileService(["/f": spoiled(at: 450_000, 1_999_999, 2_000_000, 3_000_000)]) {
        $0.entityTag = .none
        $0.bytesPerSecondOfServer = 30e6
      })
    let good = try ScriptedServer(
      FileService(["/f": content]) {
        $0.entityTag = .none
        $0.bytesPerSecondOfServer = 30e6
      })
    let digests = hasDigest ? [try digest(content)] : []
    let run = try EngineRun([wanted([bad.url("/f"), good.url("/f")], digests: digests)], into: target)
    #expect(run.result() == .downloaded, "\(String(describing: run.error()))")
    #expect(try isRight())
    #expect(run.received() <= content.byteCount * 51 / 50 + 5 * Self.pieceLength)
    #expect(!wrongPieces(run).isEmpty)
  }

  @Test func `a mirror with only wrong pieces is left`() throws {
    let other = Content.generated(seed: 22, byteCount: content.byteCount)
    let bad = try server(other)
    // It has not sent everything before the first pieces of the other one are judged.
    let good = try ScriptedServer(
      FileService(["/f": content]) {
        $0.entityTag = .none
        $0.bytesPerSecondOfServer = 3e6
      })
    let run = try EngineRun([wanted([bad.url("/f"), good.url("/f")])], into: target)
    #expect(run.result() == .downloaded)
    #expect(try isRight())
    let leaving = run.observer.notices.filter { if case .leavingMirror = $0.remark { true } else { false } }
    #expect(leaving.map(\.remark) == [.leavingMirror(try wanted([bad.url("/f")]).mirrors[0].location, .wrongContent)])
  }

  @Test func `a piece that is wrong on all mirrors fails the file`() throws {
    // A server without a pace fills the buffers of connections that are cut.
    let server = try ScriptedServer(
      FileService(["/f": spoiled(at: 1_234_567)]) {
        $0.entityTag = .none
        $0.bytesPerSecondOfServer = 4e6
      })
    let run = try EngineRun([wanted([server.url("/f")])], into: target)
    guard case .mismatch(let mismatch, failures: 3)? = run.error()?.cause else {
      Issue.record("\(String(describing: run.error()))")
      return
    }
    #expect(run.error()?.code == .integrity && mismatch.range == 1_200_000..<1_600_000)
    #expect(target.names() == ["f.swiftget-bad"])
    // One piece, two more times.
    #expect(run.received() <= content.byteCount + 3 * Self.pieceLength)
  }

  @Test func `bytes that changed between two runs are detected and fetched again`() throws {
    let (breaking, good) = (FileService(["/f": content]) { $0.cutAfter = 2_000_000 }, FileService(["/f": content]))
    let isBack = Locked(false)
    let server = try ScriptedServer { request in
      if isBack.withLock({ $0 }) { return good.steps(for: request) }
      return request.index == 0 ? breaking.steps(for: request) : [.respond(404)]
    }
    let wanted = try wanted([server.url("/f")])
    let first = try EngineRun([wanted], into: target)
    #expect(first.error()?.code == .serverRefused && target.names() == ["f.swiftget", "f.swiftget-part"])
    isBack.withLock { $0 = true }
    let part = open(target.path("f.swiftget-part"), O_WRONLY)
    #expect(pwrite(part, [1, 2, 3], 3, 150_000) == 3)
    close(part)
    let again = try EngineRun([wanted], into: target)
    #expect(again.result() == .downloaded)
    #expect(try isRight())
    #expect(again.received() < content.byteCount / 2 + Self.pieceLength, "what was right is kept")
    #expect(wrongPieces(again) == [0..<400_000])
  }

  @Test func `a stream is verified while it is written`() throws {
    for (served, isRight) in [(content, true), (spoiled(at: 1_000_000), false), (spoiled(at: 3_000_000), false)] {
      let server = try server(served)
      let pipe = target.path("pipe")
      unlink(pipe)
      #expect(mkfifo(pipe, 0o600) == 0)
      // The reader opens the pipe before the run does.
      let reader = open(pipe, O_RDWR | O_NONBLOCK)
      #expect(reader >= 0)
      let isOver = Locked(false)
      startThread { drain(reader, until: isOver) }
      defer { isOver.withLock { $0 = true } }
      var wanted = try wanted([server.url("/f")])
      wanted.target = .path(Array("pipe".utf8))
      let run = try EngineRun([wanted], into: target)
      #expect((run.result() == .downloaded) == isRight, "\(String(describing: run.error()))")
      if !isRight { #expect(run.error()?.code == .integrity) }
    }
  }
}

/// Reads everything, then closes.
private func drain(_ descriptor: Int32, until isOver: Locked<Bool>) {
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while !isOver.withLock({ $0 }) {
    if read(descriptor, &buffer, buffer.count) <= 0 { pause(seconds: 0.001) }
  }
  close(descriptor)
}
