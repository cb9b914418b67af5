import Glibc
import TestSupport
import Testing

@testable import DownloadFiles

@Suite struct `The model of a disk` {
  /// Random writes, truncations and syncs of a real file, one of them failed.
  @Test(arguments: 0..<400 as Range<UInt64>)
  func `has what the program sees if everything survives`(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var generator = SeededGenerator(seed: Fuzz.seed &+ seed)
    let failed = Int.random(in: 1...4, using: &generator)
    let calls = try FaultTable.withFaults([Fault(.fdatasync, number: failed, .failure(EIO))]) {
      try FaultTable.recording {
        let file = try SystemCalls.openat(
          SystemCalls.workingDirectory, Array(directory.path("f").utf8), O_RDWR | O_CREAT, mode: 0o600)
        for _ in 0..<Int.random(in: 1...20, using: &generator) { try Self.change(file.raw, &generator) }
      }
    }
    var model = DiskModel(root: directory.path)
    for call in calls { _ = try model.apply(call) }
    let found = try #require(SurvivingDisk(model, .everything).file("f"))
    // Not in the expectation, which would print them.
    let isSame = try found.bytes(0..<found.size) == readFile(directory.path("f"))
    #expect(isSame)
  }

  private static func change(_ file: Int32, _ generator: inout SeededGenerator) throws {
    let position = Int64.random(in: 0...20_000, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: try SystemCalls.ftruncate(file, length: position)
    // One of them is to fail.
    case 1: _ = try? SystemCalls.fdatasync(file)
    default:
      let count = Int.random(in: 1...10_000, using: &generator)
      let bytes = [UInt8](repeating: UInt8.random(in: 1...255, using: &generator), count: count)
      try bytes.withUnsafeBytes { try SystemCalls.pwriteAll(file, $0, at: position) }
    }
  }
}
