import DownloadCore
import DownloadEngine
import DownloadFiles
import Glibc
import TestSupport
import Testing

@testable import DownloadHashing
@testable import DownloadScratch

@Suite struct `Hashing on all cores` {
  private let scratch: TemporaryDirectory
  private let directory: TargetDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    directory = try TargetDirectory.open(path: Array(scratch.path.utf8), creating: false)
  }

  private func hasher(_ flag: StopFlag = StopFlag()) -> FileHasher {
    FileHasher(directory: directory, isStopped: flag)
  }

  private func job(_ name: String, _ algorithms: [DigestAlgorithm] = [.sha256]) -> HashJob {
    HashJob(number: 0, target: .listed(name.split(separator: "/").map { Array($0.utf8) }), algorithms: algorithms)
  }

  private func problem(_ name: String) -> FileProblem? {
    if case .failure(let problem) = hasher().hash(job(name)).result { problem } else { nil }
  }

  @Test(arguments: [1, 2, 7])
  func `gives each job one outcome`(threadCount: Int) throws {
    let contents = (0..<60).map { Content.generated(seed: UInt64($0), byteCount: Int64($0) * 40_001 % 700_000) }
    for (index, content) in contents.enumerated() { try content.write(to: scratch.path("f\(index)")) }
    let signals = SignalWatch([])
    let pool = try HashPool(directory: directory, threadCount: threadCount)
    for index in contents.indices {
      var job = job("f\(index)")
      job.number = index
      pool.submit(job)
    }
    var hashes: [Int: String] = [:]
    while hashes.count < contents.count {
      for outcome in pool.collect(hearing: signals) ?? [] {
        #expect(hashes[outcome.number] == nil)
        hashes[outcome.number] = try outcome.result.get().digests[0].hex
      }
    }
    pool.end()
    for index in stride(from: 0, to: contents.count, by: 7) {
      let expected = try contents[index].hexDigest()
      #expect(hashes[index] == expected)
    }
  }

  @Test func `ends although jobs are left`() throws {
    try Content.generated(seed: 1, byteCount: 5_000_000).write(to: scratch.path("f"))
    let pool = try HashPool(directory: directory, threadCount: 3)
    for _ in 0..<500 { pool.submit(job("f")) }
    pool.end()
  }

  @Test func `computes pieces beside the whole, whatever their length`() throws {
    let content = Content.generated(seed: 3, byteCount: 600_001)
    try content.write(to: scratch.path("f"))
    for length in [65_537 as Int64, 262_144, 300_000, 600_001, 700_000] {
      var wanted = job("f", [.md5, .sha1])
      wanted.pieces = HashJob.Pieces(algorithm: .sha1, length: length)
      let hashed = try hasher().hash(wanted).result.get()
      let wholes = [try content.hexDigest("md5"), try content.hexDigest("sha1")]
      #expect(hashed.length == 600_001 && hashed.digests.map(\.hex) == wholes)
      let spans = stride(from: 0, to: 600_001, by: Int(length)).map { Int64($0)..<min(Int64($0) + length, 600_001) }
      let expected = try spans.map { try Content.bytes(content.bytes(in: $0)).hexDigest("sha1") }
      #expect(hashed.pieces.map(\.hex) == expected, "\(length)")
    }
  }

  @Test func `does not read a file of another length`() throws {
    try scratch.write("f", "abc")
    var wanted = job("f")
    wanted.expectedLength = 4
    #expect(try hasher().hash(wanted).result.get() == HashedContent(length: 3))
  }

  @Test func `tells what stands in the place of a file`() throws {
    try scratch.makeDirectory("d")
    symlink("f", scratch.path("link"))
    symlink("d", scratch.path("dlink"))
    try scratch.write("f", "x")
    mkfifo(scratch.path("pipe"), 0o600)
    #expect(problem("absent") == .missing && problem("absent/f") == .missing)
    #expect(problem("d") == .obstacle(.directory) && problem("pipe") == .obstacle(.special))
    #expect(problem("link") == .obstacle(.symbolicLink) && problem("dlink/f") == .obstacle(.symbolicLink))
    #expect(problem("f") == nil)
  }

  @Test func `stops within a file`() throws {
    try scratch.write("f", "x")
    let flag = StopFlag()
    flag.set()
    #expect(throws: FileProblem.stopped) { try hasher(flag).hash(job("f")).result.get() }
  }

  @Test func `notices a file that changes while it is read`() throws {
    try scratch.write("f", "abc")
    let file = try LocalFile(.listed([Array("f".utf8)]), in: directory)
    try file.requireUnchanged(length: 3)
    #expect(throws: FileProblem.changed) { try file.requireUnchanged(length: 2) }
    var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
    utimensat(AT_FDCWD, scratch.path("f"), &times, 0)
    #expect(throws: FileProblem.changed) { try file.requireUnchanged(length: 3) }
    try scratch.write("f", "abcd")
    #expect(throws: FileProblem.changed) { try file.requireUnchanged(length: 4) }
  }
}
